//! Hexadecimal digits, and lines of them.

#[cfg(test)]
mod tests;

use super::foreign::foreign;
use super::record::is_whole;

/// A label, if there is one, and bytes.
pub(super) type Labelled = (Option<String>, Vec<u8>);

/// Error in a text, and its remedy.
pub(super) type WrongText = (String, &'static str);

/// Reads a line; `None` if there is nothing to read in it.
pub(super) fn record(line: &str) -> Result<Option<Labelled>, WrongText> {
    match plain_record(line.trim()) {
        Some(found) => Ok(Some(found)),
        None => any_record(line),
    }
}

/// Reads a line in any form: digits in one piece or in groups, after an optional label.
fn any_record(line: &str) -> Result<Option<Labelled>, WrongText> {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let (first, rest) = match line.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (line, ""),
    };
    if let Some(bytes) = grouped(line) {
        return Ok(Some((None, bytes)));
    }
    // Digits before several groups may be one of them; or the beginning of a message.
    let is_doubtful = match hex(first) {
        Some(bytes) => rest.contains(char::is_whitespace) || begins(&bytes),
        None => false,
    };
    if let Some(bytes) = grouped(rest).filter(|_| !is_doubtful) {
        return Ok(Some((Some(first.to_owned()), bytes)));
    }
    let is_all_digits = |text: &str| text.split_whitespace().all(|word| hex(word).is_some());
    if is_all_digits(line) {
        let error = "groups of digits of different sizes: the first one may be a label or bytes";
        return Err((error.to_owned(), "write the digits in one piece"));
    }
    if let Some(count) = odd(if rest.is_empty() { line } else { rest }) {
        return Err((
            format!("an odd number of hexadecimal digits ({count})"),
            "a digit is missing or one too many: copy it again",
        ));
    }
    // A word of base64 that is no message is a word, as is any other.
    let coded = |word: &str| base64(word).filter(|bytes| is_whole(bytes));
    match (coded(first), coded(rest)) {
        (Some(bytes), _) if rest.is_empty() => return Ok(Some((None, bytes))),
        (_, Some(bytes)) => return Ok(Some((Some(first.to_owned()), bytes))),
        _ => {}
    }
    Err(match foreign(first.as_bytes()) {
        Some(other) => (
            other.to_owned(),
            "give messages and certificates of IEEE 1609.2",
        ),
        None => (
            "no hexadecimal digits, two for each byte, after an optional first word, and no \
             message in base64"
                .to_owned(),
            "correct it, or put # before it",
        ),
    })
}

/// Counts the digits of a word that has nothing else, if their number is odd.
fn odd(word: &str) -> Option<usize> {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (are_digits && digits.len() % 2 == 1).then_some(digits.len())
}

/// Returns true for bytes that begin as an SPDU or a certificate does.
pub(super) fn begins(bytes: &[u8]) -> bool {
    matches!(bytes, [3, 0x80..=0x83, ..] | [0x80 | 0, 3, 0 | 1, ..])
}

/// Reads groups of digits: all of one even size, the last one at most as long, with white space,
/// commas, colons, hyphens or the marks of C around them.
pub(super) fn grouped(text: &str) -> Option<Vec<u8>> {
    let text = match text.split_once('{') {
        Some((name, _)) if !matches!(name.trim_end().bytes().last(), None | Some(b'=')) => {
            return None;
        }
        Some((_, list)) => list.trim_end_matches([';', '}', ' ', '\t', ',']),
        None => text.trim_end_matches([',', ';']),
    };
    // One kind of separator, so that a label with another kind stays one.
    for separator in [",", ":", "-", "\\x"] {
        if text.contains(separator) {
            let text = match separator {
                "\\x" => text.trim_matches('"').strip_prefix(separator)?,
                _ => text,
            };
            let is_spaced = separator != "," && text.contains(char::is_whitespace);
            return match is_spaced {
                true => None,
                false => join(text.split(separator).map(str::trim)),
            };
        }
    }
    join(text.split_whitespace())
}

fn join<'a>(groups: impl Iterator<Item = &'a str>) -> Option<Vec<u8>> {
    let mut all = String::new();
    let (mut size, mut last) = (None, None);
    for group in groups {
        let marked = group
            .strip_prefix("0x")
            .or_else(|| group.strip_prefix("0X"));
        let digits = marked.unwrap_or(group);
        // In C a small number has one digit.
        let is_single = marked.is_some() && digits.len() == 1;
        let length = digits.len() + usize::from(is_single);
        let expected = *size.get_or_insert((length, marked.is_some()));
        let is_whole = last.is_none_or(|last| last == expected.0);
        let is_alike = length <= expected.0 && marked.is_some() == expected.1;
        if length == 0 || !length.is_multiple_of(2) || !is_whole || !is_alike {
            return None;
        }
        last = Some(length);
        all.push_str(if is_single { "0" } else { "" });
        all.push_str(digits);
    }
    hex(&all)
}

/// Reads base64 in either alphabet, padded or not \[RFC 4648\].
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    if digits.is_empty() || digits.len() % 4 == 1 || padding > 2 {
        return None;
    }
    if padding > 0 && !text.len().is_multiple_of(4) {
        return None;
    }
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0_u32);
    for letter in digits.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

/// Reads the usual line, digits in one word with a label or without, in one pass; `None` if it is
/// another one.
fn plain_record(line: &str) -> Option<Labelled> {
    if let Some(bytes) = hex(line) {
        return Some((None, bytes));
    }
    let (label, digits) = line.split_once(' ')?;
    let bytes = hex(digits)?;
    // A shorter first group is no group, for the last one may only be shorter.
    let is_group = grouped(label).is_some() && label.len() >= digits.len();
    let is_label = !label.starts_with(['#', '0', '8']) && !label.contains(char::is_whitespace);
    (is_label && !is_group && !label.ends_with([',', ';', '{']))
        .then(|| (Some(label.to_owned()), bytes))
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

/// Values of hexadecimal digits by character; more than 15 for other characters.
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
