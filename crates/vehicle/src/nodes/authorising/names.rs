//! What roles under a security module tell, in words and with the names of the vehicle file.

use std::collections::BTreeMap;

use waywarden_can_sim::notes::Note;
use waywarden_ecu_keys::group::Address;
use waywarden_ecu_keys::lasan::{EcuEvent, ModuleEvent, Received, StreamId};

use crate::nodes::News;

/// The kind of the remark about authentication and authorisation.
pub const AUTHORISATION: &str = "authorisation";

/// What a remark of the kind [`AUTHORISATION`] begins with, before a colon: what happened, in a
/// word.
const WORDS: [&str; 19] = [
    "started",
    "authenticated",
    "failed",
    "session-lost",
    "granted",
    "denied",
    "expired",
    "keyed",
    "delivered",
    "refused",
    "revoked",
    "enrolled",
    "retired",
    "not-replaced",
    "forged",
    "replayed",
    "unknown-key",
    "masquerade",
    "other",
];

/// Returns in one word what a remark of the kind [`AUTHORISATION`] says.
pub(crate) fn event_word(note: &Note) -> &'static str {
    let said = note.text.split(':').next();
    let known = WORDS.iter().find(|word| Some(**word) == said);
    known.copied().unwrap_or("other")
}

/// The names behind the numbers of a network.
#[derive(Debug, Default)]
pub struct Names {
    /// Of ECUs, by address.
    pub ecus: BTreeMap<Address, String>,
    /// The places of ECUs in the vehicle file, by address.
    pub places: BTreeMap<Address, usize>,
    /// Of protected streams, with their places in the vehicle file.
    pub streams: BTreeMap<StreamId, (usize, String)>,
}

impl Names {
    fn stream(&self, stream: StreamId) -> String {
        match self.streams.get(&stream) {
            Some((_, name)) => name.clone(),
            None => format!("{:X}", stream.0),
        }
    }

    fn ecu(&self, address: Address) -> String {
        match self.ecus.get(&address) {
            Some(name) => name.clone(),
            None => format!("address {}", address.0),
        }
    }

    /// Says what happened, for people, a word of [`WORDS`] first.
    pub(super) fn text(&self, news: &News) -> String {
        match news {
            News::Authorisation(event) => self.ecu_text(event),
            News::Module(event) => self.module_text(event),
            News::NotReplaced { ecu, error } => {
                let ecu = self.ecu(*ecu);
                format!("not-replaced: the old part of {ecu} is not shut out, {error}")
            }
            News::Refused(Received::Forged(stream)) => {
                format!(
                    "forged: a frame of {} is not its sender's",
                    self.stream(*stream)
                )
            }
            News::Refused(Received::Replayed(stream)) => {
                format!("replayed: a frame of {} is old", self.stream(*stream))
            }
            News::Refused(Received::UnknownKey(stream)) => {
                let stream = self.stream(*stream);
                format!("unknown-key: a frame of {stream} is under a key that is not held")
            }
            other => format!("other: {other:?}"),
        }
    }

    fn ecu_text(&self, event: &EcuEvent) -> String {
        match event {
            EcuEvent::Authenticated { epoch: 0 } => "authenticated: the session begins".to_owned(),
            EcuEvent::Authenticated { epoch } => {
                format!("authenticated: the session of epoch {epoch} begins")
            }
            EcuEvent::Failed(failure) => format!("failed: no session, {failure:?}"),
            EcuEvent::SessionLost => "session-lost: the session is over".to_owned(),
            EcuEvent::Granted {
                stream, generation, ..
            } => format!(
                "granted: key {generation} of {} is held",
                self.stream(*stream)
            ),
            EcuEvent::Denied { stream, reason } => {
                format!("denied: no key of {}, {reason:?}", self.stream(*stream))
            }
            EcuEvent::Expired(stream) => {
                format!("expired: the key of {} is over", self.stream(*stream))
            }
            other => format!("other: {other:?}"),
        }
    }

