//! No file above 256 KiB: what is large is data, and data is generated or read from the corpus.

use super::Finding;
use super::tree::Tree;

/// Largest size of a file, in bytes.
const LIMIT: u64 = 256 * 1024;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files
        .iter()
        .filter(|file| file.size > LIMIT)
        .map(|file| {
            let wrong = format!("{} KiB", file.size.div_ceil(1024));
            Finding::error(
                &file.path,
                1,
                wrong,
                "at most 256 KiB: generate it, or read it from the corpus",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_is_found() {
        let large = "x".repeat(256 * 1024 + 1);
        let tree = Tree::of(&[("a.bin", &large), ("b.bin", &large[1..])]);
        assert_eq!(check(&tree).len(), 1);
    }
}
