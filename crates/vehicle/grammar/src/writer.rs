//! Writes a composed vehicle as the text of a vehicle file, in the order in which people write one:
//! the vehicle, what it consists of, what goes wrong in it, what is asked of it.

use toml::{Table, Value};

/// Tables in the order of docs/vehicle-file.md; others follow by name.
const TABLES: [&str; 12] = [
    "vehicle",
    "bus",
    "ecu",
    "stream",
    "route",
    "keys",
    "authentication",
    "fault",
    "interferer",
    "attacker",
    "require",
    "v2x",
];

/// The first keys of a table; its references follow, and then other keys by name.
const KEYS: [&str; 4] = ["name", "kind", "scheme", "id"];

/// A list that would make a line longer than this has a line for each entry.
const LINE_MAX: usize = 96;

/// Writes a vehicle that a program has composed as the text of a vehicle file.
///
/// `VehicleFile::parse` reads from it what `VehicleFile::compose` takes from `table`; comments it
/// has none.
#[must_use]
pub fn to_text(table: &Table) -> String {
    let mut text = String::new();
    write_section(&mut text, "", table);
    text
}

/// Writes the values below a heading, then the parts with headings of their own.
fn write_section(text: &mut String, path: &str, table: &Table) {
    let (headed, plain): (Vec<_>, Vec<_>) = in_order(table)
        .into_iter()
        .partition(|(_, value)| is_headed(value));
    write_entries(text, &plain);
    for (key, value) in headed {
        let path = match path {
            "" => name(key),
            path => format!("{path}.{}", name(key)),
        };
        match value {
            Value::Table(table) => {
                write_heading(text, &format!("[{path}]"));
                write_section(text, &path, table);
            }
            Value::Array(list) => {
                for table in list.iter().filter_map(Value::as_table) {
                    write_heading(text, &format!("[[{path}]]"));
                    write_entries(text, &in_order(table));
                }
            }
            _ => {}
        }
    }
}

/// Returns true if a value is written below a heading: a table, or a list of nothing but tables.
fn is_headed(value: &Value) -> bool {
    match value {
        Value::Table(_) => true,
        Value::Array(list) => !list.is_empty() && list.iter().all(Value::is_table),
        _ => false,
    }
}

fn write_heading(text: &mut String, heading: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(heading);
    text.push('\n');
}

fn write_entries(text: &mut String, entries: &[(&str, &Value)]) {
    for (key, value) in entries {
        let line = format!("{} = {}", name(key), inline(key, value));
        match value {
            Value::Array(list) if line.len() > LINE_MAX => {
                let entries = list.iter().map(|one| format!("  {},\n", inline("", one)));
                let entries: String = entries.collect();
                text.push_str(&format!("{} = [\n{entries}]\n", name(key)));
            }
            _ => {
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
}

/// Returns a value as it stands in one line.
fn inline(key: &str, value: &Value) -> String {
    match value {
        Value::Integer(id) if key == "id" && *id >= 0 => format!("{id:#05X}"),
        Value::Array(list) => {
            let list: Vec<String> = list.iter().map(|one| inline("", one)).collect();
            format!("[{}]", list.join(", "))
        }
        Value::Table(table) => {
            let entries = in_order(table).into_iter();
            let entries =
                entries.map(|(key, value)| format!("{} = {}", name(key), inline(key, value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn in_order(table: &Table) -> Vec<(&str, &Value)> {
    let rank = |key: &str| {
        let known = KEYS.iter().chain(&TABLES).position(|known| *known == key);
        known.unwrap_or(usize::MAX)
    };
    let mut entries: Vec<_> = table
        .iter()
        .map(|(key, value)| (key.as_str(), value))
        .collect();
    entries.sort_by_key(|(key, _)| (rank(key), *key));
    entries
}

/// Returns a key as TOML has it: as it is, or in quotation marks in one line, as keys have to be.
fn name(key: &str) -> String {
    let is_plain = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'-');
    if !key.is_empty() && key.bytes().all(is_plain) {
        return key.to_owned();
    }
    let letters = key.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04X}", u32::from(letter)),
        letter => letter.to_string(),
    });
    format!("\"{}\"", letters.collect::<String>())
}
