//! The fields text logs are made of: words, seconds, calendar dates.
//!
//! Shared by the text formats; knows none of them.

pub(crate) use crate::digits::{NumberFault, hex_byte, hex_digit, number, scaled};
use crate::error::{LineCause, Quote};
pub(crate) use crate::words::Words;
use crate::words::marks;

const NANOS: u64 = 1_000_000_000;

/// Cuts a line into so many fields at commas, without blanks around them; none if it has more or
/// less of them.
pub(crate) fn fields<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let mut fields = [&b""[..]; N];
    let mut rooms = fields.iter_mut();
    let mut start = 0;
    let mut cut = |end: usize| {
        let field = trimmed(line.get(start..end)?);
        start = end + 1;
        *rooms.next()? = field;
        Some(())
    };
    let (eights, rest) = line.as_chunks::<8>();
    for (place, eight) in eights.iter().enumerate() {
        let mut commas = marks(*eight, b',');
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

/// Takes the blanks off both ends of a field; most fields have none.
fn trimmed(field: &[u8]) -> &[u8] {
    let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| *byte <= b' ');
    match is_blank(field.first()) || is_blank(field.last()) {
        true => field.trim_ascii(),
        false => field,
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
            let alphabet: &[u8] = match random.below(3) {
                0 => b",, \t-.+*a\x80\xFF\x0B",
                1 => b",  -!a~\x7F\x80\xA0\xFF",
                _ => b"    ,-a0123456789",
            };
            let most = [30, 150][random.index(2)];
            let length = random.index(most);
            let line: Vec<u8> = (0..length)
                .map(|_| alphabet[random.index(alphabet.len())])
                .collect();
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
            assert!(Words::new(&line).eq(words.clone()), "{shown}");
            assert!(Words::of_columns(&line).eq(words), "{shown}");
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
