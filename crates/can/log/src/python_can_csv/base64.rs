//! Base64 with padding (RFC 4648, section 4).

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends the text of bytes.
pub(super) fn encode(bytes: &[u8], text: &mut Vec<u8>) {
    for group in bytes.chunks(3) {
        let mut three = [0; 4];
        three[1..=group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(three);
        for place in 0..4 {
            let digit = DIGITS[(value >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { digit } else { b'=' });
        }
    }
}

/// Reads bytes and returns how many there are; none for a wrong digit, a text that is cut short, or
/// more bytes than there is room for.
pub(super) fn decode(text: &[u8], bytes: &mut [u8]) -> Option<usize> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let padding = text
        .iter()
        .rev()
        .take_while(|&&digit| digit == b'=')
        .count();
    let length = (text.len() / 4 * 3).checked_sub(padding)?;
    if padding > 2 || length > bytes.len() {
        return None;
    }
    let (digits, _) = text.split_at(text.len() - padding);
    let mut value = 0_u32;
    for (place, &digit) in digits.iter().enumerate() {
        value = value << 6 | sextet(digit)?;
        if place % 4 > 0 {
            // Each digit but the first of four completes a byte.
            let rest = 6 - 2 * (place % 4);
            *bytes.get_mut(place / 4 * 3 + place % 4 - 1)? = (value >> rest) as u8;
        }
    }
    Some(length)
}

fn sextet(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 4648, section 10.
    #[test]
    fn known_texts_are_read_and_written() {
        let known = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (plain, packed) in known {
            let mut text = Vec::new();
            encode(plain.as_bytes(), &mut text);
            assert_eq!(text, packed.as_bytes());
            let mut bytes = [0; 6];
            let length = decode(&text, &mut bytes).unwrap();
            assert_eq!(&bytes[..length], plain.as_bytes());
        }
        for wrong in ["Zg=", "Z===", "====", "Zg", "Z g=", "=Zg=", "Zm9vYmFyZg=="] {
            assert_eq!(decode(wrong.as_bytes(), &mut [0; 6]), None, "{wrong}");
        }
    }
}
