//! Events under a security module, as fields.

use waywarden_lasan::{
    Address, CertificateError, DenialReason, EcuEvent, HandshakeFailure, ModuleEvent,
    ProtectedOutcome, ReplaceError, StreamId,
};
use waywarden_vehicle_trace::AuthorizationEvent;

use super::FactFields;
use crate::prose::Prose;

impl Prose {
    /// Returns the fields of an event. `party` is the ECU that it is about; an address that no ECU
    /// of the network has stands as `address`.
    pub(super) fn authorization_fields(
        &self,
        network: usize,
        event: &AuthorizationEvent,
    ) -> FactFields {
        let fields = FactFields::of(event.code()).with("network", self.network(network));
        let names = Names {
            prose: self,
            network,
        };
        match event {
            AuthorizationEvent::Ecu(event) => names.of_ecu(fields, event),
            AuthorizationEvent::Module(event) => names.of_module(fields, event),
            AuthorizationEvent::NotReplaced { ecu, error } => {
                let fields = names.party(fields, *ecu);
                fields.with("failure", replace_error(*error))
            }
            AuthorizationEvent::Refused(
                ProtectedOutcome::WrongTag(stream)
                | ProtectedOutcome::Replay(stream)
                | ProtectedOutcome::UnknownKey(stream)
                | ProtectedOutcome::Authentic { stream, .. },
            ) => names.stream(fields, *stream),
            AuthorizationEvent::Refused(_) => fields,
            AuthorizationEvent::SharesSession { attacker, ecu } => fields
                .with("attacker", self.attacker(*attacker))
                .with("party", self.ecu(*ecu)),
        }
    }
}

/// The names of one network.
struct Names<'a> {
    prose: &'a Prose,
    network: usize,
}

impl Names<'_> {
    fn of_ecu(&self, fields: FactFields, event: &EcuEvent) -> FactFields {
        match *event {
            EcuEvent::Authenticated { epoch } => fields.with("epoch", epoch),
            EcuEvent::Failed(failure) => with_failure(fields, failure),
            EcuEvent::Granted {
                stream,
                sender,
                generation,
            } => {
                let fields = self.stream(fields, stream).with("generation", generation);
                fields.with_some("sender", self.name(sender))
            }
            EcuEvent::Denied { stream, reason } => self
                .stream(fields, stream)
                .with("reason", reason_name(reason)),
            EcuEvent::Expired(stream) => self.stream(fields, stream),
            // A session that is lost; and whatever a later release adds.
            _ => fields,
        }
    }

    fn of_module(&self, fields: FactFields, event: &ModuleEvent) -> FactFields {
        match *event {
            ModuleEvent::Started { epoch } => fields.with("epoch", epoch),
            ModuleEvent::Authenticated(ecu)
            | ModuleEvent::Enrolled(ecu)
            | ModuleEvent::Retired(ecu) => self.party(fields, ecu),
            ModuleEvent::Failed { ecu, failure } => with_failure(self.party(fields, ecu), failure),
            ModuleEvent::Keyed { stream, generation } => {
                self.stream(fields, stream).with("generation", generation)
            }
            ModuleEvent::Granted {
                stream,
                ecu,
                generation,
            } => {
                let fields = self.party(self.stream(fields, stream), ecu);
                fields.with("generation", generation)
            }
            ModuleEvent::Refused {
                stream,
                ecu,
                reason,
            } => {
                let fields = self.party(self.stream(fields, stream), ecu);
                fields.with("reason", reason_name(reason))
            }
            ModuleEvent::Revoked(stream) => self.stream(fields, stream),
            ModuleEvent::PortLags(port) | ModuleEvent::PortFollows(port) => {
                fields.with("port", port.0)
            }
            _ => fields,
        }
    }

    fn name(&self, address: Address) -> Option<&str> {
        self.prose.ecu_at(self.network, address)
    }

    fn party(&self, fields: FactFields, address: Address) -> FactFields {
        match self.name(address) {
            Some(name) => fields.with("party", name),
            None => fields.with("address", address.0),
        }
    }

    /// A stream by its name; one that the file does not protect by its number.
    fn stream(&self, fields: FactFields, stream: StreamId) -> FactFields {
        match self.prose.protected_stream(self.network, stream) {
            Some(name) => fields.with("stream", name),
            None => fields.with("stream_id", stream.0),
        }
    }
}

const fn reason_name(reason: DenialReason) -> &'static str {
    match reason {
        DenialReason::NotAllowed => "not-allowed",
        DenialReason::NotNow => "not-now",
        DenialReason::Revoked => "revoked",
        _ => "other",
    }
}

const fn replace_error(error: ReplaceError) -> &'static str {
    match error {
        ReplaceError::NotEnrolled => "not-enrolled",
        ReplaceError::NeverSeen => "never-seen",
        ReplaceError::Pinned => "key-enrolled",
        ReplaceError::TooMany => "too-many-replaced",
        _ => "other",
    }
}

fn with_failure(fields: FactFields, failure: HandshakeFailure) -> FactFields {
    match failure {
        HandshakeFailure::Timeout => fields.with("failure", "timeout"),
        HandshakeFailure::Unknown => fields.with("failure", "unknown"),
        HandshakeFailure::Certificate(error) => {
            let fields = fields.with("failure", "certificate");
            fields.with("certificate", certificate_error(error))
        }
        HandshakeFailure::Key => fields.with("failure", "key"),
        HandshakeFailure::Epoch => fields.with("failure", "epoch"),
        HandshakeFailure::Signature(_) => fields.with("failure", "signature"),
        HandshakeFailure::Agreement(_) => fields.with("failure", "agreement"),
        HandshakeFailure::Proof => fields.with("failure", "proof"),
        _ => fields.with("failure", "other"),
    }
}

const fn certificate_error(error: CertificateError) -> &'static str {
    match error {
        CertificateError::Length => "length",
        CertificateError::Subject => "subject",
        CertificateError::Role => "role",
        CertificateError::Authority => "authority",
        CertificateError::NotYet => "not-yet-valid",
        CertificateError::Expired => "expired",
        CertificateError::Signature => "signature",
        _ => "other",
    }
}
