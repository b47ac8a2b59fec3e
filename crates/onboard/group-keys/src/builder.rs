//! A group in a few lines: plan, settings and public keys by a builder, roles with their memory on
//! the heap. Feature `alloc`.
//!
//! What is not here: memory in arrays ([`MemberArrays`](crate::MemberArrays)), several networks
//! ([`GroupPlan::of_networks`]), the published profile. [`GroupPlan`] and [`GroupSettings`] have
//! all of it.

#[cfg(test)]
mod tests;

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use waywarden_can::node::{Boot, Port, Ports, Slot};
use waywarden_key_roles::{Address, IdentifierPlan, Transport};
use waywarden_key_suites::{PublicKey, Secret};
use waywarden_work::Duration;

use crate::identifier::{GroupFrameReader, IDENTIFIERS};
use crate::member::Member;
use crate::orchestrator::{Orchestrator, OrchestratorError};
use crate::party::MemberIdentity;
use crate::plan::{GroupPlan, OddLevel, PlanError, PlannedEcu, Scheme};
use crate::settings::{
    GroupConfiguration, GroupDirectory, GroupProfile, GroupSettings, GroupTiming, MergeOrder,
    Orchestration,
};
use crate::storage::{MemberStorage, OrchestratorStorage};
use crate::suite::GroupSuite;

/// Settings and public keys of a group, shared by the roles of one process.
pub type SharedGroupConfiguration = Arc<GroupConfiguration<Vec<(Address, PublicKey)>>>;

/// A group under construction: the facts on which all its ECUs agree. Every ECU builds the same.
///
/// Defaults: a tree with the orchestrator in each logical ECU, the hardened
/// profile, CAN FD, each exchange ordered by itself as soon as it can be, and
/// [`GroupBuilder::TIMING`].
#[derive(Clone, Debug)]
#[must_use]
pub struct GroupBuilder {
    scheme: Scheme,
    transport: Transport,
    identifiers: IdentifierPlan,
    timing: GroupTiming,
    orchestrator: Address,
    places: Vec<PlannedEcu>,
    keys: Vec<(Address, PublicKey)>,
}

/// An error in the description of a group, or of a role in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GroupError {
    /// The addresses make no plan.
    Plan(PlanError),
    /// The identifiers leave too few bits to the fields.
    Identifiers {
        /// Bits that the fields need.
        needed: u32,
        /// Bits that the identifiers leave.
        left: u32,
    },
    /// The plan and its settings allow no orchestrator.
    Orchestrator(OrchestratorError),
    /// The identity's address is not that of a member, or for an orchestrator not the
    /// orchestrator's.
    Role(Address),
    /// The directory has no public key of this ECU, or another one than the identity's.
    PublicKey(Address),
}

impl GroupBuilder {
    /// The default of [`GroupBuilder::with_timing`]: half a second for an exchange, which suits
    /// boards that need up to 250 ms for their part of it; 100 ms for an answer; a repetition of
    /// the proof each second.
    pub const TIMING: GroupTiming = GroupTiming {
        exchange: Duration::from_millis(500),
        answer: Duration::from_millis(100),
        beacon: Duration::from_millis(1_000),
    };

    /// Begins with the orchestrator and its public key.
    pub fn new(orchestrator: Address, key: PublicKey) -> Self {
        GroupBuilder {
            scheme: Scheme::TreeWithOrchestrator,
            transport: Transport::Fd,
            identifiers: IDENTIFIERS,
            timing: Self::TIMING,
            orchestrator,
            places: Vec::new(),
            keys: alloc::vec![(orchestrator, key)],
        }
    }

    /// Adds a member that acts for its logical ECU like all others: rank 0.
    pub fn with_member(self, address: Address, key: PublicKey) -> Self {
        self.with_ranked_member(PlannedEcu { address, rank: 0 }, key)
    }

    /// Adds a member with a rank: the lowest of a logical ECU acts for it.
    pub fn with_ranked_member(mut self, place: PlannedEcu, key: PublicKey) -> Self {
        self.places.push(place);
        self.keys.push((place.address, key));
        self
    }

    /// Sets the scheme.
    pub const fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// Sets what carries the messages.
    pub const fn with_transport(mut self, transport: Transport) -> Self {
        self.transport = transport;
        self
    }

    /// Sets the identifiers; [`GroupBuilder::build`] checks that they have bits for all addresses.
    pub const fn with_identifiers(mut self, identifiers: IdentifierPlan) -> Self {
        self.identifiers = identifiers;
        self
    }

    /// Sets how long to wait.
    pub const fn with_timing(mut self, timing: GroupTiming) -> Self {
        self.timing = timing;
        self
    }

