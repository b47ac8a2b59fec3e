//! Errors of values that are written.

use core::fmt;
use std::borrow::Cow;

use serde_json::Value;
use waywarden_v2x_wire::EmitError;

use crate::read::UNKNOWN_ADDITIONS;

/// A value that a message cannot have: its place in the message and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// Names from the innermost part outwards.
    path: Vec<String>,
    reason: String,
}

impl ValueError {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            reason: reason.into(),
        }
    }

    /// Something else stands where `what` should.
    pub(crate) fn expected(what: &str, found: &Value) -> Self {
        Self::new(format!("{what} is expected, not {}", Short(found)))
    }

    /// A name that is not among those that are known.
    pub(crate) fn unknown(name: &str, known: &str) -> Self {
        Self::new(format!("{} is not known; there are {known}", short(name)))
    }

    pub(crate) fn within(mut self, part: String) -> Self {
        self.path.push(part);
        self
    }

    /// Returns the number of parts that the place lies in.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Returns the place in the message, as `cam.camParameters.basicContainer`; empty for the
    /// whole.
    #[must_use]
    pub fn path(&self) -> String {
        let mut path = String::new();
        for part in self.path.iter().rev() {
            // Between other names its dots would be lost.
            if part == UNKNOWN_ADDITIONS {
                path.push_str("[\"...\"]");
                continue;
            }
            if !path.is_empty() && !part.starts_with('[') {
                path.push('.');
            }
            path.extend(part.escape_debug());
        }
        path
    }
}

impl From<EmitError> for ValueError {
    fn from(error: EmitError) -> Self {
        Self::new(error.to_string())
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path().as_str() {
            "" => f.write_str(&self.reason),
            path => write!(f, "{path}: {}", self.reason),
        }
    }
}

impl core::error::Error for ValueError {}

/// A value as it stands in an error: its beginning, where it is long.
struct Short<'a>(&'a Value);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Array(items) => write!(f, "a list {}", Count(items.len(), "element")),
            Value::Object(members) => write!(f, "an object {}", Count(members.len(), "member")),
            leaf => f.write_str(&cut(&leaf.to_string())),
        }
    }
}

/// A number of parts, as it stands behind their whole.
struct Count(usize, &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self(0, parts) => write!(f, "without {parts}s"),
            Self(1, part) => write!(f, "with one {part}"),
            Self(count, parts) => write!(f, "with {count} {parts}s"),
        }
    }
}

/// Returns a text as it stands in an error: nothing in it moves the terminal's cursor.
pub(crate) fn short(text: &str) -> String {
    cut(text).escape_debug().to_string()
}

/// Returns the beginning of a long text.
fn cut(text: &str) -> Cow<'_, str> {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or(text)).into(),
        None => text.into(),
    }
}
