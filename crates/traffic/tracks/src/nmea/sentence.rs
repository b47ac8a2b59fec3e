//! Sentences in lines that may have anything between.

use chrono::{DateTime, NaiveDate};

const SECOND_US: u64 = 1_000_000;
/// The fields of an RMC up to the direction of the variation: one with all of them is not cut.
const RMC_FIELDS: usize = 12;

/// A piece of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Found<'a> {
    /// A sentence, whole as far as can be told.
    Sentence(Sentence<'a>),
    /// A sentence that is not as it was sent, and why.
    Damaged(String),
    /// So many bytes that belong to no sentence.
    Foreign(usize),
}

/// The fields of a sentence, the address the first of them.
#[derive(Debug, PartialEq)]
pub(super) struct Sentence<'a> {
    fields: Vec<&'a str>,
    pub(super) has_checksum: bool,
}

/// A fix as an RMC states it.
#[derive(Debug, PartialEq)]
pub(super) struct Fix<'a> {
    /// Seconds since 1970 UTC; `None` without a time or a date.
    pub(super) time_s: Option<f64>,
    pub(super) time_of_day_us: u64,
    pub(super) latitude: f64,
    pub(super) longitude: f64,
    pub(super) knots: &'a str,
    pub(super) course: &'a str,
}

/// Hands over the pieces of a line.
pub(super) fn each<'a, E>(
    line: &'a [u8],
    mut take: impl FnMut(Found<'a>) -> Result<(), E>,
) -> Result<(), E> {
    let mut foreign = 0;
    let mut rest = line;
    while !rest.is_empty() {
        let next = rest.iter().skip(1).position(|byte| *byte == b'$');
        let (piece, after) = rest.split_at(next.map_or(rest.len(), |next| next + 1));
        rest = after;
        let Some(body) = piece.strip_prefix(b"$").filter(|body| is_addressed(body)) else {
            foreign += piece.trim_ascii().len();
            continue;
        };
        if foreign > 0 {
            take(Found::Foreign(std::mem::take(&mut foreign)))?;
        }
        let (found, behind) = sentence(body);
        take(found)?;
        foreign = behind.trim_ascii().len();
    }
    match foreign {
        0 => Ok(()),
        _ => take(Found::Foreign(foreign)),
    }
}

/// True if the bytes begin with an address.
fn is_addressed(body: &[u8]) -> bool {
    let end = body.iter().position(|byte| b",*".contains(byte));
    let address = body.get(..end.unwrap_or(0)).unwrap_or_default();
    is_address(address)
}

/// True if the bytes are a talker and a type, or a maker's own name.
pub(crate) fn is_address(address: &[u8]) -> bool {
    let is_letter = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    (4..=10).contains(&address.len()) && address.iter().all(is_letter)
}

/// Reads a sentence behind its `$`, and returns what stands behind it.
fn sentence(body: &[u8]) -> (Found<'_>, &[u8]) {
    let is_text = |byte: &u8| (b' '..=b'~').contains(byte);
    let end = body.iter().position(|byte| !is_text(byte));
    let (body, behind) = body.split_at(end.unwrap_or(body.len()));
    let Ok(text) = std::str::from_utf8(body) else {
        return (Found::Foreign(body.len()), behind);
    };
    let kind = text.get(2..5).unwrap_or_default();
    let is_needed = matches!(kind, "RMC" | "GGA");
    let (content, sum) = match text.split_once('*') {
        Some((content, rest)) => (content, Some(rest)),
        None => (text.trim_end(), None),
    };
    let digits = sum.map(|sum| {
        sum.get(..2)
            .and_then(|two| u8::from_str_radix(two, 16).ok())
    });
    let computed = content.bytes().fold(0, |sum, byte| sum ^ byte);
    let behind = match sum.and_then(|sum| sum.get(2..)) {
        Some(more) if !more.trim().is_empty() => more.as_bytes(),
        _ => behind,
    };
    let fields: Vec<&str> = content.split(',').map(str::trim).collect();
    let damage = match digits {
        Some(Some(sum)) if sum == computed => None,
        Some(Some(sum)) => Some(format!("checksum {sum:02X} where {computed:02X} is right")),
        Some(None) => Some("the checksum is cut off".to_owned()),
        None if is_needed && fields.len() < RMC_FIELDS => {
            Some("it is cut off, and has no checksum".to_owned())
        }
        None => None,
    };
    let found = match damage {
        Some(why) => Found::Damaged(format!("{}: {why}", fields.first().unwrap_or(&""))),
        None => Found::Sentence(Sentence {
            fields,
            has_checksum: sum.is_some(),
        }),
    };
    (found, behind)
}

