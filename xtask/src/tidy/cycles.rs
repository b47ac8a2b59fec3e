//! Inside a crate no neighbouring modules import each other, directly or through other neighbours,
//! folders counted as a whole. A parent and its child may: the parent is the child's table of
//! contents.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Finding;
use super::modules::{self, Crate};
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    modules::crates(tree).iter().flat_map(check_crate).collect()
}

/// Location of an import: file and line.
type Place<'a> = (&'a str, usize);

/// The imports among the children of one module: importer and imported, and where.
type Imports<'a> = BTreeMap<(String, String), Place<'a>>;

fn check_crate(krate: &Crate<'_>) -> Vec<Finding> {
    let mut parents: BTreeMap<&[String], Imports<'_>> = BTreeMap::new();
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
                let imports = parents.entry(&module[..shared]).or_default();
                let key = (from.clone(), to.clone());
                imports.entry(key).or_insert((&file.path, path.line));
            }
        }
    }
    parents.values().flat_map(check_children).collect()
}

/// Finds the cycles among the children of one module, each group of children once.
fn check_children(imports: &Imports<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (from, _) in imports.keys() {
        if known.contains(from.as_str()) {
            continue;
        }
        let Some(cycle) = shortest_cycle(imports, from) else {
            continue;
        };
        let place = |step: usize| {
            let next = cycle[(step + 1) % cycle.len()];
            imports[&(cycle[step].to_owned(), next.to_owned())]
        };
        let back: Vec<String> = (1..cycle.len())
            .map(|step| format!("{}:{}", place(step).0, place(step).1))
            .collect();
        let names: Vec<String> = cycle.iter().map(|name| format!("`{name}`")).collect();
        let wrong = format!(
            "modules {} import each other (back: {})",
            names.join(" -> "),
            back.join(", ")
        );
        let right = "one knows the other: move what both need below both";
        findings.push(Finding::error(place(0).0, place(0).1, wrong, right));
        known.extend(cycle);
    }
    findings
}

/// Returns the modules of a shortest way along imports from a module back to itself, it first.
fn shortest_cycle<'a>(imports: &'a Imports<'_>, start: &'a str) -> Option<Vec<&'a str>> {
    let mut ways = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let last = way[way.len() - 1];
        for (from, to) in imports.keys().filter(|(from, _)| from == last) {
            if to == start && from != start {
                return Some(way);
            }
            if to != start && seen.insert(to.as_str()) {
                let mut longer = way.clone();
                longer.push(to);
                ways.push_back(longer);
            }
        }
    }
    None
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
    fn a_cycle_of_three_is_found_once() {
        let findings = check(&Tree::of(&[
            ("crates/can/src/lib.rs", "mod a;\nmod b;\nmod c;"),
            ("crates/can/src/a.rs", "use crate::b::B;"),
            ("crates/can/src/b.rs", "use super::c::C;"),
            ("crates/can/src/c.rs", "\nuse super::a::A;"),
        ]));
        assert_eq!(findings.len(), 1);
        let back = "`a` -> `b` -> `c` import each other (back: crates/can/src/b.rs:1, \
                    crates/can/src/c.rs:2)";
        assert!(findings[0].wrong.contains(back), "{}", findings[0]);
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
