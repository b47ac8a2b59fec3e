//! What a TOML value can be read as, and how each of them is called in an error.

use toml::de::DeValue;
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use crate::model::{Data, FrameRate};
use crate::place::Located;
use crate::quantity::{self, Share};

/// How many characters of a wrong value an error quotes.
const QUOTED_MAX: usize = 40;

/// What a value can be read as.
pub(crate) trait Value: Sized {
    /// What may be written, with an example.
    const EXPECTED: &'static str;
    /// Reads it; `None` if it is something else.
    fn read(value: &DeValue<'_>) -> Option<Self>;
}

/// A whole number of any size TOML has.
pub(crate) type Integer = i64;

/// What a message is called by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameOrNumber {
    Name(String),
    Number(Integer),
}

/// Says what a value is, in a few words.
pub(crate) fn describe(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() > QUOTED_MAX => {
            let start: String = text.chars().take(QUOTED_MAX).collect();
            format!("{start:?}...")
        }
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(number) => format!("the integer {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date or time".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

fn text_value<T>(value: &DeValue<'_>, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    value.as_str().and_then(read)
}

impl Value for String {
    const EXPECTED: &'static str = "a string";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_str().map(str::to_owned)
    }
}

impl Value for Integer {
    const EXPECTED: &'static str = "a whole number such as 64 or 0x1A0";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        let number = value.as_integer()?;
        Integer::from_str_radix(number.as_str(), number.radix()).ok()
    }
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value.as_bool()
    }
}

impl Value for Duration {
    const EXPECTED: &'static str = "a duration such as \"10ms\" (units ns, us, ms, s, min, h)";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::duration)
    }
}

impl Value for BitRate {
    const EXPECTED: &'static str = "a bit rate such as \"500k\" or \"2M\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::bit_rate)
    }
}

impl Value for Share {
    const EXPECTED: &'static str = "a share such as \"60%\", or a number from 0 to 1 such as 0.6";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        match value {
            DeValue::Float(number) => quantity::fraction(number.as_str().parse().ok()?),
            DeValue::Integer(number) => quantity::fraction(number.as_str().parse().ok()?),
            _ => text_value(value, quantity::share),
        }
    }
}

impl Value for Data {
    const EXPECTED: &'static str =
        "\"counter\", \"random\", \"zero\", or 1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::data)
    }
}

impl Value for Vec<u8> {
    const EXPECTED: &'static str = "1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::bytes)
    }
}

impl Value for FrameRate {
    const EXPECTED: &'static str = "frames a second such as \"2000/s\" (1 to 1000000), or \"full\"";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        text_value(value, quantity::frame_rate)
    }
}

impl Value for Vec<Located<NameOrNumber>> {
    const EXPECTED: &'static str =
        "\"all\", or a list of names and identifiers such as [\"EngineSpeed\", 0x280]";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        let entries = value.as_array()?.iter();
        let read = |entry: &toml::Spanned<DeValue<'_>>| {
            let read = match String::read(entry.get_ref()) {
                Some(name) => NameOrNumber::Name(name),
                None => NameOrNumber::Number(Integer::read(entry.get_ref())?),
            };
            Some(Located::new(read, entry.span()))
        };
        entries.map(read).collect()
    }
}

impl Value for Vec<Located<String>> {
    const EXPECTED: &'static str = "a list of names such as [\"engine\", \"brakes\"]";
    fn read(value: &DeValue<'_>) -> Option<Self> {
        value
            .as_array()?
            .iter()
            .map(|entry| {
                Some(Located::new(
                    entry.get_ref().as_str()?.to_owned(),
                    entry.span(),
                ))
            })
            .collect()
    }
}
