//! No chain of crates, of which each imports the next, is longer than [`layers::CHAIN_MAX`]: a
//! change in the last one waits for all of them to be built, one after the other.
//!
//! Development dependencies do not count, nor do bindings, which no build of the command waits for.

use std::collections::BTreeMap;

use super::Finding;
use super::arrows::manifest;
use super::tree::Tree;
use crate::layers;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let chain = longest(tree);
    if chain.len() <= layers::CHAIN_MAX {
        return Vec::new();
    }
    let first = tree.packages.iter().find(|one| one.name == chain[0]);
    let path = first.map_or_else(|| chain[0].to_owned(), |one| manifest(tree, one));
    let names: Vec<&str> = chain
        .iter()
        .map(|name| name.trim_start_matches("waywarden-"))
        .collect();
    let wrong = format!("a chain of {} crates: {}", chain.len(), names.join(" -> "));
    let right = format!(
        "at most {}: move what an arrow is for to a lower crate, or to its one user",
        layers::CHAIN_MAX
    );
    vec![Finding::error(&path, 1, wrong, right)]
}

/// Finds the longest chain of packages; of several the first by name.
fn longest(tree: &Tree) -> Vec<&str> {
    let mut chains = BTreeMap::new();
    for package in tree.packages.iter().filter(|one| !is_binding(&one.name)) {
        follow(tree, &package.name, &mut chains);
    }
    let length = chains.values().map(Vec::len).max();
    let mut all = chains.into_values();
    all.find(|chain| Some(chain.len()) == length)
        .unwrap_or_default()
}

fn is_binding(name: &str) -> bool {
    layers::of_package(name).is_some_and(|package| package.folder.starts_with("bindings/"))
}

/// Returns the longest chain from a package on. Cargo refuses circles.
fn follow<'t>(
    tree: &'t Tree,
    name: &'t str,
    chains: &mut BTreeMap<&'t str, Vec<&'t str>>,
) -> Vec<&'t str> {
    if let Some(known) = chains.get(name) {
        return known.clone();
    }
    let package = tree.packages.iter().find(|one| one.name == name);
    let Some(package) = package else {
        return Vec::new();
    };
    let mut rest = Vec::new();
    for dependency in &package.dependencies {
        if dependency.kind.as_deref() == Some("dev") {
            continue;
        }
        let other = follow(tree, &dependency.name, chains);
        if other.len() > rest.len() {
            rest = other;
        }
    }
    let mut chain = vec![name];
    chain.extend(rest);
    chains.insert(name, chain.clone());
    chain
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Dependency, MetadataPackage};
    use super::*;

    /// Packages of which each imports the next; the last arrow is of a kind.
    fn tree(length: usize, last: Option<&str>) -> Tree {
        let mut tree = Tree::of(&[("crates/c0/Cargo.toml", "[dependencies]\n")]);
        for at in 0..length {
            let next = (at + 1 < length).then(|| Dependency {
                name: format!("waywarden-c{}", at + 1),
                kind: last.filter(|_| at + 2 == length).map(str::to_owned),
            });
            let foreign = Dependency {
                name: "serde".into(),
                kind: None,
            };
            tree.packages.push(MetadataPackage {
                name: format!("waywarden-c{at}"),
                manifest_path: format!("/x/crates/c{at}/Cargo.toml"),
                dependencies: next.into_iter().chain([foreign]).collect(),
            });
        }
        tree
    }

    #[test]
    fn a_chain_that_is_too_long_is_refused_at_its_first_crate() {
        let most = layers::CHAIN_MAX;
        assert!(check(&tree(most, None)).is_empty());
        let findings = check(&tree(most + 1, None));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].path, "crates/c0/Cargo.toml");
        let wrong = &findings[0].wrong;
        assert!(wrong.starts_with(&format!("a chain of {} crates: c0 -> c1", most + 1)));
        assert!(!wrong.contains("serde"), "{wrong}");
    }

    #[test]
    fn a_development_dependency_ends_a_chain() {
        assert!(check(&tree(layers::CHAIN_MAX + 1, Some("dev"))).is_empty());
        assert!(!check(&tree(layers::CHAIN_MAX + 1, Some("build"))).is_empty());
    }
}
