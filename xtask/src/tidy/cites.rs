//! Cites such as `[KEY §3]` have their key in `BIBLIOGRAPHY.toml`, and every key there is cited.
//!
//! A cite is a key in square brackets, alone or followed by a place (`§`, `Table`, `Figure`, ...).
//! They count in Rust comments, in Markdown outside code, and in TOML comments and strings; in TOML
//! also as the pair `key = "KEY", place = "..."`, which the board files use.

use std::collections::BTreeMap;

use super::Finding;
use super::links::prose_lines;
use super::tree::{File, Tree};

/// File of the keys, each as a table header `["KEY"]`.
const BIBLIOGRAPHY: &str = "BIBLIOGRAPHY.toml";

/// Fields of every entry: title, author, and date or edition.
const FIELDS: &[&str] = &["title", "by", "when"];

/// Words and marks that begin a place. Plurals begin alike.
const PLACES: &[&str] = &[
    "§",
    "Table",
    "Figure",
    "Fig.",
    "Algorithm",
    "Annex",
    "Appendix",
    "Chapter",
    "Clause",
    "Eq",
    "Lemma",
    "Listing",
    "Proposition",
    "README",
    "Section",
    "Slide",
    "Theorem",
    "p.",
    "pp.",
];

/// One cite.
struct Cite<'a> {
    path: &'a str,
    line: usize,
    key: &'a str,
    /// Empty for a bare key.
    place: &'a str,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let keys = keys(tree);
    let cites = cites(tree);
    let mut findings = Vec::new();
    for cite in &cites {
        // A bare word in brackets may be anything; only one written like a key is held to be one.
        let claimed = !cite.place.is_empty() || looks_like_key(cite.key);
        if claimed && !keys.iter().any(|(key, _)| key == cite.key) {
            let wrong = format!("`[{}]` is not in the bibliography", cite.key);
            let right = format!("a key of {BIBLIOGRAPHY}, or an entry for it there");
            findings.push(Finding::error(cite.path, cite.line, wrong, right));
        }
    }
    for (key, line) in &keys {
        let entry = tree
            .text(BIBLIOGRAPHY)
            .unwrap_or_default()
            .lines()
            .skip(*line);
        let entry: Vec<&str> = entry.take_while(|line| !line.starts_with('[')).collect();
        for field in FIELDS {
            if !entry
                .iter()
                .any(|line| line.starts_with(&format!("{field} = \"")))
            {
                let wrong = format!("`{key}` has no {field}");
                let right = format!("`{field} = \"...\"`");
                findings.push(Finding::error(BIBLIOGRAPHY, *line, wrong, right));
            }
        }
        if !cites.iter().any(|cite| cite.key == key) {
            let wrong = format!("nothing cites `{key}`");
            let right = "remove the entry, or cite it where it is used";
            findings.push(Finding::error(BIBLIOGRAPHY, *line, wrong, right));
        }
    }
    findings
}

/// For each key the places that cite it: path, line, place in the work.
pub(super) fn back_references(tree: &Tree) -> BTreeMap<String, Vec<(String, usize, String)>> {
    let mut references: BTreeMap<String, Vec<_>> = BTreeMap::new();
    for (key, _) in keys(tree) {
        references.insert(key, Vec::new());
    }
    for cite in cites(tree) {
        if let Some(places) = references.get_mut(cite.key) {
            places.push((cite.path.to_owned(), cite.line, cite.place.to_owned()));
        }
    }
    references
}

/// Every key of the bibliography and its line.
fn keys(tree: &Tree) -> Vec<(String, usize)> {
    let text = tree.text(BIBLIOGRAPHY).unwrap_or_default();
    (1..)
        .zip(text.lines())
        .filter_map(|(line, content)| {
            let key = content.strip_prefix('[')?.strip_suffix(']')?;
            Some((key.trim_matches('"').to_owned(), line))
        })
        .collect()
}

fn cites(tree: &Tree) -> Vec<Cite<'_>> {
    let mut cites = Vec::new();
    for (file, text) in tree.texts() {
        for (line, prose) in prose(file, text) {
            let pair = key_value_pair(prose).filter(|_| file.source.is_none());
            for (key, place) in bracketed(prose).into_iter().chain(pair) {
                cites.push(Cite {
                    path: &file.path,
                    line,
                    key,
                    place,
                });
            }
        }
    }
    cites
}

/// Reads `key = "KEY", place = "..."`.
fn key_value_pair(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.split_once("key = \"")?.1.split_once('"')?;
    let place = rest.strip_prefix(", place = \"")?.split('"').next()?;
    Some((key, place))
}

