//! Random changes of files.

use toml::{Table, Value};
use waywarden_testkit::Random;

/// Numbers at which many ranges end.
const NUMBERS: [i64; 9] = [
    -1,
    0,
    256,
    65_537,
    1_000_001,
    1 << 21,
    1 << 32,
    i64::MIN,
    i64::MAX,
];

/// Characters that are put into texts.
const LETTERS: [char; 12] = ['+', '-', ' ', '.', '0', '9', 'x', 'A', ':', ',', '/', '\n'];

/// Changes one entry of one table of a file, and says how: removes or renames it, or gives it
/// another value.
#[must_use]
pub(super) fn changed(file: &Table, random: &mut Random) -> (Table, String) {
    let mut file = file.clone();
    let paths = tables(&file);
    let path = &paths[random.index(paths.len())];
    let change = change_table(follow(&mut file, path), random);
    (file, format!("{path:?}: {change}"))
}

fn change_table(target: &mut Table, random: &mut Random) -> String {
    let keys: Vec<String> = target.keys().cloned().collect();
    if keys.is_empty() {
        return "is empty".to_owned();
    }
    let key = keys[random.index(keys.len())].clone();
    let value = target[&key].clone();
    let (value, change) = match random.index(12) {
        0 => {
            target.remove(&key);
            return format!("{key} removed");
        }
        1 => {
            target.remove(&key);
            let change = format!("{key} renamed");
            target.insert(format!("{key}x"), value);
            return change;
        }
        _ => {
            let value = other_value(&value, random);
            let change = format!("{key} = {value}");
            (value, change)
        }
    };
    target.insert(key, value);
    change
}

/// Makes another value: of any kind, or of the same kind and near it.
fn other_value(value: &Value, random: &mut Random) -> Value {
    match (random.index(12), value) {
        (0, _) => true.into(),
        (1, _) => (random.u64() as u8 as i64).into(),
        (2, _) => "nonsense".into(),
        (3, _) => Table::new().into(),
        (4, _) => Value::Array(Vec::new()),
        (5, _) => NUMBERS[random.index(NUMBERS.len())].into(),
        (6, _) => (random.index(200) as f64 - 100.5).into(),
        (7, _) => Value::Array(vec![value.clone()]),
        (_, Value::Array(list)) => other_list(list, random),
        (_, Value::String(text)) => other_text(text, random).into(),
        (_, Value::Integer(number)) => number.wrapping_neg().into(),
        _ => false.into(),
    }
}

/// Makes a list of one entry more or less, or with another value in one place.
fn other_list(list: &[Value], random: &mut Random) -> Value {
    let mut list = list.to_vec();
    if list.is_empty() {
        return Value::Array(vec!["nonsense".into()]);
    }
    let at = random.index(list.len());
    match random.index(3) {
        0 => list.push(list[at].clone()),
        1 => drop(list.remove(at)),
        _ => list[at] = other_value(&list[at], random),
    }
    Value::Array(list)
}

/// Puts a letter somewhere into a text, or takes one out.
fn other_text(text: &str, random: &mut Random) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let at = random.index(letters.len() + 1);
    if at < letters.len() && random.once_in(2) {
        letters.remove(at);
    } else {
        letters.insert(at, LETTERS[random.index(LETTERS.len())]);
    }
    letters.into_iter().collect()
}

/// One step into a file.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// Returns the path of every table of a file, the file itself included.
pub(super) fn tables(file: &Table) -> Vec<Vec<Step>> {
    let mut all = Vec::new();
    collect(file, &mut Vec::new(), &mut all);
    all
}

fn collect(table: &Table, path: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
    all.push(path.clone());
    for (key, value) in table {
        path.push(Step::Key(key.clone()));
        collect_value(value, path, all);
        path.pop();
    }
}

fn collect_value(value: &Value, path: &mut Vec<Step>, all: &mut Vec<Vec<Step>>) {
    match value {
        Value::Table(table) => collect(table, path, all),
        Value::Array(list) => {
            for (at, inner) in list.iter().enumerate() {
                path.push(Step::Index(at));
                collect_value(inner, path, all);
                path.pop();
            }
        }
        _ => {}
    }
}

/// Returns the table at a path.
///
/// # Panics
/// If there is none.
pub(super) fn follow<'a>(file: &'a mut Table, path: &[Step]) -> &'a mut Table {
    let Some((Step::Key(first), rest)) = path.split_first() else {
        return file;
    };
    let found = rest
        .iter()
        .fold(&mut file[first.as_str()], |value, step| match step {
            Step::Key(key) => &mut value[key.as_str()],
            Step::Index(at) => &mut value[*at],
        });
    found.as_table_mut().unwrap()
}
