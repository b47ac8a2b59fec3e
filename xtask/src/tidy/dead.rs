//! Every Rust file under a `src` is part of its crate: one that no `mod` reaches is dead.

use super::Finding;
use super::modules;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for krate in modules::crates(tree) {
        for (module, file) in &krate.modules {
            let Some((name, parent)) = module.split_last() else {
                continue;
            };
            let declared = krate.modules.get(parent).is_some_and(|parent| {
                let source = parent.source.as_ref();
                source.is_some_and(|s| s.declared.iter().any(|declared| declared.name == *name))
            });
            // Another root of the same package, as cargo finds them.
            let root = module[0] == "bin" || name == "main" || name == "lib";
            if !declared && !root {
                let right = format!("`mod {name};` in its parent, or remove it");
                findings.push(Finding::error(
                    &file.path,
                    1,
                    "no module declares this file",
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
    fn a_dead_file_is_found() {
        let findings = check(&Tree::of(&[
            ("crates/can/src/lib.rs", "mod a; // mod b;"),
            ("crates/can/src/a.rs", ""),
            ("crates/can/src/b.rs", ""),
        ]));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/can/src/b.rs");
    }
}
