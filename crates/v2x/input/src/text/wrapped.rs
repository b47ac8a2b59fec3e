//! One message over several lines of digits or base64.
//!
//! Each line is tried alone first: a line that is a message or a certificate is one. Lines after
//! each other of which none is one are tried together, where the text grows shorter and where it
//! ends. If they are no message together either, and only the first of them begins as one, they
//! are one that is broken; else each is an input of its own.

use super::dump::Dump;
use super::words::explain;
use super::{Found, Item, Step};
use crate::digits::{self, base64, begins, grouped, hex};
use crate::record::is_whole;

/// The most text that is joined: 2 MiB.
const JOINED_MAX: usize = 2 << 20;
/// The most lines that are joined.
const LINES_MAX: usize = 1 << 16;
/// The most text that is tried together for one block.
const TRIED_MAX: usize = 8 << 20;
const REMEDY: &str =
    "give one message a line, or the whole message in lines that follow each other";

/// Lines that are no message alone.
pub(super) struct Wrapped {
    lines: Vec<(usize, String)>,
    size: usize,
    longest: usize,
    /// How much text was tried together.
    tried: usize,
    joined: Option<Joined>,
}

/// What lines are together.
enum Joined {
    Message(Vec<u8>),
    /// A message both as digits and as base64.
    Doubtful,
}

/// Returns true for a line that may be the first part of a message.
pub(super) fn is_piece(line: &str) -> bool {
    // Words of a language have no digits and are short.
    let is_code = |word: &str| word.len() >= 16 || word.bytes().any(|byte| byte.is_ascii_digit());
    digits_of(line).is_some() || word_of(line).is_some_and(is_code)
}

/// Returns the hexadecimal digits of a line that has nothing else, in groups of one size; those at
/// its ends may be cut.
fn digits_of(line: &str) -> Option<String> {
    let line = line.trim().trim_end_matches('\\').trim_end();
    if let Some(bytes) = grouped(line) {
        return Some(digits::show(&bytes));
    }
    let line = line.strip_prefix("0x").unwrap_or(line);
    let groups: Vec<&str> = line.split_whitespace().collect();
    let size = groups.iter().skip(1).map(|group| group.len()).max();
    let size = size.unwrap_or(usize::MAX);
    let is_digit = |letter: u8| letter.is_ascii_hexdigit();
    let last = groups.len().checked_sub(1)?;
    let is_whole = groups.iter().enumerate().all(|(at, group)| match at {
        0 => group.len() <= size,
        _ => group.len() == size || at == last,
    });
    let are_digits = || groups.iter().all(|group| group.bytes().all(is_digit));
    (is_whole && are_digits()).then(|| groups.concat())
}

/// Returns the word of base64 that a line is.
fn word_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let (text, padding) = match line.find('=') {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let is_word = text.bytes().all(is_letter) && matches!(padding, "" | "=" | "==");
    (is_word && !line.is_empty()).then_some(line)
}

impl Wrapped {
    /// Opens a block with a line that is a part of one; its first word may be a label.
    pub(super) fn start(number: usize, line: &str) -> Self {
        Self {
            lines: vec![(number, line.trim().to_owned())],
            size: line.len(),
            longest: line.trim().len(),
            tried: 0,
            joined: None,
        }
    }

    pub(super) fn step(&mut self, number: usize, line: &str) -> Step {
        let trimmed = line.trim();
        let is_full = self.size + trimmed.len() > JOINED_MAX || self.lines.len() == LINES_MAX;
        let is_piece = digits_of(line).is_some() || word_of(line).is_some();
        if is_full || !is_piece || Dump::start(number, line).is_some() {
            return Step::Foreign;
        }
        match digits::record(line) {
            Ok(Some((None, bytes))) if !is_whole(&bytes) => {}
            Err(_) => {}
            // A message alone, or one that has a label.
            _ => return Step::Foreign,
        }
        self.size += trimmed.len();
        self.lines.push((number, trimmed.to_owned()));
        if trimmed.len() >= self.longest {
            self.longest = trimmed.len();
            return Step::Taken;
        }
        // A shorter line may be the last one.
        match self.is_joined() {
            true => Step::Ended,
            false => Step::Taken,
        }
    }

    fn is_joined(&mut self) -> bool {
        self.tried += self.size;
        if self.joined.is_none() && self.tried <= TRIED_MAX {
            let whole = |bytes: &Vec<u8>| is_whole(bytes);
            let digits = self.digits().and_then(|digits| hex(&digits));
            let words = self.words().and_then(|words| base64(&words));
            self.joined = match (digits.filter(whole), words.filter(whole)) {
                (Some(_), Some(_)) => Some(Joined::Doubtful),
                (Some(bytes), None) | (None, Some(bytes)) => Some(Joined::Message(bytes)),
                (None, None) => None,
            };
        }
        self.joined.is_some()
    }

