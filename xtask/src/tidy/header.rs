//! Each Rust file opens with `//!`: what it does, what it does not, what to read first. A crate may
//! open with its README instead.

use super::Finding;
use super::tree::Tree;

/// Either of these begins a file.
const OPENINGS: &[&str] = &["//! ", "#![doc = include_str!("];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.texts()
        .filter(|(file, _)| file.source.is_some())
        .filter(|(_, text)| !OPENINGS.iter().any(|opening| text.starts_with(opening)))
        .map(|(file, _)| {
            let right = "open with `//! ` and what the file does, before any attribute";
            Finding::error(
                &file.path,
                1,
                "the first line does not document the file",
                right,
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_its_header_is_found() {
        let tree = Tree::of(&[
            ("a.rs", "//! Good.\nfn f() {}"),
            ("b.rs", "#![no_std]\n//! Late."),
            ("c.rs", "//! "),
            ("d.rs", ""),
            ("e.md", "no Rust"),
            ("f.rs", "#![doc = include_str!(\"../README.md\")]"),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["b.rs", "d.rs"]);
    }
}
