//! Links from page to page, and pages named in Rust comments, lead to files that exist.

use super::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let right = "link to a file of the project, or write the page";
    for (file, text) in tree.texts() {
        if let Some(source) = &file.source {
            for (line, prose) in (1..).zip(&source.comments) {
                for page in pages(prose).filter(|page| !tree.has(page)) {
                    let wrong = format!("`{page}` does not exist");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
        } else if file.path.ends_with(".md") {
            for (line, target, path) in page_links(&file.path, text) {
                if !path.is_some_and(|path| tree.has(&path)) {
                    let wrong = format!("link to `{target}`, which does not exist");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
        }
    }
    findings
}

/// The links of a Markdown page to files: the line of each, its text, and the path from the root;
/// none if it leaves the project.
pub(crate) fn page_links<'t>(
    page: &'t str,
    text: &'t str,
) -> impl Iterator<Item = (usize, &'t str, Option<String>)> {
    prose_lines(text).flat_map(move |(line, prose)| {
        targets(prose).map(move |target| (line, target, resolve(page, target)))
    })
}

/// The lines of a Markdown page outside fenced code, counted from 1.
pub(super) fn prose_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    (1..).zip(text.lines()).filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// The files that a line of Markdown links to, without addresses and places within the page.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', ' ', '#']).next())
        .filter(|target| {
            !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")
        })
}

/// The pages under `docs/` that a comment names in back quotes.
fn pages(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|quoted| quoted.starts_with("docs/") && quoted.ends_with(".md"))
        .filter(|quoted| !quoted.contains(['<', '*']))
}

/// A link's target from the root; none if it leaves the project.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let page = "[a](../README.md) [b](gone.md#x) [c](scheme://host/) [d](#here)\n\
                    ```\n[e](gone.md)\n```\n[f](../../outside.md)";
        let findings = check(&Tree::of(&[
            ("README.md", "[docs](docs/) [page](docs/a.md#part)"),
            ("docs/a.md", page),
            (
                "crates/can/src/lib.rs",
                "//! See `docs/a.md` and `docs/b.md`.",
            ),
        ]));
        let found: Vec<(String, usize)> = findings.into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [
            ("docs/a.md", 1),
            ("docs/a.md", 5),
            ("crates/can/src/lib.rs", 1),
        ];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