    /// Returns the label of the first line, and what stands behind it.
    fn first(&self) -> (Option<String>, &str) {
        let line = &self.lines[0].1;
        match digits::record(line) {
            Ok(Some((Some(label), _))) => {
                let rest = line.get(label.len()..).unwrap_or("");
                (Some(label), rest)
            }
            _ => (None, line),
        }
    }

    fn digits(&self) -> Option<String> {
        let mut all = digits_of(self.first().1)?;
        for (_, line) in &self.lines[1..] {
            all.push_str(&digits_of(line)?);
        }
        Some(all)
    }

    fn words(&self) -> Option<String> {
        let words = self.lines.iter().map(|(_, line)| word_of(line));
        words.collect()
    }

    pub(super) fn finish(mut self, items: &mut Vec<Item>) {
        let (first, last) = (self.lines[0].0, self.lines[self.lines.len() - 1].0);
        if self.lines.len() > 1 {
            // The end is tried in any case.
            self.tried = 0;
            self.is_joined();
        }
        let lines = (first, last);
        match self.joined.take() {
            Some(Joined::Message(bytes)) => {
                items.push(Item::found(lines, self.first().0, bytes));
            }
            Some(Joined::Doubtful) => items.push(Item::wrong(
                first,
                format!("lines to {last} are a message as digits and another one as base64"),
                "give hexadecimal digits in one line",
            )),
            None if self.lines.len() > 1 && self.is_one() => self.broken(items),
            None => self.each(items),
        }
    }

    /// Returns true if only the first line begins as a message does.
    fn is_one(&self) -> bool {
        let begins_at = |text: &str| {
            let digits = digits_of(text).unwrap_or_default();
            let digits = digits.get(..digits.len().min(8)).and_then(hex);
            let word = word_of(text).and_then(|word| base64(word.get(..4)?));
            begins(&digits.unwrap_or_default()) || begins(&word.unwrap_or_default())
        };
        begins_at(self.first().1) && !self.lines[1..].iter().any(|(_, line)| begins_at(line))
    }

    /// Tells of one message over all lines that it is broken.
    fn broken(&self, items: &mut Vec<Item>) {
        let (first, last) = (self.lines[0].0, self.lines[self.lines.len() - 1].0);
        let is_digits = digits_of(self.first().1).is_some();
        let decoded = match (self.digits(), self.words()) {
            (Some(digits), _) => hex(&digits).ok_or_else(|| {
                let count = digits.len();
                format!(
                    "lines {first} to {last} have an odd number of hexadecimal digits ({count})"
                )
            }),
            (None, Some(words)) if !is_digits => base64(&words)
                .ok_or_else(|| format!("lines {first} to {last} are no base64 together")),
            _ => return self.mixed(is_digits, items),
        };
        items.push(match decoded {
            Ok(bytes) => {
                let remark = format!(
                    "lines {first} to {last} are taken as one message, as none is one alone"
                );
                Item::Found(Found {
                    lines: (first, last),
                    label: self.first().0,
                    bytes,
                    remark: Some(remark),
                })
            }
            Err(error) => Item::wrong(first, error, REMEDY),
        });
    }

    /// Tells of a message some of whose lines have other letters than the first.
    fn mixed(&self, is_digits: bool, items: &mut Vec<Item>) {
        let is_alike = |line: &str| match is_digits {
            true => digits_of(line).is_some(),
            false => word_of(line).is_some(),
        };
        let (first, last) = (self.lines[0].0, self.lines[self.lines.len() - 1].0);
        let mut rest = self.lines[1..].iter();
        let Some((number, line)) = rest.find(|(_, line)| !is_alike(line)) else {
            return;
        };
        let (error, remedy) = explain(line).unwrap_or_else(|| {
            let kind = if is_digits {
                "hexadecimal digits"
            } else {
                "base64"
            };
            (format!("no {kind}, as the line before it"), REMEDY)
        });
        let error = format!("{error}; lines {first} to {last} are no message together");
        items.push(Item::wrong(*number, error, remedy));
    }

    /// Tells of each line by itself.
    fn each(&self, items: &mut Vec<Item>) {
        let (first, last) = (self.lines[0].0, self.lines[self.lines.len() - 1].0);
        let remark = (self.lines.len() > 1)
            .then(|| format!("lines {first} to {last} were tried together, too"));
        for (number, line) in &self.lines {
            let line_of = (*number, *number);
            items.push(match digits::record(line) {
                Ok(Some((label, bytes))) => Item::Found(Found {
                    lines: line_of,
                    label,
                    bytes,
                    remark: remark.clone(),
                }),
                Ok(None) => continue,
                Err(wrong) => {
                    let (error, remedy) = explain(line).unwrap_or(wrong);
                    let remark = remark.iter().map(|remark| format!("; {remark}"));
                    Item::wrong(*number, error + &remark.collect::<String>(), remedy)
                }
            });
        }
    }
}
