//! The project names no package registry and no place on a developer's machine: mirrors, forks and
//! other people's homes must work without an edit.

use super::Finding;
use super::tree::Tree;

/// Host names of registries. Split, so that the list is none.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("deb.debian", ".org"),
    concat!("security.debian", ".org"),
    concat!("registry.npmjs", ".org"),
    concat!("proxy.golang", ".org"),
];

/// Folders that only one machine has.
const HOMES: &[&str] = &[
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
];

/// Files that name hosts because a tool writes them.
const EXEMPT: &[&str] = &["Cargo.lock"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, text) in tree.texts() {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        if EXEMPT.contains(&name) {
            continue;
        }
        for (line, content) in (1..).zip(text.lines()) {
            if let Some(host) = HOSTS.iter().find(|host| content.contains(**host)) {
                let right = "let the tool's own configuration say where packages come from";
                let wrong = format!("names the registry {host}");
                findings.push(Finding::error(&file.path, line, wrong, right));
            }
            if let Some(home) = HOMES.iter().find(|home| begins_path(content, home)) {
                let right = "a path from the project's root, or a variable";
                let wrong = format!("names a place under {home}");
                findings.push(Finding::error(&file.path, line, wrong, right));
            }
        }
    }
    findings
}

/// Returns true if an absolute path in the line begins with this folder.
fn begins_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-/}".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_homes_are_found() {
        let host = format!("see https://{}/x", HOSTS[0]);
        let home = format!("cd {}me", HOMES[0]);
        let fine = format!("cd src{}x", HOMES[0]);
        let tree = Tree::of(&[
            ("a.md", &host),
            ("b.sh", &home),
            ("c.rs", &fine),
            ("Cargo.lock", &host),
        ]);
        let found: Vec<String> = check(&tree).into_iter().map(|f| f.path).collect();
        assert_eq!(found, ["a.md", "b.sh"]);
    }
}
