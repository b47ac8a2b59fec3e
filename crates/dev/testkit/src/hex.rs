//! Bytes as hexadecimal digits.

/// Returns the bytes of hexadecimal digits; white space between them does not count.
///
/// # Panics
///
/// If there is another character, or an odd number of digits.
#[must_use]
pub fn bytes_of(text: &str) -> Vec<u8> {
    let digit = |character: char| {
        let value = character.to_digit(16);
        value.unwrap_or_else(|| panic!("not hexadecimal: {text}")) as u8
    };
    let digits = text.chars().filter(|character| !character.is_whitespace());
    let digits: Vec<u8> = digits.map(digit).collect();
    let (pairs, rest) = digits.as_chunks::<2>();
    assert!(rest.is_empty(), "an odd number of digits: {text}");
    pairs.iter().map(|[high, low]| high << 4 | low).collect()
}

/// Returns the hexadecimal digits of bytes, in lower case.
#[must_use]
pub fn hex_of(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_the_way_through_text() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(bytes_of(&hex_of(&bytes)), bytes);
        assert_eq!(bytes_of(" 0aFF\n10"), [0x0A, 0xFF, 0x10]);
        assert_eq!(bytes_of(""), []);
    }

    #[test]
    #[should_panic(expected = "an odd number of digits: 123")]
    fn half_a_byte_is_refused() {
        let _ = bytes_of("123");
    }

    #[test]
    #[should_panic(expected = "not hexadecimal: +1")]
    fn signs_are_refused() {
        let _ = bytes_of("+1");
    }
}
