//! Words that a reader from the field has to look up: in comments, in pages, in the texts of
//! programs, and in names. What a comment or a page quotes or has as code is not looked at.

use super::Finding;
use super::rust::Source;
use super::tree::Tree;

/// Words and what to write instead. Split where they would be found in this file's own comments.
const WORDS: &[(&str, &str)] = &[
    ("nobody", "say who does not"),
    ("somebody", "say who"),
    ("whoever", "say who"),
    ("tidings", "key events"),
    ("anew", "again, or from the start"),
    ("deed", "action"),
    ("deeds", "actions"),
    ("ware", "provisioned identity"),
    ("decree", "administrative command"),
    ("decrees", "administrative commands"),
    ("in vain", "without an answer"),
    ("came to nothing", "failed"),
    ("thereof", "of it"),
    ("of its own accord", "unsolicited"),
    ("at the most", "at most"),
];

/// Words refused as a part of a name besides those of [`WORDS`], and the terms to use.
const NAME_PARTS: &[(&str, &str)] = &[
    ("everybody", "all, or every ECU"),
    ("vain", "unanswered"),
    ("told", "reported, recorded, verdict"),
    ("weather", "fault plan, disturbance"),
    ("trouble", "disturbance"),
    ("troubles", "disturbances"),
    ("siege", "attack matrix"),
    ("fate", "delivery, outcome"),
    ("haste", "pacing"),
    ("dice", "random generator"),
    ("twin", "malleable counterpart"),
    ("vault", "key store"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, text) in tree.texts() {
        if let Some(source) = &file.source {
            findings.extend(names(&file.path, source));
        }
        let mut look = |line: usize, prose: &str| {
            let prose = plain(prose);
            for (word, instead) in WORDS.iter().filter(|(word, _)| has(&prose, word)) {
                let wrong = format!("`{word}` is a word to look up");
                findings.push(Finding::error(&file.path, line, wrong, *instead));
            }
        };
        if let Some(source) = &file.source {
            let comments = (1..).zip(&source.comments);
            comments.for_each(|(line, prose)| look(line, prose));
            if is_product(&file.path) {
                let lines = (1..).zip(text.lines());
                for (line, whole) in lines.filter(|(line, _)| !source.is_test(*line)) {
                    look(line, &literals(source, line, whole));
                }
            }
        } else if file.path.ends_with(".md") {
            let mut is_code = false;
            for (line, prose) in (1..).zip(text.lines()) {
                if prose.trim_start().starts_with("```") {
                    is_code = !is_code;
                } else if !is_code {
                    look(line, prose);
                }
            }
        }
    }
    findings
}

/// Returns true if the texts in a file are those of a program, and not of its tests.
fn is_product(path: &str) -> bool {
    let is_test = path.contains("/tests/") || path.ends_with("/tests.rs");
    path.starts_with("crates/") && path.contains("/src/") && !is_test && !path.contains("/testkit")
}

/// Returns the names that have a part to look up.
fn names(path: &str, source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, code) in (1..).zip(&source.code) {
        for name in code.split(|letter: char| !(letter.is_alphanumeric() || letter == '_')) {
            let parts = parts(name);
            let refused = WORDS
                .iter()
                .chain(NAME_PARTS)
                .filter(|(part, _)| parts.iter().any(|own| own == part));
            for (part, instead) in refused {
                let wrong = format!("`{name}` has `{part}`, a word to look up");
                findings.push(Finding::error(path, line, wrong, *instead));
            }
        }
    }
    findings
}

/// Splits a name of any case into its words, in small letters.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if letter == '_' || (letter.is_uppercase() && was_small) {
            parts.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(last) = parts.last_mut().filter(|_| letter != '_') {
            last.extend(letter.to_lowercase());
        }
    }
    parts
}

/// Returns the text in literals of a line: neither code nor comment.
fn literals(source: &Source, line: usize, whole: &str) -> String {
    let view = |view: &[String]| view.get(line - 1).cloned().unwrap_or_default();
    let (code, comments) = (view(&source.code), view(&source.comments));
    let letters = whole.chars().zip(code.chars().zip(comments.chars()));
    let letters = letters.map(|(letter, others)| match others {
        (' ', ' ') if letter != '"' => letter,
        _ => ' ',
    });
    letters.collect()
}

/// Takes code and quotations out of a line, in small letters.
fn plain(prose: &str) -> String {
    let mut plain = String::new();
    let mut within = None;
    for letter in prose.chars() {
        match within {
            Some(end) if letter == end => within = None,
            Some(_) => {}
            None if letter == '`' || letter == '"' => within = Some(letter),
            None => plain.extend(letter.to_lowercase()),
        }
    }
    plain
}

/// Returns true if a word is in a text, with no letter beside it.
fn has(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let is_letter =
            |one: Option<char>| one.is_some_and(|one| one.is_alphanumeric() || one == '_');
        !is_letter(before) && !is_letter(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_texts_of_programs_and_not_of_tests() {
        let code = "let no_one = \"for nobody\";\nlet a = 'a';\nlet b = \"an\\\n    anew\";\n";
        let tests = "#[cfg(test)]\nmod tests {\n    const A: &str = \"anew\";\n}";
        let rust = &format!("{code}{tests}");
        let findings = check(&Tree::of(&[
            ("crates/can/src/a.rs", rust),
            ("crates/can/src/tests.rs", "const A: &str = \"anew\";"),
            ("crates/can/tests/all/a.rs", "const A: &str = \"anew\";"),
            ("xtask/src/a.rs", "const A: &str = \"anew\";"),
        ]));
        let found: Vec<(String, usize)> = findings.into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [("crates/can/src/a.rs", 1), ("crates/can/src/a.rs", 4)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn parts_of_names_are_found_in_every_case() {
        let rust = "struct KeyVault;\nfn asked_in_vain(history: u8) {}\nconst TOLD_MS: u8 = 0;\n\
                    // `told`\nlet vaulted = \"told\";\n";
        let findings = check(&Tree::of(&[("crates/can/can/tests/all/a.rs", rust)])).into_iter();
        let lines: Vec<usize> = findings.map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }

    #[test]
    fn words_are_found_in_comments_and_pages_alone() {
        let rust =
            "/// Nobody knows.\nlet no_one = \"nobody\"; // `nobody`, or \"anew\"\n//! software";
        let page = "At the most two.\n```\nanew\n```\n| whoever | `deed` |\nhardware, renewed";
        let findings = check(&Tree::of(&[
            ("a.rs", rust),
            ("b.md", page),
            ("c.toml", "anew"),
        ]));
        let found: Vec<(String, usize)> = findings.into_iter().map(|f| (f.path, f.line)).collect();
        let expected = [("a.rs", 1), ("b.md", 1), ("b.md", 5)];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }
}
