//! Looks at the text before the grammar does: names the line of each message that cannot be sent,
//! and takes numbers that are no identifiers out of the way, which the grammar would cut or refuse.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{DbcError, LENGTH_MAX, NO_MESSAGE, ReadOptions, SkippedStatement};

/// Marks a 29-bit identifier.
const EXTENDED: u64 = 1 << 31;

/// The highest 29-bit identifier as a DBC file writes it.
const EXTENDED_MAX: u64 = EXTENDED + 0x1FFF_FFFF;

/// The number of the message of signals without a message; no identifier.
const NO_MESSAGE_ID: u64 = 0xC000_0000;

/// The words that the identifier of a message follows.
const BEFORE_IDENTIFIER: [&str; 8] = [
    "BO_",
    "BO_TX_BU_",
    "CM_",
    "SG_",
    "SG_MUL_VAL_",
    "SIG_GROUP_",
    "SIG_VALTYPE_",
    "VAL_",
];

/// The word that a node and then the identifier of a message follow.
const BEFORE_NODE_AND_IDENTIFIER: &str = "BU_BO_REL_";

/// The words that stand there instead of a node where an attribute is defined, before its range.
const NUMBER_TYPES: [&str; 3] = ["INT", "HEX", "FLOAT"];

/// The findings of a look at the lines that declare messages.
pub(super) struct Scan {
    /// The messages that cannot be sent.
    pub(super) skipped: Vec<SkippedStatement>,
    /// The lines, from 1, of messages that the grammar must not see: damaged ones, and the second
    /// ones of an identifier.
    pub(super) damaged: Vec<usize>,
    /// A 29-bit identifier that no message has, with bit 31 set.
    pub(super) free: u32,
    /// Another one, for the message of signals without a message.
    pub(super) independent: u32,
}

/// Checks every line that declares a message, but for those of identifiers that stand for none.
pub(super) fn check_messages(text: &str, options: ReadOptions, placeholders: &[u32]) -> Scan {
    let mut first: HashMap<u64, usize> = HashMap::new();
    let mut skipped = Vec::new();
    let mut damaged = Vec::new();
    let mut quoted = false;
    for (at, content) in text.lines().enumerate() {
        let line = at + 1;
        let outside = !quoted;
        quoted ^= has_odd_quotes(content);
        let Some(rest) = after_keyword(content, "BO_").filter(|_| outside) else {
            continue;
        };
        let mut skip = |name: &str, error| {
            let what = format!("message {name}");
            skipped.push(SkippedStatement { what, error });
        };
        let Some((written, name, length)) = message(rest) else {
            let name = rest.split([' ', '\t', ':']).find(|word| !word.is_empty());
            skip(name.unwrap_or_default(), DbcError::Message { line });
            damaged.push(line);
            continue;
        };
        if name == NO_MESSAGE {
            continue;
        }
        let raw = meant(written, options);
        if placeholders.iter().any(|one| u64::from(*one) == raw) {
            continue;
        }
        // Only a number that stands by itself can be replaced.
        let is_apart = rest.starts_with([' ', '\t']);
        if !is_identifier(raw) || (raw != written && !is_apart) {
            skip(name, DbcError::Id { line, raw: written });
            if !is_apart {
                damaged.push(line);
            }
            continue;
        }
        if length > LENGTH_MAX {
            skip(name, DbcError::Length { line, length });
        }
        let holder = *first.entry(raw).or_insert(line);
        if holder != line {
            let error = DbcError::DuplicateId {
                line,
                first: holder,
                raw: written,
            };
            skip(name, error);
            damaged.push(line);
        }
    }
    // Fewer messages than identifiers: two of the first so many are free.
    let mut free = (EXTENDED..=EXTENDED_MAX)
        .rev()
        .filter(|raw| !first.contains_key(raw))
        .map(|raw| raw as u32);
    let independent = free.next().unwrap_or(EXTENDED_MAX as u32);
    Scan {
        skipped,
        damaged,
        free: free.next().unwrap_or(independent),
        independent,
    }
}

