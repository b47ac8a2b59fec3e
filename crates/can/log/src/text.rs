//! The fields text logs are made of: words, seconds, calendar dates.
//!
//! Shared by the text formats; knows none of them.

use crate::digits::hex_bytes;
pub(crate) use crate::digits::{NumberFault, hex_byte, hex_digit, number, scaled};
use crate::error::{LineCause, Quote};

const NANOS: u64 = 1_000_000_000;

/// Cuts a line into words at blanks.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(crate) fn new(line: &'a [u8]) -> Self {
        Words { rest: line }
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
        let text = skip_blanks(self.rest);
        let Some(needed) = (3 * bytes.len()).checked_sub(1) else {
            return true;
        };
        let Some((digits, rest)) = text.split_at_checked(needed) else {
            return false;
        };
        let mut are_right = rest.first().is_none_or(u8::is_ascii_whitespace);
        for (triple, room) in digits.chunks(3).zip(bytes) {
            are_right &= hex_bytes(&triple[..2], std::slice::from_mut(room))
                && triple.get(2).is_none_or(|blank| *blank == b' ');
        }
        if are_right {
            self.rest = rest;
        }
        are_right
    }

    /// Returns true if the next word is this one.
    pub(crate) fn is_next(&self, word: &[u8]) -> bool {
        let text = skip_blanks(self.rest);
        text.first() == word.first() && text[..word_length(text)] == *word
    }

    /// Returns the next word without taking it.
    pub(crate) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }
}

/// Cuts a line into so many fields at commas, without blanks around them; none if it has more or
/// less of them.
pub(crate) fn fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields = [&b""[..]; N];
    let mut rooms = fields.iter_mut();
    let mut start = 0;
    let mut cut = |end: usize| {
        let field = line.get(start..end)?.trim_ascii();
        start = end + 1;
        *rooms.next()? = field;
        Some(())
    };
    let (eights, rest) = line.as_chunks::<8>();
    for (place, eight) in eights.iter().enumerate() {
        // The highest bit of each byte that is a comma.
        let other = u64::from_le_bytes(*eight) ^ (ONES * u64::from(b','));
        let mut commas = !(((other & !HIGHS) + !HIGHS) | other) & HIGHS;
        while commas != 0 {
            cut(8 * place + (commas.trailing_zeros() / 8) as usize)?;
            commas &= commas - 1;
        }
    }
    let whole = line.len() - rest.len();
    for (place, _) in rest.iter().enumerate().filter(|(_, byte)| **byte == b',') {
        cut(whole + place)?;
    }
    cut(line.len())?;
    let is_full = rooms.next().is_none();
    is_full.then_some(fields)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Takes the blanks off the start of a text: columns of a table have several.
fn skip_blanks(text: &[u8]) -> &[u8] {
    let mut rest = text;
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
        let text = skip_blanks(self.rest);
        if text.is_empty() {
            self.rest = text;
            return None;
        }
        let (word, rest) = text.split_at(word_length(text));
        self.rest = rest;
        Some(word)
    }
}

/// Returns the nanoseconds of a decimal number of seconds, rounded to the nearest.
pub(crate) fn seconds(text: &[u8]) -> Result<u64, LineCause> {
    scaled(text, 9).map_err(|fault| match fault {
        NumberFault::Form => LineCause::TimeStamp(Quote::new(text)),
        NumberFault::Range => LineCause::TimeStampRange(Quote::new(text)),
    })
}

/// Returns the nearest whole microsecond of a time in nanoseconds, up to the last one in 64 bits.
/// Times keep their order.
pub(crate) const fn to_microsecond(nanos: u64) -> u64 {
    let half_up = nanos.saturating_add(500);
    half_up - half_up % 1_000
}

/// Returns the nearest whole millisecond of a date in nanoseconds.
pub(crate) const fn to_millisecond(nanos: u64) -> u64 {
    let half_up = nanos.saturating_add(500_000);
    half_up - half_up % 1_000_000
}

