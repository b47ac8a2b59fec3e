//! Names that say nothing: a noun belongs in the crate that owns it, not in a module for the rest.

use super::Finding;
use super::tree::Tree;

/// Vague names of files, folders and modules.
const VAGUE: &[&str] = &[
    "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let parts = file
            .path
            .split('/')
            .map(|part| part.trim_end_matches(".rs"));
        for part in parts.filter(|part| is_vague(part)) {
            let right = "name the noun it holds and move each item to the crate that owns it";
            findings.push(Finding::error(
                &file.path,
                1,
                format!("`{part}` says nothing"),
                right,
            ));
        }
        for (line, code) in (1..).zip(&source.code) {
            let mut words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            while let Some(word) = words.next() {
                let name = match word {
                    "mod" | "fn" => words.next().unwrap_or_default(),
                    _ => continue,
                };
                if word == "mod" && is_vague(name) && code.contains('{') {
                    let right = "name the noun it holds";
                    let wrong = format!("module `{name}` says nothing");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                } else if word == "fn" && name.starts_with("get_") {
                    let right = format!("`{}`", name.trim_start_matches("get_"));
                    let wrong = format!("`{name}`: a getter says what it gives");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
        }
    }
    findings
}

fn is_vague(name: &str) -> bool {
    VAGUE.iter().any(|vague| {
        let suffix = name.strip_suffix(vague);
        name == *vague || suffix.is_some_and(|before| before.ends_with('_'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_names_and_getters_are_found() {
        let tree = Tree::of(&[
            ("crates/can/src/utils.rs", ""),
            ("crates/can/src/bus_manager.rs", ""),
            ("crates/can/tests/common/mod.rs", ""),
            (
                "crates/can/src/frame.rs",
                "mod helpers { }\nfn get_id() {}\nfn target() {}",
            ),
            ("crates/can/src/commons.rs", "// mod utils {}"),
        ]);
        assert_eq!(check(&tree).len(), 5, "{:?}", check(&tree));
    }
}
