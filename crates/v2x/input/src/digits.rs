//! Hexadecimal digits, and lines of them.

use std::borrow::Cow;

use super::foreign::foreign;

/// A label, if there is one, and bytes.
pub(super) type Labelled = (Option<String>, Vec<u8>);

/// Reads a line; `None` if there is nothing to read in it. What is wrong, and what can be done.
pub(super) fn record(line: &str) -> Result<Option<Labelled>, (&'static str, &'static str)> {
    match plain_record(line.trim()) {
        Some(found) => Ok(Some(found)),
        None => any_record(line),
    }
}

/// Reads a line in any form.
fn any_record(line: &str) -> Result<Option<Labelled>, (&'static str, &'static str)> {
    let mut words = line.split_whitespace();
    let (Some(first), rest) = (words.next(), words.collect::<Vec<_>>()) else {
        return Ok(None);
    };
    if first.starts_with('#') {
        return Ok(None);
    }
    let (label, digits) = match rest.as_slice() {
        [] => (None, Cow::Borrowed(first)),
        rest if is_hex(first) && first.len() == 2 => {
            // Bytes that are set apart.
            (None, Cow::Owned(format!("{first}{}", rest.concat())))
        }
        rest => (Some(first.to_owned()), Cow::Owned(rest.concat())),
    };
    match hex(&digits) {
        Some(bytes) => Ok(Some((label, bytes))),
        None => Err(match foreign(first.as_bytes()) {
            Some(other) => (other, "give messages and certificates of IEEE 1609.2"),
            None => (
                "no hexadecimal digits, two for each byte, after an optional first word",
                "correct it, or put # before it",
            ),
        }),
    }
}

/// Reads the usual line, digits in one word with a label or without, in one pass; `None` if it is
/// another one.
fn plain_record(line: &str) -> Option<Labelled> {
    if let Some(bytes) = hex(line) {
        return Some((None, bytes));
    }
    let (label, digits) = line.split_once(' ')?;
    let is_label = !label.starts_with('#') && !label.contains(char::is_whitespace);
    let is_byte = label.len() == 2 && is_hex(label);
    match is_label && !is_byte {
        true => Some((Some(label.to_owned()), hex(digits)?)),
        false => None,
    }
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads hexadecimal digits.
pub fn hex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits).as_bytes();
    if digits.is_empty() || !digits.len().is_multiple_of(2) {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() / 2);
    for pair in digits.chunks_exact(2) {
        let [high, low] = [pair[0], pair[1]].map(|digit| VALUES[usize::from(digit)]);
        if high | low > 0xF {
            return None;
        }
        bytes.push(high << 4 | low);
    }
    Some(bytes)
}

/// What a hexadecimal digit stands for; more than 15 for what is none.
const VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0;
    while value < 16 {
        values[DIGITS[value].to_ascii_uppercase() as usize] = value as u8;
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Writes hexadecimal digits.
pub fn show(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from(DIGITS[usize::from(value & 0xF)]);
    let pairs = bytes.iter().map(|byte| [digit(byte >> 4), digit(*byte)]);
    pairs.flatten().collect()
}

#[cfg(test)]
mod tests {
    use waywarden_testkit::{Random, seeds};

    use super::*;

    #[test]
    fn usual_lines_are_read_in_one_pass_as_any_line_is() {
        const PARTS: [&str; 16] = [
            " ", "  ", "\t", "\u{b}", "\u{2003}", "0x", "#", "ab", "C0", "f", "c0ffee", "label",
            "ab-cd", "\u{fc}", "0", "\r",
        ];
        let mut random = Random::of_test("lines of digits");
        let (mut usual, mut read) = (0, 0);
        for _ in 0..seeds(20_000) {
            let parts = 1 + random.index(6);
            let line: String = (0..parts)
                .map(|_| PARTS[random.index(PARTS.len())])
                .collect();
            let expected = any_record(&line);
            if let Some(found) = plain_record(line.trim()) {
                usual += 1;
                assert_eq!(Ok(Some(found)), expected, "{line:?}");
            }
            read += usize::from(matches!(expected, Ok(Some(_))));
        }
        println!("{usual} of {read} lines in one pass");
        assert!(usual > 100 && usual < read);
    }

    #[test]
    fn bytes_are_read_from_digits_as_they_are_written() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let digits = show(&bytes);
        assert_eq!(hex(&digits).as_ref(), Some(&bytes));
        assert_eq!(hex(&digits.to_uppercase()), Some(bytes));
        for wrong in [
            "", "0x", "0", "0g", "g0", "/0", ":0", "@0", "`0", "0 ", "\u{fc}",
        ] {
            assert_eq!(hex(wrong), None, "{wrong}");
        }
    }
}