/// Returns the rest of a line that begins with a keyword. The grammar takes any blank behind it,
/// and none before a number.
pub(super) fn after_keyword<'a>(line: &'a str, keyword: &str) -> Option<&'a str> {
    let rest = line.trim_start().strip_prefix(keyword)?;
    let is_end = |next: char| next == ' ' || next == '\t' || next.is_ascii_digit();
    rest.starts_with(is_end).then_some(rest)
}

/// Returns the identifier that a number is taken for.
fn meant(raw: u64, options: ReadOptions) -> u64 {
    match options.unflagged_are_extended && fits_29_bits(raw) {
        true => raw | EXTENDED,
        false => raw,
    }
}

/// Returns true for a number that is no identifier, and would be one of 29 bits with bit 31 set.
pub(super) const fn fits_29_bits(raw: u64) -> bool {
    raw > 0x7FF && raw <= 0x1FFF_FFFF
}

/// Returns the text with [`Scan::free`] in place of each number that stands for a message and is no
/// identifier, [`Scan::independent`] in place of [`NO_MESSAGE_ID`], and with the identifiers that
/// are meant. Lines stay where they are.
pub(super) fn with_identifiers<'a>(
    text: &'a str,
    scan: &Scan,
    options: ReadOptions,
) -> Cow<'a, str> {
    let mut changed = String::new();
    let mut copied = 0;
    let mut before = ["", ""];
    for (at, word) in words(text) {
        let names_message = BEFORE_IDENTIFIER.contains(&before[1])
            || (before[0] == BEFORE_NODE_AND_IDENTIFIER && !NUMBER_TYPES.contains(&before[1]));
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if names_message && is_number && !word.parse().is_ok_and(is_identifier) {
            let meant = word.parse().map_or(u64::MAX, |raw| meant(raw, options));
            let number = match is_identifier(meant) {
                true => meant,
                false if meant == NO_MESSAGE_ID => scan.independent.into(),
                false => scan.free.into(),
            };
            changed.push_str(&text[copied..at]);
            changed.push_str(&number.to_string());
            copied = at + word.len();
        }
        before = [before[1], word];
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    changed.push_str(&text[copied..]);
    Cow::Owned(changed)
}

/// Returns the words outside of quotations with their places: letters, digits and underscores.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut at = 0;
    let mut quoted = false;
    std::iter::from_fn(move || {
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'"' => quoted = !quoted,
                b'\\' => at += 1,
                byte if !quoted && is_letter(byte) => {
                    let start = at;
                    at += bytes[at..]
                        .iter()
                        .take_while(|byte| is_letter(byte))
                        .count();
                    return Some((start, &text[start..at]));
                }
                _ => {}
            }
            at += 1;
        }
        None
    })
}

fn is_identifier(raw: u64) -> bool {
    matches!(raw, 0..=0x7FF) || (EXTENDED..=EXTENDED_MAX).contains(&raw)
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

/// Returns true if a line begins or ends a quotation that spans lines.
pub(super) fn has_odd_quotes(line: &str) -> bool {
    let mut odd = false;
    let mut escaped = false;
    for byte in line.bytes() {
        odd ^= byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
    }
    odd
}

/// Places an error of the grammar that no single statement is at fault for. Its own words are names
/// of the grammar's rules, which say nothing to a user.
pub(super) fn grammar_error(error: &can_dbc::DbcError) -> DbcError {
    let line = match error {
        can_dbc::DbcError::Pest(error) => line_of(&error.to_string()),
        _ => None,
    };
    DbcError::Grammar {
        line,
        expected: "the statement cannot stand here; take it out, or to where it belongs".to_owned(),
    }
}

/// Takes the line out of the first line of the grammar's message, ` --> LINE:COLUMN`: its type for
/// places is not exported.
fn line_of(message: &str) -> Option<usize> {
    let place = message.lines().next()?.trim().strip_prefix("-->")?;
    place.trim().split(':').next()?.parse().ok()
}
