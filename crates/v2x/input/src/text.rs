//! Messages and certificates in text: one a line, or in a form that takes several lines.
//!
//! Each line goes to the block that is open, or opens one, or stands alone. A block is bounded by
//! [`BLOCK_MAX`]; what it cannot read comes out line by line, so that no byte is lost in silence.

mod armour;
mod braced;
mod dump;
mod lists;
#[cfg(test)]
mod tests;
mod words;
mod wrapped;

use self::armour::Armour;
use self::braced::Braced;
use self::dump::Dump;
use self::wrapped::Wrapped;
use super::digits::{self, Labelled, WrongText};
use super::record::is_whole;

/// The most text of one block: 16 MiB.
const BLOCK_MAX: usize = 16 << 20;

/// Something in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// Bytes.
    Found(Found),
    /// A line or a block that cannot be read.
    Wrong(Wrong),
}

/// Bytes in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The first and the last line.
    pub(super) lines: (usize, usize),
    /// The label before or around the bytes.
    pub(super) label: Option<String>,
    pub(super) bytes: Vec<u8>,
    /// Way in which the bytes were put together, for a reader who learns that they are no message.
    pub(super) remark: Option<String>,
}

/// Text that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) error: String,
    pub(super) remedy: &'static str,
}

impl Item {
    fn found(lines: (usize, usize), label: Option<String>, bytes: Vec<u8>) -> Self {
        Self::Found(Found {
            lines,
            label,
            bytes,
            remark: None,
        })
    }

    fn wrong(line: usize, error: impl Into<String>, remedy: &'static str) -> Self {
        let error = error.into();
        Self::Wrong(Wrong {
            line,
            error,
            remedy,
        })
    }
}

/// A block's handling of a line.
enum Step {
    /// The line is part of it.
    Taken,
    /// The line is the last part of it.
    Ended,
    /// The line is no part of it.
    Foreign,
}

/// Several lines that belong together.
enum Block {
    Armour(Armour),
    Braced(Braced),
    Dump(Dump),
    Wrapped(Wrapped),
}

impl Block {
    fn step(&mut self, number: usize, line: &str) -> Step {
        match self {
            Self::Armour(block) => block.step(line),
            Self::Braced(block) => block.step(number, line),
            Self::Dump(block) => block.step(number, line),
            Self::Wrapped(block) => block.step(number, line),
        }
    }

    fn finish(self, items: &mut Vec<Item>) {
        match self {
            Self::Armour(block) => block.finish(items),
            Self::Braced(block) => {
                for (number, line) in block.finish(items) {
                    alone(number, &line, items);
                }
            }
            Self::Dump(block) => block.finish(items),
            Self::Wrapped(block) => block.finish(items),
        }
    }
}

/// Reads a text line by line.
#[derive(Default)]
pub(super) struct TextReader {
    block: Option<Block>,
    /// Name and size of the last array, whose size may stand behind it.
    array: Option<(String, usize)>,
    /// True between the brackets of an array that stand on lines of their own.
    is_in_array: bool,
}

impl TextReader {
    /// Reads a line, counted from 1.
    pub(super) fn line(&mut self, number: usize, line: &str, items: &mut Vec<Item>) {
        self.take(number, &lists::without_casts(line), items);
    }

    fn take(&mut self, number: usize, line: &str, items: &mut Vec<Item>) {
        let Some(mut block) = self.block.take() else {
            return self.start(number, line, items);
        };
        match block.step(number, line) {
            Step::Taken => self.block = Some(block),
            Step::Ended => self.finish(block, items),
            Step::Foreign => {
                self.finish(block, items);
                self.start(number, line, items);
            }
        }
    }

    fn finish(&mut self, block: Block, items: &mut Vec<Item>) {
        let is_array = matches!(block, Block::Braced(_));
        block.finish(items);
        self.array = match items.last() {
            Some(Item::Found(found)) if is_array => {
                found.label.clone().map(|name| (name, found.bytes.len()))
            }
            _ => None,
        };
    }

