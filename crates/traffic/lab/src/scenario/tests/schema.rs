//! The schema against the reader. A scenario has nothing that a schema cannot see, but for a number
//! such as `1.0`: JSON takes it for a whole one.

use waywarden_testkit::workspace;
use waywarden_testkit_schemas::{FileSchema, ReaderResult, toml_blocks, toml_files};

use super::{FAULTS, SCHEMA, Scenario, TEXT};

fn parse(file: &toml::Table) -> Result<Scenario, String> {
    Scenario::parse(&toml::to_string(file).unwrap())
}

fn reading(file: &toml::Table) -> ReaderResult {
    ReaderResult::of(parse(file), &[])
}

/// Returns the scenarios of the examples, that of the page, and one of few keys.
fn scenarios() -> Vec<(String, toml::Table)> {
    let mut files = toml_files("examples");
    files.retain(|(_, file)| file.contains_key("roads"));
    assert!(files.len() >= 4, "{files:?}");
    files.push(("the page".to_owned(), of_page()));
    files.push(("the text".to_owned(), TEXT.parse().unwrap()));
    files
}

fn of_page() -> toml::Table {
    let page = workspace().join("docs/traffic-scenarios.md");
    let mut shown = toml_blocks(&std::fs::read_to_string(page).unwrap());
    assert_eq!(shown.len(), 1);
    shown.remove(0)
}

#[test]
fn schema_takes_every_example() {
    let schema = FileSchema::new(SCHEMA);
    for (name, file) in scenarios() {
        assert_eq!(reading(&file), ReaderResult::Taken, "{name}");
        schema.assert_agrees(&file, &ReaderResult::Taken, &name);
    }
}

#[test]
fn schema_refuses_what_the_reader_refuses() {
    let schema = FileSchema::new(SCHEMA);
    for (from, to, _) in FAULTS {
        let file: toml::Table = TEXT.replacen(from, to, 1).parse().unwrap();
        assert!(!schema.refusals(&file).is_empty(), "{to}");
    }
}

#[test]
fn random_changes_are_judged_alike_by_schema_and_reader() {
    FileSchema::new(SCHEMA).assert_agrees_on_changes(1_000, &scenarios(), reading);
}

#[test]
fn keys_bounds_and_defaults_are_those_of_the_reader() {
    let (schema, file) = (FileSchema::new(SCHEMA), of_page());
    schema.assert_keys(&file, &[], |file| parse(file).err());
    assert_eq!(schema.assert_bounds(&file, reading), 3);
    assert_eq!(schema.assert_defaults(&file, parse), 1);
}
