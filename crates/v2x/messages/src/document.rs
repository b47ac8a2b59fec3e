//! Messages as JSON documents: the form in which `Decoded::to_json` and `waywarden inspect` write
//! a message, and people give one to be sent.

use serde_json::Value;

use crate::catalogue::Message;
use crate::coding::encode_by;
use crate::error::ValueError;
use crate::message_error::MessageError;

/// Members of a document. `parts` and `remark` may stay as they were shown: `value` has all of it.
const MEMBERS: [&str; 7] = [
    "kind", "release", "standard", "psid", "value", "parts", "remark",
];

/// A message as a JSON document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MessageDocument<'a> {
    /// Kind of the message.
    pub kind: &'a str,
    /// Release of ETSI ITS.
    pub release: Option<u8>,
    /// Standard of the layout.
    pub standard: Option<&'a str>,
    /// Application under which the message is signed, as text or a number.
    pub psid: Option<&'a Value>,
    /// The message itself.
    pub value: &'a Value,
}

impl<'a> MessageDocument<'a> {
    /// Reads a document. A member that is null is taken as left out, but for `value`.
    ///
    /// # Errors
    /// Something else than an object; a member that is missing, not known, or of another type.
    pub fn of(document: &'a Value) -> Result<Self, ValueError> {
        const FORM: &str = "an object with kind, release and value";
        let members = document.as_object();
        let members = members.ok_or_else(|| ValueError::expected(FORM, document))?;
        let missing = |name| ValueError::new(format!("{FORM} is expected: {name} is missing"));
        let kind = members.get("kind").ok_or_else(|| missing("kind"))?;
        let value = members.get("value").ok_or_else(|| missing("value"))?;
        let mut names = members.keys();
        if let Some(name) = names.find(|name| !MEMBERS.contains(&name.as_str())) {
            return Err(ValueError::unknown(name, &MEMBERS.join(", ")));
        }
        let given = |name: &str| members.get(name).filter(|given| !given.is_null());
        let wrong = |name: &str, what: &str, found: &Value| {
            ValueError::expected(what, found).within(name.to_owned())
        };
        let text = |name, found: &'a Value| {
            let text = found.as_str();
            text.ok_or_else(|| wrong(name, "a text", found))
        };
        let release = |found: &Value| {
            let release = found.as_u64().and_then(|one| u8::try_from(one).ok());
            release.ok_or_else(|| wrong("release", "1 or 2", found))
        };
        let standard = given("standard").map(|found| text("standard", found));
        Ok(Self {
            kind: text("kind", kind)?,
            release: given("release").map(release).transpose()?,
            standard: standard.transpose()?,
            psid: given("psid"),
            value,
        })
    }

    /// Writes the message; returns the layout by which it was written, too.
    ///
    /// # Errors
    /// As [`encode`](crate::encode), and a standard that no layout of the kind, the release and the
    /// version in the header is of. [`MessageError::in_document`] names the member.
    pub fn encode(&self) -> Result<(Message, Vec<u8>), MessageError> {
        encode_by(self.kind, self.release, self.standard, self.value)
    }
}
