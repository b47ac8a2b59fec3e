//! Digits of text logs as numbers and bytes: logs have millions of lines, so that these read a run
//! of digits in one pass and look at the result once.

/// Values of hexadecimal digits; [`WRONG`] for other characters.
const VALUES: [u8; 256] = {
    let mut values = [WRONG; 256];
    let mut n = 0;
    while n < 16 {
        values[b"0123456789ABCDEF"[n] as usize] = n as u8;
        values[b"0123456789abcdef"[n] as usize] = n as u8;
        n += 1;
    }
    values
};

/// A value above that of each digit, in bits that no digit has.
const WRONG: u8 = 0xF0;

/// Returns the value of a hexadecimal digit.
pub(crate) fn hex_digit(digit: u8) -> Option<u8> {
    let value = VALUES[usize::from(digit)];
    (value < 16).then_some(value)
}

/// Returns the byte of two hexadecimal digits.
pub(crate) fn hex_byte(digits: &[u8]) -> Option<u8> {
    match *digits {
        [high, low] => Some(hex_digit(high)? << 4 | hex_digit(low)?),
        _ => None,
    }
}

/// Reads pairs of hexadecimal digits, and nothing else, into as many bytes as they are; false if
/// the text has another form, and the bytes are then of no meaning.
#[inline]
pub(crate) fn hex_bytes(text: &[u8], bytes: &mut [u8]) -> bool {
    let mut wrong = 0;
    let (pairs, rest) = text.as_chunks::<2>();
    for ([high, low], room) in pairs.iter().zip(bytes.iter_mut()) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        wrong |= high | low;
        *room = high << 4 | low & 0xF;
    }
    rest.is_empty() && pairs.len() == bytes.len() && wrong < 16
}

/// Reads pairs of hexadecimal digits with one blank between them, as many as there is room for;
/// else like [`hex_bytes`].
#[inline]
pub(crate) fn spaced_hex_bytes(text: &[u8], bytes: &mut [u8]) -> bool {
    let (triples, last) = text.as_chunks::<3>();
    let Some((last_room, rooms)) = bytes.split_last_mut() else {
        return text.is_empty();
    };
    if triples.len() != rooms.len() {
        return false;
    }
    let (mut wrong, mut are_blanks) = (0, true);
    for ([high, low, blank], room) in triples.iter().zip(rooms) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        wrong |= high | low;
        are_blanks &= *blank == b' ';
        *room = high << 4 | low & 0xF;
    }
    wrong < 16 && are_blanks && hex_bytes(last, std::slice::from_mut(last_room))
}

/// Parses a number in digits of a base up to 16; none unless all are digits and it fits.
#[inline]
pub(crate) fn number(digits: &[u8], base: u32) -> Option<u32> {
    let fits = match base {
        16 => 8,
        _ => 9,
    };
    if digits.is_empty() || digits.len() > fits {
        return long_number(digits, base);
    }
    let (mut value, mut most) = (0_u32, 0);
    for &digit in digits {
        let digit = VALUES[usize::from(digit)];
        most = most.max(digit);
        value = value * base + u32::from(digit & 0xF);
    }
    (u32::from(most) < base).then_some(value)
}

/// The same for as many digits as there are.
fn long_number(digits: &[u8], base: u32) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u32, |value, &digit| {
        let digit = u32::from(hex_digit(digit)?);
        (digit < base).then_some(())?;
        value.checked_mul(base)?.checked_add(digit)
    })
}

/// Reason why a decimal number cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumberFault {
    /// Other characters than digits, or a point without digits on both sides.
    Form,
    /// More than 64 bits.
    Range,
}

/// Returns a decimal number times ten to the power of `digits`, which is 9 at most, rounded to the
/// nearest.
#[inline]
pub(crate) fn scaled(text: &[u8], digits: u32) -> Result<u64, NumberFault> {
    match short_scaled(text, digits) {
        Some(value) => Ok(value),
        None => long_scaled(text, digits),
    }
}

