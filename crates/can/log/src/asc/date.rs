//! The dates of ASC headers, such as `Tue May 11 12:24:59.796 am 2021`.
//!
//! They depend on the writer's language; English and German months are known.

use crate::text::{Date, Words, number, time_of_day};

pub(super) const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

pub(super) const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

const HALF_DAY: u64 = 12 * 3600 * 1_000_000_000;

/// Reads `WEEKDAY MONTH DAY TIME [am|pm] YEAR` as nanoseconds since the Unix epoch, taken as UTC.
/// `None` where that cannot be done: a date is told to the reader of a log, not relied on.
pub(super) fn parse(text: &[u8]) -> Option<u64> {
    let mut words = Words::new(text).skip(1);
    let month = month(words.next()?)?;
    let day = number(words.next()?, 10)?.try_into().ok()?;
    let mut nanos = time_of_day(words.next()?)?;
    let mut year = words.next()?;
    let afternoon = year.eq_ignore_ascii_case(b"pm");
    if afternoon || year.eq_ignore_ascii_case(b"am") {
        nanos = nanos % HALF_DAY + if afternoon { HALF_DAY } else { 0 };
        year = words.next()?;
    }
    let year = number(year, 10)?.try_into().ok()?;
    Date {
        year,
        month,
        day,
        nanos,
    }
    .unix_ns()
}

fn month(word: &[u8]) -> Option<u8> {
    let german: [(&[u8], u8); 5] = [
        ("M\u{e4}r".as_bytes(), 3),
        (b"M\xE4r", 3), // the same in Latin-1
        (b"Mai", 5),
        (b"Okt", 10),
        (b"Dez", 12),
    ];
    let english = MONTHS
        .iter()
        .position(|name| name.as_bytes().eq_ignore_ascii_case(word));
    match english {
        Some(index) => Some(index as u8 + 1),
        None => german
            .iter()
            .find(|(name, _)| *name == word)
            .map(|&(_, month)| month),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_all_known_writers_are_the_same_time() {
        let expected = Some(1_620_692_699_796_000_000);
        for text in [
            &b"Tue May 11 00:24:59.796 2021"[..],
            b"Tue May 11 12:24:59.796 am 2021",
            b" Die Mai 11 12:24:59.796 AM 2021",
        ] {
            assert_eq!(parse(text), expected);
        }
        assert_eq!(
            parse(b"Fre Dez 31 11:00:00 pm 1999"),
            parse(b"Fri Dec 31 23:00:00 1999")
        );
        assert_eq!(
            parse(b"Mon M\xE4r 1 1:00:00 2021"),
            parse(b"Mon Mar 01 01:00:00 2021")
        );
        for text in [
            &b""[..],
            b"Tue",
            b"Tue Foo 11 00:24:59 2021",
            b"Tue May 32 00:24:59 2021",
        ] {
            assert_eq!(parse(text), None);
        }
    }
}
