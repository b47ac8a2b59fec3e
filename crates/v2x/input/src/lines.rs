//! Lines of a file of text, of any number.

use std::io::{self, BufRead, Read};

use super::record::InputRecord;
use super::text::{Found, Item, TextReader, Wrong};
use super::unread::{FileLocation, UnreadFile, WrongLines};

/// The longest line: 16 MiB.
const LINE_MAX: u64 = 16 << 20;

/// Byte order mark that some programs write before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a text. A byte order mark, empty lines and those that begin with # are skipped. Returns
/// the lines that cannot be read; those after them are read.
pub(super) fn lines<E: From<UnreadFile>>(
    name: &str,
    mut input: Box<dyn BufRead>,
    take: &mut impl FnMut(InputRecord) -> Result<(), E>,
) -> Result<Vec<UnreadFile>, E> {
    let mut lines = Lines {
        name,
        number: 0,
        reader: TextReader::default(),
        items: Vec::new(),
        wrong: WrongLines::default(),
    };
    let mut line = Vec::new();
    loop {
        match lines.next(&mut input, &mut line) {
            Ok(true) => lines.give(take)?,
            Ok(false) => break,
            Err(error) => {
                let place = FileLocation::Line(lines.number);
                lines.finish(take)?;
                lines.wrong.push(UnreadFile::of(name, place, &error));
                return Ok(lines.wrong.finish(name));
            }
        }
    }
    lines.finish(take)?;
    Ok(lines.wrong.finish(name))
}

struct Lines<'n> {
    name: &'n str,
    number: usize,
    reader: TextReader,
    items: Vec<Item>,
    wrong: WrongLines,
}

impl Lines<'_> {
    /// Reads a line; false at the end.
    fn next(&mut self, input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
        let before = self.number;
        let passed = pass_ends(input, &mut self.number);
        if self.number > before {
            // Blocks end at empty lines.
            self.reader.line(before + 1, "", &mut self.items);
        }
        self.number += 1;
        passed?;
        line.clear();
        if input.take(LINE_MAX).read_until(b'\n', line)? == 0 {
            return Ok(false);
        }
        let is_cut = line.len() as u64 == LINE_MAX && line.last() != Some(&b'\n');
        if is_cut {
            pass_line(input)?;
        }
        let text = match (self.number, line.strip_prefix(BYTE_ORDER_MARK)) {
            (1, Some(text)) => text,
            _ => line,
        };
        match std::str::from_utf8(text) {
            _ if is_cut => self.wrong(
                "longer than 16 MiB, the most that a line may have",
                "give one message or certificate a line",
            ),
            Ok(text) => {
                let text = text.trim_end_matches(['\r', '\n']);
                // A carriage return alone ends a line, too, as spreadsheets can write it.
                for (at, line) in text.split('\r').enumerate() {
                    self.number += usize::from(at > 0);
                    self.reader.line(self.number, line, &mut self.items);
                }
            }
            Err(_) => self.wrong("not text in UTF-8", "save the file as UTF-8"),
        }
        Ok(true)
    }

    fn wrong(&mut self, error: &str, remedy: &'static str) {
        // The block before it ends with it.
        self.reader.end(&mut self.items);
        let (line, error) = (self.number, error.to_owned());
        self.items.push(Item::Wrong(Wrong {
            line,
            error,
            remedy,
        }));
    }

    fn finish<E>(&mut self, take: &mut impl FnMut(InputRecord) -> Result<(), E>) -> Result<(), E> {
        self.reader.end(&mut self.items);
        self.give(take)
    }

    fn give<E>(&mut self, take: &mut impl FnMut(InputRecord) -> Result<(), E>) -> Result<(), E> {
        for item in self.items.drain(..) {
            match item {
                Item::Found(found) => {
                    self.wrong.is_read = true;
                    take(record(self.name, found))?;
                }
                Item::Wrong(wrong) => self.wrong.push(UnreadFile {
                    file: self.name.to_owned(),
                    place: FileLocation::Line(wrong.line),
                    error: wrong.error,
                    remedy: wrong.remedy,
                }),
            }
        }
        Ok(())
    }
}

fn record(name: &str, found: Found) -> InputRecord {
    let place = match found.lines {
        (first, last) if first == last => FileLocation::Line(first),
        (first, last) => FileLocation::Lines(first, last),
    };
    InputRecord {
        label: found.label,
        remark: found.remark,
        ..InputRecord::of(place.of(name), found.bytes)
    }
}

/// Skips the rest of a line.
fn pass_line(input: &mut impl BufRead) -> io::Result<()> {
    loop {
        let block = input.fill_buf()?;
        let (length, is_end) = match block.iter().position(|byte| *byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (block.len(), block.is_empty()),
        };
        input.consume(length);
        if is_end {
            return Ok(());
        }
    }
}

/// Passes over ends of lines, however many: no time is spent on each.
fn pass_ends(input: &mut impl BufRead, number: &mut usize) -> io::Result<()> {
    loop {
        let ends = leading_ends(input.fill_buf()?);
        if ends == 0 {
            return Ok(());
        }
        *number += ends;
        input.consume(ends);
    }
}

/// Counts the ends of lines with which bytes begin: blocks are compared as a whole, without a step
/// for each byte.
fn leading_ends(bytes: &[u8]) -> usize {
    const ENDS: [u8; 1 << 10] = [b'\n'; 1 << 10];
    let blocks = bytes.chunks(ENDS.len());
    let whole = blocks.take_while(|block| **block == ENDS[..block.len()]);
    let whole: usize = whole.map(<[u8]>::len).sum();
    let rest = bytes[whole..].iter();
    whole + rest.take_while(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_ends_of_lines_are_counted_in_blocks_and_beside_them() {
        for ends in [0, 1, 7, 1_023, 1_024, 1_025, 5_000] {
            let only = vec![b'\n'; ends];
            assert_eq!(leading_ends(&only), ends);
            assert_eq!(leading_ends(&[&only[..], b"0a\n\n"].concat()), ends);
        }
    }

    /// Ends of lines in either form, and a bad line in the middle, through the reader of files.
    #[test]
    fn a_bad_line_costs_no_other_with_any_end_of_lines() {
        let text = "# a dump\n00000000  03 80 03 01 02 03  |......|\n00000006\nzz\n0380 0301\n0203";
        for text in ["\n", "\r\n", "\r"].map(|end| text.replace('\n', end)) {
            let mut all = Vec::new();
            let input: Box<dyn BufRead> = Box::new(io::Cursor::new(text.into_bytes()));
            let wrong = lines::<UnreadFile>("file", input, &mut |record: InputRecord| {
                all.push((record.place, record.bytes));
                Ok(())
            });
            let wrong = wrong.unwrap();
            let message = vec![3, 0x80, 3, 1, 2, 3];
            let expected =
                ["file:2-3", "file:5-6"].map(|place| (place.to_owned(), message.clone()));
            assert_eq!(all, expected);
            assert_eq!(wrong.len(), 1);
            assert_eq!(wrong[0].place, FileLocation::Line(4));
        }
    }
}
