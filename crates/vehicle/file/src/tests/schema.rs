//! The schema against the reader: the schema accepts what the reader accepts, and refuses what the
//! reader refuses by one table alone.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use waywarden_testkit_schemas::{FileSchema, ReaderResult, toml_files};

use crate::{FileErrors, Problem, VehicleFile, schema};

fn vehicle() -> &'static FileSchema {
    static SCHEMA: OnceLock<FileSchema> = OnceLock::new();
    SCHEMA.get_or_init(|| FileSchema::new(&schema::vehicle().to_value().to_string()))
}

/// Checks that schema and reader agree on a vehicle file.
pub(super) fn agree(text: &str, read: &Result<VehicleFile, FileErrors>) {
    if let Ok(table) = text.parse::<toml::Table>() {
        vehicle().assert_agrees(&table, &reading(read), text);
    }
    if let Err(errors) = read {
        each_key_is_missing_once(errors, text);
    }
}

fn reading(read: &Result<VehicleFile, FileErrors>) -> ReaderResult {
    let Err(errors) = read else {
        return ReaderResult::Taken;
    };
    let mut seen = errors.listed().iter().filter(|one| is_seen(&one.problem));
    match seen.next() {
        Some(one) => ReaderResult::RefusedByForm(one.to_string()),
        None => ReaderResult::RefusedOtherwise(errors.to_string()),
    }
}

/// Checks that no key is reported as missing twice at one place.
fn each_key_is_missing_once(errors: &FileErrors, text: &str) {
    let mut known = BTreeSet::new();
    for one in errors.listed() {
        if let Problem::MissingKey { section, key, .. } = &one.problem {
            let place = (one.place.line, one.place.column, section.clone(), *key);
            assert!(known.insert(place), "twice: {one}\n{text}");
        }
    }
}

/// Returns true if a problem is one of a table by itself.
fn is_seen(problem: &Problem) -> bool {
    match problem {
        // What a key frame may be named by depends on the [[keys]] that it is of.
        Problem::UnknownKey { section, .. } => !section.contains("key_frames"),
        // Who announces depends on the bits of the profile.
        Problem::MissingKey { section, key, .. } => {
            !section.contains("key_frames") && *key != "master"
        }
        Problem::Choice { .. } => true,
        // Of texts with a form of their own the schema knows the form, and no more.
        Problem::Value { found, .. } => !found.starts_with('"'),
        _ => false,
    }
}

/// Returns the vehicle files of the examples.
fn examples() -> Vec<(String, toml::Table)> {
    let mut files = toml_files("examples");
    files.extend(toml_files("crates/cli/waywarden/src/init"));
    files.retain(|(_, table)| table.contains_key("vehicle"));
    assert!(files.len() > 20, "{files:?}");
    files
}

#[test]
fn schema_is_valid_and_takes_every_example() {
    for (name, table) in examples() {
        let read = VehicleFile::compose("car.toml", &table);
        assert!(read.is_ok(), "{name}");
        vehicle().assert_agrees(&table, &reading(&read), &name);
    }
}

#[test]
fn random_changes_are_judged_alike_by_schema_and_reader() {
    vehicle().assert_agrees_on_changes(400, &examples(), |table| {
        reading(&VehicleFile::compose("car.toml", table))
    });
}
