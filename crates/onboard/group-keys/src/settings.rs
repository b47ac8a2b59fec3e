//! What all ECUs of a network agree on beforehand.

use waywarden_key_roles::{Address, IdentifierPlan, Transport};
use waywarden_work::Duration;

use super::plan::Plan;
use waywarden_key_suites::PublicKey;

/// Which messages are sent and what they bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// The paper's messages, with its weaknesses: for comparison, never for a vehicle.
    #[cfg(feature = "as-published")]
    AsPublished,
    /// The same exchange with everything bound to everything: the default.
    Hardened,
}

impl Profile {
    /// Whether it is the published one. Without the feature `as-published` there is no such
    /// profile, and the compiler leaves out what it alone does.
    #[must_use]
    pub const fn is_as_published(self) -> bool {
        #[cfg(feature = "as-published")]
        return matches!(self, Profile::AsPublished);
        #[cfg(not(feature = "as-published"))]
        return false;
    }
}

/// How the orchestrator goes through the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pace {
    /// Level by level, as the cost formulas of [GKE §V-C] count.
    ByLevel,
    /// Each merge as soon as both of its children are formed.
    AsReady,
}

/// What starts the exchanges.
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

/// How long to wait for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
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

/// What all ECUs of a network agree on.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who merges with whom.
    pub plan: Plan,
    /// Which messages.
    pub profile: Profile,
    /// Over what.
    pub transport: Transport,
    /// Under which identifiers.
    pub identifiers: IdentifierPlan,
    /// In what order.
    pub pace: Pace,
    /// How exchanges are started.
    pub orchestration: Orchestration,
    /// How long to wait.
    pub timing: Timing,
}

/// Where a role finds its settings and everybody's public keys: each ECU stores local copies
/// [GKE §III-A].
pub trait Directory {
    /// Returns the settings.
    fn settings(&self) -> &Settings;
    /// Returns the public key of a physical ECU.
    fn public_key(&self, ecu: Address) -> Option<&PublicKey>;
}

/// Settings and public keys in one place; `K` is a slice, an array or a `Vec`.
#[derive(Clone, Debug)]
pub struct Network<K> {
    /// The settings.
    pub settings: Settings,
    /// Public keys by address, in any order.
    pub keys: K,
}

impl<K: AsRef<[(Address, PublicKey)]>> Directory for Network<K> {
    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn public_key(&self, ecu: Address) -> Option<&PublicKey> {
        let keys = self.keys.as_ref().iter();
        keys.filter(|(at, _)| *at == ecu).map(|(_, key)| key).next()
    }
}

impl<D: core::ops::Deref<Target: Directory>> Directory for D {
    fn settings(&self) -> &Settings {
        (**self).settings()
    }

    fn public_key(&self, ecu: Address) -> Option<&PublicKey> {
        (**self).public_key(ecu)
    }
}
