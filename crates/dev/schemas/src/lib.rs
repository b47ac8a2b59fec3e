//! Shared code for tests of files that users write: compares a file's JSON Schema, by which editors
//! complete and check it, with its reader.
//!
//! A schema and a reader agree if the schema takes what the reader takes, and refuses what the
//! reader refuses for reasons of form: keys, types, words, ranges. Only the reader sees what
//! depends on other tables.
//!
//! A development dependency only, as `waywarden-testkit` is. It is no part of that, so that other
//! tests do without the crates that it needs.

mod change;
mod keys;

use std::fs;
use std::panic::AssertUnwindSafe;

use jsonschema::Validator;
use serde_json::Value;
use waywarden_testkit::{Random, each_seed, workspace};

use self::change::changed;
pub use self::keys::SchemaKey;

/// Result of a reader for one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReaderResult {
    /// It takes the file.
    Taken,
    /// It refuses the file for reasons that a schema sees, too.
    RefusedByForm(String),
    /// It refuses the file for reasons that no schema sees.
    RefusedOtherwise(String),
}

impl ReaderResult {
    /// Classifies the result of a reader. A refusal that contains one of `unseen` is one that no
    /// schema sees.
    pub fn of<T>(read: Result<T, String>, unseen: &[&str]) -> Self {
        match read {
            Ok(_) => Self::Taken,
            Err(why) if unseen.iter().any(|part| why.contains(part)) => Self::RefusedOtherwise(why),
            Err(why) => Self::RefusedByForm(why),
        }
    }
}

/// The schema of one kind of file.
#[derive(Debug)]
pub struct FileSchema {
    root: Value,
    validator: Validator,
}

impl FileSchema {
    /// Reads a schema.
    ///
    /// # Panics
    /// If it is no JSON Schema of draft 2020-12.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let root = serde_json::from_str(text).unwrap();
        assert!(jsonschema::meta::is_valid(&root), "no valid schema");
        let validator = jsonschema::draft202012::new(&root).unwrap();
        Self { root, validator }
    }

    /// Returns why the schema refuses a file; nothing if it takes it.
    ///
    /// # Panics
    /// If the file has a value that JSON has not.
    #[must_use]
    pub fn refusals(&self, file: &toml::Table) -> Vec<String> {
        let document = serde_json::to_value(file).unwrap();
        let errors = self.validator.iter_errors(&document);
        let reported = errors.map(|error| format!("{}: {error}", error.instance_path()));
        reported.collect()
    }

    /// Checks that schema and reader agree on a file.
    ///
    /// # Panics
    /// If they do not.
    pub fn assert_agrees(&self, file: &toml::Table, reading: &ReaderResult, context: &str) {
        let refusals = self.refusals(file);
        match reading {
            ReaderResult::Taken => assert!(refusals.is_empty(), "{refusals:#?}\n{context}"),
            ReaderResult::RefusedByForm(why) => {
                assert!(!refusals.is_empty(), "taken, in spite of {why}\n{context}");
            }
            ReaderResult::RefusedOtherwise(_) => {}
        }
    }

    /// Checks that schema and reader agree on random changes of valid files. `few` is how many
    /// changes there are, unless the environment says otherwise.
    ///
    /// # Panics
    /// If they do not agree. The seed is printed.
    pub fn assert_agrees_on_changes(
        &self,
        few: u64,
        files: &[(String, toml::Table)],
        read: impl Fn(&toml::Table) -> ReaderResult,
    ) {
        let judge = |seed| {
            let mut random = Random::new(seed);
            let (name, file) = &files[random.index(files.len())];
            let (file, change) = changed(file, &mut random);
            let reading = read(&file);
            let context = format!("seed {seed}: {name}: {change}");
            self.assert_agrees(&file, &reading, &context);
            reading
        };
        // A failure ends the test, so no one sees what it left.
        let judge = AssertUnwindSafe(judge);
        let readings = each_seed(few, |seed| (*judge)(seed));
        if readings.len() > 100 {
            let taken = readings.iter().filter(|one| **one == ReaderResult::Taken);
            let by_form = |one: &&ReaderResult| matches!(one, ReaderResult::RefusedByForm(_));
            let by_form = readings.iter().filter(by_form).count();
            assert!(
                taken.count() > 0 && by_form > readings.len() / 3,
                "{by_form}"
            );
        }
    }
}

/// Returns the TOML files of a folder of the workspace and of those in it, in the order of their
/// names.
///
/// # Panics
/// If a file cannot be read, or is no TOML.
#[must_use]
pub fn toml_files(folder: &str) -> Vec<(String, toml::Table)> {
    let mut found = Vec::new();
    let mut open = vec![workspace().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                _ if path.is_dir() => open.push(path),
                Some(ending) if ending == "toml" => {
                    let name = path.display().to_string();
                    let file = fs::read_to_string(&path).unwrap().parse();
                    found.push((name.clone(), file.expect(&name)));
                }
                _ => {}
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

/// Returns the TOML files that a page in Markdown shows.
///
/// # Panics
/// If one is no TOML.
#[must_use]
pub fn toml_blocks(page: &str) -> Vec<toml::Table> {
    let blocks = page.split("```toml\n").skip(1);
    let texts = blocks.map(|block| block.split("```").next().unwrap_or_default());
    texts.map(|text| text.parse().unwrap()).collect()
}