    fn module_text(&self, event: &ModuleEvent) -> String {
        match event {
            ModuleEvent::Started { epoch } => format!("started: epoch {epoch} begins"),
            ModuleEvent::Authenticated(ecu) => {
                format!("authenticated: {} has a session", self.ecu(*ecu))
            }
            ModuleEvent::Failed { ecu, failure } => {
                format!("failed: no session with {}, {failure:?}", self.ecu(*ecu))
            }
            ModuleEvent::Keyed { stream, generation } => {
                format!(
                    "keyed: key {generation} of {} is made",
                    self.stream(*stream)
                )
            }
            ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            } => {
                let (stream, ecu) = (self.stream(*stream), self.ecu(*ecu));
                format!("delivered: {ecu} has key {generation} of {stream}")
            }
            ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            } => {
                let (stream, ecu) = (self.stream(*stream), self.ecu(*ecu));
                format!("refused: {ecu} asked for {stream}, {reason:?}")
            }
            ModuleEvent::Revoked(stream) => {
                format!("revoked: nobody gets a key of {}", self.stream(*stream))
            }
            ModuleEvent::Enrolled(ecu) => format!("enrolled: {} takes part", self.ecu(*ecu)),
            ModuleEvent::Retired(ecu) => format!("retired: {} is out", self.ecu(*ecu)),
            ModuleEvent::PortLags(port) => {
                format!("other: going on without the bus on port {}", port.0)
            }
            ModuleEvent::PortFollows(port) => {
                format!("other: the bus on port {} takes frames again", port.0)
            }
            other => format!("other: {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use waywarden_ecu_keys::lasan::{Failure, Reason, ReplaceError};

    use super::*;

    #[test]
    fn every_remark_begins_with_its_word() {
        let (stream, ecu, generation) = (StreamId(0x123), Address(7), 2);
        let reason = Reason::NotNow;
        let failure = Failure::Timeout;
        let error = ReplaceError::TooMany;
        let mut names = Names::default();
        names.streams.insert(stream, (4, "Speed".to_owned()));
        for (news, word) in [
            (
                News::Authorisation(EcuEvent::Authenticated { epoch: 3 }),
                "authenticated",
            ),
            (News::Authorisation(EcuEvent::Failed(failure)), "failed"),
            (News::Authorisation(EcuEvent::SessionLost), "session-lost"),
            (
                News::Authorisation(EcuEvent::Denied { stream, reason }),
                "denied",
            ),
            (News::Authorisation(EcuEvent::Expired(stream)), "expired"),
            (News::Module(ModuleEvent::Started { epoch: 1 }), "started"),
            (News::Module(ModuleEvent::Failed { ecu, failure }), "failed"),
            (
                News::Module(ModuleEvent::Keyed { stream, generation }),
                "keyed",
            ),
            (
                News::Module(ModuleEvent::Granted {
                    stream,
                    ecu,
                    generation,
                }),
                "delivered",
            ),
            (
                News::Module(ModuleEvent::Refused {
                    stream,
                    ecu,
                    reason,
                }),
                "refused",
            ),
            (News::Module(ModuleEvent::Revoked(stream)), "revoked"),
            (News::Module(ModuleEvent::Enrolled(ecu)), "enrolled"),
            (News::Module(ModuleEvent::Retired(ecu)), "retired"),
            (News::NotReplaced { ecu, error }, "not-replaced"),
            (News::Refused(Received::Forged(stream)), "forged"),
            (News::Refused(Received::Replayed(stream)), "replayed"),
            (News::Refused(Received::UnknownKey(stream)), "unknown-key"),
        ] {
            let (by, text) = (String::new(), names.text(&news));
            let kind = AUTHORISATION;
            assert_eq!(event_word(&Note { kind, by, text }), word, "{news:?}");
        }
        let text = names.text(&News::Refused(Received::Forged(stream)));
        assert!(text.contains("Speed"), "{text}");
        assert_eq!(names.stream(StreamId(0x45)), "45");
    }
}
