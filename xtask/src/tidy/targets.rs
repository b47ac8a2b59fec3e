//! A library builds the test programs that it has tests for: one without unit tests says
//! `test = false`, one without examples in its documentation `doctest = false`. Each program that
//! runs nothing costs a build of the whole crate.

use super::Finding;
use super::tree::Tree;

/// The file that describes a package, in its folder.
const MANIFEST: &str = "/Cargo.toml";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, text) in tree.texts() {
        let Some(folder) = file.path.strip_suffix(MANIFEST) else {
            continue;
        };
        let root = format!("{folder}/src/lib.rs");
        if !file.path.starts_with("crates/") || tree.text(&root).is_none() {
            continue;
        }
        let found = Found::of(tree, folder);
        for (key, needed, what) in [
            ("test", found.unit_tests, "unit tests"),
            ("doctest", found.examples, "examples in documentation"),
        ] {
            let off = library(text).any(|line| line == format!("{key} = false"));
            if needed && off {
                let wrong = format!("`{key} = false` in a library with {what}");
                let right = format!("no `{key} = false` under [lib]");
                findings.push(Finding::error(&file.path, 1, wrong, right));
            } else if !needed && !off {
                let wrong = format!("builds a test program for a library without {what}");
                let right = format!("`{key} = false` under [lib]");
                findings.push(Finding::error(&file.path, 1, wrong, right));
            }
        }
    }
    findings
}

/// The lines of a manifest's table `[lib]`.
fn library(manifest: &str) -> impl Iterator<Item = &str> {
    let mut lines = manifest.lines().skip_while(|line| *line != "[lib]");
    lines.next();
    lines.take_while(|line| !line.starts_with('['))
}

/// Tests in the sources of a library.
#[derive(Default)]
struct Found {
    unit_tests: bool,
    examples: bool,
}

impl Found {
    fn of(tree: &Tree, folder: &str) -> Self {
        let sources = format!("{folder}/src/");
        let mut found = Found::default();
        for (file, text) in tree.texts() {
            if !file.path.starts_with(&sources) || !file.path.ends_with(".rs") {
                continue;
            }
            let mut lines = text.lines().map(str::trim_start);
            found.unit_tests |= lines.any(|line| {
                line.strip_prefix("#[").is_some_and(|rest| {
                    rest.starts_with("test]") || rest.starts_with("tokio::test")
                })
            });
            // A README that is the crate's documentation has an example, as the packages check.
            found.examples |= has_example(text) || text.contains("doc = include_str!");
        }
        found
    }
}

/// Returns true if documentation has a block of code that `rustdoc` compiles.
fn has_example(text: &str) -> bool {
    let mut is_open = false;
    for line in text.lines().map(str::trim_start) {
        let documentation = ["///", "//!"]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        let fence = documentation.and_then(|line| line.trim_start().strip_prefix("```"));
        let Some(tag) = fence else {
            continue;
        };
        is_open = !is_open;
        let first = tag.split([',', ' ']).next().unwrap_or_default();
        let is_rust = ["", "rust", "no_run", "should_panic", "compile_fail"].contains(&first);
        if is_open && is_rust {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(manifest: &str, source: &str) -> Vec<String> {
        let files = [
            ("crates/can/can/Cargo.toml", manifest),
            ("crates/can/can/src/lib.rs", source),
        ];
        let findings = check(&Tree::of(&files)).into_iter();
        findings.map(|finding| finding.wrong).collect()
    }

    #[test]
    fn programs_without_tests_are_found() {
        let both = "[lib]\ndoctest = false\ntest = false\n[lints]\n";
        let test = "#[test]\nfn adds() {}";
        let example = "//! ```\n//! assert!(true);\n//! ```";
        assert_eq!(findings("[package]", "fn a() {}").len(), 2);
        assert_eq!(findings(both, "fn a() {}"), Vec::<String>::new());
        assert_eq!(findings(both, test).len(), 1);
        assert_eq!(findings(both, example).len(), 1);
        assert_eq!(findings("[lib]\ndoctest = false", test).len(), 0);
        assert_eq!(findings("", &format!("{example}\n{test}")).len(), 0);
    }

    #[test]
    fn blocks_of_other_languages_are_no_examples() {
        assert!(!has_example("/// ```text\n/// a\n/// ```\nfn a() {}"));
        assert!(!has_example("/// ```toml\n/// a = 1\n/// ```"));
        assert!(has_example(
            "/// ```text\n/// a\n/// ```\n/// ```rust,no_run\n/// b()\n/// ```"
        ));
    }
}
