//! XML cut where each `<` stands, so that a damaged piece costs itself only.
//!
//! A reader of whole XML documents ends at the first fault. In XML a `<` begins markup everywhere
//! but in comments and CDATA, in attributes too, so that each piece can be read by itself.

use std::io::BufRead;

use quick_xml::events::BytesStart;

use crate::error::{ReadError, TrackCause, shortened};
use crate::input::Counted;

/// Markup, and the text up to the next markup.
#[derive(Debug)]
pub(crate) enum Piece {
    /// An element begins; its tag, and the text.
    Start(Tag, String),
    /// An element that is empty.
    Empty(Tag),
    /// An element of this local name ends.
    End(String),
    /// Text that is marked as such, or stands behind a comment.
    Characters(String),
    /// A comment without an end, a declaration or an instruction.
    Other,
    /// Markup that cannot be read.
    Damaged(String),
}

/// The text of a tag between its brackets.
#[derive(Debug)]
pub(crate) struct Tag {
    text: String,
    name_length: usize,
}

impl Tag {
    fn new(text: &str) -> Self {
        let is_end = |one: char| one.is_ascii_whitespace();
        Self {
            name_length: text.find(is_end).unwrap_or(text.len()),
            text: text.to_owned(),
        }
    }

    /// The name without its prefix.
    pub(crate) fn name(&self) -> &str {
        local(self.text.get(..self.name_length).unwrap_or_default())
    }

    pub(crate) fn element(&self) -> BytesStart<'_> {
        BytesStart::from_content(self.text.as_str(), self.name_length)
    }
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// The pieces of a file.
pub(crate) struct Pieces<R> {
    input: Counted<R>,
    buffer: Vec<u8>,
}

impl<R: BufRead> Pieces<R> {
    /// Skips what stands before the first markup.
    pub(crate) fn new(input: R) -> Result<Self, ReadError> {
        let mut pieces = Self {
            input: Counted::new(input),
            buffer: Vec::new(),
        };
        pieces.fill(1)?;
        Ok(pieces)
    }

    /// Reads up to the next `<`.
    fn fill(&mut self, line: u64) -> Result<bool, ReadError> {
        let read = self.input.read_until(b'<', &mut self.buffer);
        let read = read.map_err(|error| ReadError::at_line(line, error.into()))?;
        Ok(read > 0)
    }

    /// The line that is read.
    pub(crate) fn line(&self) -> u64 {
        self.input.line()
    }

    /// Returns the next piece and the line that it begins in; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<(u64, Piece)>, ReadError> {
        let line = self.input.line();
        self.buffer.clear();
        self.input.pause();
        if !self.fill(line)? {
            return Ok(None);
        }
        for (begin, end) in [("!--", "-->"), ("![CDATA[", "]]>")] {
            if !self.buffer.starts_with(begin.as_bytes()) {
                continue;
            }
            // Only the last bytes are new.
            let mut from = begin.len();
            while !contains(self.buffer.get(from..).unwrap_or_default(), end.as_bytes()) {
                from = self.buffer.len().saturating_sub(end.len()).max(begin.len());
                if !self.fill(line)? {
                    break;
                }
            }
        }
        if self.buffer.last() == Some(&b'<') {
            self.buffer.pop();
        }
        Ok(Some((line, piece(&String::from_utf8_lossy(&self.buffer)))))
    }
}

fn contains(bytes: &[u8], piece: &[u8]) -> bool {
    bytes.windows(piece.len()).any(|window| window == piece)
}

/// The end of a tag: a `>` outside of the quotes of its attributes.
fn end(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, one) in text.char_indices() {
        match (one, quote) {
            ('>', None) => return Some(at),
            ('"' | '\'', None) => quote = Some(one),
            (one, Some(open)) if one == open => quote = None,
            _ => {}
        }
    }
    None
}

fn piece(text: &str) -> Piece {
    if let Some(characters) = text.strip_prefix("![CDATA[") {
        return Piece::Characters(match characters.split_once("]]>") {
            Some((marked, rest)) => format!("{marked}{rest}"),
            None => characters.to_owned(),
        });
    }
    // The text of an element goes on behind a comment.
    if let Some((_, rest)) = text
        .strip_prefix("!--")
        .and_then(|text| text.split_once("-->"))
    {
        return Piece::Characters(rest.to_owned());
    }
    if text.starts_with(['!', '?']) {
        return Piece::Other;
    }
    let Some(end) = end(text) else {
        return Piece::Damaged(shortened(text.trim()));
    };
    let (tag, rest) = text.split_at(end);
    let rest = rest.strip_prefix('>').unwrap_or_default();
    if let Some(name) = tag.strip_prefix('/') {
        return Piece::End(local(name.trim()).to_owned());
    }
    match tag.strip_suffix('/') {
        Some(tag) => Piece::Empty(Tag::new(tag)),
        None => Piece::Start(Tag::new(tag), rest.to_owned()),
    }
}

/// The cause of markup that cannot be read.
pub(crate) fn damaged(text: &str) -> TrackCause {
    TrackCause::Xml(format!("<{text} is no tag"))
}
