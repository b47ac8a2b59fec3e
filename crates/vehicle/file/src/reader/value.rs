//! Types that a TOML value can be read as, and their names in an error.

use toml::Spanned;
use waywarden_can::timing::BitRate;
use waywarden_work::Duration;

use crate::document::Node;
use crate::model::{Data, FrameRate, Offset};
use crate::place::Located;
use crate::quantity::{self, Frequency, Share};

/// Limit on characters of a wrong value that an error quotes.
const QUOTED_MAX: usize = 40;

/// A type that a value can be read as.
pub(crate) trait Value: Sized {
    /// The permitted values, with an example.
    const EXPECTED: &'static str;
    /// Reads it; `None` if it is something else.
    fn read(value: &Node) -> Option<Self>;
}

/// A whole number of any size TOML has.
pub(crate) type Integer = i64;

/// Reference to a message, by name or number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameOrNumber {
    Name(String),
    Number(Integer),
}

/// Says what a value is, in a few words.
pub(crate) fn describe(value: &Node) -> String {
    match value {
        Node::Text(text) if text.chars().count() > QUOTED_MAX => {
            let start: String = text.chars().take(QUOTED_MAX).collect();
            format!("{start:?}...")
        }
        Node::Text(text) => format!("{text:?}"),
        Node::Integer(number) => format!("the integer {}", number.text),
        Node::Float(number) => format!("the number {number}"),
        Node::Boolean(value) => value.to_string(),
        Node::Date(_) => "a date or time".to_owned(),
        Node::List(_) => "a list".to_owned(),
        Node::Table(_) => "a table".to_owned(),
    }
}

fn text_value<T>(value: &Node, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    value.as_text().and_then(read)
}

impl Value for String {
    const EXPECTED: &'static str = "a string";
    fn read(value: &Node) -> Option<Self> {
        value.as_text().map(str::to_owned)
    }
}

impl Value for Integer {
    const EXPECTED: &'static str = "a whole number such as 64 or 0x1A0";
    fn read(value: &Node) -> Option<Self> {
        match value {
            Node::Integer(number) => number.value,
            _ => None,
        }
    }
}

impl Value for bool {
    const EXPECTED: &'static str = "true or false";
    fn read(value: &Node) -> Option<Self> {
        value.as_boolean()
    }
}

impl Value for Duration {
    const EXPECTED: &'static str = "a duration such as \"10ms\" (units ns, us, ms, s, min, h)";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::duration)
    }
}

impl Value for Offset {
    const EXPECTED: &'static str =
        "a duration such as \"10ms\" (units ns, us, ms, s, min, h), or \"unknown\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, |text| match text {
            "unknown" => Some(Offset::Unknown),
            stated => quantity::duration(stated).map(Offset::Stated),
        })
    }
}

impl Value for BitRate {
    const EXPECTED: &'static str = "a bit rate such as \"500k\" or \"2M\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::bit_rate)
    }
}

impl Value for Frequency {
    const EXPECTED: &'static str = "a clock rate such as \"80MHz\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::frequency)
    }
}

impl Value for Share {
    const EXPECTED: &'static str = "a share such as \"60%\", or a number from 0 to 1 such as 0.6";
    fn read(value: &Node) -> Option<Self> {
        match value {
            Node::Float(number) => quantity::fraction(number.parse().ok()?),
            Node::Integer(number) => quantity::fraction(number.text.parse().ok()?),
            _ => text_value(value, quantity::share),
        }
    }
}

impl Value for Data {
    const EXPECTED: &'static str =
        "\"counter\", \"random\", \"zero\", or 1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::data)
    }
}

impl Value for Vec<u8> {
    const EXPECTED: &'static str = "1 to 64 bytes in hexadecimal such as \"00 FF\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::bytes)
    }
}

impl Value for FrameRate {
    const EXPECTED: &'static str = "frames a second such as \"2000/s\" (1 to 1000000), or \"full\"";
    fn read(value: &Node) -> Option<Self> {
        text_value(value, quantity::frame_rate)
    }
}

impl Value for NameOrNumber {
    const EXPECTED: &'static str = "a name or an identifier, such as \"EngineSpeed\" or 0x280";
    fn read(value: &Node) -> Option<Self> {
        Some(match String::read(value) {
            Some(name) => NameOrNumber::Name(name),
            None => NameOrNumber::Number(Integer::read(value)?),
        })
    }
}

impl Value for Vec<Located<NameOrNumber>> {
    const EXPECTED: &'static str =
        "\"all\", or a list of names and identifiers such as [\"EngineSpeed\", 0x280]";
    fn read(value: &Node) -> Option<Self> {
        let entries = value.as_list()?.iter();
        let read = |entry: &Spanned<Node>| {
            let read = NameOrNumber::read(entry.get_ref())?;
            Some(Located::new(read, entry.span()))
        };
        entries.map(read).collect()
    }
}

impl Value for Vec<Located<String>> {
    const EXPECTED: &'static str = "a list of names such as [\"engine\", \"brakes\"]";
    fn read(value: &Node) -> Option<Self> {
        value
            .as_list()?
            .iter()
            .map(|entry| {
                Some(Located::new(
                    entry.get_ref().as_text()?.to_owned(),
                    entry.span(),
                ))
            })
            .collect()
    }
}
