//! Facts as fields that programs read: names of the vehicle file, numbers, and words that do not
//! change. `docs/trace.md` lists them.

mod authorization;
mod group;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;
use waywarden_vehicle_trace::{CheckOutcome, Fact, JudgedFact, Truth, ValueSource};

use crate::prose::Prose;

/// The fields of one fact, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FactFields(Vec<(&'static str, Value)>);

impl FactFields {
    /// Starts the fields of an event with its code.
    fn of(what: &'static str) -> Self {
        FactFields::default().with("what", what)
    }

    fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.0.push((name, value.into()));
        self
    }

    fn with_some(self, name: &'static str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Returns the fields with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }
}

impl Serialize for FactFields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl Prose {
    /// Returns the fields of a fact; none for what traces leave out, as frames show it.
    #[must_use]
    pub fn fields(&self, judged: &JudgedFact<'_>) -> Option<FactFields> {
        judged.kind()?;
        let fields = match judged.fact {
            Fact::GroupKey { group, event } => {
                group::fields(event).with("group", self.group(*group))
            }
            Fact::Authorization { network, event } => self.authorization_fields(*network, event),
            Fact::Checked {
                authentication,
                stream,
                passes_to,
                outcome,
                ..
            } => FactFields::of(outcome_name(outcome))
                .with("authentication", self.authentication(*authentication))
                .with("stream", self.stream(*stream))
                .with_some("verifies", passes_to.map(|_| true)),
            Fact::Taken { stream, frame, .. } => FactFields::of("taken")
                .with("stream", self.stream(*stream))
                .with("frame", frame.to_string()),
            Fact::Skipped {
                message,
                since_boot,
            } => FactFields::of("skipped")
                .with("stream", self.stream(message.stream))
                .with("message", message.number)
                .with("since_boot", *since_boot),
            Fact::Displayed {
                module,
                value,
                source,
            } => FactFields::of("displayed")
                .with("module", *module)
                .with("value", value.as_str())
                .with_some("source", source.map(source_name))
                .with_some(
                    "stream",
                    source.and_then(|source| self.source_stream(source)),
                ),
            Fact::KeyPressed {
                module,
                number,
                key,
                is_down,
            } => FactFields::of(if *is_down { "pressed" } else { "released" })
                .with("module", *module)
                .with("number", *number)
                .with("key", key.label()),
            Fact::ImageFailed { why } => FactFields::of("image-failed").with("why", why.as_str()),
            Fact::Overrun { .. } => FactFields::of("mailbox-overrun"),
            Fact::Executed { .. }
            | Fact::Released { .. }
            | Fact::Sampled { .. }
            | Fact::Dropped { .. }
            | Fact::Discarded { .. }
            | Fact::HandedIn { .. }
            | Fact::Protected { .. }
            | Fact::Withheld { .. } => return None,
            fact => self.attacker_fields(fact)?,
        };
        Some(with_truth(fields, judged.truth))
    }

    /// Returns the fields of an attacker's action.
    fn attacker_fields(&self, fact: &Fact) -> Option<FactFields> {
        Some(match fact {
            Fact::Intruded {
                attacker,
                made_up,
                handed_in,
            } => FactFields::of("intruded")
                .with("attacker", self.attacker(*attacker))
                .with("made_up", *made_up)
                .with("handed_in", *handed_in),
            Fact::CallRefused { attacker } => {
                FactFields::of("call-refused").with("attacker", self.attacker(*attacker))
            }
            Fact::Suppressed {
                attacker, frame, ..
            } => FactFields::of("suppressed")
                .with("attacker", self.attacker(*attacker))
                .with("frame", frame.to_string()),
            Fact::Modified {
                attacker,
                frame,
                changed,
            } => FactFields::of("modified")
                .with("attacker", self.attacker(*attacker))
                .with("frame", frame.to_string())
                .with("changed", changed.to_string()),
            Fact::Impersonated { attacker, frame } => FactFields::of("impersonated")
                .with("attacker", self.attacker(*attacker))
                .with("frame", frame.to_string()),
            _ => return None,
        })
    }

    fn source_stream(&self, source: ValueSource) -> Option<&str> {
        match source {
            ValueSource::Message { stream, .. } => Some(self.stream(stream)),
            ValueSource::AttackerCode => None,
        }
    }
}

/// Adds the truth of the message that a fact is about: forged, or which of its sender's it is.
fn with_truth(fields: FactFields, truth: Option<Truth>) -> FactFields {
    match truth {
        None => fields,
        Some(Truth::Forged { .. }) => fields.with("forged", true),
        Some(Truth::Genuine(genuine)) => fields
            .with("forged", false)
            .with("message", genuine.message.number)
            .with_some("caused_by", genuine.cause),
    }
}

const fn outcome_name(outcome: &CheckOutcome) -> &'static str {
    match outcome {
        CheckOutcome::Authentic(_) => "authentic",
        CheckOutcome::Refused(why) => why.code(),
        CheckOutcome::Resynced => "resynced",
    }
}

const fn source_name(source: ValueSource) -> &'static str {
    match source {
        ValueSource::Message { .. } => "message",
        ValueSource::AttackerCode => "attacker-code",
    }
}
