//! Input of the rules: the project's files and packages, read once.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::rust::Source;

/// The project.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Every file that git tracks or would track, in order of path.
    pub(crate) files: Vec<File>,
    /// Every package of the workspace.
    pub(super) packages: Vec<MetadataPackage>,
}

/// One file.
#[derive(Debug)]
pub(crate) struct File {
    /// Path from the root, with `/`.
    pub(crate) path: String,
    /// Size in bytes.
    pub(super) size: u64,
    /// Its text; none if it is not text.
    pub(super) text: Option<String>,
    /// Code, comments and tests told apart; none if it is not Rust.
    pub(super) source: Option<Source>,
}

/// A package as `cargo metadata` describes it.
#[derive(Debug, Deserialize)]
pub(super) struct MetadataPackage {
    pub(super) name: String,
    /// Absolute path.
    pub(super) manifest_path: String,
    pub(super) dependencies: Vec<Dependency>,
}

/// An arrow from a package.
#[derive(Debug, Deserialize)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// None for a normal dependency, else `dev` or `build`.
    pub(super) kind: Option<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<MetadataPackage>,
}

impl Tree {
    /// Reads the project at `root`.
    pub(crate) fn read(root: &Path) -> Result<Tree> {
        let mut tree = Tree::default();
        let listing = output(root, "git", &LIST_FILES)?;
        let mut paths: Vec<&str> = listing
            .split('\0')
            .filter(|path| !path.is_empty())
            .collect();
        paths.sort_unstable();
        paths.dedup();
        for path in paths {
            let absolute = root.join(path);
            // A tracked file may be gone from the work tree; a link leads to a file seen elsewhere.
            if !absolute.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
                continue;
            }
            let bytes = std::fs::read(&absolute).with_context(|| format!("cannot read {path}"))?;
            tree.files.push(File::new(path, bytes));
        }
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let metadata = output(root, &cargo, &METADATA)?;
        let metadata: Metadata = serde_json::from_str(&metadata)?;
        tree.packages = metadata.packages;
        mark_test_files(&mut tree.files);
        Ok(tree)
    }

    /// A made-up project, for the rules' own tests.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree {
            files: files
                .iter()
                .map(|(path, text)| File::new(path, text.as_bytes().to_vec()))
                .collect(),
            packages: Vec::new(),
        };
        mark_test_files(&mut tree.files);
        tree
    }

    /// The files that are text.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&File, &str)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.text.as_deref()?)))
    }

    /// The files that are Rust.
    pub(super) fn sources(&self) -> impl Iterator<Item = (&File, &Source)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.source.as_ref()?)))
    }

    /// Returns true if there is a file or a folder of this name.
    pub(super) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        path.is_empty()
            || self.files.iter().any(|file| {
                file.path
                    .strip_prefix(path)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// Returns the content of the text file at `path`.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.path == path)?;
        file.text.as_deref()
    }
}

const LIST_FILES: [&str; 5] = [
    "ls-files",
    "-z",
    "--cached",
    "--others",
    "--exclude-standard",
];
const METADATA: [&str; 4] = ["metadata", "--no-deps", "--format-version", "1"];

impl File {
    fn new(path: &str, bytes: Vec<u8>) -> File {
        let size = bytes.len() as u64;
        let text = String::from_utf8(bytes)
            .ok()
            .filter(|text| !text.contains('\0'));
        let source = text
            .as_deref()
            .filter(|_| path.ends_with(".rs"))
            .map(Source::new);
        File {
            path: path.to_owned(),
            size,
            text,
            source,
        }
    }
}

/// Runs a program at `root` and returns what it prints.
fn output(root: &Path, program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(root)
        .output()
        .with_context(|| format!("cannot run {program}; tidy needs it"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!("{program} {}: {}", arguments.join(" "), complaint.trim());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The folder in which a file's child modules stand, without the final `/`.
pub(super) fn inside(path: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if matches!(name, "lib" | "main" | "mod") {
        folder.to_owned()
    } else {
        stem.to_owned()
    }
}

/// Marks files whole that are reached only through `#[cfg(test)] mod name;` or that cargo compiles
/// for tests alone.
fn mark_test_files(files: &mut [File]) {
    let mut folders: Vec<String> = Vec::new();
    for file in files.iter() {
        let Some(source) = &file.source else { continue };
        let inside = inside(&file.path);
        for declared in source.declared.iter().filter(|declared| declared.test) {
            folders.push(format!("{inside}/{}", declared.name));
        }
    }
    for file in files {
        let stem = file.path.strip_suffix(".rs").unwrap_or(&file.path);
        let declared = folders.iter().any(|folder| {
            stem.strip_prefix(folder.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        let by_cargo = ["/tests/", "/benches/", "/examples/"]
            .iter()
            .any(|folder| !file.path.contains("/src/") && file.path.contains(folder));
        if let Some(source) = &mut file.source
            && (declared || by_cargo)
        {
            source.test.fill(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_declared_for_tests_is_test_as_a_whole() {
        let files = Tree::of(&[
            ("crates/can/src/lib.rs", "mod a;"),
            ("crates/can/src/a.rs", "#[cfg(test)]\nmod tests;"),
            ("crates/can/src/a/tests.rs", "fn f() {}"),
        ])
        .files;
        let tests: Vec<bool> = files
            .iter()
            .map(|file| file.source.as_ref().unwrap().is_test(1))
            .collect();
        // The second file's first line is the attribute itself.
        assert_eq!(tests, [false, true, true]);
    }
}