/// The lines of a file in which cites count, counted from 1.
fn prose<'a>(file: &'a File, text: &'a str) -> Box<dyn Iterator<Item = (usize, &'a str)> + 'a> {
    if let Some(source) = &file.source {
        Box::new((1..).zip(source.comments.iter().map(String::as_str)))
    } else if file.path.ends_with(".md") {
        Box::new(prose_lines(text))
    } else if file.path.ends_with(".toml") && file.path != BIBLIOGRAPHY {
        let lines = (1..).zip(text.lines());
        Box::new(lines.filter(|(_, line)| !line.trim_start().starts_with('[')))
    } else {
        Box::new(std::iter::empty())
    }
}

/// Returns the texts in square brackets that may be cites: keys and places.
fn bracketed(line: &str) -> Vec<(&str, &str)> {
    let mut cites = Vec::new();
    let mut rest = line;
    while let Some((before, inside)) = rest.split_once('[') {
        // Within back quotes stands code.
        if before.matches('`').count() % 2 == 1 {
            rest = inside.split_once('`').map_or("", |(_, after)| after);
            continue;
        }
        let Some((content, after)) = inside.split_once(']') else {
            break;
        };
        rest = after;
        let link = after.starts_with(['(', '[', ':']);
        if !link {
            // rustdoc takes a bare word in brackets for a link unless the brackets are escaped.
            let works = content.trim_end_matches('\\').split("; ");
            cites.extend(works.filter_map(key_and_place));
        }
    }
    cites
}

/// Splits `KEY §3` into key and place; none if it cannot be a cite.
fn key_and_place(content: &str) -> Option<(&str, &str)> {
    let first = content.chars().next()?;
    if !first.is_ascii_alphanumeric() || content.contains(['`', '"', '[', '|']) {
        return None;
    }
    let cut = PLACES
        .iter()
        .filter_map(|place| content.find(&format!(" {place}")))
        .min();
    let (key, place) = match cut {
        Some(cut) => (content[..cut].trim_end_matches(','), &content[cut + 1..]),
        None => (content, ""),
    };
    // A cite may name the edition: `ISO 11898-1:2015`.
    let digits = |edition: &str| edition.bytes().all(|b| b.is_ascii_digit());
    let named = key.split_once(':').filter(|(_, edition)| digits(edition));
    Some((named.map_or(key, |(key, _)| key), place))
}

/// Returns true if a bare word is written like a key: capitals, digits and hyphens, three at least.
fn looks_like_key(word: &str) -> bool {
    word.len() >= 3
        && word.chars().next().is_some_and(|c| c.is_ascii_uppercase())
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &str = "[GKE]\ntitle = \"a\"\nby = \"b\"\nwhen = \"c\"\n\
                        [\"ISO 11898-1\"]\ntitle = \"d\"\nby = \"e\"\nwhen = \"f\"\n";

    fn lines(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let mut all = vec![(BIBLIOGRAPHY, KEYS)];
        all.extend_from_slice(files);
        let findings = check(&Tree::of(&all));
        findings.into_iter().map(|f| (f.path, f.line)).collect()
    }

    #[test]
    fn known_and_used_keys_are_fine() {
        let rust = "//! After [GKE §III-C], [ISO 11898-1:2015 Table 5].\nlet x = [LASAN];";
        let page = "[GKE] and [link](x) and `[NOPE §1]` and [x] and [LEIA](y), \\[GKE\\]\n\
                    [GKE §1; ISO 11898-1 §2] and [u8; 4]\n```\n[NOPE §1]\n```";
        assert_eq!(lines(&[("a.rs", rust), ("b.md", page)]), []);
    }

    #[test]
    fn unknown_keys_are_found() {
        let rust = "//! [GKE §1] [ISO 11898-1 §10.4]\n// see [GKE §1; ISO 99 §2]";
        let page = "as [LASAN] says, and [gke Table 2]";
        let toml = "[BOARD]\nsource = \"[ABC Tables III-VII]\"\n\
                    paper = { key = \"DEF\", place = \"README\" }";
        let found = lines(&[("a.rs", rust), ("b.md", page), ("c.toml", toml)]);
        let expected = [
            ("a.rs", 2),
            ("b.md", 1),
            ("b.md", 1),
            ("c.toml", 2),
            ("c.toml", 3),
        ];
        assert_eq!(found, expected.map(|(path, line)| (path.to_owned(), line)));
    }

    #[test]
    fn unused_keys_are_found() {
        let found = lines(&[("a.rs", "//! [GKE Figure 4]")]);
        assert_eq!(found, [(BIBLIOGRAPHY.to_owned(), 5)]);
    }

    #[test]
    fn an_entry_that_says_too_little_is_found() {
        let entries = "[GKE]\ntitle = \"a\"\n[VULCAN]\nby = \"b\"\nwhen = \"c\"\n";
        let tree = Tree::of(&[(BIBLIOGRAPHY, entries), ("a.md", "[GKE] [VULCAN]")]);
        let found: Vec<String> = check(&tree).into_iter().map(|f| f.wrong).collect();
        let missing = [
            "`GKE` has no by",
            "`GKE` has no when",
            "`VULCAN` has no title",
        ];
        assert_eq!(found, missing);
    }
}
