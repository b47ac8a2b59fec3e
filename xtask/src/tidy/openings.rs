//! Doc comments that open with an interrogative or a bare clause. The form of the standard library
//! is a noun phrase for a value, and a verb in the third person for a function. The number of each
//! folder may only fall: [`RECORD`] holds it.

use std::collections::BTreeMap;

use super::Finding;
use super::tree::Tree;

/// Words with which no doc comment opens.
const WORDS: [&str; 11] = [
    "How", "What", "Whether", "Where", "When", "Which", "Why", "Who", "If", "That", "Whose",
];

/// File of the recorded numbers: a folder and its number on each line.
const RECORD: &str = "xtask/openings.txt";

/// Doc comments of a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Folder {
    comments: usize,
    /// File, line and first words of each that opens with one of [`WORDS`].
    clauses: Vec<(String, usize, String)>,
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let record = tree.text(RECORD).unwrap_or_default();
    let recorded: BTreeMap<&str, usize> = record.lines().filter_map(entry).collect();
    let mut findings = Vec::new();
    let folders = folders(tree);
    for (folder, found) in &folders {
        let allowed = recorded.get(folder.as_str()).copied().unwrap_or(0);
        let count = found.clauses.len();
        if count > allowed {
            let right = format!(
                "{allowed} at most: open with a noun phrase, or a verb in the third person \
                 (`cargo xtask openings {folder}` lists them)"
            );
            let wrong = format!("{count} doc comments of {folder} open with a clause");
            let place = found.clauses.first();
            let (path, line) = place.map_or((RECORD, 1), |(path, line, _)| (path, *line));
            findings.push(Finding::error(path, line, wrong, right));
        }
    }
    for (line, (folder, allowed)) in (1..).zip(recorded) {
        let count = folders.get(folder).map_or(0, |found| found.clauses.len());
        if count < allowed {
            let wrong = format!("{folder} has {count} such doc comments, recorded are {allowed}");
            let right = "write what `cargo xtask openings` prints";
            findings.push(Finding::error(RECORD, line, wrong, right));
        }
    }
    findings
}

/// Writes the numbers of all folders as [`RECORD`] holds them and the share of all doc comments, or
/// the places within one folder.
pub(super) fn list(tree: &Tree, folder: Option<&str>) -> String {
    let folders = folders(tree);
    let mut text = String::new();
    if let Some(folder) = folder {
        let within = folders.iter().filter(|(name, _)| name.starts_with(folder));
        for (path, line, words) in within.flat_map(|(_, found)| &found.clauses) {
            text += &format!("{path}:{line}: {words}\n");
        }
        return text;
    }
    let (mut clauses, mut comments) = (0, 0);
    for (name, found) in &folders {
        if !found.clauses.is_empty() {
            text += &format!("{name} {}\n", found.clauses.len());
        }
        clauses += found.clauses.len();
        comments += found.comments;
    }
    text + &format!("# {clauses} of {comments} doc comments\n")
}

/// Reads a line of [`RECORD`].
fn entry(line: &str) -> Option<(&str, usize)> {
    let (folder, count) = line.split_once(' ')?;
    Some((folder, count.parse().ok()?))
}

fn folders(tree: &Tree) -> BTreeMap<String, Folder> {
    let mut folders: BTreeMap<String, Folder> = BTreeMap::new();
    for (file, source) in tree.sources() {
        let folder = folders.entry(folder_of(&file.path)).or_default();
        let mut before = "";
        for (line, comment) in (1..).zip(&source.comments) {
            let comment = comment.trim();
            let marker = ["///", "//!"].into_iter().find(|m| comment.starts_with(m));
            let marker = marker.unwrap_or_default();
            if !marker.is_empty() && marker != before {
                folder.comments += 1;
                let words = comment[marker.len()..].trim_start();
                let first = words.split(|c: char| !c.is_alphanumeric()).next();
                if WORDS.contains(&first.unwrap_or_default()) {
                    folder
                        .clauses
                        .push((file.path.clone(), line, words.to_owned()));
                }
            }
            before = marker;
        }
    }
    folders
}

/// Returns the crate's folder for a file in `crates/`, else the first folder of its path.
fn folder_of(path: &str) -> String {
    let depth = if path.starts_with("crates/") { 3 } else { 1 };
    let parts: Vec<&str> = path.split('/').take(depth).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "//! How it works.\n\n/// Whether.\n/// What follows is no opening.\nfn a() \
                        {}\n/// Whatever is a word of its own.\nfn b() {} // What else\n";

    fn found(record: &str) -> Vec<(String, usize)> {
        let files = [("crates/can/sim/src/a.rs", CODE), (RECORD, record)];
        let findings = check(&Tree::of(&files)).into_iter();
        findings
            .map(|finding| (finding.path, finding.line))
            .collect()
    }

    #[test]
    fn a_number_may_fall_and_is_recorded_then() {
        assert_eq!(found("crates/can/sim 2\n"), []);
        let more = [("crates/can/sim/src/a.rs".to_owned(), 1)];
        assert_eq!(found("crates/can/sim 1\n"), more);
        assert_eq!(found(""), more);
        assert_eq!(found("crates/can/sim 3\n"), [(RECORD.to_owned(), 1)]);
        assert_eq!(
            found("crates/can/sim 2\ngone 1\n"),
            [(RECORD.to_owned(), 2)]
        );
    }

    #[test]
    fn places_are_listed_by_folder() {
        let tree = Tree::of(&[
            ("crates/can/sim/src/a.rs", CODE),
            ("xtask/src/a.rs", "//! If"),
        ]);
        let all = "crates/can/sim 2\nxtask 1\n# 3 of 4 doc comments\n";
        assert_eq!(list(&tree, None), all);
        let places =
            "crates/can/sim/src/a.rs:1: How it works.\ncrates/can/sim/src/a.rs:3: Whether.\n";
        assert_eq!(list(&tree, Some("crates/can")), places);
    }
}
