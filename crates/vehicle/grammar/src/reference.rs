//! The tables of docs/vehicle-file.md that list keys, made from the grammar by which files are
//! read.

use crate::matrix::SENT_STREAM;
use crate::{
    FILE, IDENTIFIERS, KEY_FRAMES, KEYS, Key, Kinds, LASAN, Preset, Table, TableForm, Value, range,
};

/// Begins the line before a table; the name of the table follows.
const BEGIN: &str = "<!-- keys of ";

/// The line after a table.
const END: &str = "<!-- end of keys -->";

/// Tables that have a place of their own on the page, or no keys of their own.
const ELSEWHERE: [&str; 3] = [SENT_STREAM.name, IDENTIFIERS.name, KEY_FRAMES.name];

/// Returns a page with its tables of keys as the grammar has them. Each stands between a line
/// `<!-- keys of NAME -->` and a line `<!-- end of keys -->`.
///
/// # Errors
/// The text that names no table, or has no end.
pub fn page(text: &str) -> Result<String, String> {
    let mut parts = text.split(BEGIN);
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let named = part.split_once(" -->\n");
        let (name, rest) = named.ok_or_else(|| format!("{BEGIN}: no name"))?;
        let ended = rest.split_once(END);
        let (_, rest) = ended.ok_or_else(|| format!("{BEGIN}{name}: no {END}"))?;
        let table = table(name).ok_or_else(|| format!("{BEGIN}{name}: no such table"))?;
        page += &format!("{BEGIN}{name} -->\n\n{table}\n{END}{rest}");
    }
    Ok(page)
}

/// Makes the table of keys of a name.
fn table(name: &str) -> Option<String> {
    if let Some(name) = name.strip_prefix("kinds of ") {
        return Some(of_kinds(kinds(name)?));
    }
    let table = match name {
        "identifiers" => &IDENTIFIERS,
        "key_frames" => &KEY_FRAMES,
        "keys" => return Some(of_kind(&KEYS, KEYS.tables[0].0[0])),
        "keys, lasan" => return Some(of_kind(&KEYS, LASAN)),
        _ => match FILE.all().find(|key| key.name == name)?.value {
            Value::Table(table) | Value::Tables(TableForm::One(table), _) => table,
            _ => return Some(of_shared(kinds(name)?)),
        },
    };
    Some(of_keys(table.all()))
}

/// Returns the kinds of table of a name.
fn kinds(name: &str) -> Option<&'static Kinds> {
    match FILE.all().find(|key| key.name == name)?.value {
        Value::Tables(TableForm::Kinds(kinds), _) => Some(kinds),
        _ => None,
    }
}

const HEAD: &str = "| key | values | meaning | default |\n|---|---|---|---|\n";

fn of_keys<'a>(keys: impl Iterator<Item = &'a Key>) -> String {
    let mut shown = Vec::new();
    let rows = keys.flat_map(|key| rows("", key, &mut shown));
    rows.fold(HEAD.to_owned(), |text, row| text + &row)
}

/// Makes the table of one kind, its word included.
fn of_kind(kinds: &'static Kinds, word: &str) -> String {
    let tables = TableForm::Kinds(kinds).tables(Some(word)).into_iter();
    of_keys([&kinds.word].into_iter().chain(tables.flat_map(Table::all)))
}

/// Makes a table of the keys that all kinds share.
fn of_shared(kinds: &'static Kinds) -> String {
    let first = kinds.tables.first();
    let shared = first.into_iter().flat_map(|(_, table)| table.shared);
    of_keys([&kinds.word].into_iter().chain(shared))
}

/// Makes a table of the other keys by kind.
fn of_kinds(kinds: &'static Kinds) -> String {
    let mut text = format!(
        "| `{}` | key | values | meaning | default |\n|---|---|---|---|---|\n",
        kinds.word.name
    );
    for (words, table) in kinds.tables {
        let words: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
        text += &format!("| {} | | | *{}* | |\n", words.join(", "), table.summary);
        for key in table.keys {
            text += &rows("| ", key, &mut Vec::new()).concat();
        }
    }
    text
}

