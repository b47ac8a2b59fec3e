//! Doc comments that open with an interrogative or a bare clause. The form of the standard library
//! is a noun phrase for a value, and a verb in the third person for a function.

use super::Finding;
use super::tree::Tree;

/// Words with which no doc comment opens.
const WORDS: [&str; 11] = [
    "How", "What", "Whether", "Where", "When", "Which", "Why", "Who", "If", "That", "Whose",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, source) in tree.sources() {
        let mut before = "";
        for (line, comment) in (1..).zip(&source.comments) {
            let comment = comment.trim();
            let marker = ["///", "//!"].into_iter().find(|m| comment.starts_with(m));
            let marker = marker.unwrap_or_default();
            if !marker.is_empty() && marker != before {
                let words = comment[marker.len()..].trim_start();
                let first = words.split(|c: char| !c.is_alphanumeric()).next();
                if WORDS.contains(&first.unwrap_or_default()) {
                    let wrong = format!("a doc comment opens with a clause: `{words}`");
                    let right = "open with a noun phrase, `True if`, or a verb in the third person";
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
            before = marker;
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_of_a_doc_comment_counts_alone() {
        let code = "//! How it works.\n\n/// Whether.\n/// What follows is no opening.\nfn a() {}\n\
                    /// Whatever is a word of its own.\nfn b() {} // What else\n    /// If not.\n";
        let findings = check(&Tree::of(&[("crates/can/sim/src/a.rs", code)])).into_iter();
        let lines: Vec<usize> = findings.map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 3, 8]);
    }
}
