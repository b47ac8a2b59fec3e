//! The schema against the reader.

use toml::{Table, Value};
use waywarden_testkit_schemas::{FileSchema, ReaderResult, toml_files};
use waywarden_v2x_wire::application::APPLICATIONS;

use super::{Profile, mistakes, refused};
use crate::profile::{SCHEMA, YEARS};
use waywarden_pki_folder::index::CertificateShape;

/// Texts of refusals that no schema sees: those that depend on other authorities, and, of numbers
/// in a text or a pair, those on their range.
const UNSEEN: [&str; 8] = [
    "there are two of this name",
    "the root comes first",
    "name an authority that stands before it",
    "such as [1, 2]",
    "outside of its range",
    "value and mask differ in length",
    "give more than 0, or take another unit",
    "at most 100 years",
];

/// Each kind of table with each key.
const EVERY_KEY: &str = "
shape = 'us'
curve = 'p384'
start = '2026-03-01T12:00:00.5Z'
years = 20
validity_grid = '2w'
region = 'rectangle:55.1,5.8,47.2,15.1;48, 7, 47, 8'
[[authority]]
name = 'root'
role = 'root'
issues = ['CAM', 'DENM:any', '38', 'SCR:0x01C0/FF3F']
permissions = ['CRL:01', 'CTL:0138', 'CAM:none', '36']
curve = 'p256'
validity = '12y'
region = 'country:276,250'
chain = [1, 2]
end_entities = 'both'
encryption_key = false
[[authority]]
name = 'aa'
role = 'authorization'
issuer = 'root'
issues = ['cam']
[station]
issuer = 'aa'
curve = 'brainpool-p256r1'
validity = '168h'
region = 'circle:48.137,11.575,5e3'
permissions = ['CAM:010000']
encryption_key = true
";

fn schema() -> FileSchema {
    FileSchema::new(&SCHEMA.to_json().to_value().to_string())
}

fn parse(file: &Table) -> Result<Profile, String> {
    Profile::parse(&toml::to_string(file).unwrap())
}

fn reading(file: &Table) -> ReaderResult {
    ReaderResult::of(parse(file), &UNSEEN)
}

/// Returns the profiles of the examples, the one to begin with, and one of every key.
fn profiles() -> Vec<(String, Table)> {
    let mut files = toml_files("examples");
    files.extend(toml_files("crates/cli/waywarden/src/init"));
    files.retain(|(_, file)| file.contains_key("authority"));
    assert_eq!(files.len(), 2, "{files:?}");
    files.push(("every key".to_owned(), EVERY_KEY.parse().unwrap()));
    files
}

#[test]
fn schema_takes_every_example() {
    let schema = schema();
    for (name, file) in profiles() {
        assert_eq!(reading(&file), ReaderResult::Taken, "{name}");
        schema.assert_agrees(&file, &ReaderResult::Taken, &name);
    }
}

#[test]
fn schema_takes_no_other_mistakes_than_those_that_it_cannot_see() {
    let schema = schema();
    let is_taken = |text: &str| schema.refusals(&text.parse().unwrap()).is_empty();
    let mistakes = mistakes().into_iter();
    let taken = mistakes.filter(|(text, _)| is_taken(text));
    let taken: Vec<&str> = taken.map(|(_, why)| why).collect();
    // The root behind another, an unknown issuer, two of one name, a chain of 2 to 1, a month 13.
    let expected = [
        "issuer",
        "stands before",
        "two of this name",
        "chain",
        "time",
    ];
    assert_eq!(taken, expected);
}

#[test]
fn schema_takes_no_other_texts_than_those_whose_numbers_are_out_of_range() {
    let (_, file) = profiles().swap_remove(0);
    let schema = schema();
    let one = |text: &str| Value::Array(vec![text.into()]);
    for (key, refused, expected) in [
        ("validity", &refused::VALIDITIES[..], 6),
        ("region", &refused::REGIONS, 8),
        ("permissions", &refused::PERMISSIONS, 0),
        ("issues", &refused::RANGES, 1),
    ] {
        let mut taken = Vec::new();
        for text in refused {
            let mut file = file.clone();
            let value = match key {
                "permissions" | "issues" => one(text),
                _ => (*text).into(),
            };
            let root = file["authority"][0].as_table_mut().unwrap();
            root.insert(key.to_owned(), value);
            assert_ne!(reading(&file), ReaderResult::Taken, "{key} = {text}");
            if schema.refusals(&file).is_empty() {
                taken.push(text);
            }
        }
        assert_eq!(taken.len(), expected, "{key}: {taken:?}");
    }
}

#[test]
fn random_changes_are_judged_alike_by_schema_and_reader() {
    schema().assert_agrees_on_changes(1_500, &profiles(), reading);
}

#[test]
fn keys_bounds_and_defaults_are_those_of_the_reader() {
    let schema = schema();
    let file: Table = EVERY_KEY.parse().unwrap();
    schema.assert_keys(&file, &[], |file| parse(file).err());
    assert_eq!(schema.assert_bounds(&file, reading), 1);
    // A profile without them has none, so that options go before it.
    let default = |name: &str| {
        let mut keys = schema.keys(&file).into_iter();
        keys.find(|key| key.name == name).unwrap().schema["default"].clone()
    };
    assert_eq!(default("years"), YEARS);
    assert_eq!(
        default("shape"),
        serde_json::json!(CertificateShape::default())
    );
}

#[test]
fn applications_have_the_names_of_the_reader_in_any_case() {
    let schema = schema();
    let agree = |text: &str, is_taken: bool| {
        let file = format!("[station]\npermissions = [\"{text}\"]\n");
        let file = file.parse().unwrap();
        let result = reading(&file);
        assert_eq!(result == ReaderResult::Taken, is_taken, "{text}");
        schema.assert_agrees(&file, &result, text);
    };
    for name in APPLICATIONS.map(|one| one.name) {
        for name in [name.to_owned(), name.to_lowercase(), format!("{name}:none")] {
            agree(&name, true);
        }
    }
    for number in [
        "36",
        "0x24",
        "0p24:none",
        "0p80-02",
        "0pE0000017",
        "08002",
        "80020",
    ] {
        agree(number, true);
    }
    for number in [
        "8002",
        "9999:none",
        "0p80",
        "0p8002-00",
        "0x",
        "0pF0-00-00-00",
    ] {
        agree(number, false);
    }
}
