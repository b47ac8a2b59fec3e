//! Every page of the documentation stands in `docs/SUMMARY.md` once, and so does every page that
//! one of them links to: what is not listed is missing in the site of `make docs`.

use std::collections::BTreeMap;

use super::Finding;
use super::links::page_links;
use super::tree::Tree;

/// The table of contents of the site.
pub(crate) const SUMMARY: &str = "docs/SUMMARY.md";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(summary) = tree.text(SUMMARY) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut listed = BTreeMap::new();
    for (line, _, page) in page_links(SUMMARY, summary) {
        let page = page.unwrap_or_default();
        if let Some(before) = listed.insert(page.clone(), line) {
            let wrong = format!("`{page}` stands in line {before} already");
            findings.push(Finding::error(SUMMARY, line, wrong, "list a page once"));
        }
    }
    let right = format!("list it in {SUMMARY}");
    for (file, text) in tree.texts().filter(|(file, _)| file.path.ends_with(".md")) {
        let path = file.path.as_str();
        if !listed.contains_key(path) {
            if path.starts_with("docs/") && path != SUMMARY {
                let wrong = "this page is missing in the site";
                findings.push(Finding::error(path, 1, wrong, &right));
            }
            continue;
        }
        for (line, target, page) in page_links(path, text) {
            let page = page.unwrap_or_default();
            if page.ends_with(".md") && !listed.contains_key(&page) {
                let wrong = format!("link to `{target}`, which is missing in the site");
                findings.push(Finding::error(path, line, wrong, &right));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_not_listed_or_listed_twice_are_found() {
        let summary = "[a](../README.md)\n- [b](b.md)\n- [b](b.md)\n";
        let findings = check(&Tree::of(&[
            (SUMMARY, summary),
            ("README.md", "[b](docs/b.md) [c](docs/c.md) [d](d.txt)"),
            ("docs/b.md", "[e](../e.md)"),
            ("docs/c.md", "[e](../e.md)"),
            ("d.txt", ""),
            ("e.md", ""),
        ]));
        let found: Vec<(String, usize)> = findings.into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [
            (SUMMARY, 3),
            ("README.md", 1),
            ("docs/b.md", 1),
            ("docs/c.md", 1),
        ];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
