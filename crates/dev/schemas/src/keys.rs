//! The keys of a schema: those of each table, beside those that the reader expects there.

use std::collections::BTreeSet;
use std::fmt::Debug;

use serde_json::{Map, Value};
use toml::Table;

use crate::change::{Step, follow, tables};
use crate::{FileSchema, ReaderResult};

/// A key that no file has.
const UNKNOWN: &str = "unknown-key";

/// A key that a schema has for a table of a file.
#[derive(Clone, Debug)]
pub struct SchemaKey {
    /// Its name.
    pub name: String,
    /// The schema of its value. Keys beside a `$ref` override those of its target.
    pub schema: Map<String, Value>,
    path: Vec<Step>,
}

impl SchemaKey {
    /// Returns the file with this value for the key.
    #[must_use]
    pub fn set(&self, file: &Table, value: impl Into<toml::Value>) -> Table {
        with(file, &self.path, &self.name, value.into())
    }

    /// Returns the file without the key.
    #[must_use]
    pub fn removed(&self, file: &Table) -> Table {
        let mut file = file.clone();
        follow(&mut file, &self.path).remove(&self.name);
        file
    }

    /// Returns the schema's description of the key, its numbers without commas.
    #[must_use]
    pub fn description(&self) -> String {
        let words = self.schema.get("description").and_then(Value::as_str);
        words.unwrap_or_default().replace(',', "")
    }

    fn assert_describes(&self, what: &str) {
        let (name, words) = (&self.name, self.description());
        assert!(words.contains(what), "{name}: {what:?} is not in {words:?}");
    }
}

impl FileSchema {
    /// Returns the keys that the schema has for each table of a file.
    #[must_use]
    pub fn keys(&self, file: &Table) -> Vec<SchemaKey> {
        let mut all = Vec::new();
        for path in tables(file) {
            let schema = self.at(&path);
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, value) in properties.into_iter().flatten() {
                all.push(SchemaKey {
                    name: name.clone(),
                    schema: self.merged(value),
                    path: path.clone(),
                });
            }
        }
        all
    }

    /// Checks for each number of a file that has bounds in the schema that the reader has the same
    /// ones, and that the description names them. Returns how many have bounds.
    ///
    /// # Panics
    /// If one has others.
    pub fn assert_bounds(&self, file: &Table, read: impl Fn(&Table) -> ReaderResult) -> usize {
        let keys = self.keys(file).into_iter();
        let bounded = keys.filter(|key| key.schema.contains_key("maximum"));
        let mut count = 0;
        for key in bounded {
            for (bound, beyond) in [("minimum", -1), ("maximum", 1)] {
                let bound = &key.schema[bound];
                key.assert_describes(&bound.to_string());
                for number in at_and_beyond(bound, beyond) {
                    let context = format!("{} = {number}", key.name);
                    let file = key.set(file, number);
                    self.assert_agrees(&file, &read(&file), &context);
                }
            }
            count += 1;
        }
        count
    }

    /// Checks for each key that has a default in the schema that the reader has the same one, and
    /// that the description names it. Returns how many have one.
    ///
    /// # Panics
    /// If one has another, or stands in no table of the file that is right with and without it.
    pub fn assert_defaults<T: PartialEq + Debug>(
        &self,
        file: &Table,
        read: impl Fn(&Table) -> Result<T, String>,
    ) -> usize {
        let (mut all, mut compared) = (BTreeSet::new(), BTreeSet::new());
        for key in self.keys(file) {
            let Some(default) = key.schema.get("default") else {
                continue;
            };
            let default: toml::Value = serde_json::from_value(default.clone()).unwrap();
            key.assert_describes(&match &default {
                toml::Value::String(text) => format!("Default: {text}."),
                toml::Value::Array(_) => "Default: none.".to_owned(),
                value => format!("Default: {value}."),
            });
            let (given, left_out) = (read(&key.set(file, default)), read(&key.removed(file)));
            if let (Ok(given), Ok(left_out)) = (given, left_out) {
                assert_eq!(given, left_out, "{}", key.name);
                compared.insert(key.description());
            }
            all.insert(key.description());
        }
        assert_eq!(all, compared);
        all.len()
    }

    /// Checks that each table of a file has the keys in the schema that it has in the reader: those
    /// that the reader names when it refuses an unknown one. `misplaced` are keys of lists of
    /// tables that the reader takes there only to say where they belong.
    ///
    /// # Panics
    /// If a table has other keys, or the file lacks a kind of table.
    pub fn assert_keys(
        &self,
        file: &Table,
        misplaced: &[(&str, &str)],
        refusal: impl Fn(&Table) -> Option<String>,
    ) {
        let mut seen = BTreeSet::new();
        for path in tables(file) {
            let schema = self.at(&path);
            let Some(own) = closed(&schema) else { continue };
            let context = format!("{path:?}");
            let why = refusal(&with(file, &path, UNKNOWN, true.into())).expect(&context);
            let mut expected = expected(&why);
            let of_table = misplaced.iter().filter(|(table, _)| is_of(&path, table));
            of_table.for_each(|(_, key)| assert!(expected.remove(key), "{key}: {context}"));
            assert_eq!(own, expected, "{context}: {why}");
            seen.insert(own.into_iter().map(str::to_owned).collect());
        }
        let mut all: BTreeSet<BTreeSet<String>> = BTreeSet::new();
        collect_closed(&self.root, &mut all);
        assert_eq!(seen, all, "not every kind of table stands in the file");
    }

    /// Returns the schema of the value at a path.
    fn at(&self, path: &[Step]) -> Map<String, Value> {
        let mut schema = self.merged(&self.root);
        for step in path {
            let next = match step {
                Step::Key(key) => {
                    let known = schema.get("properties").and_then(|all| all.get(key));
                    known.or(schema.get("additionalProperties"))
                }
                Step::Index(_) => schema.get("items"),
            };
            schema = self.merged(next.unwrap_or_else(|| panic!("{path:?} is not in the schema")));
        }
        schema
    }

    /// Merges the target of a `$ref` with the keys beside it.
    fn merged(&self, schema: &Value) -> Map<String, Value> {
        let own = schema.as_object().cloned().unwrap_or_default();
        let Some(Value::String(reference)) = own.get("$ref") else {
            return own;
        };
        let target = self.root.pointer(reference.trim_start_matches('#'));
        let mut all = self.merged(target.expect(reference));
        all.extend(own);
        all
    }
}

