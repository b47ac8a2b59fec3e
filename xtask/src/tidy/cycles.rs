//! Inside a crate no two neighbouring modules import each other, folders counted as a whole. A
//! parent and its child may: the parent is the child's table of contents.

use std::collections::BTreeMap;

use super::Finding;
use super::modules::{self, Crate};
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    modules::crates(tree).iter().flat_map(check_crate).collect()
}

/// Where an import stands: file and line.
type Place<'a> = (&'a str, usize);

fn check_crate(krate: &Crate<'_>) -> Vec<Finding> {
    // From the parent of both: one neighbour imports the other, and where.
    let mut imports: BTreeMap<(&[String], &str, String), Place<'_>> = BTreeMap::new();
    for (module, file) in &krate.modules {
        let Some(source) = &file.source else { continue };
        for path in source
            .paths
            .iter()
            .filter(|path| !source.is_test(path.line))
        {
            let Some(target) = krate.owner(module, &path.segments) else {
                continue;
            };
            let shared = module
                .iter()
                .zip(&target)
                .take_while(|(a, b)| a == b)
                .count();
            if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                let key = (&module[..shared], from.as_str(), to.clone());
                imports.entry(key).or_insert((&file.path, path.line));
            }
        }
    }
    let mut findings = Vec::new();
    for ((parent, from, to), (path, line)) in &imports {
        let back = imports.get(&(*parent, to.as_str(), (*from).to_owned()));
        if let Some((other, at)) = back
            && *from < to.as_str()
        {
            let wrong =
                format!("modules `{from}` and `{to}` import each other (back: {other}:{at})");
            let right = "one knows the other: move what both need below both";
            findings.push(Finding::error(path, *line, wrong, right));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_two_way_pair_is_found() {
        let findings = check(&Tree::of(&[
            ("crates/can/src/lib.rs", "mod a;\nmod b;"),
            ("crates/can/src/a.rs", "use crate::b::B;"),
            ("crates/can/src/b.rs", "\nuse super::a::A;"),
        ]));
        assert_eq!(findings.len(), 1);
        assert!(
            findings[0].wrong.contains("crates/can/src/b.rs:2"),
            "{}",
            findings[0]
        );
    }

    #[test]
    fn a_pair_through_a_folder_or_a_re_export_is_found() {
        let findings = check(&Tree::of(&[
            ("crates/can/src/lib.rs", "mod a;\nmod b;\npub use a::A;"),
            ("crates/can/src/a.rs", "mod inner;\npub struct A;"),
            ("crates/can/src/a/inner.rs", "fn f() { crate::b::g() }"),
            ("crates/can/src/b.rs", "use crate::A;"),
        ]));
        assert_eq!(findings.len(), 1);
    }

    #[test]
    fn one_way_parent_and_tests_are_fine() {
        let findings = check(&Tree::of(&[
            ("crates/can/src/lib.rs", "mod a;\nmod b;"),
            (
                "crates/can/src/a.rs",
                "mod inner;\nuse self::inner::X;\nuse crate::b::B;",
            ),
            ("crates/can/src/a/inner.rs", "use super::A;"),
            (
                "crates/can/src/b.rs",
                "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}",
            ),
        ]));
        assert_eq!(findings, []);
    }
}
