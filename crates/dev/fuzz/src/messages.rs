//! Messages by layouts: bytes read and written, JSON written and read. Held after every input: no
//! panic, what is read is written byte for byte, what is written is read as it was.
//!
//! The first byte chooses the message and its release. The second chooses among the other bytes
//! themselves and the least message with changes, so that readers get beyond the first check.

use std::sync::LazyLock;

use serde_json::{Value, json};
use waywarden_v2x_messages::{Message, parse_json};

use crate::Seen;
use crate::source::Source;

/// Changes of one input.
const CHANGES_MAX: usize = 8;

/// Each message with its least encoding: zeros, as many as it has.
static MESSAGES: LazyLock<Vec<(Message, Vec<u8>)>> =
    LazyLock::new(|| Message::all().flat_map(encodings).collect());

/// Returns the least encodings: of a MessageFrame one for each kind in it.
fn encodings(message: Message) -> Vec<(Message, Vec<u8>)> {
    /// More than any message has when all of it that can be is left out.
    const LENGTH_MAX: usize = 100;
    let of_zeros = |head: &dyn Fn(usize) -> Vec<u8>| {
        let all = (1..LENGTH_MAX).map(|length| [head(length), vec![0; length]].concat());
        let mut read = all.filter(|bytes| message.read(bytes).is_ok());
        read.next()
    };
    let least = match message.release() {
        Some(_) => vec![of_zeros(&|_| Vec::new())],
        None => (18..=32)
            .map(|number| of_zeros(&|length| vec![0, number, length as u8]))
            .collect(),
    };
    let least = least.into_iter().flatten();
    least.map(|bytes| (message, bytes)).collect()
}

/// Reads bytes as a message, and writes what was read.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn layouts(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut source = Source(bytes);
    let (message, bytes) = chosen(&mut source);
    seen.inputs += 1;
    match message.read(&bytes) {
        Ok(value) => {
            let written = message.write(&value);
            assert_eq!(written.as_deref(), Ok(&bytes[..]), "{message}: {value}");
            seen.note("read");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            seen.note("refused");
        }
    }
    seen
}

fn chosen(source: &mut Source<'_>) -> (Message, Vec<u8>) {
    let all = &*MESSAGES;
    let (message, least) = &all[usize::from(source.byte()) % all.len()];
    if source.byte().is_multiple_of(2) {
        return (*message, source.0.to_vec());
    }
    let mut bytes = least.clone();
    // As many zeros more as lists and options may need, in some of the inputs.
    let more = usize::from(source.byte());
    bytes.resize(bytes.len() + more.saturating_sub(0x80), 0);
    for _ in 0..usize::from(source.byte()) % (CHANGES_MAX + 1) {
        let at = usize::from(source.byte()) % bytes.len();
        bytes[at] ^= 1 << (source.byte() % 8);
    }
    (*message, bytes)
}

/// Reads text as the JSON of a message, writes it, and reads what was written.
///
/// # Panics
/// If a law is broken.
#[must_use]
pub fn json_text(bytes: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let mut source = Source(bytes);
    let all = &*MESSAGES;
    let (message, least) = &all[usize::from(source.byte()) % all.len()];
    let value = match source.byte() % 2 {
        0 => json(source.0),
        _ => message.read(least).ok().map(|mut value| {
            for _ in 0..usize::from(source.byte()) % CHANGES_MAX {
                change(&mut value, &mut source);
            }
            value
        }),
    };
    let Some(value) = value else {
        seen.note("no JSON");
        return seen;
    };
    seen.inputs += 1;
    match message.write(&value) {
        Ok(written) => {
            judge(message, &value, &written);
            seen.note("written");
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            // The place is one in the value, or of a member that is missing in it.
            assert!(error.path().len() <= value.to_string().len());
            seen.note("refused");
        }
    }
    seen
}

/// Reads text as JSON: as others do, or with a key that one object has twice.
fn json(text: &[u8]) -> Option<Value> {
    let others: Option<Value> = serde_json::from_slice(text).ok();
    match parse_json(text) {
        Ok(value) => {
            assert_eq!(others.as_ref(), Some(&value));
            Some(value)
        }
        Err(error) => {
            let is_twice = error.reason().ends_with("the key is given twice");
            assert!(others.is_none() || is_twice, "{error}");
            None
        }
    }
}

/// Checks that a message that was written is read, as the same value but for members that have
/// their default.
fn judge(message: &Message, value: &Value, written: &[u8]) {
    let read = message.read(written);
    let read = read.unwrap_or_else(|error| panic!("{message}: {error}: {value}"));
    assert!(is_within(&read, value), "{message}: {value} became {read}");
    let again = message.write(&read);
    assert_eq!(again.as_deref(), Ok(written), "{message}: {read}");
}