    /// Returns true for the size of the array before, as `xxd -i` writes it.
    fn is_size(&self, line: &str) -> bool {
        let Some((name, size)) = &self.array else {
            return false;
        };
        let declared = line.strip_prefix("unsigned int ");
        let declared = declared.and_then(|line| line.strip_prefix(name.as_str()));
        let declared = declared.and_then(|line| line.strip_prefix("_len = "));
        declared.is_some_and(|line| line.trim_end_matches(';').parse() == Ok(*size))
    }

    /// Reads the end.
    pub(super) fn end(&mut self, items: &mut Vec<Item>) {
        if let Some(block) = self.block.take() {
            block.finish(items);
        }
    }

    /// Reads a line that no block is open for.
    fn start(&mut self, number: usize, line: &str, items: &mut Vec<Item>) {
        let trimmed = line.trim();
        match trimmed {
            "" => return,
            "[" => {
                self.is_in_array = true;
                return;
            }
            "]" | "]," | "];" if self.is_in_array => {
                self.is_in_array = false;
                return;
            }
            _ if trimmed.starts_with('#') || is_comment(trimmed) || self.is_size(trimmed) => return,
            _ => {}
        }
        let block = Armour::start(number, trimmed).map(Block::Armour);
        let block = block.or_else(|| Dump::start(number, line).map(Block::Dump));
        let block = block.or_else(|| Braced::opens(trimmed).map(Block::Braced));
        match block {
            // Its first line may be its last one.
            Some(Block::Braced(block)) => {
                self.block = Some(Block::Braced(block));
                self.take(number, line, items);
            }
            Some(block) => self.block = Some(block),
            None => match single(number, line, items) {
                Alone::Read => {}
                Alone::Part(read) => {
                    self.block = Some(Block::Wrapped(Wrapped::start(number, line, read)));
                }
            },
        }
    }
}

/// Returns true for a line that is a comment of C.
fn is_comment(line: &str) -> bool {
    let is_one = |text: &str| !text.contains("*/");
    let inner = || line.strip_prefix("/*")?.strip_suffix("*/");
    line.starts_with("//") || inner().is_some_and(is_one)
}

/// Result of reading a line by itself.
enum Alone {
    /// Read, with what it has among the items.
    Read,
    /// Perhaps a part of something, with what it is alone: no item yet.
    Part(Result<Option<Labelled>, WrongText>),
}

/// Reads a line by itself, unless it may be a part of a message.
fn single(number: usize, line: &str, items: &mut Vec<Item>) -> Alone {
    let lines = (number, number);
    match digits::record(line) {
        Ok(None) => {}
        Ok(Some((label, bytes))) if is_whole(&bytes) => {
            items.push(Item::found(lines, label, bytes));
        }
        Ok(read) => return Alone::Part(Ok(read)),
        Err(wrong) => match words::find(line) {
            Some(Ok((label, bytes))) => items.push(Item::found(lines, label, bytes)),
            Some(Err((error, remedy))) => items.push(Item::wrong(number, error, remedy)),
            None if wrapped::is_piece(line) => return Alone::Part(Err(wrong)),
            None => {
                let (error, remedy) = words::explain(line).unwrap_or(wrong);
                items.push(Item::wrong(number, error, remedy));
            }
        },
    }
    Alone::Read
}

/// Reads a line by itself, with an object of JSON or a list on it.
fn alone(number: usize, line: &str, items: &mut Vec<Item>) {
    let mut no_list = None;
    if let Some(mut block) = Braced::opens(line.trim())
        && matches!(block.step(number, line), Step::Ended)
        && block.is_whole()
    {
        if block.finish(items).is_empty() {
            return;
        }
        no_list = lists::arrays(line, (number, number), &mut Vec::new()).err();
    }
    let begun = items.len();
    if let Alone::Part(read) = single(number, line, items) {
        Wrapped::start(number, line, read).finish(items);
    }
    // What is wrong with a list says more than that the line is nothing else.
    let is_wrong = |item: &Item| matches!(item, Item::Wrong(_));
    if let Some((error, remedy)) = no_list
        && items[begun..].iter().all(is_wrong)
    {
        items.truncate(begun);
        items.push(Item::wrong(number, error, remedy));
    }
}
