//! Each crate forbids unsafe code; that with vector kernels denies it and allows it in `backend`.
//! A binding whose library generates it denies it; one that takes pointers of other programs allows
//! it, and gives its reason at each block.

use super::Finding;
use super::tree::Tree;
use crate::layers;

/// Crates whose `backend` module may hold unsafe code.
const WITH_BACKEND: &[&str] = &["ecverify"];
/// Crates whose macros generate unsafe code, which have none of their own.
const WITH_GENERATED: &[&str] = &["python"];

/// Crates that take pointers of other programs.
const WITH_POINTERS: &[&str] = &["browser", "c", "c-v2x", "fmi"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let Some(package) = layers::of_source(&file.path) else {
            continue;
        };
        let lenient = WITH_BACKEND.contains(&package.name);
        let may_deny = lenient || WITH_GENERATED.contains(&package.name);
        let takes_pointers = WITH_POINTERS.contains(&package.name);
        let root = ["lib.rs", "main.rs"].map(|name| format!("{}/src/{name}", package.path()));
        if root.contains(&file.path) {
            let states = |wanted: &str| source.code.iter().any(|code| code.trim() == wanted);
            let has = |level: &str| states(&format!("#![{level}(unsafe_code)]"));
            let gives_reasons = states("#![deny(clippy::undocumented_unsafe_blocks)]");
            if !(has("forbid") || may_deny && has("deny") || takes_pointers && gives_reasons) {
                let wrong = format!("`{}` does not forbid unsafe code", package.name);
                let right = "`#![forbid(unsafe_code)]` in the crate's root";
                findings.push(Finding::error(&file.path, 1, wrong, right));
            }
        }
        let backend = lenient && file.path.contains("/src/backend");
        for (line, code) in (1..).zip(&source.code) {
            let may_allow = backend || takes_pointers || code.contains("mod backend");
            if code.contains("allow(unsafe_code)") && !may_allow {
                let right = "unsafe code lives in `backend` of `ecverify` only";
                findings.push(Finding::error(
                    &file.path,
                    line,
                    "allows unsafe code",
                    right,
                ));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_does_not_forbid_is_found() {
        let tree = Tree::of(&[
            ("crates/can/can/src/lib.rs", "//! #![forbid(unsafe_code)]"),
            ("crates/base/work/src/lib.rs", "#![forbid(unsafe_code)]"),
            ("crates/base/boards/src/lib.rs", "#![deny(unsafe_code)]"),
            ("crates/crypto/ecverify/src/lib.rs", "#![deny(unsafe_code)]"),
            (
                "crates/crypto/ecverify/src/backend/wide.rs",
                "#![allow(unsafe_code)]",
            ),
            (
                "crates/crypto/ecverify/src/point.rs",
                "#![allow(unsafe_code)]",
            ),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(
            found,
            [
                "crates/can/can/src/lib.rs",
                "crates/base/boards/src/lib.rs",
                "crates/crypto/ecverify/src/point.rs"
            ]
        );
    }
}