/// Makes the row of a key, and those of the keys of its table, unless they have been shown.
fn rows(indent: &str, key: &Key, shown: &mut Vec<&'static str>) -> Vec<String> {
    let mut all = vec![row(indent, &format!("`{}`", key.name), key)];
    let inner = match key.value {
        Value::Table(table) | Value::Tables(TableForm::One(table), _) => Some(table),
        _ => None,
    };
    let is_new = |table: &&Table| {
        let is_here = !ELSEWHERE.contains(&table.name);
        is_here && !shown.contains(&table.name)
    };
    if let Some(table) = inner.filter(is_new) {
        shown.push(table.name);
        let names = table.all().map(|inner| {
            let name = format!("`{}` of `{}`", inner.name, key.name);
            row(indent, &name, inner)
        });
        all.extend(names);
    }
    all
}

fn row(indent: &str, name: &str, key: &Key) -> String {
    let meaning = match key.detail {
        "" => key.summary.to_owned(),
        detail => format!("{} {detail}", key.summary),
    };
    let (values, default) = (values(&key.value), default(key.preset));
    let row = format!("{indent}| {name} | {values} | {meaning} | {default} |\n");
    row.replace("|  |", "| |")
}

fn default(preset: Preset) -> String {
    match preset {
        Preset::Required => "required".to_owned(),
        Preset::Absent => String::new(),
        Preset::Whole(number) => format!("`{number}`"),
        Preset::Flag(flag) => format!("`{flag}`"),
        Preset::Text("") => "empty".to_owned(),
        Preset::Text(text) => format!("`\"{text}\"`"),
        Preset::Follows(from) => from.to_owned(),
    }
}

/// Returns the values of a key in a few words.
fn values(value: &Value) -> String {
    let with_range = |quantity: &str| match range(value) {
        Some(range) => format!("{quantity}, {range}").replace(", above", " above"),
        None => quantity.to_owned(),
    };
    match value {
        Value::Name => "name".to_owned(),
        Value::Text => "text".to_owned(),
        Value::Reference(thing) => thing.to_string(),
        Value::Flag => "`true`, `false`".to_owned(),
        Value::Whole(least, i64::MAX) => format!("{least} or more"),
        Value::Whole(least, most) => format!("{least} to {most}"),
        Value::Count => "number".to_owned(),
        Value::Identifier => "identifier".to_owned(),
        Value::Duration(_) => with_range("duration"),
        Value::Share(..) => with_range("share"),
        Value::BitRate(..) => with_range("bit rate"),
        Value::Frequency(..) => with_range("clock rate"),
        Value::FrameRate => "`\"2000/s\"`, `\"full\"`".to_owned(),
        Value::Data => "payload".to_owned(),
        Value::Bytes => "bytes in hexadecimal".to_owned(),
        Value::Word(words) => {
            let words = words.iter().map(|word| format!("`\"{word}\"`"));
            words.collect::<Vec<_>>().join(", ")
        }
        Value::Names(thing) => format!("list of {}", plural(&thing.to_string())),
        Value::Message => "name or identifier".to_owned(),
        Value::List(of, most) => match most {
            &usize::MAX => format!("list: {}", values(of)),
            most => format!("list of up to {most}: {}", values(of)),
        },
        Value::Table(_) => "table".to_owned(),
        Value::Tables(..) => "list of tables".to_owned(),
        Value::ByName(of) => format!("table: {}", values(of)),
        Value::Any(all) => {
            let all = all.iter().map(values);
            all.collect::<Vec<_>>().join(", or ")
        }
    }
}

fn plural(thing: &str) -> String {
    match thing.ends_with('s') {
        true => format!("{thing}es"),
        false => format!("{thing}s"),
    }
}
