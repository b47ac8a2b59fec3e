//! Arrows between crates point down by floor, and only to rooms. Development dependencies are
//! exempt: a test may look from anywhere.

use super::Finding;
use super::tree::{Package, Tree};
use crate::house;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &tree.packages {
        let manifest = manifest(tree, package);
        if house::of_package(&package.name).is_none()
            && !house::OUTBUILDINGS.contains(&package.name.as_str())
        {
            findings.push(Finding::error(
                &manifest,
                1,
                format!("package `{}` is no room of the house", package.name),
                "`waywarden-<folder>`, with a floor in xtask/src/house.rs and ARCHITECTURE.md",
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

/// What is wrong with an arrow, and what would be right.
fn judge(from: &str, to: &str) -> Option<(String, String)> {
    if house::OUTBUILDINGS.contains(&to) {
        let right = "move what is shared into the lowest room that owns it";
        return Some((
            format!("`{from}` imports `{to}`, which is no room"),
            right.into(),
        ));
    }
    // Outbuildings may look into every room; tidy itself must build when a room does not.
    let Some(source) = house::of_package(from) else {
        let own = from == "xtask" && house::of_package(to).is_some();
        return own.then(|| {
            let wrong = format!("`{from}` imports the room `{to}`");
            (wrong, "keep the house keeper outside the house".into())
        });
    };
    let only = house::ONLY.iter().find(|(name, _)| *name == source.name);
    let Some(target) = house::of_package(to) else {
        if source.name == "work" {
            let right = "`work` depends on nothing".into();
            return Some((format!("`work` imports `{to}`"), right));
        }
        let (_, lowest, instead) = house::FOREIGN.iter().find(|(name, ..)| *name == to)?;
        return (source.floor < *lowest).then(|| {
            let wrong = format!("`{to}` on floor {} (`{}`)", source.floor, source.name);
            (
                wrong,
                format!("{instead}; `{to}` is for floors {lowest} and up"),
            )
        });
    };
    let arrow = format!(
        "`{}` (floor {}) imports `{}` (floor {})",
        source.name, source.floor, target.name, target.floor
    );
    let pair = (source.name, target.name);
    if let Some((.., why)) = house::NEVER.iter().find(|(a, b, _)| (*a, *b) == pair) {
        return Some((arrow, (*why).to_owned()));
    }
    if let Some((name, rooms)) = only
        && !rooms.contains(&target.name)
    {
        return Some((arrow, format!("`{name}` knows only: {}", rooms.join(", "))));
    }
    let down = target.floor < source.floor || house::SAME_FLOOR.contains(&pair);
    let right = "arrows point down: move the noun to the lowest room that owns it";
    (!down).then(|| (arrow, right.to_owned()))
}

/// Where a package's manifest is, from the root.
fn manifest(tree: &Tree, package: &Package) -> String {
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
            tree.packages.push(Package {
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
    fn the_same_floor_is_refused_unless_listed() {
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
    fn outside_crates_have_their_lowest_floor() {
        assert!(refused("waywarden-can-log", "anyhow"));
        assert!(refused("waywarden-group-keys", "getrandom"));
        assert!(!refused("waywarden-cli", "anyhow"));
    }

    #[test]
    fn nothing_leans_on_an_outbuilding_and_no_room_is_unknown() {
        assert!(refused("waywarden-cli", "waywarden-bench"));
        assert!(refused("xtask", "waywarden-can"));
        assert!(!refused("waywarden-bench", "waywarden-can"));
        assert!(refused("waywarden-common", "serde"));
    }

    #[test]
    fn a_development_dependency_is_exempt() {
        assert!(check(&tree(&[("waywarden-can", "waywarden-ecu", Some("dev"))])).is_empty());
        assert!(!check(&tree(&[("waywarden-can", "waywarden-ecu", Some("build"))])).is_empty());
    }
}
