//! The schema against the reader.

use std::path::Path;

use waywarden_testkit::workspace;
use waywarden_testkit_schemas::{FileSchema, ReaderResult, SchemaKey, toml_blocks, toml_files};
use waywarden_v2x_service::config::{Config, ENTRIES_MAX, SCHEMA, duration, size};
use waywarden_v2x_wire::application::APPLICATIONS;

use super::{EVERY_SECTION, SOCKET, mistakes};

/// Reasons of refusals that no schema can give: contradicting values, names that occur twice,
/// numbers of an address.
const UNSEEN: [&str; 5] = [
    "are the same path",
    "more than a ninth of messages",
    "expected at least file_size",
    "two entries have the name",
    "invalid socket address",
];

/// The mistakes that the schema takes, by what the refusal says: the same, and durations and sizes
/// out of range, which are texts.
const TAKEN: [&str; 9] = [
    ":2: max_backward_step: 2s is out of range; 0ns to 1s",
    ":2: max_silence: 500ms is out of range; 1s to 600s",
    ":2: max_system_step: 0ms is out of range; 1ms to 3600s",
    ":2: shutdown: 1d is out of range",
    ":2: write_timeout: 1ms is out of range; 10ms to 3600s",
    ":2: file_size: 1B is out of range",
    "[[recording]] total_size: expected at least file_size",
    "are the same path",
    "more than a ninth of messages; give at most 113",
];

fn parse(file: &toml::Table) -> Result<Config, String> {
    let text = toml::to_string(file).unwrap();
    let parsed = Config::parse(&text, Path::new("service.toml"));
    parsed.map_err(|error| error.to_string())
}

fn reading(file: &toml::Table) -> ReaderResult {
    match parse(file) {
        Err(why) if is_of_text(&why) => ReaderResult::RefusedOtherwise(why),
        read => ReaderResult::of(read, &UNSEEN),
    }
}

/// Returns true if a refusal is of a duration or a size that is out of range.
fn is_of_text(why: &str) -> bool {
    let value = why.split_once(" is out of range").map(|(before, _)| before);
    let value = value.and_then(|before| before.rsplit(' ').next());
    value.is_some_and(|value| {
        value.starts_with(|letter: char| letter.is_ascii_digit())
            && value.ends_with(|letter: char| letter.is_ascii_alphabetic())
    })
}

/// Returns a configuration with every kind of table.
fn every_table() -> toml::Table {
    let mut file: toml::Table = EVERY_SECTION.parse().unwrap();
    let time = "position = { latitude = 48.1, longitude = 11.6 }\ngpsd = \"[::1]:2947\"";
    file["time"] = toml::Value::Table(time.parse().unwrap());
    let pseudonyms: toml::Table = "used = \"used\"".parse().unwrap();
    file.insert("pseudonyms".to_owned(), pseudonyms.into());
    file
}

/// Returns the configurations of the examples, those of pages, and those of tests.
fn configurations() -> Vec<(String, toml::Table)> {
    let mut files = toml_files("examples");
    files.extend(toml_files("crates/cli/waywarden/src/init"));
    files.retain(|(_, file)| file.contains_key("sockets"));
    assert_eq!(files.len(), 2, "{files:?}");
    let page = std::fs::read_to_string(workspace().join("docs/service-time.md")).unwrap();
    let socket: toml::Table = SOCKET.parse().unwrap();
    let shown = toml_blocks(&page).into_iter().map(|mut file| {
        file.extend(socket.clone());
        ("docs/service-time.md".to_owned(), file)
    });
    files.extend(shown);
    files.push(("every section".to_owned(), EVERY_SECTION.parse().unwrap()));
    files.push(("every table".to_owned(), every_table()));
    files
}

#[test]
fn schema_takes_every_example() {
    let schema = FileSchema::new(SCHEMA);
    for (name, file) in configurations() {
        assert_eq!(reading(&file), ReaderResult::Taken, "{name}");
        schema.assert_agrees(&file, &ReaderResult::Taken, &name);
    }
}

#[test]
fn schema_takes_no_other_mistakes_than_those_that_it_cannot_see() {
    let schema = FileSchema::new(SCHEMA);
    let mut taken = Vec::new();
    for (text, why) in mistakes::all() {
        // One of them is no TOML.
        let Ok(mut file) = mistakes::beside_socket(text).parse::<toml::Table>() else {
            continue;
        };
        if let Some(sockets) = file.get_mut("sockets") {
            let sockets = sockets.as_table_mut().unwrap();
            sockets.entry("stream").or_insert("s".into());
        }
        if schema.refusals(&file).is_empty() {
            taken.push(why);
        }
    }
    taken.sort_unstable();
    let mut expected = TAKEN;
    expected.sort_unstable();
    assert_eq!(taken, expected);
}

