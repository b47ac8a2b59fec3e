//! Words of a line, cut at blanks.

use crate::digits::spaced_hex_bytes;

/// Cuts a line into words at blanks.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
    /// A bit for each of the next bytes, the first one lowest: set for a blank, not for another
    /// byte or one that has not been looked at.
    blanks: u64,
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Words {
            rest: line,
            blanks: 0,
        }
    }

    /// The same for a line of many words, whose blanks are found all at once.
    #[inline]
    pub(crate) fn of_columns(line: &'a [u8]) -> Self {
        Words {
            rest: line,
            blanks: blanks(line),
        }
    }

    /// Returns the rest of the text, without blanks around it.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest.trim_ascii()
    }

    /// Returns true if the text is over: lines come without blanks at their end.
    pub(crate) const fn is_over(&self) -> bool {
        self.rest.is_empty()
    }

    /// Takes exactly so many bytes of two hexadecimal digits each, with one blank between them;
    /// false, with nothing taken, where the text has another form.
    pub(crate) fn take_hex(&mut self, bytes: &mut [u8]) -> bool {
        let text = self.at_word();
        let Some(needed) = (3 * bytes.len()).checked_sub(1) else {
            return true;
        };
        let Some((digits, rest)) = text.split_at_checked(needed) else {
            return false;
        };
        let are_right =
            rest.first().is_none_or(u8::is_ascii_whitespace) && spaced_hex_bytes(digits, bytes);
        if are_right {
            (self.rest, self.blanks) = (rest, 0);
        }
        are_right
    }

    /// Returns true if the next word is this one.
    pub(crate) fn is_next(&self, word: &[u8]) -> bool {
        let text = self.at_word();
        text.first() == word.first() && text[..word_length(text)] == *word
    }

    /// Returns the text from the next word on.
    fn at_word(&self) -> &'a [u8] {
        let known = self.blanks.trailing_ones() as usize;
        skip_blanks(self.rest.get(known..).unwrap_or_default())
    }

    /// Takes the next word, whose end the blanks do not tell.
    fn next_unseen(&mut self) -> Option<&'a [u8]> {
        let text = self.at_word();
        let (word, rest) = text.split_at(word_length(text));
        (self.rest, self.blanks) = (rest, 0);
        (!word.is_empty()).then_some(word)
    }

    /// Returns the next word without taking it.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }
}

/// Takes the blanks off the start of a text: columns of a table have several.
fn skip_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
    if rest.first().is_some_and(u8::is_ascii_graphic) {
        return rest;
    }
    while let Some(eight) = rest.first_chunk() {
        let others = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b' '));
        rest = &rest[(others.trailing_zeros() / 8) as usize..];
        if others != 0 {
            break;
        }
    }
    rest.trim_ascii_start()
}

/// Returns the length of the word at the start of a text.
fn word_length(text: &[u8]) -> usize {
    let mut at = 0;
    // Most words are shorter than eight bytes: the first byte of them up to a blank is found at
    // once. A bit is set in it, and perhaps in bytes behind it.
    while let Some(eight) = text[at..].first_chunk() {
        let eight = u64::from_le_bytes(*eight);
        let low = eight.wrapping_sub(ONES * 0x21) & !eight & HIGHS;
        if low != 0 {
            at += (low.trailing_zeros() / 8) as usize;
            break;
        }
        at += 8;
    }
    let rest = text[at..].iter().position(u8::is_ascii_whitespace);
    rest.map_or(text.len(), |rest| at + rest)
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let start = self.blanks.trailing_ones();
        let blanks = self.blanks.checked_shr(start).unwrap_or(0);
        if blanks == 0 {
            return self.next_unseen();
        }
        let length = blanks.trailing_zeros();
        let text = self.rest.get(start as usize..)?;
        let (word, rest) = text.split_at_checked(length as usize)?;
        (self.rest, self.blanks) = (rest, blanks >> length);
        Some(word)
    }
}

/// Returns a bit for each blank of the first 64 bytes, the first one lowest. Those behind a byte
/// below the usual blank, such as a tabulator, and the last ones are not looked at.
fn blanks(text: &[u8]) -> u64 {
    // Puts the highest bits of eight bytes side by side, at the top.
    const SIDE_BY_SIDE: u64 = 0x0002_0408_1020_4081;
    let mut blanks = 0;
    for (place, eight) in text.as_chunks::<8>().0.iter().take(8).enumerate() {
        let usual = marks(*eight, b' ');
        let eight = u64::from_le_bytes(*eight);
        let low = !(((eight & !HIGHS) + ONES * (0x80 - 0x21)) | eight) & HIGHS;
        if low != usual {
            break;
        }
        blanks |= (usual.wrapping_mul(SIDE_BY_SIDE) >> 56) << (8 * place);
    }
    blanks
}

/// Returns the highest bit of each of eight bytes that is this one, the first byte lowest.
#[inline]
pub(crate) const fn marks(eight: [u8; 8], byte: u8) -> u64 {
    let other = u64::from_le_bytes(eight) ^ (ONES * byte as u64);
    !(((other & !HIGHS) + !HIGHS) | other) & HIGHS
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;
