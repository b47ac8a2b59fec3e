//! Arrows between crates point to lower layers, and only to crates of the table in `layers.rs`.
//! Development dependencies are exempt: a test may import any crate.

use std::cmp::Reverse;

use super::Finding;
use super::tree::{MetadataPackage, Tree};
use crate::layers::{self, Environment};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        let manifest = manifest(tree, package);
        if layers::of_package(&package.name).is_none()
            && !layers::DEVELOPMENT_ONLY.contains(&package.name.as_str())
        {
            findings.push(Finding::error(
                &manifest,
                1,
                format!("package `{}` is in no layer", package.name),
                "`waywarden-<folder>`, with a layer in xtask/src/layers.rs",
            ));
            continue;
        }
        for dependency in &package.dependencies {
            if dependency.kind.as_deref() == Some("dev") {
                continue;
            }
            if let Some((wrong, right)) = judge(&package.name, &dependency.name) {
                let line = line_of(tree, &manifest, &dependency.name);
                findings.push(Finding::error(&manifest, line, wrong, right));
            }
        }
    }
    findings
}

/// Writes the table of layers, the highest first, with the crates that each crate imports.
pub(super) fn table(tree: &Tree) -> String {
    let mut packages: Vec<_> = layers::PACKAGES.iter().collect();
    packages.sort_by_key(|package| (Reverse(package.layer), package.name));
    let mut text = String::from("layer  crate                 environment    imports\n");
    for package in packages {
        let own = |other: &&MetadataPackage| {
            layers::of_package(&other.name).is_some_and(|found| found.name == package.name)
        };
        let dependencies = tree
            .packages
            .iter()
            .filter(own)
            .flat_map(|own| &own.dependencies);
        let mut imports: Vec<_> = dependencies
            .filter(|dependency| dependency.kind.as_deref() != Some("dev"))
            .filter_map(|dependency| layers::of_package(&dependency.name))
            .map(|target| (Reverse(target.layer), target.name))
            .collect();
        imports.sort_unstable();
        imports.dedup();
        let imports: Vec<_> = imports.into_iter().map(|(_, name)| name).collect();
        let (name, environment) = (package.name, package.environment.label());
        text += &format!(
            "{:>5}  {name:<21} {environment:<14} {}\n",
            package.layer,
            imports.join(", ")
        );
    }
    text
}

/// Returns the fault of an arrow and its remedy, if it has one.
fn judge(from: &str, to: &str) -> Option<(String, String)> {
    // These may import each other. `xtask` imports none: it must build when another does not.
    let is_for_development = from != "xtask" && layers::DEVELOPMENT_ONLY.contains(&from);
    if layers::DEVELOPMENT_ONLY.contains(&to) && !is_for_development {
        let right = "move what is shared into the lowest crate that owns it";
        return Some((
            format!("`{from}` imports `{to}`, which only development needs"),
            right.into(),
        ));
    }
    // Packages for development may import every crate; tidy must build when a crate does not.
    let Some(source) = layers::of_package(from) else {
        let own = from == "xtask" && layers::of_package(to).is_some();
        return own.then(|| {
            let wrong = format!("`{from}` imports the crate `{to}`");
            (
                wrong,
                "keep the checks independent of the crates that they check".into(),
            )
        });
    };
    let only = layers::ONLY.iter().find(|(name, _)| *name == source.name);
    let Some(target) = layers::of_package(to) else {
        if source.name == "work" {
            let right = "`work` depends on nothing".into();
            return Some((format!("`work` imports `{to}`"), right));
        }
        if let Some((_, user, instead)) = layers::ONE_USER.iter().find(|(name, ..)| *name == to) {
            let right = format!("{instead}; `{to}` is for `{user}` alone");
            return (source.name != *user).then(|| (format!("`{from}` imports `{to}`"), right));
        }
        let (_, lowest, instead) = layers::FOREIGN.iter().find(|(name, ..)| *name == to)?;
        return (source.layer < *lowest).then(|| {
            let wrong = format!("`{to}` in layer {} (`{}`)", source.layer, source.name);
            (
                wrong,
                format!("{instead}; `{to}` is for layers {lowest} and up"),
            )
        });
    };
    let arrow = format!(
        "`{}` (layer {}) imports `{}` (layer {})",
        source.name, source.layer, target.name, target.layer
    );
    let pair = (source.name, target.name);
    if let Some((.., why)) = layers::NEVER.iter().find(|(a, b, _)| (*a, *b) == pair) {
        return Some((arrow, (*why).to_owned()));
    }
    if let Some((name, packages)) = only
        && !packages.contains(&target.name)
    {
        return Some((
            arrow,
            format!("`{name}` imports only: {}", packages.join(", ")),
        ));
    }
    if source.environment != Environment::Io && target.environment == Environment::Io {
        let right = "a crate without input and output takes values of its caller".to_owned();
        return Some((arrow, right));
    }
    let down = target.layer < source.layer || layers::SAME_LAYER.contains(&pair);
    let right = "arrows point down: move the noun to the lowest crate that owns it";
    (!down).then(|| (arrow, right.to_owned()))
}

