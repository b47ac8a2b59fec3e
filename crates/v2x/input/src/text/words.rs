//! A message among other words of its line: in logs, in CSV, in lists of programs.

use crate::digits::{Labelled, WrongText, base64, hex};
use crate::record::{InputRecord, Recognized, is_whole};

/// The shortest message that is looked for, in bytes.
const LEAST: usize = 8;
/// The longest label, in letters.
const LABEL_MAX: usize = 200;
/// The longest text that an error quotes, in letters.
const QUOTED_MAX: usize = 40;

/// Finds the message of a line; `None` if it has none.
pub(super) fn find(line: &str) -> Option<Result<Labelled, WrongText>> {
    let line = line.trim();
    let mut all = tokens(line).filter_map(|token| Some((token, message(token)?)));
    match (all.next(), all.next()) {
        (Some((token, bytes)), None) => Some(Ok((label(line, token), bytes))),
        (Some(_), Some(_)) => Some(Err((
            "several messages in one line".to_owned(),
            "give one message a line",
        ))),
        (None, _) => groups(line).map(Ok),
    }
}

/// Splits a line into words that may be digits.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let words =
        line.split(|letter: char| letter.is_whitespace() || ",;\"'`<>()[]{}|:".contains(letter));
    // Base64 ends with what also stands between a name and its value.
    words.map(|word| match word.trim_end_matches('=').rfind('=') {
        Some(at) => &word[at + 1..],
        None => word,
    })
}

fn message(token: &str) -> Option<Vec<u8>> {
    if token.len() < 2 * LEAST {
        return None;
    }
    let digits = hex(token).filter(|bytes| is_named(bytes));
    digits.or_else(|| base64(token).filter(|bytes| is_whole(bytes)))
}

/// Returns true for bytes that have a name, as a CAM alone has.
fn is_named(bytes: &[u8]) -> bool {
    /// A header of ETSI ITS alone says little.
    const ITS_LEAST: usize = 20;
    if is_whole(bytes) {
        return true;
    }
    let record = InputRecord::of(String::new(), bytes.to_vec());
    let named = match record.recognize(&[]) {
        Recognized::Unread(unread) => !matches!(unread.kind, "unknown" | "SPDU" | "certificate"),
        _ => false,
    };
    named && bytes.len() >= ITS_LEAST
}

/// Reads digits in groups behind other words.
fn groups(line: &str) -> Option<Labelled> {
    const TRIED: usize = 8;
    let is_group = |word: &&str| word.len().is_multiple_of(2) && hex(word).is_some();
    let words: Vec<&str> = line.split_whitespace().collect();
    let count = words.iter().rev().take_while(|word| is_group(word)).count();
    // A number of the words before may look like a group.
    let from = words.len() - count;
    for start in from..words.len().min(from + TRIED) {
        let digits = words[start..].concat();
        let bytes = hex(&digits).filter(|bytes| bytes.len() >= LEAST && is_whole(bytes));
        if let Some(bytes) = bytes {
            let before = words[..start].join(" ");
            return Some((Some(shortened(&before, LABEL_MAX)), bytes));
        }
    }
    None
}

/// Returns what stands around a word; nothing if that are only marks.
fn label(line: &str, token: &str) -> Option<String> {
    let at = token.as_ptr() as usize - line.as_ptr() as usize;
    let marks = |letter: char| letter.is_whitespace() || ",;\"'`=:{}[]()<>|".contains(letter);
    let (before, rest) = line.split_at(at);
    let before = before.trim_matches(marks);
    let after = rest.get(token.len()..).unwrap_or("").trim_matches(marks);
    let all = match (before, after) {
        ("", "") => return None,
        (one, "") | ("", one) => one.to_owned(),
        (before, after) => format!("{before} \u{2026} {after}"),
    };
    Some(shortened(&all, LABEL_MAX))
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}\u{2026}", &text[..at]),
        None => text.to_owned(),
    }
}

/// Says what is wrong with a line that has digits among words, or other letters among digits.
pub(super) fn explain(line: &str) -> Option<WrongText> {
    let line = line.trim();
    let longest = tokens(line).max_by_key(|token| token.len())?;
    let digits = longest.strip_prefix("0x").unwrap_or(longest);
    let count = digits.bytes().filter(u8::is_ascii_hexdigit).count();
    if count < 2 * LEAST || count * 10 < digits.len() * 9 {
        return None;
    }
    if let Some(letter) = digits.chars().find(|letter| !letter.is_ascii_hexdigit()) {
        let at = digits.as_ptr() as usize - line.as_ptr() as usize + digits.find(letter)?;
        let column = line[..at].chars().count() + 1;
        return Some((
            format!("{letter:?} in column {column} is no hexadecimal digit"),
            "correct it, or put # before the line",
        ));
    }
    if digits.len() % 2 == 1 {
        return Some((
            format!("an odd number of hexadecimal digits ({})", digits.len()),
            "a digit is missing or one too many: copy it again",
        ));
    }
    let around = label(line, longest)?;
    let around = shortened(&around, QUOTED_MAX);
    Some((
        format!("digits that are no message, among other text ({around:?})"),
        "correct the digits, or give them alone or after one word",
    ))
}
