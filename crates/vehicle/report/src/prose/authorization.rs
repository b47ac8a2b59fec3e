//! Events under a security module, in words.

use waywarden_group_keys::Address;
use waywarden_lasan::{EcuEvent, ModuleEvent, ProtectedOutcome, StreamId};

use super::{NetworkNames, Prose, name};
use waywarden_vehicle_trace::AuthorizationEvent;

impl Prose {
    /// Returns the text of an event.
    pub(super) fn authorization(&self, names: &NetworkNames, event: &AuthorizationEvent) -> String {
        match event {
            AuthorizationEvent::Ecu(event) => names.ecu_text(event),
            AuthorizationEvent::Module(event) => names.module_text(event),
            AuthorizationEvent::NotReplaced { ecu, error } => {
                let ecu = names.ecu(*ecu);
                format!("the old part of {ecu} is not shut out, {error}")
            }
            AuthorizationEvent::Refused(ProtectedOutcome::WrongTag(stream)) => {
                format!("a frame of {} is not its sender's", names.stream(*stream))
            }
            AuthorizationEvent::Refused(ProtectedOutcome::Replay(stream)) => {
                format!("a frame of {} is old", names.stream(*stream))
            }
            AuthorizationEvent::Refused(ProtectedOutcome::UnknownKey(stream)) => {
                let stream = names.stream(*stream);
                format!("a frame of {stream} is under a key that is not held")
            }
            AuthorizationEvent::Refused(other) => format!("Refused({other:?})"),
            AuthorizationEvent::SharesSession { attacker, ecu } => {
                let (attacker, ecu) = (name(&self.attackers, *attacker), name(&self.ecus, *ecu));
                format!("{attacker} has a session with {ecu}")
            }
        }
    }
}

impl NetworkNames {
    fn stream(&self, stream: StreamId) -> String {
        match self.streams.get(&stream) {
            Some(name) => name.clone(),
            None => format!("{:X}", stream.0),
        }
    }

    fn ecu(&self, address: Address) -> String {
        match self.ecus.get(&address) {
            Some(name) => name.clone(),
            None => format!("address {}", address.0),
        }
    }

    fn ecu_text(&self, event: &EcuEvent) -> String {
        match event {
            EcuEvent::Authenticated { epoch: 0 } => "the session begins".to_owned(),
            EcuEvent::Authenticated { epoch } => {
                format!("the session of epoch {epoch} begins")
            }
            EcuEvent::Failed(failure) => format!("no session, {failure:?}"),
            EcuEvent::SessionLost => "the session is over".to_owned(),
            EcuEvent::Granted {
                stream, generation, ..
            } => format!("key {generation} of {} is held", self.stream(*stream)),
            EcuEvent::Denied { stream, reason } => {
                format!("no key of {}, {reason:?}", self.stream(*stream))
            }
            EcuEvent::Expired(stream) => {
                format!("the key of {} is over", self.stream(*stream))
            }
            other => format!("{other:?}"),
        }
    }

    fn module_text(&self, event: &ModuleEvent) -> String {
        match event {
            ModuleEvent::Started { epoch } => format!("epoch {epoch} begins"),
            ModuleEvent::Authenticated(ecu) => {
                format!("{} has a session", self.ecu(*ecu))
            }
            ModuleEvent::Failed { ecu, failure } => {
                format!("no session with {}, {failure:?}", self.ecu(*ecu))
            }
            ModuleEvent::Keyed { stream, generation } => {
                format!("key {generation} of {} is made", self.stream(*stream))
            }
            ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            } => {
                let (stream, ecu) = (self.stream(*stream), self.ecu(*ecu));
                format!("{ecu} has key {generation} of {stream}")
            }
            ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            } => {
                let (stream, ecu) = (self.stream(*stream), self.ecu(*ecu));
                format!("{ecu} asked for {stream}, {reason:?}")
            }
            ModuleEvent::Revoked(stream) => {
                format!("no ECU gets a key of {}", self.stream(*stream))
            }
            ModuleEvent::Enrolled(ecu) => format!("{} takes part", self.ecu(*ecu)),
            ModuleEvent::Retired(ecu) => format!("{} is out", self.ecu(*ecu)),
            ModuleEvent::PortLags(port) => {
                format!("going on without the bus on port {}", port.0)
            }
            ModuleEvent::PortFollows(port) => {
                format!("the bus on port {} takes frames again", port.0)
            }
            other => format!("{other:?}"),
        }
    }
}
