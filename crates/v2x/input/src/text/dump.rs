//! Dumps: rows of an offset, bytes in hexadecimal digits and, mostly, the same bytes as text. The
//! form of `xxd`, `hexdump -C`, `od -A x -t x1z`, `tcpdump -X` and Wireshark.
//!
//! An offset of 0 begins a message. Each further row must have the offset that follows, and its
//! text must be that of its bytes, so that no damaged row is taken.

use super::{Item, Step};
use crate::digits::hex;

/// The most digits of an offset.
const OFFSET_MAX: usize = 16;
/// The most bytes of a row.
const ROW_MAX: usize = 256;
/// The most bytes of a dump: 16 MiB; of rows that a `*` stands for, 1 MiB.
const BYTES_MAX: usize = 16 << 20;
const REPEATED_MAX: usize = 1 << 20;
const AGAIN: &str = "copy the whole dump again";

/// A dump.
pub(super) struct Dump {
    first: usize,
    last: usize,
    form: Form,
    /// The number of digits of an offset.
    digits: usize,
    bytes: Vec<u8>,
    /// Bytes of the last row.
    row: Vec<u8>,
    /// The radix of offsets, where one says so.
    radix: Option<u32>,
    /// True behind a row that stands for rows like the one before.
    is_repeated: bool,
    wrong: Option<(usize, String, &'static str)>,
}

/// Form in which an offset is written.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Form {
    has_colon: bool,
    has_mark: bool,
}

/// A row, split.
struct Row<'a> {
    form: Form,
    offset: &'a str,
    rest: &'a str,
}

impl<'a> Row<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let line = line.trim_start();
        let unmarked = line.strip_prefix("0x");
        let text = unmarked.unwrap_or(line);
        let letters = text.bytes().take(OFFSET_MAX + 1);
        let length = letters.take_while(u8::is_ascii_hexdigit).count();
        let (offset, rest) = text.split_at(length);
        let (has_colon, rest) = match rest.strip_prefix(':') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let is_apart = rest.is_empty() || rest.starts_with([' ', '\t']);
        let form = Form {
            has_colon,
            has_mark: unmarked.is_some(),
        };
        ((4..=OFFSET_MAX).contains(&length) && is_apart).then_some(Self { form, offset, rest })
    }

    fn value(&self, radix: u32) -> Option<usize> {
        usize::from_str_radix(self.offset, radix).ok()
    }

    /// Returns true for `hexdump` and `od` as they are without options: words of the machine, whose
    /// bytes are swapped, or octal digits.
    fn is_of_words(&self) -> bool {
        let groups = self.rest.split_whitespace();
        let is_word = |group: &str| {
            matches!(group.len(), 3 | 4 | 6) && group.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let is_plain = !self.form.has_colon && !self.form.has_mark;
        is_plain
            && self.offset.len() == 7
            && !self.rest.trim().is_empty()
            && groups.clone().all(is_word)
    }

    /// Returns true if the row can begin a dump: alone it might be digits behind a label.
    fn begins(&self) -> bool {
        let mut groups = self.rest.split_whitespace();
        let first = groups.next().unwrap_or("");
        let is_digits = |group: &str| hex(group).is_some();
        match self.form.has_colon {
            // Digits in one piece behind a number and a colon are a label's.
            true => {
                let is_zero = self.value(16) == Some(0);
                is_digits(first) && (is_zero || groups.next().is_some_and(is_digits))
            }
            false => self.value(16) == Some(0) && first.len() == 2 && is_digits(first),
        }
    }
}

impl Dump {
    /// Opens a dump if a line is a row of one.
    pub(super) fn start(number: usize, line: &str) -> Option<Self> {
        let row = Row::of(line)?;
        let is_of_words = row.is_of_words() && row.value(16) == Some(0);
        if !is_of_words && !row.begins() {
            return None;
        }
        let mut dump = Self {
            first: number,
            last: number,
            form: row.form,
            digits: row.offset.len(),
            bytes: Vec::new(),
            row: Vec::new(),
            radix: None,
            is_repeated: false,
            wrong: None,
        };
        if is_of_words {
            let error = "a dump of 16-bit words, whose bytes are swapped, or of octal digits";
            dump.fail(
                number,
                error,
                "write it with hexdump -C, xxd or od -A x -t x1",
            );
        } else if row.value(16) != Some(0) {
            let offset = row.offset;
            let error = format!("the dump begins at offset {offset}: what is before is missing");
            dump.fail(number, &error, AGAIN);
        } else {
            dump.add(number, row.rest);
        }
        Some(dump)
    }

    fn fail(&mut self, number: usize, error: &str, remedy: &'static str) {
        let wrong = || (number, error.to_owned(), remedy);
        self.wrong.get_or_insert_with(wrong);
    }

    fn add(&mut self, number: usize, rest: &str) {
        match bytes_of_row(rest, self.form) {
            _ if self.wrong.is_some() => {}
            _ if self.bytes.len() > BYTES_MAX => self.fail(number, "a dump of over 16 MiB", AGAIN),
            Ok(bytes) => {
                self.bytes.extend_from_slice(&bytes);
                self.row = bytes;
            }
            Err(error) => self.fail(number, &error, AGAIN),
        }
    }

