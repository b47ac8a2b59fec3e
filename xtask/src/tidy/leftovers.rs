//! Leftovers of development: debug prints, unfinished code, notes to oneself.

use super::Finding;
use super::tree::Tree;

/// Macros, looked for in code.
const MACROS: &[&str] = &["dbg", "todo", "unimplemented"];

/// Marks, looked for in comments and in text that is not Rust. Split, so that the list is none.
const MARKS: &[&str] = &[
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("TO", "DO"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    let right = "finish it, or open an issue and say in prose what is not there";
    for (file, text) in tree.texts() {
        let mut mark = |line: usize, prose: &str| {
            for word in prose.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                if MARKS.contains(&word) {
                    let wrong = format!("`{word}` left over");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
        };
        let Some(source) = &file.source else {
            (1..)
                .zip(text.lines())
                .for_each(|(line, prose)| mark(line, prose));
            continue;
        };
        (1..)
            .zip(&source.comments)
            .for_each(|(line, prose)| mark(line, prose));
        for (line, code) in (1..).zip(&source.code) {
            for name in MACROS {
                let call = format!("{name}!");
                let at = code.find(&call);
                if at.is_some_and(|at| {
                    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_')
                }) {
                    let wrong = format!("`{call}` left over");
                    findings.push(Finding::error(&file.path, line, wrong, right));
                }
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_found_where_they_count() {
        let mark = MARKS[0];
        let rust =
            format!("//! {mark}: x\nfn f() {{ dbg!(1); todo!() }}\nconst A: &str = \"dbg!\";");
        let prose = format!("a {mark} b\nnot{mark}");
        let findings = check(&Tree::of(&[("a.rs", &rust), ("b.md", &prose)]));
        let found: Vec<(String, usize)> = findings.into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [("a.rs", 1), ("a.rs", 2), ("a.rs", 2), ("b.md", 1)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
