//! Answers: what was asked for, in parts, or all that is wrong with the question.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use waywarden_vehicle_file::{FileError, FileErrors, SourceLocation};

/// Answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// True if the parts are what was asked for; else there is one, with the [`Faults`] as JSON.
    pub is_given: bool,
    /// The parts, in the order that the function tells; one that was not asked for is empty.
    pub parts: Vec<Vec<u8>>,
}

/// Everything that is wrong with an input.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// The faults in the order of the text, at most 20 of a vehicle file.
    pub faults: Vec<Fault>,
    /// Number of faults that are not listed.
    pub omitted: usize,
}

/// One fault, with its remedy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// The line, from 1; none for a fault without a place.
    pub line: Option<usize>,
    /// The column in characters, from 1.
    pub column: Option<usize>,
    /// Human-readable: what is wrong; and behind the semicolon, the remedy.
    pub text: String,
}

impl Answer {
    /// Gives the parts.
    #[must_use]
    pub fn given<const N: usize>(parts: [Vec<u8>; N]) -> Self {
        Self {
            is_given: true,
            parts: parts.into(),
        }
    }

    /// Makes an answer of a result.
    #[must_use]
    pub fn of<const N: usize>(result: Result<[Vec<u8>; N], Faults>) -> Self {
        match result {
            Ok(parts) => Self::given(parts),
            Err(faults) => Self {
                is_given: false,
                parts: vec![json(&faults)],
            },
        }
    }
}

impl Faults {
    /// A fault without a place.
    #[must_use]
    pub fn new(text: &impl ToString) -> Self {
        Self::from(Fault::new(None, text))
    }
}

impl Fault {
    /// A fault at a place, if it has one.
    #[must_use]
    pub fn new(place: Option<SourceLocation>, text: &impl ToString) -> Self {
        Self {
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            text: text.to_string(),
        }
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self {
            faults: vec![fault],
            omitted: 0,
        }
    }
}

impl From<&FileError> for Fault {
    fn from(error: &FileError) -> Self {
        Self::new(Some(error.place), &error.problem)
    }
}

impl From<&FileErrors> for Faults {
    fn from(errors: &FileErrors) -> Self {
        Self {
            faults: errors.listed().iter().map(Fault::from).collect(),
            omitted: errors.omitted(),
        }
    }
}

/// Reads options, a JSON object; of a sequence a structure could be read, too.
pub(crate) fn options<T: DeserializeOwned>(what: &str, text: &str) -> Result<T, Faults> {
    let object = serde_json::from_str::<Map<String, Value>>(text);
    let read = object.and_then(|object| serde_json::from_value(Value::Object(object)));
    read.map_err(|error| Faults::new(&format_args!("options of {what}: {error}")))
}

/// Writes a value as JSON. Every value of this crate can be written.
pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).unwrap_or_default()
}