    pub(super) fn step(&mut self, number: usize, line: &str) -> Step {
        let trimmed = line.trim();
        if trimmed == "*" {
            self.last = number;
            self.is_repeated = true;
            return Step::Taken;
        }
        let row = match Row::of(line) {
            Some(row) if row.form == self.form && row.offset.len() == self.digits => row,
            _ if self.is_damaged_row(trimmed) => {
                self.last = number;
                self.fail(number, "a row whose offset cannot be read", AGAIN);
                return Step::Taken;
            }
            _ => return Step::Foreign,
        };
        // The next dump; the last row of an empty one has no bytes.
        if row.value(16) == Some(0) && !row.rest.trim().is_empty() {
            return Step::Foreign;
        }
        self.last = number;
        if self.wrong.is_none() {
            self.check_offset(number, &row);
        }
        if row.rest.trim().is_empty() {
            Step::Ended
        } else {
            self.add(number, row.rest);
            Step::Taken
        }
    }

    /// Returns true for a line that comes at once behind a row, and has a word in place of its
    /// offset.
    fn is_damaged_row(&self, line: &str) -> bool {
        let mut words = line.split_whitespace();
        let offset = words.next().unwrap_or("");
        let length = self.digits + usize::from(self.form.has_colon);
        let length = length + if self.form.has_mark { 2 } else { 0 };
        let is_group = |word: &str| word.len() <= 4 && hex(word).is_some();
        offset.len().abs_diff(length) <= 1 && words.next().is_some_and(is_group)
    }

    fn check_offset(&mut self, number: usize, row: &Row<'_>) {
        let next = self.bytes.len();
        let is_repeated = std::mem::take(&mut self.is_repeated);
        let is_next = |radix: &u32| match row.value(*radix) {
            Some(value) if is_repeated => {
                value >= next
                    && value - next <= REPEATED_MAX
                    && (value - next).is_multiple_of(self.row.len().max(1))
            }
            value => value == Some(next),
        };
        let radix = match self.radix {
            Some(radix) => Some(radix).filter(is_next),
            None => [16, 8, 10].into_iter().find(is_next),
        };
        let Some(value) = radix.and_then(|radix| row.value(radix)) else {
            let offset = row.offset;
            let error = format!(
                "offset {offset} where {next:x} is next (after {next} bytes): a row is missing or \
                 damaged"
            );
            return self.fail(number, &error, AGAIN);
        };
        self.radix = radix;
        while self.bytes.len() < value && !self.row.is_empty() {
            self.bytes.extend_from_slice(&self.row);
        }
    }

    pub(super) fn finish(mut self, items: &mut Vec<Item>) {
        if self.is_repeated {
            self.fail(
                self.last,
                "the dump ends with *: its last offset is missing",
                AGAIN,
            );
        }
        items.push(match self.wrong {
            Some((number, error, remedy)) => {
                let (first, last) = (self.first, self.last);
                let error = format!("{error} (a dump of lines {first} to {last})");
                Item::wrong(number, error, remedy)
            }
            None => Item::found((self.first, self.last), None, self.bytes),
        });
    }
}

/// Reads the bytes of a row: all groups of digits, or those before the text that shows them.
fn bytes_of_row(rest: &str, form: Form) -> Result<Vec<u8>, String> {
    let rest = rest.trim();
    // `hexdump -C` has a gap in the middle of a row; a wider one is before the text.
    let gap_max = if form.has_colon { 1 } else { 2 };
    let (mut bytes, mut at, mut shown) = (Vec::new(), 0, None);
    loop {
        let left = &rest[at..];
        let gap = left.len() - left.trim_start().len();
        let text = left.trim_start();
        if !bytes.is_empty() && gap >= 2 && is_text_of(&bytes, text) {
            shown = Some(bytes.len());
        }
        let group = text.split_whitespace().next().unwrap_or("");
        let is_text = gap > gap_max && !bytes.is_empty();
        let digits = hex(group).filter(|_| !is_text && !group.starts_with("0x"));
        let Some(more) = digits else {
            return match shown {
                Some(length) => Ok(bytes[..length].to_vec()),
                None if text.is_empty() => Ok(bytes),
                None if is_text_of(&bytes, text) => Ok(bytes),
                None if bytes.is_empty() => Err(format!("no hexadecimal digits but {group:?}")),
                None => Err(format!(
                    "neither digits nor the text of {} bytes: {group:?}",
                    bytes.len()
                )),
            };
        };
        bytes.extend(more);
        if bytes.len() > ROW_MAX {
            return Err(format!("a row of more than {ROW_MAX} bytes"));
        }
        at = rest.len() - text.len() + group.len();
    }
}

/// Returns true if a text shows bytes: letters for those that are some, points for others.
fn is_text_of(bytes: &[u8], text: &str) -> bool {
    let inner = |open, close| text.strip_prefix(open)?.strip_suffix(close);
    let framed = inner('|', '|').or_else(|| inner('>', '<'));
    if framed.is_some_and(|text| shows(bytes, text)) {
        return true;
    }
    // Blanks at the ends may be lost.
    let text = text.trim();
    let blanks = bytes.iter().take_while(|byte| **byte == b' ').count();
    (0..=blanks).any(|from| shows(&bytes[from..], text))
}

fn shows(bytes: &[u8], text: &str) -> bool {
    let mut letters = text.chars();
    let is_shown = |byte: &u8| match (letters.next(), byte) {
        (Some(letter), b' ') => matches!(letter, ' ' | '.'),
        (Some(letter), b'!'..=b'~') => letter == char::from(*byte),
        (Some(letter), _) => letter == '.' || !letter.is_ascii(),
        // A blank at the end.
        (None, byte) => *byte == b' ',
    };
    bytes.iter().all(is_shown) && letters.next().is_none()
}
