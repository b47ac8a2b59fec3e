//! One message over several lines of digits or base64.
//!
//! Each line is tried alone first: a line that is a message or a certificate is one. Lines after
//! each other of which none is one are tried together, where the text grows shorter and where it
//! ends. If they are no message together either, and only the first of them begins as one, they
//! are one that is broken; else each is an input of its own.

use super::dump::Dump;
use super::words::explain;
use super::{Found, Item, Step};
use crate::digits::{self, Labelled, WrongText, base64, begins, grouped, hex};
use crate::record::is_whole;

/// The most text that is joined: 2 MiB.
const JOINED_MAX: usize = 2 << 20;
/// The most lines that are joined.
const LINES_MAX: usize = 1 << 16;
/// Maximum number of times that the lines of a block are tried together before its end.
const TRIED_MAX: usize = 3;
const REMEDY: &str =
    "give one message a line, or the whole message in lines that follow each other";

/// Lines that are no message alone.
pub(super) struct Wrapped {
    pieces: Vec<Piece>,
    size: usize,
    longest: usize,
    /// Number of times that the lines were tried together.
    tried: usize,
    joined: Option<Vec<u8>>,
}

/// A line, and what it is alone.
struct Piece {
    number: usize,
    text: String,
    read: Result<Option<Labelled>, WrongText>,
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
    pub(super) fn start(
        number: usize,
        line: &str,
        read: Result<Option<Labelled>, WrongText>,
    ) -> Self {
        let text = line.trim().to_owned();
        Self {
            size: text.len(),
            longest: text.len(),
            pieces: vec![Piece { number, text, read }],
            tried: 0,
            joined: None,
        }
    }

    pub(super) fn step(&mut self, number: usize, line: &str) -> Step {
        let text = line.trim();
        let is_full = self.size + text.len() > JOINED_MAX || self.pieces.len() == LINES_MAX;
        if is_full || Dump::start(number, line).is_some() {
            return Step::Foreign;
        }
        let read = digits::record(line);
        let is_piece = match &read {
            Ok(Some((None, bytes))) => !is_whole(bytes),
            Err(_) => digits_of(text).is_some() || word_of(text).is_some(),
            // A message alone, one that has a label, or the end.
            _ => false,
        };
        if !is_piece {
            return Step::Foreign;
        }
        self.size += text.len();
        let is_shorter = text.len() < self.longest;
        self.longest = self.longest.max(text.len());
        let text = text.to_owned();
        self.pieces.push(Piece { number, text, read });
        // A shorter line may be the last one.
        if is_shorter && self.tried < TRIED_MAX {
            self.tried += 1;
            self.joined = self.join();
        }
        match self.joined.is_some() {
            true => Step::Ended,
            false => Step::Taken,
        }
    }

    /// Returns the message that all lines are together.
    fn join(&self) -> Option<Vec<u8>> {
        let whole = |bytes: &Vec<u8>| is_whole(bytes);
        let words = || self.words().and_then(|words| base64(&words));
        self.bytes().filter(whole).or_else(|| words().filter(whole))
    }

    /// Returns the bytes of all lines if they are digits.
    fn bytes(&self) -> Option<Vec<u8>> {
        let mut all = Vec::with_capacity(self.size / 2);
        for piece in &self.pieces {
            match &piece.read {
                Ok(Some((_, bytes))) => all.extend_from_slice(bytes),
                // A line with half a byte.
                _ => return hex(&self.digits()?),
            }
        }
        Some(all)
    }

    /// Returns the label of the first line, and what stands behind it.
    fn first(&self) -> (Option<String>, &str) {
        let first = &self.pieces[0];
        match &first.read {
            Ok(Some((Some(label), _))) => {
                let rest = first.text.get(label.len()..).unwrap_or("");
                (Some(label.clone()), rest)
            }
            _ => (None, &first.text),
        }
    }

    fn digits(&self) -> Option<String> {
        let mut all = digits_of(self.first().1)?;
        for piece in &self.pieces[1..] {
            all.push_str(&digits_of(&piece.text)?);
        }
        Some(all)
    }

    fn words(&self) -> Option<String> {
        let words = self.pieces.iter().map(|piece| word_of(&piece.text));
        words.collect()
    }

    /// Returns the numbers of the first and the last line.
    fn range(&self) -> (usize, usize) {
        let number = |piece: Option<&Piece>| piece.map_or(0, |piece| piece.number);
        (number(self.pieces.first()), number(self.pieces.last()))
    }

    pub(super) fn finish(mut self, items: &mut Vec<Item>) {
        let is_alone = self.pieces.len() == 1;
        let joined = self.joined.take();
        match joined.or_else(|| self.join().filter(|_| !is_alone)) {
            Some(bytes) => items.push(Item::found(self.range(), self.first().0, bytes)),
            None if !is_alone && self.is_one() => self.broken(items),
            None => self.each(items),
        }
    }

    /// Returns true if only the first line begins as a message does.
    fn is_one(&self) -> bool {
        let begins_at = |text: &str| {
            let text = text.trim_start();
            let head = text.strip_prefix("0x").unwrap_or(text);
            let head: String = head
                .split_whitespace()
                .flat_map(str::chars)
                .take(8)
                .collect();
            let word = head.get(..4).and_then(base64);
            begins(&hex(&head).unwrap_or_default()) || begins(&word.unwrap_or_default())
        };
        let mut rest = self.pieces[1..].iter();
        begins_at(self.first().1) && !rest.any(|piece| begins_at(&piece.text))
    }

    /// Tells of one message over all lines that it is broken.
    fn broken(self, items: &mut Vec<Item>) {
        let (first, last) = self.range();
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
    fn mixed(self, is_digits: bool, items: &mut Vec<Item>) {
        let is_alike = |line: &str| match is_digits {
            true => digits_of(line).is_some(),
            false => word_of(line).is_some(),
        };
        let (first, last) = self.range();
        let mut rest = self.pieces[1..].iter();
        let Some(piece) = rest.find(|piece| !is_alike(&piece.text)) else {
            return self.each(items);
        };
        let (error, remedy) = explain(&piece.text).unwrap_or_else(|| {
            let kind = if is_digits {
                "hexadecimal digits"
            } else {
                "base64"
            };
            (format!("no {kind}, as the line before it"), REMEDY)
        });
        let error = format!("{error}; lines {first} to {last} are no message together");
        items.push(Item::wrong(piece.number, error, remedy));
    }

    /// Tells of each line by itself.
    fn each(self, items: &mut Vec<Item>) {
        let (first, last) = self.range();
        let remark = (self.pieces.len() > 1)
            .then(|| format!("lines {first} to {last} were tried together, too"));
        for piece in self.pieces {
            items.push(match piece.read {
                Ok(Some((label, bytes))) => Item::Found(Found {
                    lines: (piece.number, piece.number),
                    label,
                    bytes,
                    remark: remark.clone(),
                }),
                Ok(None) => continue,
                Err(wrong) => {
                    let (error, remedy) = explain(&piece.text).unwrap_or(wrong);
                    let remark = remark.iter().map(|remark| format!("; {remark}"));
                    Item::wrong(piece.number, error + &remark.collect::<String>(), remedy)
                }
            });
        }
    }
}
