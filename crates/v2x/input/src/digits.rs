//! Hexadecimal digits, and lines of them.

use super::foreign::foreign;
use super::record::{Recognized, Record};

/// A label, if there is one, and bytes.
pub(super) type Labelled = (Option<String>, Vec<u8>);

/// Reads a line; `None` if there is nothing to read in it. What is wrong, and what can be done.
pub(super) fn record(line: &str) -> Result<Option<Labelled>, (&'static str, &'static str)> {
    match plain_record(line.trim()) {
        Some(found) => Ok(Some(found)),
        None => any_record(line),
    }
}

/// Reads a line in any form: digits in one piece or in groups, after an optional label.
fn any_record(line: &str) -> Result<Option<Labelled>, (&'static str, &'static str)> {
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
    // Digits before several groups may be one of them.
    let is_doubtful = hex(first).is_some() && rest.contains(char::is_whitespace);
    if let Some(bytes) = grouped(rest).filter(|_| !is_doubtful) {
        return Ok(Some((Some(first.to_owned()), bytes)));
    }
    let is_all_digits = |text: &str| text.split_whitespace().all(|word| hex(word).is_some());
    if is_all_digits(line) {
        return Err((
            "groups of digits of different sizes: the first one may be a label or bytes",
            "write the digits in one piece",
        ));
    }
    // A word of base64 that is no message is a word, as is any other.
    let coded = |word: &str| base64(word).filter(|bytes| is_ours(bytes));
    match (coded(first), coded(rest)) {
        (Some(bytes), _) if rest.is_empty() => return Ok(Some((None, bytes))),
        (_, Some(bytes)) => return Ok(Some((Some(first.to_owned()), bytes))),
        _ => {}
    }
    Err(match foreign(first.as_bytes()) {
        Some(other) => (other, "give messages and certificates of IEEE 1609.2"),
        None => (
            "no hexadecimal digits, two for each byte, after an optional first word, and no \
             message in base64",
            "correct it, or put # before it",
        ),
    })
}

/// Returns true for a message or a certificate.
fn is_ours(bytes: &[u8]) -> bool {
    let record = Record::of(String::new(), bytes.to_vec());
    matches!(
        record.recognize(&[]),
        Recognized::Message(_) | Recognized::Certificate(_)
    )
}

/// Reads groups of digits: all of one even size, the last one at most as long, with white space,
/// commas, colons, hyphens or the marks of C around them.
fn grouped(text: &str) -> Option<Vec<u8>> {
    let text = match text.split_once('{') {
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
fn base64(text: &str) -> Option<Vec<u8>> {
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
    let is_label = !label.starts_with(['#', '0']) && !label.contains(char::is_whitespace);
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

    /// Every form of the same bytes, alone and behind a label.
    #[test]
    fn forms_that_people_paste_have_the_same_bytes() {
        let mut random = Random::of_test("forms of digits");
        for _ in 0..seeds(2_000) {
            let count = 3 + random.index(40);
            let mut bytes: Vec<u8> = (0..count).map(|_| random.index(256) as u8).collect();
            bytes[0] |= 0x10;
            let size = 1 + random.index(count);
            let groups: Vec<String> = bytes.chunks(size).map(show).collect();
            let marked: Vec<String> = bytes.iter().map(|byte| format!("0x{byte:x}")).collect();
            let apart: Vec<String> = bytes.iter().map(|byte| show(&[*byte])).collect();
            let forms = [
                show(&bytes),
                format!("0x{}", show(&bytes)),
                show(&bytes).to_uppercase(),
                groups.join(" "),
                groups.join("  "),
                groups.join(","),
                apart.join(":"),
                apart.join("-"),
                marked.join(", "),
                format!("{},", marked.join(",")),
                marked.join(" "),
                format!("\"\\x{}\"", apart.join("\\x")),
                format!("uint8_t spdu[] = {{ {} }};", marked.join(", ")),
            ];
            for form in &forms {
                assert_eq!(record(form), Ok(Some((None, bytes.clone()))), "{form:?}");
            }
            for form in &forms[..12] {
                let line = format!("label {form}");
                let expected = Some((Some("label".to_owned()), bytes.clone()));
                assert_eq!(record(&line), Ok(expected), "{line:?}");
            }
        }
    }

    #[test]
    fn labels_of_digits_stay_labels_and_doubt_is_an_error() {
        let read = |line: &str| record(line).map(|found| found.unwrap());
        let bytes = |label: &str, bytes: &[u8]| Ok((Some(label.to_owned()), bytes.to_vec()));
        assert_eq!(read("cafe 038100"), bytes("cafe", &[3, 0x81, 0]));
        assert_eq!(read("ab-cd 0381"), bytes("ab-cd", &[3, 0x81]));
        assert_eq!(read("0381 0040 03"), Ok((None, vec![3, 0x81, 0, 0x40, 3])));
        for doubtful in ["cafe00 0381 00", "0381 004003 80", "038100 40 0380"] {
            assert!(read(doubtful).is_err(), "{doubtful}");
        }
    }

    #[test]
    fn base64_is_read_in_both_alphabets() {
        assert_eq!(base64("A4EAQA=="), Some(vec![3, 0x81, 0, 0x40]));
        assert_eq!(base64("A4EAQA"), Some(vec![3, 0x81, 0, 0x40]));
        assert_eq!(base64("+/-_"), Some(vec![0xFB, 0xFF, 0xBF]));
        for wrong in ["", "A", "A4EAQB==", "A4EAQA=", "A4 A", "===="] {
            assert_eq!(base64(wrong), None, "{wrong}");
        }
        // Words that only look like it are no messages.
        assert!(record("nothing4").is_err());
        let unsecured = [3, 0x80, 3, 1, 2, 3];
        let line = Ok(Some((Some("label".to_owned()), unsecured.to_vec())));
        assert_eq!(record("label A4ADAQID"), line);
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