    /// Makes the plan, the settings and the directory of public keys.
    ///
    /// # Errors
    /// [`GroupError::Plan`]: an address is 0 or there twice, there is no member, or there are more
    /// than the scheme has addresses for. [`GroupError::Identifiers`]: the identifiers leave too
    /// few bits to the fields.
    pub fn build(self) -> Result<SharedGroupConfiguration, GroupError> {
        let odd = OddLevel::Skipped;
        let plan = GroupPlan::new(self.scheme, odd, self.orchestrator, &self.places);
        let plan = plan.map_err(GroupError::Plan)?;
        let reader = GroupFrameReader::new(plan, self.transport, self.identifiers);
        let (needed, left) = reader.bits();
        if needed > left {
            return Err(GroupError::Identifiers { needed, left });
        }
        Ok(Arc::new(GroupConfiguration {
            settings: GroupSettings {
                plan: reader.into_plan(),
                profile: GroupProfile::Hardened,
                transport: self.transport,
                identifiers: self.identifiers,
                merge_order: MergeOrder::AsReady,
                orchestration: Orchestration::Each,
                timing: self.timing,
            },
            keys: self.keys,
        }))
    }
}

impl<S: GroupSuite> MemberIdentity<S> {
    /// Makes the identity of an ECU with one controller, `Port(0)`, that retains from `Slot(0)` on;
    /// fields of the result say otherwise. `secret` is 32 bytes from a good random source that no
    /// other ECU knows.
    #[must_use]
    pub fn new(suite: S, address: Address, secret: &Secret) -> Self {
        MemberIdentity {
            address,
            ports: Ports::NONE.with(Port(0)),
            signing_key: suite.signing_key(secret),
            suite,
            slot: Slot(0),
        }
    }

    /// Returns the public key, which the directories of all ECUs have. Takes the time of a key
    /// generation.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        self.suite.public_key(&self.signing_key)
    }

    fn check(&self, directory: &impl GroupDirectory) -> Result<(), GroupError> {
        match directory.public_key(self.address) == Some(&self.public_key()) {
            true => Ok(()),
            false => Err(GroupError::PublicKey(self.address)),
        }
    }
}

impl<S: GroupSuite, D: GroupDirectory> Member<'static, S, D> {
    /// Starts a member with as much memory on the heap as the plan can need.
    ///
    /// # Errors
    /// [`GroupError::Role`] and [`GroupError::PublicKey`].
    pub fn boxed(
        boot: &Boot<'_>,
        identity: MemberIdentity<S>,
        directory: D,
    ) -> Result<Self, GroupError> {
        let plan = &directory.settings().plan;
        if !plan.ecus().any(|ecu| ecu == identity.address) {
            return Err(GroupError::Role(identity.address));
        }
        identity.check(&directory)?;
        let memory = MemberStorage::boxed(plan);
        Ok(Member::new(boot, identity, directory, memory))
    }
}

impl<S: GroupSuite, D: GroupDirectory> Orchestrator<'static, S, D> {
    /// Starts an orchestrator with as much memory on the heap as the plan can need.
    ///
    /// # Errors
    /// [`GroupError::Role`], [`GroupError::PublicKey`] and [`GroupError::Orchestrator`].
    pub fn boxed(
        boot: &Boot<'_>,
        identity: MemberIdentity<S>,
        directory: D,
    ) -> Result<Self, GroupError> {
        let plan = &directory.settings().plan;
        if plan.orchestrator() != identity.address {
            return Err(GroupError::Role(identity.address));
        }
        identity.check(&directory)?;
        let memory = OrchestratorStorage::boxed(plan);
        let orchestrator = Orchestrator::new(boot, identity, directory, memory);
        orchestrator.map_err(GroupError::Orchestrator)
    }
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GroupError::Plan(error) => write!(f, "no plan for these addresses: {error}"),
            GroupError::Identifiers { needed, left } => write!(
                f,
                "the fields of an identifier need {needed} bits, and its plan leaves {left}"
            ),
            GroupError::Orchestrator(error) => error.fmt(f),
            GroupError::Role(Address(at)) => {
                write!(f, "address {at} has another role in the plan, or none")
            }
            GroupError::PublicKey(Address(at)) => write!(
                f,
                "the directory does not have the public key of address {at} that belongs to its \
                 signing key"
            ),
        }
    }
}

impl core::error::Error for GroupError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            GroupError::Plan(error) => Some(error),
            GroupError::Orchestrator(error) => Some(error),
            GroupError::Identifiers { .. } | GroupError::Role(_) | GroupError::PublicKey(_) => None,
        }
    }
}