#[test]
fn random_changes_are_judged_alike_by_schema_and_reader() {
    FileSchema::new(SCHEMA).assert_agrees_on_changes(1_500, &configurations(), reading);
}

#[test]
fn keys_bounds_and_defaults_are_those_of_the_reader() {
    let (schema, file) = (FileSchema::new(SCHEMA), every_table());
    // Who may decrypt stands elsewhere, which the reader says.
    let misplaced = [("decryption", "psids"), ("decryption", "pseudonyms")];
    schema.assert_keys(&file, &misplaced, |file| parse(file).err());
    assert!(schema.assert_bounds(&file, reading) > 30);
    assert!(schema.assert_defaults(&file, parse) > 60);
}

#[test]
fn durations_and_sizes_have_the_range_that_the_schema_describes() {
    let microseconds = |text: &str| duration(text).unwrap().as_micros() as u64;
    let bytes = |text: &str| size(text).unwrap();
    let (schema, file) = (FileSchema::new(SCHEMA), every_table());
    let mut count = 0;
    for key in schema.keys(&file) {
        let kind = key.schema.get("$ref").and_then(|kind| kind.as_str());
        match kind {
            Some("#/$defs/duration") => assert_range(&key, &file, microseconds, "us"),
            Some("#/$defs/size") => assert_range(&key, &file, bytes, "B"),
            _ => continue,
        }
        count += 1;
    }
    assert!(count > 15, "{count}");
}

/// Checks that the reader takes both ends of the range that a description has, and nothing beyond.
fn assert_range(key: &SchemaKey, file: &toml::Table, number: impl Fn(&str) -> u64, unit: &str) {
    let words = key.description();
    let range = words.split(". ").next().unwrap().trim_end_matches('.');
    let ends: Vec<&str> = range.rsplit(": ").next().unwrap().split(' ').collect();
    let (least, most) = (ends[0], ends[2]);
    let refusal = |text: String| parse(&key.set(file, text)).err().unwrap_or_default();
    for end in [least, most] {
        let why = refusal(end.to_owned());
        let is_other = UNSEEN.iter().any(|part| why.contains(part));
        assert!(why.is_empty() || is_other, "{end}: {why}");
    }
    let below = number(least).checked_sub(1);
    for beyond in below.into_iter().chain([number(most) + 1]) {
        let why = refusal(format!("{beyond}{unit}"));
        assert!(is_of_text(&why), "{}: {beyond}{unit}: {why}", key.name);
    }
}

#[test]
fn lists_have_as_many_entries_as_the_reader_takes() {
    let schema = FileSchema::new(SCHEMA);
    let lengthened = |file: &toml::Table, key: &str, length: usize| {
        let mut file = file.clone();
        let list = match key {
            "crl" => &mut file["trust"]["crl"],
            _ => &mut file[key],
        };
        let list = list.as_array_mut().unwrap();
        list.resize(length, list[0].clone());
        file
    };
    let file = every_table();
    for key in ["access", "signer", "decryption", "recording", "crl"] {
        let most = lengthened(&file, key, ENTRIES_MAX);
        schema.assert_agrees(&most, &ReaderResult::Taken, key);
        // Names stand twice then.
        assert!(
            !matches!(reading(&most), ReaderResult::RefusedByForm(_)),
            "{key}"
        );
        let more = lengthened(&file, key, ENTRIES_MAX + 1);
        assert!(
            matches!(reading(&more), ReaderResult::RefusedByForm(_)),
            "{key}"
        );
        assert!(!schema.refusals(&more).is_empty(), "{key}");
    }
}

#[test]
fn applications_have_the_names_of_the_reader_in_any_case() {
    let schema = FileSchema::new(SCHEMA);
    let root: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let names = APPLICATIONS.map(|one| one.name).to_vec();
    assert_eq!(
        root["$defs"]["application"]["anyOf"][0]["enum"],
        serde_json::json!(names)
    );
    for name in names {
        let lower = name.to_lowercase();
        let text = format!("{SOCKET}[[access]]\nuid = 1\nsign = [\"{name}\", \"{lower}\"]\n");
        let file = text.parse().unwrap();
        schema.assert_agrees(&file, &ReaderResult::Taken, name);
        assert_eq!(reading(&file), ReaderResult::Taken, "{name}");
    }
}
