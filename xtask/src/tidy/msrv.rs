//! The oldest Rust the project builds with stands in one place: the root `Cargo.toml`.

use super::Finding;
use super::tree::Tree;

/// The one place.
const PLACE: &str = "Cargo.toml";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let key = "rust-version";
    let root = tree.text(PLACE).unwrap_or_default();
    let stated = root.lines().find_map(|line| {
        let value = line.strip_prefix(key)?.trim_start().strip_prefix('=')?;
        Some(value.split('"').nth(1)?.to_owned())
    });
    let Some(version) = stated else {
        let right = format!("`{key} = \"...\"` under [workspace.package]");
        return vec![Finding::error(PLACE, 1, "no minimum Rust version", right)];
    };
    let spoken = [
        format!("rust {version}"),
        format!("rustc {version}"),
        format!("msrv {version}"),
    ];
    let mut findings = Vec::new();
    for (file, text) in tree.texts().filter(|(file, _)| file.path != PLACE) {
        for (line, content) in (1..).zip(text.lines()) {
            let start = content.trim_start();
            let assigned = [key, "msrv"].iter().any(|key| {
                let rest = start.strip_prefix(key).map(str::trim_start);
                file.path.ends_with(".toml") && rest.is_some_and(|rest| rest.starts_with('='))
            });
            let lower = content.to_lowercase();
            if assigned || spoken.iter().any(|phrase| lower.contains(phrase.as_str())) {
                let right = format!("`{key}.workspace = true`, or refer to the root {PLACE}");
                let wrong = "the minimum Rust version is stated a second time";
                findings.push(Finding::error(&file.path, line, wrong, right));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_place_is_found() {
        let root = ("Cargo.toml", "[workspace.package]\nrust-version = \"1.2\"");
        let findings = check(&Tree::of(&[
            root,
            ("a/Cargo.toml", "rust-version.workspace = true"),
            ("b/Cargo.toml", "rust-version = \"1.2\""),
            ("clippy.toml", "msrv = \"1.2\""),
            ("README.md", "Needs Rust 1.2 or newer.\nTakes 1.2 ms."),
        ]));
        let found: Vec<String> = findings.into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["b/Cargo.toml", "clippy.toml", "README.md"]);
    }

    #[test]
    fn none_at_all_is_found() {
        assert_eq!(check(&Tree::of(&[("Cargo.toml", "")])).len(), 1);
    }
}
