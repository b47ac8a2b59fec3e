//! Texts of message matrices in the encodings that tools write.

use std::borrow::Cow;

/// Returns the text of a file: UTF-16 or UTF-8 by its mark, UTF-16 by the zero bytes of its first
/// characters, UTF-8, or else Windows-1252.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf_16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf_16(rest, u16::from_be_bytes)),
        [_, 0, _, 0, ..] => Cow::Owned(utf_16(bytes, u16::from_le_bytes)),
        [0, _, 0, _, ..] => Cow::Owned(utf_16(bytes, u16::from_be_bytes)),
        _ => waywarden_can_dbc::decode(bytes),
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Returns the beginning of a text for a message, without what a terminal would act on.
pub(crate) fn excerpt(text: &str) -> String {
    const LETTERS_MAX: usize = 60;
    let text = text.trim();
    let plain = |letter: char| if letter.is_control() { '?' } else { letter };
    let shown: String = text.chars().take(LETTERS_MAX).map(plain).collect();
    match text.chars().nth(LETTERS_MAX) {
        Some(_) => shown + "...",
        None => shown,
    }
}
