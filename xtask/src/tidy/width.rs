//! Lines of Rust are at most 100 characters wide; the formatter leaves comments and strings alone.

use super::Finding;
use super::tree::Tree;

/// Longest line in characters, as in `rustfmt.toml`.
const LIMIT: usize = 100;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, text) in tree.texts() {
        let Some(source) = &file.source else { continue };
        for (line, content) in (1..).zip(text.lines()) {
            let width = content.chars().count();
            // A line all inside a literal is data: a row of a foreign format cannot be broken.
            let views = [&source.code, &source.comments];
            let data = views.iter().all(|view| view[line - 1].trim().is_empty());
            if width > LIMIT && !data {
                let right = format!("at most {LIMIT}: break the comment or the string");
                let wrong = format!("{width} characters");
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
    fn a_wide_line_is_found_by_characters() {
        let data = format!("a(r\"\n{}\n\")", "y".repeat(101));
        let text = format!("//! ok\n{}\n{}\n{data}", "ß".repeat(100), "x".repeat(101));
        let findings = check(&Tree::of(&[("a.rs", &text), ("b.md", &text)]));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 3);
    }
}
