//! Looks at the message lines before the grammar does, to name the line of what it would let pass
//! (an identifier of neither 11 nor 29 bits, which it cuts) or would not place.

use std::collections::HashMap;

use super::{DbcError, LENGTH_MAX, NO_MESSAGE};

/// Marks a 29-bit identifier.
const EXTENDED: u64 = 1 << 31;

/// Checks every line that declares a message.
pub(super) fn check_messages(text: &str) -> Result<(), DbcError> {
    let mut first: HashMap<u64, usize> = HashMap::new();
    let mut quoted = false;
    for (at, content) in text.lines().enumerate() {
        let line = at + 1;
        let outside = !quoted;
        quoted ^= has_odd_quotes(content);
        let Some(rest) = content
            .trim_start()
            .strip_prefix("BO_ ")
            .filter(|_| outside)
        else {
            continue;
        };
        let (raw, name, length) = message(rest).ok_or(DbcError::Message { line })?;
        if name == NO_MESSAGE {
            continue;
        }
        if !matches!(raw, 0..=0x7FF) && !(EXTENDED..=EXTENDED + 0x1FFF_FFFF).contains(&raw) {
            return Err(DbcError::Id { line, raw });
        }
        if length > LENGTH_MAX {
            return Err(DbcError::Length { line, length });
        }
        let holder = *first.entry(raw).or_insert(line);
        if holder != line {
            return Err(DbcError::DuplicateId {
                line,
                first: holder,
                raw,
            });
        }
    }
    Ok(())
}

/// Splits `<identifier> <name>: <bytes> <sender>`.
fn message(text: &str) -> Option<(u64, &str, u64)> {
    let (head, tail) = text.split_once(':')?;
    let mut head = head.split_whitespace();
    let raw = head.next()?.parse().ok()?;
    let name = head.next()?;
    let mut tail = tail.split_whitespace();
    let length = tail.next()?.parse().ok()?;
    let complete = head.next().is_none() && tail.next().is_some();
    complete.then_some((raw, name, length))
}

/// Whether a line begins or ends a quotation that spans lines.
fn has_odd_quotes(line: &str) -> bool {
    let mut odd = false;
    let mut escaped = false;
    for byte in line.bytes() {
        odd ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
    }
    odd
}

/// Places an error of the grammar.
pub(super) fn grammar_error(error: &can_dbc::DbcError) -> DbcError {
    match error {
        can_dbc::DbcError::Pest(error) => DbcError::Grammar {
            line: line_of(&error.to_string()),
            expected: match error.variant.message() {
                // The name of the whole grammar: not even a first line fits.
                whole if whole == "expected file" => {
                    "a DBC file begins with `VERSION`, `NS_ :`, `BS_:` or `BU_:`".to_owned()
                }
                part => part.into_owned(),
            },
        },
        other => DbcError::Grammar {
            line: None,
            expected: other.to_string(),
        },
    }
}

/// Takes the line out of the first line of the grammar's message, ` --> LINE:COLUMN`: its type for
/// places is not exported.
fn line_of(message: &str) -> Option<usize> {
    let place = message.lines().next()?.trim().strip_prefix("-->")?;
    place.trim().split(':').next()?.parse().ok()
}