/// Reads so many digits.
fn digits(text: &str, range: std::ops::Range<usize>) -> Option<u32> {
    let digits = text.get(range)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// Reads `hhmmss.sss`, with a second 60 too.
pub(super) fn time_of_day_us(text: &str) -> Option<u64> {
    let part = |at: usize, end: u32| digits(text, at..at + 2).filter(|part| *part < end);
    let seconds = part(0, 24)? * 3_600 + part(2, 60)? * 60 + part(4, 61)?;
    let fraction = match text.get(6..)? {
        "" => 0.0,
        fraction if fraction.starts_with('.') => {
            let is_number = fraction.bytes().skip(1).all(|byte| byte.is_ascii_digit());
            let number = is_number.then(|| format!("0{fraction}0").parse::<f64>().ok());
            number.flatten()?
        }
        _ => return None,
    };
    Some(u64::from(seconds) * SECOND_US + (fraction * SECOND_US as f64) as u64)
}

/// Reads `ddmmyy`: of 1980 to 2079.
fn date_s(text: &str) -> Option<i64> {
    let part = |at: usize| digits(text, at..at + 2);
    let year = part(4).filter(|_| text.len() == 6)?;
    let century = if year >= 80 { 1_900 } else { 2_000 };
    let year = i32::try_from(century + year).ok()?;
    let date = NaiveDate::from_ymd_opt(year, part(2)?, part(0)?)?;
    let midnight: DateTime<chrono::Utc> = date.and_hms_opt(0, 0, 0)?.and_utc();
    Some(midnight.timestamp())
}

/// Reads `ddmm.mmm` and its direction.
fn degrees(text: &str, direction: &str, signs: [&str; 2], most: f64) -> Result<f64, String> {
    let fault = || format!("{text:?} {direction:?} is no place on Earth");
    let is_number = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let number: f64 = text.parse().ok().filter(|_| is_number).ok_or_else(fault)?;
    let whole = (number / 100.0).trunc();
    let minutes = number - whole * 100.0;
    let degrees = whole + minutes / 60.0;
    let sign = match signs.iter().position(|sign| *sign == direction) {
        Some(0) => 1.0,
        Some(_) => -1.0,
        None => return Err(fault()),
    };
    match minutes < 60.0 && degrees <= most {
        true => Ok(sign * degrees),
        false => Err(fault()),
    }
}

impl<'a> Sentence<'a> {
    /// The field of this number; empty where there is none.
    pub(super) fn field(&self, number: usize) -> &'a str {
        self.fields.get(number).copied().unwrap_or_default()
    }

    /// The type: three letters behind the talker.
    pub(super) fn kind(&self) -> &'a str {
        let address = self.field(0);
        let kind = address.get(2..).filter(|_| !address.starts_with('P'));
        kind.unwrap_or_default()
    }

    pub(super) fn talker(&self) -> &'a str {
        self.field(0).get(..2).unwrap_or_default()
    }

    /// Reads latitude and longitude in the four fields from this one on.
    pub(super) fn place(&self, first: usize) -> Result<(f64, f64), String> {
        let field = |at: usize| self.field(first + at);
        Ok((
            degrees(field(0), field(1), ["N", "S"], 90.0)?,
            degrees(field(2), field(3), ["E", "W"], 180.0)?,
        ))
    }

    /// Reads the height of a GGA.
    pub(super) fn altitude_m(&self) -> Option<f64> {
        let altitude_m: Option<f64> = self.field(9).parse().ok();
        altitude_m.filter(|metres| metres.abs() <= 100_000.0)
    }

    /// Reads the time of a ZDA, in seconds since 1970 UTC; `None` if it has none.
    pub(super) fn date_and_time_s(&self) -> Option<f64> {
        let number = |at: usize, size: usize| {
            let text = self.field(at);
            digits(text, 0..size).filter(|_| text.len() == size)
        };
        let year = i32::try_from(number(4, 4)?).ok()?;
        let date = NaiveDate::from_ymd_opt(year, number(3, 2)?, number(2, 2)?)?;
        let midnight = date.and_hms_opt(0, 0, 0)?.and_utc().timestamp();
        let micros = time_of_day_us(self.field(1))?;
        Some(midnight as f64 + micros as f64 / SECOND_US as f64)
    }

    /// Reads the fix of an RMC; `None` if the receiver has none. What it fills the other fields
    /// with then is its own affair.
    pub(super) fn fix(&self) -> Result<Option<Fix<'a>>, String> {
        match (self.field(2), self.field(12)) {
            ("V", _) | (_, "N") => return Ok(None),
            ("A" | "D", _) => {}
            (status, _) => return Err(format!("status {status:?} where A or V is right")),
        }
        let time = self.field(1);
        let time_of_day = match time {
            "" => None,
            time => Some(time_of_day_us(time).ok_or_else(|| format!("{time:?} is no time"))?),
        };
        let date = match self.field(9) {
            "" => None,
            date => Some(date_s(date).ok_or_else(|| format!("{date:?} is no date"))?),
        };
        let of_day = |micros: u64| micros as f64 / SECOND_US as f64;
        let (latitude, longitude) = self.place(3)?;
        Ok(Some(Fix {
            time_s: date
                .zip(time_of_day)
                .map(|(date, micros)| date as f64 + of_day(micros)),
            time_of_day_us: time_of_day.unwrap_or(0),
            latitude,
            longitude,
            knots: self.field(7),
            course: self.field(8),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(line: &[u8]) -> Vec<String> {
        let mut pieces = Vec::new();
        let all: Result<(), ()> = each(line, |found| {
            pieces.push(match found {
                Found::Sentence(sentence) => sentence.field(0).to_owned(),
                Found::Damaged(why) => why,
                Found::Foreign(count) => count.to_string(),
            });
            Ok(())
        });
        all.unwrap();
        pieces
    }

    #[test]
    fn sentences_are_found_between_other_bytes() {
        assert_eq!(pieces(b"\xb5b\x01$GPGSV,1,1,00*79\r"), ["3", "GPGSV"]);
        assert_eq!(
            pieces(b"$GPGSV,1,1,00*79$GPGSV,1,1,00*79"),
            ["GPGSV", "GPGSV"]
        );
        assert_eq!(pieces(b"$GPGSV,1,1,00*79\xff\xfe"), ["GPGSV", "2"]);
        assert_eq!(pieces(b"$$$,"), ["4"]);
        assert_eq!(pieces(b"$PUBX,00"), ["PUBX"]);
        let wrong = "GPGSV: checksum 78 where 79 is right";
        assert_eq!(pieces(b"$GPGSV,1,1,00*78"), [wrong]);
        assert_eq!(
            pieces(b"$GPGSV,1,1,00*7"),
            ["GPGSV: the checksum is cut off"]
        );
        let cut = "GPRMC: it is cut off, and has no checksum";
        assert_eq!(pieces(b"$GPRMC,080003.00,A,4806"), [cut]);
    }

    #[test]
    fn times_have_a_second_60_and_places_are_on_earth() {
        assert_eq!(time_of_day_us("235960.25"), Some(86_400_250_000));
        assert_eq!(time_of_day_us("000000"), Some(0));
        for wrong in [
            "", "2359", "240000", "236000", "235961", "1234567", "12345é", "123456.x",
        ] {
            assert_eq!(time_of_day_us(wrong), None, "{wrong}");
        }
        assert_eq!(
            date_s("010126"),
            date_s("010125").map(|date| date + 365 * 86_400)
        );
        for wrong in ["", "320126", "300226", "0101266", "01012é"] {
            assert_eq!(date_s(wrong), None, "{wrong}");
        }
        let north = |text, sign| degrees(text, sign, ["N", "S"], 90.0).ok();
        assert_eq!(north("4830.000", "S"), Some(-48.5));
        for (text, sign) in [
            ("4860.0", "N"),
            ("9000.1", "N"),
            ("48", "E"),
            ("-1", "N"),
            ("", "N"),
        ] {
            assert_eq!(north(text, sign), None, "{text}");
        }
    }
}
