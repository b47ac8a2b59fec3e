//! Text of JSON whose objects have each key once. Readers disagree on which of two equal keys
//! counts, so a document with two says two things.

use core::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::error::ValueError;

/// Text that is no JSON, or that has a key twice in one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    line: usize,
    reason: String,
}

impl JsonError {
    /// Returns the line of the fault, from 1 on.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the reason, with the path of a key that is given twice.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl From<serde_json::Error> for JsonError {
    fn from(error: serde_json::Error) -> Self {
        let text = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let reason = text.strip_suffix(&place).unwrap_or(&text);
        Self {
            line: error.line().max(1),
            reason: match error.is_data() {
                true => reason.to_owned(),
                false => format!("not JSON: {reason}"),
            },
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

impl core::error::Error for JsonError {}

/// Reads text of JSON. Takes time and memory in proportion to it; more than 127 parts in each other
/// are refused.
///
/// # Errors
/// The first fault: text that is no JSON, or a key that one object has twice.
pub fn parse_json(text: &[u8]) -> Result<Value, JsonError> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    let value = Part::default().deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// A part that is read, and those around it.
#[derive(Clone, Copy, Default)]
struct Part<'a> {
    outer: Option<&'a Part<'a>>,
    name: PartName<'a>,
}

#[derive(Clone, Copy, Default)]
enum PartName<'a> {
    #[default]
    Whole,
    Key(&'a str),
    Item(usize),
}

impl Part<'_> {
    /// Returns the error of a key that is given twice, with its place.
    fn twice(&self) -> ValueError {
        let mut error = ValueError::new("the key is given twice");
        let mut next = Some(self);
        while let Some(part) = next {
            error = match part.name {
                PartName::Whole => error,
                PartName::Key(key) => error.within(key.to_owned()),
                PartName::Item(at) => error.within(format!("[{at}]")),
            };
            next = part.outer;
        }
        error
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        // JSON has no number that is not finite.
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        loop {
            let part = Part {
                outer: Some(&self),
                name: PartName::Item(items.len()),
            };
            match all.next_element_seed(part)? {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = all.next_key::<String>()? {
            let part = Part {
                outer: Some(&self),
                name: PartName::Key(&key),
            };
            if members.contains_key(&key) {
                return Err(de::Error::custom(part.twice()));
            }
            let value = all.next_value_seed(part)?;
            members.insert(key, value);
        }
        Ok(Value::Object(members))
    }
}