/// Returns the path of a package's manifest from the root.
pub(super) fn manifest(tree: &Tree, package: &MetadataPackage) -> String {
    let found = tree.files.iter().find(|file| {
        let absolute = package.manifest_path.replace('\\', "/");
        file.path.ends_with("/Cargo.toml") && absolute.ends_with(&format!("/{}", file.path))
    });
    found.map_or_else(|| package.manifest_path.clone(), |file| file.path.clone())
}

/// The line of a manifest that names a dependency.
fn line_of(tree: &Tree, manifest: &str, dependency: &str) -> usize {
    let text = tree.text(manifest).unwrap_or_default();
    let named = |line: &str| {
        line.strip_prefix(dependency)
            .is_some_and(|rest| rest.starts_with(['.', ' ', '=']))
    };
    text.lines().position(named).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::super::tree::Dependency;
    use super::*;

    fn tree(arrows: &[(&str, &str, Option<&str>)]) -> Tree {
        let mut tree = Tree::of(&[(
            "crates/can/Cargo.toml",
            "[dependencies]\nwaywarden-ecu.workspace = true",
        )]);
        for &(from, to, kind) in arrows {
            tree.packages.push(MetadataPackage {
                name: from.into(),
                manifest_path: format!(
                    "/x/crates/{}/Cargo.toml",
                    from.trim_start_matches("waywarden-")
                ),
                dependencies: vec![Dependency {
                    name: to.into(),
                    kind: kind.map(str::to_owned),
                }],
            });
        }
        tree
    }

    fn refused(from: &str, to: &str) -> bool {
        !check(&tree(&[(from, to, None)])).is_empty()
    }

    #[test]
    fn an_arrow_up_is_refused_at_its_line() {
        let findings = check(&tree(&[("waywarden-can", "waywarden-ecu", None)]));
        assert_eq!(findings.len(), 1);
        assert_eq!(
            (findings[0].path.as_str(), findings[0].line),
            ("crates/can/Cargo.toml", 2)
        );
    }

    #[test]
    fn the_same_layer_is_refused_unless_listed() {
        assert!(refused("waywarden-can-sim", "waywarden-ecu"));
        assert!(refused("waywarden-work", "waywarden-can"));
        assert!(!refused("waywarden-can", "waywarden-work"));
    }

    #[test]
    fn special_rules_hold() {
        assert!(refused("waywarden-lasan", "waywarden-can-auth"));
        assert!(refused("waywarden-can-sim", "waywarden-can-log"));
        assert!(!refused("waywarden-can-sim", "waywarden-boards"));
        assert!(refused("waywarden-work", "libm"));
    }

    #[test]
    fn external_crates_have_their_lowest_layer() {
        assert!(refused("waywarden-can-log", "anyhow"));
        assert!(refused("waywarden-group-keys", "getrandom"));
        assert!(refused("waywarden-cli", "getrandom"));
        assert!(!refused("waywarden-host", "getrandom"));
        assert!(!refused("waywarden-cli", "anyhow"));
    }

    #[test]
    fn a_crate_without_input_and_output_imports_none_that_has_it() {
        assert!(refused("waywarden-vehicle-lab", "waywarden-host"));
        assert!(!refused("waywarden-v2x-service", "waywarden-host"));
    }

    #[test]
    fn packages_for_development_are_not_imported_and_unknown_ones_are_refused() {
        assert!(refused("waywarden-cli", "waywarden-bench"));
        assert!(refused("waywarden-cli", "waywarden-testkit-schemas"));
        assert!(refused("xtask", "waywarden-testkit"));
        assert!(!refused("waywarden-testkit-schemas", "waywarden-testkit"));
        assert!(refused("xtask", "waywarden-can"));
        assert!(!refused("waywarden-bench", "waywarden-can"));
        assert!(refused("waywarden-common", "serde"));
    }

    #[test]
    fn the_table_is_sorted_by_layer_and_shows_what_a_crate_imports() {
        let text = table(&tree(&[
            ("waywarden-can", "waywarden-work", None),
            ("waywarden-can", "waywarden-random", Some("dev")),
        ]));
        let layer = |line: &str| line.split_whitespace().next()?.parse::<u8>().ok();
        let layers: Vec<u8> = text.lines().filter_map(layer).collect();
        assert_eq!(layers.len(), layers::PACKAGES.len());
        assert!(layers.is_sorted_by(|one, next| one >= next));
        let can = text.lines().find(|line| line.contains(" can "));
        assert_eq!(can.unwrap().split_whitespace().last(), Some("work"));
    }

    #[test]
    fn a_development_dependency_is_exempt() {
        assert!(check(&tree(&[("waywarden-can", "waywarden-ecu", Some("dev"))])).is_empty());
        assert!(!check(&tree(&[("waywarden-can", "waywarden-ecu", Some("build"))])).is_empty());
    }
}
