//! Kinds of facts, each with a one-word name that programs can filter on.

use waywarden_group_keys::GroupRoleEvent;
use waywarden_lasan::{EcuEvent, ModuleEvent, ProtectedOutcome};

use super::{AuthorizationEvent, Fact, GroupKeyEvent, JudgedFact};

/// Kind of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactKind {
    /// Event of a group key exchange.
    Keys,
    /// Authentication and authorization by a security module.
    Authorization,
    /// Check of a received message.
    Authentication,
    /// Acceptance of a forged message.
    Forgery,
    /// Instances of a stream that were never sent.
    Skipped,
    /// A change of a display.
    Display,
    /// An input by a person.
    Input,
    /// One round of an attacker's code on an ECU.
    Intrusion,
    /// A call by an attacker's code that a module of the ECU's program refused.
    RefusedCall,
    /// A frame that an attacker dropped.
    Suppressed,
    /// A frame that an attacker in a gateway changed, or sent in another ECU's name.
    Modified,
    /// The failure of an ECU image.
    ImageFailure,
    /// A frame that found no room in the receive mailbox of an ECU image.
    MailboxOverrun,
}

impl FactKind {
    /// Returns its name in traces.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FactKind::Keys => "keys",
            FactKind::Authorization => "authorization",
            FactKind::Authentication => "authentication",
            FactKind::Forgery => "forgery",
            FactKind::Skipped => "skipped",
            FactKind::Display => "display",
            FactKind::Input => "input",
            FactKind::Intrusion => "intrusion",
            FactKind::RefusedCall => "refused-call",
            FactKind::Suppressed => "suppressed",
            FactKind::Modified => "modified",
            FactKind::ImageFailure => "image-failed",
            FactKind::MailboxOverrun => "mailbox-overrun",
        }
    }
}

impl JudgedFact<'_> {
    /// Returns the kind of the fact; `None` for facts that traces omit because frames show them.
    #[must_use]
    pub fn kind(&self) -> Option<FactKind> {
        Some(match self.fact {
            Fact::GroupKey { .. } => FactKind::Keys,
            Fact::Authorization { .. } => FactKind::Authorization,
            Fact::Checked { .. } => FactKind::Authentication,
            Fact::Taken { .. } if self.is_forged() => FactKind::Forgery,
            Fact::Skipped { .. } => FactKind::Skipped,
            Fact::Displayed { .. } => FactKind::Display,
            Fact::KeyPressed { .. } => FactKind::Input,
            Fact::Intruded { .. } => FactKind::Intrusion,
            Fact::CallRefused { .. } => FactKind::RefusedCall,
            Fact::Suppressed { .. } => FactKind::Suppressed,
            Fact::Modified { .. } | Fact::Impersonated { .. } => FactKind::Modified,
            Fact::ImageFailed { .. } => FactKind::ImageFailure,
            Fact::Overrun { .. } => FactKind::MailboxOverrun,
            Fact::Executed { .. }
            | Fact::Taken { .. }
            | Fact::Released { .. }
            | Fact::Sampled { .. }
            | Fact::Dropped { .. }
            | Fact::Discarded { .. }
            | Fact::HandedIn { .. }
            | Fact::Protected { .. }
            | Fact::Withheld { .. } => return None,
        })
    }
}

impl GroupKeyEvent {
    /// Returns the one-word code of the event, which programs can filter on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            GroupKeyEvent::Begun => "begun",
            GroupKeyEvent::InUse { .. } => "agreed",
            GroupKeyEvent::Role(event) => match event {
                GroupRoleEvent::Formed(_) => "formed",
                GroupRoleEvent::Confirmed { .. } => "confirmed",
                GroupRoleEvent::Renewing => "renewing",
                GroupRoleEvent::Failed { .. } => "failed",
                GroupRoleEvent::Missed { .. } => "missed",
                GroupRoleEvent::Starved { .. } => "starved",
                GroupRoleEvent::Unresponsive(_) => "unresponsive",
                GroupRoleEvent::PortLags(_) => "port-lags",
                GroupRoleEvent::PortFollows(_) => "port-follows",
                GroupRoleEvent::Removed(_) => "removed",
                GroupRoleEvent::Included(_) => "included",
                GroupRoleEvent::Unacknowledged { .. } => "unacknowledged",
                _ => "other",
            },
        }
    }
}

impl AuthorizationEvent {
    /// Returns the one-word code of the event, which programs can filter on.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            AuthorizationEvent::Ecu(event) => ecu_code(event),
            AuthorizationEvent::Module(event) => module_code(event),
            AuthorizationEvent::NotReplaced { .. } => "not-replaced",
            AuthorizationEvent::Refused(ProtectedOutcome::WrongTag(_)) => "wrong-tag",
            AuthorizationEvent::Refused(ProtectedOutcome::Replay(_)) => "replay",
            AuthorizationEvent::Refused(ProtectedOutcome::UnknownKey(_)) => "unknown-key",
            AuthorizationEvent::Refused(_) => "other",
            AuthorizationEvent::SharesSession { .. } => "masquerade",
        }
    }
}

const fn ecu_code(event: &EcuEvent) -> &'static str {
    match event {
        EcuEvent::Authenticated { .. } => "authenticated",
        EcuEvent::Failed(_) => "failed",
        EcuEvent::SessionLost => "session-lost",
        EcuEvent::Granted { .. } => "granted",
        EcuEvent::Denied { .. } => "denied",
        EcuEvent::Expired(_) => "expired",
        _ => "other",
    }
}

const fn module_code(event: &ModuleEvent) -> &'static str {
    match event {
        ModuleEvent::Started { .. } => "started",
        ModuleEvent::Authenticated(_) => "authenticated",
        ModuleEvent::Failed { .. } => "failed",
        ModuleEvent::Keyed { .. } => "keyed",
        ModuleEvent::Granted { .. } => "delivered",
        ModuleEvent::Refused { .. } => "refused",
        ModuleEvent::Revoked(_) => "revoked",
        ModuleEvent::Enrolled(_) => "enrolled",
        ModuleEvent::Retired(_) => "retired",
        ModuleEvent::PortLags(_) => "port-lags",
        ModuleEvent::PortFollows(_) => "port-follows",
        _ => "other",
    }
}
