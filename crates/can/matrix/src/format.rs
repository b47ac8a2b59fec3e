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

/// Limit on the beginning of a file that tells its format, in bytes.
const HEAD_MAX: usize = 16_384;

impl MatrixFormat {
    /// Tells the format from the first bytes of a file; none if they tell nothing.
    #[must_use]
    pub fn of_bytes(head: &[u8]) -> Option<Self> {
        let mut end = head.len().min(HEAD_MAX);
        // Only a whole character is decoded as the encoding it has.
        if std::str::from_utf8(&head[..end]).is_err_and(|error| error.error_len().is_none()) {
            end = std::str::from_utf8(&head[..end])
                .map_or_else(|error| error.valid_up_to(), str::len);
        }
        Self::of_text(&text::decode(&head[..end]))
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
        let line = start.lines().find(|line| {
            let line = line.trim_start();
            !line.is_empty() && !line.starts_with("//")
        })?;
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