/// A point of the Gregorian calendar, taken as UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Date {
    pub(crate) year: u16,
    /// 1 to 12.
    pub(crate) month: u8,
    /// 1 to 31.
    pub(crate) day: u8,
    /// Time since midnight.
    pub(crate) nanos: u64,
}

const DAY: u64 = 86_400 * NANOS;

impl Date {
    /// Returns nanoseconds since the Unix epoch; `None` for no date or one outside 1970 to 2554.
    pub(crate) fn unix_ns(self) -> Option<u64> {
        let days = |month: u8| u64::from(days_before(self.year, month));
        if !(1970..=2554).contains(&self.year)
            || !(1..=12).contains(&self.month)
            || self.day == 0
            || self.nanos >= DAY
            || days(self.month) + u64::from(self.day) > days(self.month + 1)
        {
            return None;
        }
        let years: u64 = (1970..self.year)
            .map(|year| u64::from(days_before(year, 13)))
            .sum();
        (years + days(self.month) + u64::from(self.day) - 1)
            .checked_mul(DAY)?
            .checked_add(self.nanos)
    }

    /// Returns the date of a time since the Unix epoch.
    pub(crate) fn from_unix_ns(unix_ns: u64) -> Self {
        let mut days = unix_ns / DAY;
        let mut year = 1970;
        while days >= u64::from(days_before(year, 13)) {
            days -= u64::from(days_before(year, 13));
            year += 1;
        }
        let mut month = 1;
        while days >= u64::from(days_before(year, month + 1)) {
            month += 1;
        }
        Date {
            year,
            month,
            day: (days - u64::from(days_before(year, month))) as u8 + 1,
            nanos: unix_ns % DAY,
        }
    }

    /// Returns the day of the week, 0 for Sunday.
    pub(crate) fn weekday(unix_ns: u64) -> usize {
        // 1970-01-01 was a Thursday.
        ((unix_ns / DAY + 4) % 7) as usize
    }
}

