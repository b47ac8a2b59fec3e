//! The settings on which all ECUs of a network agree beforehand.

use waywarden_key_roles::{Address, IdentifierPlan, Transport};
use waywarden_work::Duration;

use super::plan::GroupPlan;
use waywarden_key_suites::PublicKey;

/// The messages that are sent, and the facts that they bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupProfile {
    /// The paper's messages, with its weaknesses: for comparison, never for a vehicle.
    #[cfg(feature = "as-published")]
    AsPublished,
    /// The same exchange with everything bound to everything: the default.
    Hardened,
}

impl GroupProfile {
    /// Returns true if it is the published one. Without the feature `as-published` there is no such
    /// profile, and the compiler leaves out what it alone does.
    #[must_use]
    pub const fn is_as_published(self) -> bool {
        #[cfg(feature = "as-published")]
        return matches!(self, GroupProfile::AsPublished);
        #[cfg(not(feature = "as-published"))]
        return false;
    }

    /// Returns the name in vehicle files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "as-published")]
            GroupProfile::AsPublished => "as-published",
            GroupProfile::Hardened => "hardened",
        }
    }
}

/// The order in which the orchestrator goes through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MergeOrder {
    /// Level by level, as the cost formulas of [GKE §V-C] count.
    ByLevel,
    /// Each merge as soon as both of its children are formed.
    AsReady,
}

/// The message that starts the exchanges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Orchestration {
    /// A signed message before each exchange, signed when its turn comes.
    Each,
    /// The same, but all of them signed before the first is sent [GKE §V-C].
    SignedAhead,
    /// One signed message for the whole fixed tree [GKE §V-C]; only in a tree without the
    /// orchestrator in each logical ECU.
    Once,
}

/// Time limits of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupTiming {
    /// From an orchestration message to the last confirmation. Take twice what the slowest pair
    /// of boards needs.
    pub exchange: Duration,
    /// From the proof of the group key to the last acknowledgement; and between two reports of
    /// one member.
    pub answer: Duration,
    /// Between two repetitions of the proof, by which a member learns that it missed the end;
    /// zero for none.
    pub beacon: Duration,
}

/// The settings on which all ECUs of a network agree.
#[derive(Clone, Debug)]
pub struct GroupSettings {
    /// The tree of merges.
    pub plan: GroupPlan,
    /// The profile, which selects the messages.
    pub profile: GroupProfile,
    /// The frame format: classic CAN or CAN FD.
    pub transport: Transport,
    /// The plan of the identifiers.
    pub identifiers: IdentifierPlan,
    /// The order of the merges.
    pub merge_order: MergeOrder,
    /// The way in which exchanges are started.
    pub orchestration: Orchestration,
    /// The time limits.
    pub timing: GroupTiming,
}

/// The source of a role's settings and of all public keys: each ECU stores local copies [GKE
/// §III-A].
pub trait GroupDirectory {
    /// Returns the settings.
    fn settings(&self) -> &GroupSettings;
    /// Returns the public key of a physical ECU.
    fn public_key(&self, ecu: Address) -> Option<&PublicKey>;
}

/// Settings and public keys in one place; `K` is a slice, an array or a `Vec`.
#[derive(Clone, Debug)]
pub struct GroupConfiguration<K> {
    /// The common settings.
    pub settings: GroupSettings,
    /// Public keys by address, in any order.
    pub keys: K,
}

impl<K: AsRef<[(Address, PublicKey)]>> GroupDirectory for GroupConfiguration<K> {
    fn settings(&self) -> &GroupSettings {
        &self.settings
    }

    fn public_key(&self, ecu: Address) -> Option<&PublicKey> {
        let keys = self.keys.as_ref().iter();
        keys.filter(|(at, _)| *at == ecu).map(|(_, key)| key).next()
    }
}

impl<D: core::ops::Deref<Target: GroupDirectory>> GroupDirectory for D {
    fn settings(&self) -> &GroupSettings {
        (**self).settings()
    }

    fn public_key(&self, ecu: Address) -> Option<&PublicKey> {
        (**self).public_key(ecu)
    }
}
