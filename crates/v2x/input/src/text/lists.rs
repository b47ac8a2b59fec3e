//! Bytes in values of JSON, and in arrays of programs.

use std::borrow::Cow;

use serde_json::{Deserializer, Value};

use super::Item;
use super::words::explain;
use crate::digits::{Labelled, WrongText, base64, begins, grouped, hex};
use crate::record::{InputRecord, Recognized, is_whole};

/// The shortest text that may be a message, in letters.
const LEAST: usize = 16;

/// The deepest member whose string is read as JSON once more.
const NESTED_MAX: usize = 64;

/// Removes casts of Java from a line: its arrays of bytes need them.
pub(super) fn without_casts(line: &str) -> Cow<'_, str> {
    match line.contains("(byte)") {
        true => line.replace("(byte)", "").into(),
        false => line.into(),
    }
}

/// Removes comments of C and of scripts from a line.
pub(super) fn without_comments(line: &str, is_in_comment: &mut bool) -> String {
    let mut left = line;
    let mut all = String::new();
    loop {
        if *is_in_comment {
            let Some((_, rest)) = left.split_once("*/") else {
                return all;
            };
            *is_in_comment = false;
            left = rest;
        }
        let ends = ["//", "#"].iter().filter_map(|mark| left.find(mark)).min();
        let opens = left.find("/*");
        match opens {
            Some(at) if ends.is_none_or(|end| at < end) => {
                all.push_str(&left[..at]);
                all.push(' ');
                *is_in_comment = true;
                left = &left[at + 2..];
            }
            _ => {
                all.push_str(&left[..ends.unwrap_or(left.len())]);
                return all;
            }
        }
    }
}

/// Reads the lists of a declaration: each is a message.
pub(super) fn arrays(
    text: &str,
    lines: (usize, usize),
    items: &mut Vec<Item>,
) -> Result<(), WrongText> {
    let mut is_in_comment = false;
    let clean = text
        .lines()
        .map(|line| without_comments(line, &mut is_in_comment));
    let clean = clean.collect::<Vec<_>>().join("\n");
    let [open, close] = match clean.contains('{') {
        true => ['{', '}'],
        false => ['[', ']'],
    };
    // A comment that is not closed hides what follows, up to the end of the next one.
    if text.contains("/*") && text.split("*/").any(|part| part.matches("/*").count() > 1) {
        let error = format!("lines {} to {}: a comment in a comment", lines.0, lines.1);
        return Err((error, "close the first one"));
    }
    let mut label = name(&clean);
    let size = size(&clean, open);
    let mut any = false;
    for part in clean.split(close) {
        let Some((_, list)) = part.rsplit_once(open) else {
            continue;
        };
        let Some(bytes) = numbers(list)? else {
            continue;
        };
        if let Some(size) = size.filter(|size| *size != bytes.len()) {
            let count = bytes.len();
            let error = format!("an array of {size} bytes that has {count}");
            return Err((error, "copy it again"));
        }
        items.push(Item::found(lines, label.take(), bytes));
        any = true;
    }
    match any {
        true => Ok(()),
        false => Err((
            format!("lines {} to {}: an array without bytes", lines.0, lines.1),
            "correct it, or put # before each line",
        )),
    }
}

/// Returns the size that a declaration in C gives to its only array.
fn size(text: &str, open: char) -> Option<usize> {
    let (declared, list) = text.split_once('{').filter(|_| open == '{')?;
    let (before, size) = declared.rsplit_once('[')?;
    let (size, _) = size.split_once(']')?;
    let is_only = !before.contains('[') && !list.contains('{');
    size.trim().parse().ok().filter(|_| is_only)
}

/// Returns the name that a declaration gives: the word before the first bracket or sign.
fn name(text: &str) -> Option<String> {
    let declared = text.split(['[', '=', '{']).next()?.trim_end();
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name = declared.rsplit(|letter| !is_letter(letter)).next()?;
    let is_name = name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
    (is_name && name != "byte").then(|| name.to_owned())
}

/// Reads numbers of a byte each; `None` if there is none.
fn numbers(list: &str) -> Result<Option<Vec<u8>>, WrongText> {
    let is_apart = |letter: char| letter == ',' || letter.is_whitespace();
    let words = list.split(is_apart).filter(|word| !word.is_empty());
    let words: Vec<&str> = words
        .map(|word| word.trim_end_matches(['u', 'U']))
        .collect();
    if words.is_empty() {
        return Ok(None);
    }
    let wrong = |word: &str| {
        let error = format!("{word:?} in an array is no byte");
        Err((error, "write each byte as 0x03 or 3"))
    };
    // Java has bytes from -128 to 127.
    let decimal = |word: &str| match word.trim_start_matches('-').starts_with('0') {
        true if word != "0" => None,
        _ if word.starts_with('-') => word.parse::<i8>().ok().map(i8::cast_unsigned),
        _ => word.parse::<u8>().ok(),
    };
    if words
        .iter()
        .all(|word| !word.starts_with(['0', 'x']) || !word.contains(['x', 'X']))
    {
        let numbers: Option<Vec<u8>> = words.iter().map(|word| decimal(word)).collect();
        let digits = grouped(&words.join(" "));
        return match (digits, numbers) {
            (Some(digits), None) => Ok(Some(digits)),
            (None, Some(numbers)) => Ok(Some(numbers)),
            (Some(digits), Some(numbers)) => match (is_whole(&digits), is_whole(&numbers)) {
                (true, false) => Ok(Some(digits)),
                (false, true) => Ok(Some(numbers)),
                _ => Err((
                    "an array of numbers that may be decimal or hexadecimal".to_owned(),
                    "write 0x before each byte",
                )),
            },
            (None, None) => {
                let is_bad = |word: &&&str| decimal(word).is_none() && hex(word).is_none();
                wrong(words.iter().find(is_bad).unwrap_or(&words[0]))
            }
        };
    }
    if let Some(bytes) = grouped(&words.join(" ")) {
        return Ok(Some(bytes));
    }
    let mut bytes = Vec::with_capacity(words.len());
    for word in words {
        let marked = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
        let byte = match marked {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => decimal(word),
        };
        match byte {
            Some(byte) => bytes.push(byte),
            None => return wrong(word),
        }
    }
    Ok(Some(bytes))
}

