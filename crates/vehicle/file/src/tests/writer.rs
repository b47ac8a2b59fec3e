//! Tests of written text: the examples, any table, and values that reader and writer both refuse.

use std::fs;

use toml::{Table, Value};
use waywarden_testkit::{Random, each_seed, workspace};

use super::*;
use crate::{FileErrors, SourceText, VehicleFile};

/// The vehicle files of the examples, as tables and as they are read.
fn examples() -> Vec<(Table, VehicleFile)> {
    let folder = workspace().join("examples");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().flatten().collect();
    paths.sort_by_key(fs::DirEntry::path);
    let texts = paths
        .iter()
        .filter(|path| path.path().extension().is_some_and(|end| end == "toml"));
    let read = texts.filter_map(|path| {
        let text = fs::read_to_string(path.path()).unwrap();
        let file = VehicleFile::parse("car.toml", &text).ok()?;
        Some((text.parse().unwrap(), file))
    });
    let read: Vec<_> = read.collect();
    assert!(read.len() >= 6, "{}", read.len());
    read
}

/// Returns the content of a file as text, without the places in it.
fn without_places(mut file: VehicleFile) -> String {
    file.source = SourceText::new("", "");
    let whole = format!("{file:?}");
    let is_digit = |letter: char| letter.is_ascii_digit();
    let mut parts = whole.split("..");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text.trim_end_matches(is_digit).to_owned() + part.trim_start_matches(is_digit)
    })
}

#[test]
fn examples_are_the_same_when_composed_and_when_written_and_read_again() {
    for (table, file) in examples() {
        let written = to_text(&table);
        assert_eq!(written.parse::<Table>().unwrap(), table, "{written}");
        let again = VehicleFile::parse("car.toml", &written).unwrap();
        let composed = VehicleFile::compose("car.toml", &table).unwrap();
        let wanted = without_places(file);
        assert!(wanted.contains("period") && !wanted.contains(".."));
        assert_eq!(without_places(again), wanted);
        assert_eq!(without_places(composed), wanted);
    }
}

#[test]
fn a_vehicle_is_written_as_people_write_one() {
    let table: Table = r#"
        require = { latency = { default = "deadline" } }
        ecu = [{ sends = [{ id = 0x60, name = "S", length = 4 }], ports = ["a"], name = "e" }]
        bus = [{ bitrate = "500k", name = "a b\"" }]
        vehicle = { seed = 1, name = "car" }
    "#
    .parse()
    .unwrap();
    let written = "\
[vehicle]
name = \"car\"
seed = 1

[[bus]]
name = 'a b\"'
bitrate = \"500k\"

[[ecu]]
name = \"e\"
ports = [\"a\"]
sends = [{ name = \"S\", id = 0x060, length = 4 }]

[require]

[require.latency]
default = \"deadline\"
";
    assert_eq!(to_text(&table), written);
}

/// A text that TOML has to quote or to escape, or not.
fn any_text(random: &mut Random) -> String {
    const LETTERS: [char; 12] = [
        'a', 'Z', '9', '_', '-', '.', ' ', '"', '\'', '\\', '\n', '\u{e4}',
    ];
    let length = random.below(9);
    (0..length)
        .map(|_| LETTERS[random.index(LETTERS.len())])
        .collect()
}

fn any_value(random: &mut Random, depth: u32) -> Value {
    match random.below(if depth == 0 { 5 } else { 8 }) {
        0 => Value::Integer(random.u64().cast_signed()),
        1 => Value::Float(random.below(1 << 40) as f64 / 1024.0 - 1e6),
        2 => Value::Boolean(random.once_in(2)),
        3 => Value::Datetime("2026-11-26T12:00:00Z".parse().unwrap()),
        4 => Value::String(any_text(random)),
        5 => Value::Table(any_table(random, depth - 1)),
        6 => Value::Array(
            (0..random.below(4))
                .map(|_| any_value(random, depth - 1))
                .collect(),
        ),
        _ => {
            let tables = (0..random.below(3)).map(|_| Value::Table(any_table(random, depth - 1)));
            Value::Array(tables.collect())
        }
    }
}

fn any_table(random: &mut Random, depth: u32) -> Table {
    const KEYS: [&str; 4] = ["id", "name", "ecu", "require"];
    let entries = (0..random.below(5)).map(|_| {
        let key = match random.below(3) {
            0 => KEYS[random.index(KEYS.len())].to_owned(),
            _ => any_text(random),
        };
        (key, any_value(random, depth))
    });
    entries.collect()
}

#[test]
fn any_table_is_read_as_it_was_written() {
    each_seed(2_000, |seed| {
        let table = any_table(&mut Random::new(seed), 3);
        let written = to_text(&table);
        assert_eq!(
            written.parse::<Table>().unwrap(),
            table,
            "seed {seed}: {written}"
        );
    });
}

/// Goes down to any entry below a value, and puts something else there or takes it out.
fn damage(random: &mut Random, value: &mut Value) {
    let inner: Option<&mut Value> = match value {
        Value::Table(table) if !table.is_empty() => {
            let at = random.index(table.len());
            let key = table.keys().nth(at).cloned().unwrap_or_default();
            if random.once_in(8) {
                table.remove(&key);
                return;
            }
            table.get_mut(&key)
        }
        Value::Array(list) if !list.is_empty() => {
            let at = random.index(list.len());
            if random.once_in(8) {
                let twice = list[at].clone();
                list.push(twice);
                return;
            }
            list.get_mut(at)
        }
        _ => None,
    };
    match inner {
        Some(inner) if !random.once_in(6) => damage(random, inner),
        Some(inner) => *inner = any_value(random, 1),
        None => *value = any_value(random, 1),
    }
}

#[test]
fn what_is_composed_is_refused_as_its_text_would_be() {
    let examples = examples();
    let counts = each_seed(300, |seed| {
        let mut random = Random::new(seed);
        let mut value = Value::Table(examples[random.index(examples.len())].0.clone());
        for _ in 0..=random.below(3) {
            damage(&mut random, &mut value);
        }
        let Value::Table(table) = value else {
            return 0;
        };
        let written = to_text(&table);
        let composed = VehicleFile::compose("car.toml", &table).err();
        let read = VehicleFile::parse("car.toml", &written).err();
        let count = |errors: &Option<FileErrors>| {
            let errors = errors.as_ref();
            errors.map_or(0, |errors| errors.listed().len() + errors.omitted())
        };
        assert_eq!(
            count(&composed),
            count(&read),
            "seed {seed}: {composed:#?} {read:#?} {written}"
        );
        count(&composed)
    });
    let refused = counts.iter().filter(|count| **count > 0).count();
    assert!(
        (1..counts.len()).contains(&refused),
        "{refused} of {}",
        counts.len()
    );
}
