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
    let (groups, rest) = text.as_chunks::<4>();
    let padding = padding(text);
    let length = (groups.len() * 3).checked_sub(padding)?;
    if !rest.is_empty() || length > bytes.len() {
        return None;
    }
    let (mut wrong, last) = (0, groups.len().saturating_sub(1));
    let (rooms, tail) = bytes.as_chunks_mut::<3>();
    for (place, group) in groups.iter().enumerate() {
        let mut group = *group;
        if place == last && padding > 0 {
            group[4 - padding..].fill(b'A');
        }
        let [a, b, c, d] = group.map(|digit| VALUES[usize::from(digit)]);
        wrong |= a | b | c | d;
        let three = [
            a << 2 | (b & 0x3F) >> 4,
            b << 4 | (c & 0x3F) >> 2,
            c << 6 | d & 0x3F,
        ];
        match rooms.get_mut(place) {
            Some(room) => *room = three,
            // The last group may have more bytes than there is room for: they are padding.
            None => tail.copy_from_slice(&three[..tail.len()]),
        }
    }
    (wrong < 64).then_some(length)
}

/// Reads at most eight bytes and returns how many they are, those behind them of no meaning; none
/// for more, else as [`decode`] has it.
#[inline]
pub(super) fn decode_eight(text: &[u8]) -> Option<([u8; 8], usize)> {
    let (groups, rest) = text.as_chunks::<4>();
    let padding = padding(text);
    let length = (groups.len() * 3).checked_sub(padding)?;
    if !rest.is_empty() || length > 8 {
        return None;
    }
    let (mut wrong, mut bits, mut left) = (0, 0_u128, 128);
    for (place, group) in groups.iter().enumerate() {
        let mut group = *group;
        if place + 1 == groups.len() {
            group = match padding {
                0 => group,
                1 => [group[0], group[1], group[2], b'A'],
                _ => [group[0], group[1], b'A', b'A'],
            };
        }
        let [a, b, c, d] = group.map(|digit| u32::from(VALUES[usize::from(digit)]));
        wrong |= a | b | c | d;
        left -= 24;
        bits |= u128::from(a << 18 | b << 12 | c << 6 | d) << left;
    }
    let eight = ((bits >> 64) as u64).to_be_bytes();
    (wrong < 64).then_some((eight, length))
}

/// Returns how many bytes the last group lacks.
fn padding(text: &[u8]) -> usize {
    match text {
        [.., b'=', b'='] => 2,
        [.., b'='] => 1,
        _ => 0,
    }
}

/// Values of digits; [`WRONG`] for other characters.
const VALUES: [u8; 256] = {
    let mut values = [WRONG; 256];
    let mut n = 0;
    while n < 64 {
        values[DIGITS[n] as usize] = n as u8;
        n += 1;
    }
    values
};

/// Bits that no digit has.
const WRONG: u8 = 0xC0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_at_once_are_read_as_others() {
        let mut random = waywarden_testkit::Random::of_test("eight_bytes_at_once");
        for _ in 0..waywarden_testkit::cases(20_000) {
            let length = random.index(12);
            let mut text = Vec::new();
            encode(&random.bytes(length), &mut text);
            if !text.is_empty() && random.below(3) == 0 {
                let place = random.index(text.len());
                text[place] = b"A/=+a ,\xFF"[random.index(8)];
            }
            let mut bytes = [0; 64];
            let others = decode(&text, &mut bytes).filter(|&length| length <= 8);
            let eight = decode_eight(&text).map(|(eight, length)| eight[..length].to_vec());
            let shown = text.escape_ascii();
            assert_eq!(eight, others.map(|n| bytes[..n].to_vec()), "{shown}");
        }
    }

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
            let (eight, length) = decode_eight(&text).unwrap();
            assert_eq!(&eight[..length], plain.as_bytes());
        }
        for wrong in ["Zg=", "Z===", "====", "Zg", "Z g=", "=Zg=", "Zm9vYmFyZg=="] {
            assert_eq!(decode(wrong.as_bytes(), &mut [0; 6]), None, "{wrong}");
        }
    }
}
