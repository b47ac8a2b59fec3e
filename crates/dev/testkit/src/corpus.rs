//! Real data beside the checkout.

use std::fs;
use std::path::{Path, PathBuf};

use crate::required;

/// Returns the folder that holds the workspace.
#[must_use]
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Returns the path of a file or folder in `$WAYWARDEN_CORPUS`, or in `../shared/corpus` beside
/// the checkout. Returns `None`, with a message, where it is missing.
///
/// # Panics
///
/// If it is missing under `WAYWARDEN_REQUIRE_CORPUS=1`.
#[must_use]
pub fn corpus(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("WAYWARDEN_CORPUS")
        .map_or_else(|| workspace().join("../shared/corpus"), PathBuf::from);
    let path = root.join(name);
    if path.exists() {
        return Some(path);
    }
    let (required, path) = (required("WAYWARDEN_REQUIRE_CORPUS"), path.display());
    assert!(!required, "the corpus has no {path}");
    println!("skipped: corpus not found");
    None
}

/// Returns the bytes of a file of the corpus; see [`corpus`].
///
/// # Panics
///
/// If the file cannot be read, or as [`corpus`] does.
#[must_use]
pub fn corpus_bytes(name: &str) -> Option<Vec<u8>> {
    let path = corpus(name)?;
    Some(fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// Returns the text of a file of the corpus; see [`corpus`].
///
/// # Panics
///
/// If the file cannot be read as UTF-8, or as [`corpus`] does.
#[must_use]
pub fn corpus_text(name: &str) -> Option<String> {
    let path = corpus(name)?;
    Some(fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}