/// Returns the days of a year before the first of a month; month 13 gives those of the year.
fn days_before(year: u16, month: u8) -> u16 {
    const BEFORE: [u16; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    BEFORE[usize::from(month - 1).min(12)] + u16::from(leap && month > 2)
}

/// Returns the nanoseconds of `hours:minutes:seconds`, the seconds with or without fraction.
pub(crate) fn time_of_day(text: &[u8]) -> Option<u64> {
    let mut parts = text.splitn(3, |&byte| byte == b':');
    let hours = number(parts.next()?, 10).filter(|&hours| hours < 24)?;
    let minutes = number(parts.next()?, 10).filter(|&minutes| minutes < 60)?;
    let nanos = seconds(parts.next()?)
        .ok()
        .filter(|&nanos| nanos < 60 * NANOS)?;
    Some(u64::from(hours * 3600 + minutes * 60) * NANOS + nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_to_the_nanosecond() {
        assert_eq!(seconds(b"1620692699.796900"), Ok(1_620_692_699_796_900_000));
        assert_eq!(seconds(b"0.1234567894999"), Ok(123_456_789));
        assert_eq!(seconds(b"0.1234567895"), Ok(123_456_790));
        assert_eq!(seconds(b"0.9999999999"), Ok(1_000_000_000));
        assert_eq!(scaled(b"1.5", 0), Ok(2));
        assert_eq!(seconds(b"7"), Ok(7_000_000_000));
        assert_eq!(seconds(b"18446744073.709551615"), Ok(u64::MAX));
        for wrong in [
            &b""[..],
            b".",
            b"1.",
            b".5",
            b"-1.0",
            b"1.5x",
            b"1e3",
            b"1.2.3",
        ] {
            assert!(
                matches!(seconds(wrong), Err(LineCause::TimeStamp(_))),
                "{wrong:?}"
            );
        }
        for wrong in [&b"18446744073.709551616"[..], b"99999999999999999999999"] {
            assert!(
                matches!(seconds(wrong), Err(LineCause::TimeStampRange(_))),
                "{wrong:?}"
            );
        }
    }

    #[test]
    fn microseconds_are_the_nearest_and_in_order() {
        for (nanos, expected) in [
            (0, 0),
            (499, 0),
            (500, 1_000),
            (1_620_692_699_796_899_796, 1_620_692_699_796_900_000),
            (u64::MAX, u64::MAX / 1_000 * 1_000),
        ] {
            assert_eq!(to_microsecond(nanos), expected, "{nanos}");
        }
        let mut random = waywarden_testkit::Random::of_test("microseconds_are_the_nearest");
        for _ in 0..10_000 {
            let nanos = random.u64() >> random.below(60);
            let rounded = to_microsecond(nanos);
            assert!(
                rounded.abs_diff(nanos) <= 500 || nanos > u64::MAX - 1_000,
                "{nanos}"
            );
            assert!(to_microsecond(nanos.saturating_add(random.below(2_000))) >= rounded);
        }
    }

    #[test]
    fn lines_are_cut_as_one_would_cut_them() {
        let mut random = waywarden_testkit::Random::of_test("lines_are_cut_as_one_would_cut_them");
        for _ in 0..waywarden_testkit::cases(20_000) {
            let alphabet = b",, \t-.+*a\x80\xFF\x0B";
            let length = random.index(30);
            let line: Vec<u8> = (0..length).map(|_| alphabet[random.index(12)]).collect();
            let parts: Vec<&[u8]> = line
                .split(|&byte| byte == b',')
                .map(<[u8]>::trim_ascii)
                .collect();
            let cut = fields::<4>(&line).map(|fields| fields.to_vec());
            let shown = line.escape_ascii();
            assert_eq!(cut, (parts.len() == 4).then_some(parts), "{shown}");
            let words = line
                .split(u8::is_ascii_whitespace)
                .filter(|word| !word.is_empty());
            assert!(Words::new(&line).eq(words), "{shown}");
        }
    }

    #[test]
    fn dates_and_unix_times_are_one_to_one() {
        // Known from `date -u -d @1620692699.5`, `@951782400` (a leap day) and `@4107542399`.
        let known = [
            (1_620_692_699_500_000_000, 2021, 5, 11, 2, "0:24:59.5"),
            (951_782_400_000_000_000, 2000, 2, 29, 2, "0:0:0"),
            (4_107_542_399_000_000_000, 2100, 2, 28, 0, "23:59:59"),
        ];
        for (unix_ns, year, month, day, weekday, time) in known {
            let date = Date {
                year,
                month,
                day,
                nanos: time_of_day(time.as_bytes()).unwrap(),
            };
            assert_eq!(date.unix_ns(), Some(unix_ns));
            assert_eq!(Date::from_unix_ns(unix_ns), date);
            assert_eq!(Date::weekday(unix_ns), weekday);
        }
        for day in 0..=u64::MAX / DAY {
            assert_eq!(Date::from_unix_ns(day * DAY).unix_ns(), Some(day * DAY));
        }
    }

    #[test]
    fn what_is_no_date_is_none() {
        let date = |year, month, day, nanos| {
            Date {
                year,
                month,
                day,
                nanos,
            }
            .unix_ns()
        };
        assert_eq!(date(2021, 2, 29, 0), None);
        assert_eq!(date(2021, 13, 1, 0), None);
        assert_eq!(date(2021, 0, 1, 0), None);
        assert_eq!(date(2021, 12, 0, 0), None);
        assert_eq!(date(1601, 1, 1, 0), None);
        assert_eq!(date(u16::MAX, 1, 1, 0), None);
        assert_eq!(date(2021, 12, 31, DAY), None);
        assert_eq!(time_of_day(b"24:00:00"), None);
        assert_eq!(time_of_day(b"12:00"), None);
    }
}
