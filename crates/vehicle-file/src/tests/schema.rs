//! The schema against the reader: what the reader takes the schema takes, and what the reader
//! refuses by one table alone the schema refuses.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

use jsonschema::Validator;
use waywarden_testkit::{Random, each_seed, workspace};

use crate::{FileErrors, Problem, VehicleFile, schema};

fn validator() -> &'static Validator {
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        let schema = serde_json::from_str(schema::VEHICLE).unwrap();
        jsonschema::draft202012::new(&schema).unwrap()
    })
}

/// Checks that schema and reader agree on a vehicle file.
pub(super) fn agree(text: &str, read: &Result<VehicleFile, FileErrors>) {
    if let Ok(table) = text.parse::<toml::Table>() {
        compare(&table, read.as_ref().err(), text);
    }
    if let Err(errors) = read {
        each_key_is_missing_once(errors, text);
    }
}

fn compare(table: &toml::Table, errors: Option<&FileErrors>, context: &str) {
    let document = serde_json::to_value(table).unwrap();
    let refused: Vec<String> = validator()
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    let Some(errors) = errors else {
        assert!(refused.is_empty(), "{refused:#?}\n{context}");
        return;
    };
    let seen = errors.listed().iter().find(|one| is_seen(&one.problem));
    if let Some(one) = seen {
        assert!(!refused.is_empty(), "taken, in spite of {one}\n{context}");
    }
}

/// Checks that no key is said to be missing twice at one place.
fn each_key_is_missing_once(errors: &FileErrors, text: &str) {
    let mut known = BTreeSet::new();
    for one in errors.listed() {
        if let Problem::MissingKey { section, key, .. } = &one.problem {
            let place = (one.place.line, one.place.column, section.clone(), *key);
            assert!(known.insert(place), "twice: {one}\n{text}");
        }
    }
}

/// Whether a problem is one of a table by itself.
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
fn examples() -> Vec<(PathBuf, toml::Table)> {
    let folders = ["examples", "examples/attacks", "examples/new-key-protocol"];
    let folders = folders.map(|name| workspace().join(name));
    let files = folders
        .iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let files = files.chain([workspace().join("crates/cli/src/init/vehicle.toml")]);
    let mut read = Vec::new();
    for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")) {
        let table: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        if table.contains_key("vehicle") {
            read.push((path, table));
        }
    }
    read.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(read.len() > 10, "{read:?}");
    read
}

#[test]
fn schema_is_valid_and_takes_every_example() {
    let schema = serde_json::from_str(schema::VEHICLE).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    for (path, table) in examples() {
        let read = VehicleFile::compose("car.toml", &table);
        let context = path.display().to_string();
        assert!(read.is_ok(), "{context}");
        compare(&table, read.as_ref().err(), &context);
    }
}

#[test]
fn random_changes_are_judged_alike_by_schema_and_reader() {
    let examples = examples();
    each_seed(400, |seed| {
        let mut random = Random::new(seed);
        let (path, table) = &examples[random.index(examples.len())];
        let mut document = toml::Value::Table(table.clone());
        let change = change(&mut document, &mut random);
        let table = document.as_table().unwrap();
        let read = VehicleFile::compose("car.toml", table);
        let context = format!("seed {seed}: {}: {change}", path.display());
        compare(table, read.as_ref().err(), &context);
    });
}

/// Changes one entry of one table, and says how.
fn change(document: &mut toml::Value, random: &mut Random) -> String {
    let mut paths = Vec::new();
    collect(document, &mut Vec::new(), &mut paths);
    let path = &paths[random.index(paths.len())];
    let target = follow(document, path).as_table_mut().unwrap();
    let keys: Vec<String> = target.keys().cloned().collect();
    if keys.is_empty() {
        return format!("{path:?} is empty");
    }
    let key = keys[random.index(keys.len())].clone();
    let value: toml::Value = match random.index(6) {
        0 => {
            target.remove(&key);
            return format!("{path:?}: {key} removed");
        }
        1 => {
            let value = target.remove(&key).unwrap();
            target.insert(format!("{key}x"), value);
            return format!("{path:?}: {key} renamed");
        }
        2 => true.into(),
        3 => (random.u64() as u8 as i64).into(),
        4 => "nonsense".into(),
        _ => toml::Table::new().into(),
    };
    let change = format!("{path:?}: {key} = {value}");
    target.insert(key, value);
    change
}

/// One step into a document.
#[derive(Clone, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Collects the path of every table.
fn collect(value: &toml::Value, path: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
    match value {
        toml::Value::Table(table) => {
            all.push(path.clone());
            for (key, inner) in table {
                path.push(Step::Key(key.clone()));
                collect(inner, path, all);
                path.pop();
            }
        }
        toml::Value::Array(list) => {
            for (at, inner) in list.iter().enumerate() {
                path.push(Step::Index(at));
                collect(inner, path, all);
                path.pop();
            }
        }
        _ => {}
    }
}

fn follow<'a>(document: &'a mut toml::Value, path: &[Step]) -> &'a mut toml::Value {
    path.iter().fold(document, |value, step| match step {
        Step::Key(key) => &mut value[key.as_str()],
        Step::Index(at) => &mut value[*at],
    })
}