/// The same for a number of 19 digits at most, of which none is lost; none for any other.
fn short_scaled(text: &[u8], digits: u32) -> Option<u64> {
    if text.len() > 20 {
        return None;
    }
    let (mut value, mut rest) = match text.split_first_chunk() {
        Some((first, rest)) => match eight_digits(*first) {
            Some(value) => (value, rest),
            None => (0, text),
        },
        None => (0, text),
    };
    let mut fraction = None;
    while let [byte, behind @ ..] = rest {
        match byte.wrapping_sub(b'0') {
            // 19 digits fit 64 bits; 20 without a point are left to the other way.
            digit @ 0..=9 => value = value.wrapping_mul(10).wrapping_add(u64::from(digit)),
            _ if *byte == b'.' && fraction.is_none() && rest.len() < text.len() => {
                fraction = Some(behind.len());
            }
            _ => return None,
        }
        rest = behind;
    }
    let shown = match fraction {
        Some(shown @ 1..) => u32::try_from(shown).ok()?,
        None if (1..=19).contains(&text.len()) => 0,
        _ => return None,
    };
    value.checked_mul(10_u64.pow(digits.checked_sub(shown)?))
}

/// Returns the number of eight decimal digits, all at once.
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    const HIGH: u64 = 0xF0F0_F0F0_F0F0_F0F0;
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    let text = u64::from_le_bytes(text);
    // With 6 added a digit stays below 0x40, and what lies behind 9 does not.
    let with_six = text.wrapping_add(0x0606_0606_0606_0606);
    if text & HIGH != ZEROS || with_six & HIGH != ZEROS {
        return None;
    }
    // Neighbours are joined: eight digits to four pairs, two fours, one number.
    let digits = text & 0x0F0F_0F0F_0F0F_0F0F;
    let pairs = digits.wrapping_mul(10 << 8 | 1) >> 8 & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100 << 16 | 1) >> 16 & 0x0000_FFFF_0000_FFFF;
    Some(fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

/// The same for any text.
fn long_scaled(text: &[u8], digits: u32) -> Result<u64, NumberFault> {
    let point = text.iter().position(|&byte| byte == b'.');
    let (whole, fraction) = match point {
        Some(point) => (&text[..point], &text[point + 1..]),
        None => (text, &b"0"[..]),
    };
    let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    if !is_number(whole) || !is_number(fraction) {
        return Err(NumberFault::Form);
    }
    let units = whole.iter().try_fold(0u64, |value, digit| {
        value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))
    });
    let shown = &fraction[..fraction.len().min(digits as usize)];
    let rest = shown
        .iter()
        .fold(0u64, |value, digit| value * 10 + u64::from(digit - b'0'))
        * 10u64.pow(digits - shown.len() as u32);
    let next = fraction.get(shown.len());
    let rest = rest + u64::from(next.is_some_and(|digit| *digit >= b'5'));
    units
        .and_then(|units| units.checked_mul(10u64.pow(digits)))
        .and_then(|whole| whole.checked_add(rest))
        .ok_or(NumberFault::Range)
}

#[cfg(test)]
mod tests {
    use super::*;
    use waywarden_testkit::Random;

    /// The quick ways and those for any text are the same.
    #[test]
    fn short_and_long_texts_are_read_alike() {
        let mut random = Random::of_test("short_and_long_texts_are_read_alike");
        for _ in 0..waywarden_testkit::cases(100_000) {
            let alphabet: &[u8] = match random.below(3) {
                0 => b"0123456789",
                1 => b"0123456789.",
                _ => b"0123456789.aFgG/: -x\xFF",
            };
            let length = random.index(24);
            let text: Vec<u8> = (0..length)
                .map(|_| alphabet[random.index(alphabet.len())])
                .collect();
            let shown = text.escape_ascii();
            for base in [10, 16] {
                assert_eq!(number(&text, base), long_number(&text, base), "{shown}");
            }
            let digits = random.below(10) as u32;
            assert_eq!(
                scaled(&text, digits),
                long_scaled(&text, digits),
                "{shown}, {digits}"
            );
            let mut bytes = [0; 12];
            let count = random.index(12);
            let is_hex = hex_bytes(&text, &mut bytes[..count]);
            let spaced: Vec<u8> = text.chunks(2).collect::<Vec<_>>().join(&b' ');
            let mut of_spaced = [0; 12];
            let is_spaced = spaced_hex_bytes(&spaced, &mut of_spaced[..count]);
            assert_eq!(is_spaced, is_hex, "{shown}");
            assert!(!is_hex || of_spaced == bytes, "{shown}");
            let slow: Option<Vec<u8>> = text.chunks(2).map(hex_byte).collect();
            let slow = slow.filter(|slow| slow.len() == count);
            assert_eq!(is_hex.then(|| bytes[..count].to_vec()), slow, "{shown}");
        }
    }
}