/// Returns a bound, and the number one step beyond it.
fn at_and_beyond(bound: &Value, step: i32) -> [toml::Value; 2] {
    match bound.as_i64() {
        Some(whole) => [whole.into(), (whole + i64::from(step)).into()],
        None => {
            let bound = bound.as_f64().unwrap();
            [bound.into(), (bound + f64::from(step)).into()]
        }
    }
}

/// Returns the keys of a table that may have no others.
fn closed(schema: &Map<String, Value>) -> Option<BTreeSet<&str>> {
    let is_closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let keys = schema.get("properties")?.as_object()?.keys();
    is_closed.then(|| keys.map(String::as_str).collect())
}

/// Collects the keys of every table that may have no others.
fn collect_closed(schema: &Value, all: &mut BTreeSet<BTreeSet<String>>) {
    match schema {
        Value::Object(object) => {
            let keys = closed(object).into_iter();
            all.extend(keys.map(|keys| keys.into_iter().map(str::to_owned).collect()));
            object.values().for_each(|inner| collect_closed(inner, all));
        }
        Value::Array(list) => list.iter().for_each(|inner| collect_closed(inner, all)),
        _ => {}
    }
}

fn is_of(path: &[Step], table: &str) -> bool {
    matches!(path, [Step::Key(key), Step::Index(_)] if key == table)
}

fn with(file: &Table, path: &[Step], key: &str, value: toml::Value) -> Table {
    let mut file = file.clone();
    follow(&mut file, path).insert(key.to_owned(), value);
    file
}

/// Returns the keys, in backticks, that a reader would take in the place of the unknown one.
fn expected(why: &str) -> BTreeSet<&str> {
    let (_, list) = why
        .split_once(&format!("`{UNKNOWN}`, expected"))
        .expect(why);
    list.split('`').skip(1).step_by(2).collect()
}