/// Reads values of JSON: each string that is a message is one, by the name of its member.
pub(super) fn json(text: &str, lines: (usize, usize), items: &mut Vec<Item>) {
    const REMEDY: &str = "put messages in strings, as hexadecimal digits or base64";
    let text = text.trim().trim_end_matches([',', ';']);
    let mut strings = Strings::default();
    for value in Deserializer::from_str(text).into_iter::<Value>() {
        match value {
            Ok(value) => strings.walk(&value, &mut Vec::new()),
            Err(error) => {
                let line = lines.0 + error.line().saturating_sub(1);
                let error = format!("JSON that cannot be read: {error}");
                strings.wrong.push((line, error, "correct it"));
                break;
            }
        }
    }
    if strings.found.is_empty() && strings.wrong.is_empty() {
        let near = strings.near.iter().map(|near| format!("; {near}"));
        let near: String = near.collect();
        let error = format!("JSON; no string or array in it is a message or a certificate{near}");
        items.push(Item::wrong(lines.0, error, REMEDY));
    }
    let found = strings.found.into_iter();
    items.extend(found.map(|(label, bytes)| Item::found(lines, label, bytes)));
    let wrong = strings.wrong.into_iter();
    items.extend(wrong.map(|(line, error, remedy)| Item::wrong(line.max(lines.0), error, remedy)));
}

/// Messages and errors in strings of JSON.
#[derive(Default)]
struct Strings {
    found: Vec<Labelled>,
    wrong: Vec<(usize, String, &'static str)>,
    /// Reason why a string that is nearly all digits is no message.
    near: Option<String>,
}

impl Strings {
    /// Goes through a value; the reader of JSON bounds how deep one is.
    fn walk(&mut self, value: &Value, path: &mut Vec<String>) {
        match value {
            Value::String(text) => self.text(text.trim(), path),
            Value::Array(all) => {
                let bytes = all.iter().map(|one| byte(one.as_i64()?));
                let bytes: Option<Vec<u8>> = bytes.collect();
                if let Some(bytes) = bytes.filter(|bytes| is_whole(bytes)) {
                    return self.found.push((label(path), bytes));
                }
                for (index, one) in all.iter().enumerate() {
                    path.push(index.to_string());
                    self.walk(one, path);
                    path.pop();
                }
            }
            Value::Object(members) => {
                for (name, one) in members {
                    path.push(name.clone());
                    self.walk(one, path);
                    path.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn text(&mut self, text: &str, path: &mut Vec<String>) {
        if text.len() < LEAST {
            return;
        }
        if text.starts_with(['{', '[']) && path.len() < NESTED_MAX {
            // A record of a log or of a queue, with the message in a document of its own.
            if let Ok(value) = serde_json::from_str(text) {
                return self.walk(&value, path);
            }
        }
        let digits = grouped(text);
        let is_digits = digits.is_some();
        let joined: String = text.split_whitespace().collect();
        let coded = base64(&joined);
        let all = [digits, coded];
        if let Some(bytes) = all.iter().flatten().find(|bytes| is_whole(bytes)) {
            return self.found.push((label(path), bytes.clone()));
        }
        let [digits, coded] = all;
        if let Some(bytes) = digits.filter(|bytes| is_named(bytes)) {
            return self.found.push((label(path), bytes));
        }
        if let Some(bytes) = coded.filter(|bytes| !is_digits && begins(bytes)) {
            return self.found.push((label(path), bytes));
        }
        let head = joined
            .strip_prefix("0x")
            .unwrap_or(&joined)
            .get(..4)
            .and_then(hex);
        if !is_digits && head.is_some_and(|head| begins(&head)) {
            let name = path.join(".");
            let error = format!(
                "the string {name:?} of JSON begins as a message does, and is not digits all \
                 through ({} letters)",
                joined.len()
            );
            self.wrong.push((0, error, "copy it again"));
        } else if self.near.is_none() {
            let near = explain(text).map(|(error, _)| format!("{:?}: {error}", path.join(".")));
            self.near = near;
        }
    }
}

/// Reads a byte, as programs write it that have none below zero, and as Java does.
fn byte(number: i64) -> Option<u8> {
    let signed = || i8::try_from(number).ok().map(i8::cast_unsigned);
    u8::try_from(number).ok().or_else(signed)
}

fn label(path: &[String]) -> Option<String> {
    (!path.is_empty()).then(|| path.join("."))
}

/// Returns true for bytes that are called by a name though they are no whole message.
fn is_named(bytes: &[u8]) -> bool {
    let record = InputRecord::of(String::new(), bytes.to_vec());
    match record.recognize(&[]) {
        Recognized::Unread(unread) => match unread.kind {
            "unknown" => false,
            "SPDU" | "certificate" => begins(bytes),
            _ => true,
        },
        _ => true,
    }
}