/// Returns true if a value was read as it was given: forms of a BIT STRING and letters of
/// hexadecimal digits may be others, and members with their default are left out.
fn is_within(read: &Value, given: &Value) -> bool {
    match (read, given) {
        (Value::Object(read), Value::Object(given)) => {
            let is_given = |(name, read): (&String, &Value)| {
                let own = given.get(name);
                // The number of additions that the layout knows need not be given.
                own.map_or(name == "count", |own| is_within(read, own))
            };
            let mut left_out = given.iter().filter(|(name, _)| !read.contains_key(*name));
            read.iter().all(is_given) && left_out.all(|(name, own)| may_be_left_out(name, own))
        }
        (Value::Array(read), Value::Array(given)) => {
            let mut both = read.iter().zip(given);
            read.len() == given.len() && both.all(|(read, given)| is_within(read, given))
        }
        (Value::String(read), Value::String(given)) => {
            let is_hex = read.bytes().all(|letter| letter.is_ascii_hexdigit());
            read == given || is_hex && read.eq_ignore_ascii_case(given)
        }
        // Names of the bits that are set.
        (Value::String(_) | Value::Object(_), Value::Array(_)) => true,
        (read, given) => read == given,
    }
}

/// Returns true for the defaults of layouts, and for unknown additions without any.
fn may_be_left_out(name: &str, given: &Value) -> bool {
    let defaults = [
        json!(0),
        json!(600),
        json!(12_800),
        json!(800_001),
        json!(true),
    ];
    let names = [json!("forward"), json!("unavailable")];
    let is_empty = given
        .as_object()
        .is_some_and(|all| all.keys().all(|name| name == "count"));
    name == "..." && is_empty
        || defaults
            .iter()
            .chain(&names)
            .any(|default| default == given)
}

/// Changes one part of a value, or puts one into it.
fn change(value: &mut Value, source: &mut Source<'_>) {
    /// Steps into a value; no message is deeper.
    const STEPS_MAX: usize = 24;
    let mut at = value;
    for _ in 0..STEPS_MAX {
        let choice = usize::from(source.byte());
        let inner = match &*at {
            Value::Object(members) => members.len(),
            Value::Array(items) => items.len(),
            _ => 0,
        };
        if inner == 0 || choice % 8 == 7 {
            break;
        }
        let mut parts: Box<dyn Iterator<Item = &mut Value>> = match at {
            Value::Object(members) => Box::new(members.values_mut()),
            Value::Array(items) => Box::new(items.iter_mut()),
            _ => return,
        };
        at = parts.nth(choice % inner).expect("a part");
    }
    match at {
        Value::Object(members) => {
            let name = source.choose(&NAMES);
            match source.byte() % 3 {
                0 => drop(members.remove(name)),
                _ => drop(members.insert(name.to_owned(), piece(source))),
            }
        }
        Value::Array(items) => match items.last().cloned() {
            Some(last) if !source.byte().is_multiple_of(4) => items.push(last),
            _ => drop(items.pop()),
        },
        leaf if source.byte().is_multiple_of(2) => near(leaf, source.byte()),
        leaf => *leaf = piece(source),
    }
}

/// Changes a leaf to another of its kind.
fn near(leaf: &mut Value, byte: u8) {
    match leaf {
        Value::Bool(is_set) => *is_set = !*is_set,
        Value::Number(number) => *number = (byte / 2).into(),
        Value::String(text) => text.make_ascii_lowercase(),
        _ => {}
    }
}

/// Names of members in many messages, and of none.
const NAMES: [&str; 16] = [
    "...",
    "header",
    "validityDuration",
    "situation",
    "termination",
    "lowFrequencyContainer",
    "specialVehicleContainer",
    "partII",
    "timeStamp",
    "name",
    "regional",
    "#1",
    "#40",
    "value",
    "length",
    "nothing",
];

/// Returns something that may stand in a message.
fn piece(source: &mut Source<'_>) -> Value {
    match source.byte() % 14 {
        0 => Value::Null,
        1 => json!(source.byte().is_multiple_of(2)),
        2 => json!(source.byte()),
        3 => json!(i16::from_be_bytes([source.byte(), source.byte()])),
        4 => json!(i64::MIN + i64::from(source.byte())),
        5 => json!(u64::MAX - u64::from(source.byte())),
        6 => json!(600),
        7 => {
            json!(["A5", "a5F0", "", "0", "#5", "unavailable", "ä"][usize::from(source.byte()) % 7])
        }
        8 => json!([]),
        9 => json!({}),
        10 => json!({ "count": source.byte() % 70, "9": "A500", "63": "00" }),
        11 => json!({ "value": "A5", "length": source.byte() % 20 }),
        12 => json!({ "basicVehicleContainerLowFrequency": {} }),
        _ => json!({ source.choose(&NAMES): "A5" }),
    }
}
