//! Sizes of files and crates: the measure that the rules and `cargo xtask sizes` share.
//!
//! Tests do not count: files named `tests.rs`, folders named `tests`, and inside a file what is
//! compiled for tests only. Benchmarks and examples do.

use std::collections::BTreeMap;

use serde::Serialize;

use super::rust::Source;
use super::tree::{File, Tree};

/// Size of one file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct FileSize {
    pub(super) path: String,
    /// All its lines if it is for tests alone, else those of the product.
    pub(super) lines: usize,
    /// True if it is for tests alone.
    pub(super) test: bool,
}

/// Size of one crate, without its tests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PackageSize {
    /// The folder under `crates/`, or at the root for other packages.
    pub(super) name: String,
    pub(super) lines: usize,
    pub(super) files: usize,
    pub(super) longest: FileSize,
}

/// Measures every file of the tree that is Rust, in order of path.
pub(super) fn files(tree: &Tree) -> Vec<FileSize> {
    tree.sources()
        .map(|(file, source)| of(file, source))
        .collect()
}

/// Measures every crate, the largest first.
pub(super) fn packages(tree: &Tree) -> Vec<PackageSize> {
    let mut packages: BTreeMap<String, PackageSize> = BTreeMap::new();
    for file in files(tree).into_iter().filter(|file| !file.test) {
        let name = package_of(&file.path).to_owned();
        let package = packages.entry(name.clone()).or_insert_with(|| PackageSize {
            name,
            lines: 0,
            files: 0,
            longest: file.clone(),
        });
        package.lines += file.lines;
        package.files += 1;
        if file.lines > package.longest.lines {
            package.longest = file;
        }
    }
    let mut packages: Vec<PackageSize> = packages.into_values().collect();
    packages.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.name.cmp(&b.name)));
    packages
}

fn of(file: &File, source: &Source) -> FileSize {
    // The last line break ends a line, it does not begin one.
    let all = source.code.len() - usize::from(source.code.last().is_some_and(String::is_empty));
    let is_run_by_hand = ["/benches/", "/examples/"]
        .iter()
        .any(|folder| !file.path.contains("/src/") && file.path.contains(folder));
    let tests = match is_run_by_hand {
        true => 0,
        false => source.test.iter().take(all).filter(|test| **test).count(),
    };
    let parts = file.path.split('/');
    let named = parts
        .clone()
        .any(|part| matches!(part, "tests" | "tests.rs"));
    let test = named || tests == all && all > 0;
    FileSize {
        path: file.path.clone(),
        lines: if test { all } else { all - tests },
        test,
    }
}

/// The folder of the package that a file belongs to: below `crates/` its domain and its own, of a
/// binding from the root.
fn package_of(path: &str) -> &str {
    let (path, depth) = match path.strip_prefix("crates/") {
        Some(inside) => (inside, 2),
        None if path.starts_with("bindings/") => (path, 2),
        None => (path, 1),
    };
    let end = path.match_indices('/').nth(depth - 1);
    end.map_or(path, |(end, _)| &path[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_is_measured_without_its_tests() {
        let inline = "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\n";
        let tree = Tree::of(&[
            ("crates/can/can/benches/speed.rs", "//! x\n//! x\n"),
            ("crates/can/can/src/frame.rs", inline),
            ("crates/can/can/src/frame/tests.rs", "//! x\n"),
            ("crates/can/can/src/id/tests/random.rs", "//! x\n"),
            ("crates/can/can/tests/all/main.rs", "//! x\n"),
            ("crates/can/can/src/lib.rs", "#[cfg(test)]\nmod forgery;\n"),
            ("crates/can/can/src/forgery.rs", "//! x\n"),
            ("bindings/c/src/lib.rs", "//! x\n//! x"),
            ("bindings/python/src/lib.rs", "//! x"),
            ("xtask/src/main.rs", "//! x\n//! x\n//! x\n//! x"),
        ]);
        let found: Vec<(String, usize, usize)> = packages(&tree)
            .into_iter()
            .map(|package| (package.name, package.lines, package.files))
            .collect();
        // `lib.rs` here declares a test and nothing else.
        assert_eq!(
            found,
            [
                ("xtask".to_owned(), 4, 1),
                ("can/can".to_owned(), 3, 2),
                ("bindings/c".to_owned(), 2, 1),
                ("bindings/python".to_owned(), 1, 1)
            ]
        );
        let longest = &packages(&tree)[1].longest;
        assert_eq!(longest.path, "crates/can/can/benches/speed.rs");
    }
}
