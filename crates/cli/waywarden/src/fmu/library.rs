//! The library that a unit has for each kind of computer: where it is here, and there.

use std::env::consts::{ARCH, DLL_PREFIX, DLL_SUFFIX, OS};
use std::path::{Path, PathBuf};

use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// The largest library: 1 GiB.
const LIBRARY_MAX: usize = 1 << 30;

/// Reads the library, from `named` or from where it is installed.
pub(super) fn find(named: Option<&Path>) -> Result<Vec<u8>, Failure> {
    if let Some(path) = named {
        return files::bytes(path, LIBRARY_MAX);
    }
    let name = format!("{DLL_PREFIX}waywarden_fmi{DLL_SUFFIX}");
    let places = places(&name);
    if let Some(path) = places.iter().find(|path| path.is_file()) {
        return files::bytes(path, LIBRARY_MAX);
    }
    let looked: Vec<String> = places
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Err(Failure::new(format_args!(
        "{name} is missing, which each unit has in it; build it with `cargo build --release \
         --package waywarden-fmi`, or name it with --library; looked for: {}",
        looked.join(", ")
    )))
}

/// Returns where a library may be: beside the program, as cargo puts it, and where packages do.
fn places(name: &str) -> Vec<PathBuf> {
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let folder = program
        .ok()
        .and_then(|path| path.parent().map(Path::to_path_buf));
    let Some(folder) = folder else {
        return Vec::new();
    };
    let mut places = vec![folder.join(name)];
    if let Some(parent) = folder.parent() {
        places.push(parent.join("lib/waywarden").join(name));
    }
    places
}

/// Returns the kind of computer, after the platform tuples of [FMI 3.0 §2.5.1.4.2].
pub(super) fn platform() -> String {
    let system = match OS {
        "macos" => "darwin",
        other => other,
    };
    format!("{ARCH}-{system}")
}

/// Returns the place of the library in a unit.
pub(super) fn path_in_unit(identifier: &str) -> String {
    format!("binaries/{}/{identifier}{DLL_SUFFIX}", platform())
}

/// Returns the place in the resources of a unit with sources, which load it.
pub(super) fn path_in_resources() -> String {
    format!("{}/{DLL_PREFIX}waywarden_fmi{DLL_SUFFIX}", platform())
}
