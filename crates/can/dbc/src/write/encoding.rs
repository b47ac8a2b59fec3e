//! The encoding of DBC files: Windows-1252, which Vector's editor and most readers take them for.

use std::borrow::Cow;

use crate::decode;

/// The letters of Windows-1252 from 0x80 to 0x9F; those without a letter stand for themselves.
const LETTERS: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2C6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

/// Returns the bytes of a DBC text: in Windows-1252 where it has all letters and [`decode`] reads
/// them back, else in UTF-8. The two are the same for plain letters.
#[must_use]
pub fn encode(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let bytes: Option<Vec<u8>> = text.chars().map(byte).collect();
    match bytes {
        Some(bytes) if decode(&bytes) == text => Cow::Owned(bytes),
        _ => Cow::Borrowed(text.as_bytes()),
    }
}

fn byte(letter: char) -> Option<u8> {
    if let Some(at) = LETTERS.iter().position(|one| *one == letter) {
        return u8::try_from(0x80 + at).ok();
    }
    match u8::try_from(letter) {
        Ok(0x80..=0x9F) | Err(_) => None,
        Ok(byte) => Some(byte),
    }
}
