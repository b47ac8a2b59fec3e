//! Formats of message matrices, told apart by their content.

use crate::text;

/// A format of message matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixFormat {
    /// Vector's DBC.
    #[default]
    Dbc,
    /// An AUTOSAR system description in XML.
    Arxml,
    /// Kayak's network definition in XML.
    Kcd,
    /// A symbol file of PEAK's tools.
    Sym,
}

/// The beginning of a file that is looked at first, in bytes.
const HEAD: usize = 16_384;

impl MatrixFormat {
    /// Tells the format from the bytes of a file, or from its first ones; none if they tell
    /// nothing. No more is decoded than comes before the first element or statement, of which
    /// comments of any length may come before.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let mut end = HEAD;
        loop {
            let head = whole_letters(&bytes[..bytes.len().min(end)]);
            let text = text::decode(head);
            let found = Self::of_text(&text);
            if is_decided(&text) || end >= bytes.len() {
                return found;
            }
            end = end.saturating_mul(8);
        }
    }

    /// Tells the format of a decoded text.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        let start = text.trim_start();
        if start.starts_with('<') {
            return root_name(start).and_then(|name| match local(name) {
                "AUTOSAR" => Some(Self::Arxml),
                "NetworkDefinition" => Some(Self::Kcd),
                _ => None,
            });
        }
        let line = start.lines().find(|line| is_statement(line))?;
        let word = line.trim_start();
        let is_sym = word
            .strip_prefix("FormatVersion")
            .is_some_and(|rest| rest.trim_start().starts_with('='));
        let is_dbc = ["VERSION", "NS_", "BS_", "BU_", "BO_"]
            .iter()
            .any(|statement| word.starts_with(statement));
        match () {
            () if is_sym => Some(Self::Sym),
            () if is_dbc => Some(Self::Dbc),
            () => None,
        }
    }

    /// Returns the name of the format with its article.
    #[must_use]
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::Dbc => "a DBC",
            Self::Arxml => "an ARXML",
            Self::Kcd => "a KCD",
            Self::Sym => "a SYM",
        }
    }

    /// Returns the name of the format for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Dbc => "DBC",
            Self::Arxml => "ARXML",
            Self::Kcd => "KCD",
            Self::Sym => "SYM",
        }
    }
}

/// Returns the bytes without the beginning of a letter of UTF-8 at their end, so that what is
/// whole is decoded as the encoding it has.
fn whole_letters(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

/// Returns true if the beginning of a text has a whole first element or statement, so that what
/// follows tells nothing else.
fn is_decided(text: &str) -> bool {
    let start = text.trim_start();
    match start.starts_with('<') {
        true => root_name(start).is_some_and(|name| !start.ends_with(name)),
        false => start.lines().any(is_statement),
    }
}

/// Returns true for a line with anything but a comment.
fn is_statement(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with("//")
}

/// Returns the name of the first element, behind declarations, comments and a document type.
pub(crate) fn root_name(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        let start = rest.find('<')?;
        rest = &rest[start + 1..];
        let end = match rest.as_bytes().first()? {
            b'?' => "?>",
            b'!' if rest.starts_with("!--") => "-->",
            b'!' => ">",
            _ => break,
        };
        rest = &rest[rest.find(end)?..];
    }
    let is_end = |letter: char| letter.is_ascii_whitespace() || "/>".contains(letter);
    let end = rest.find(is_end).unwrap_or(rest.len());
    Some(&rest[..end])
}

fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
