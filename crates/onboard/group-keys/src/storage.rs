//! The memory of the roles: how many places for what, in arrays or on the heap.

use super::exchange::Exchange;
use super::merges::Merge;
use super::outbox::Outgoing;
use super::plan::{DEPTH_MAX, EXCHANGES};
#[cfg(feature = "alloc")]
use super::plan::{GroupPlan, Scheme};
use super::record::{EcuRecord, SignedAhead};
use super::suite::GroupSuite;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_suites::Secret;

/// Number of secrets that a member has: one for each level, and the group's.
const MEMBER_SECRETS: usize = DEPTH_MAX + 1;

/// Number of payloads of a member that can wait: a share, a confirmation, an acknowledgement and a
/// report, and one that is left of an exchange that was given up.
const MEMBER_WAITING: usize = 5;

/// Those of an orchestrator: a member's, an order with its freshness, and the two of a
/// distribution.
const ORCHESTRATOR_WAITING: usize = 8;

pub(super) type SecretPlace = Option<(Address, Secret)>;
pub(super) type ExchangePlace<S> = Option<Exchange<S>>;
pub(super) type SharesPlace = Option<[u8; 32]>;

/// The memory of what both roles do in exchanges.
pub(super) struct PartyStorage<'a, S: GroupSuite> {
    pub(super) secrets: Storage<'a, SecretPlace>,
    pub(super) exchanges: Storage<'a, ExchangePlace<S>>,
    pub(super) waiting: Storage<'a, Option<Outgoing>>,
}

/// The memory of a [`Member`](super::Member), made by [`MemberArrays::storage`] or
/// `MemberStorage::boxed`. A role that is given it begins with every place empty.
pub struct MemberStorage<'a, S: GroupSuite> {
    pub(super) party: PartyStorage<'a, S>,
    pub(super) shares: Storage<'a, SharesPlace>,
}

/// The memory of an [`Orchestrator`](super::Orchestrator), made by [`OrchestratorArrays::storage`]
/// or `OrchestratorStorage::boxed`. A role that is given it begins with every place empty.
pub struct OrchestratorStorage<'a, S: GroupSuite> {
    pub(super) party: PartyStorage<'a, S>,
    pub(super) shares: Storage<'a, SharesPlace>,
    pub(super) merges: Storage<'a, Option<Merge>>,
    pub(super) ahead: Storage<'a, SignedAhead>,
    pub(super) ecus: Storage<'a, EcuRecord>,
}

/// The memory of a member in arrays, for where there is no allocator.
///
/// `E` is the number of ECUs of a network with symmetric distribution, and 0 for the tree schemes:
/// only the former has to store the shares of all ECUs. `X` is how many exchanges the member
/// follows at a time: in a fixed tree of unlike boards one half can be at the root while the other
/// is still at its leaves, and what is not followed then is missed; [`DEPTH_MAX`] is always enough.
pub struct MemberArrays<S: GroupSuite, const E: usize = 0, const X: usize = EXCHANGES> {
    secrets: [SecretPlace; MEMBER_SECRETS],
    exchanges: [ExchangePlace<S>; X],
    waiting: [Option<Outgoing>; MEMBER_WAITING],
    shares: [SharesPlace; E],
}

/// The memory of an orchestrator in arrays, for where there is no allocator.
///
/// `E` is at least the number of ECUs, `L` at least the number of logical ECUs and one more; `X` as
/// with [`MemberArrays`].
pub struct OrchestratorArrays<
    S: GroupSuite,
    const E: usize,
    const L: usize,
    const X: usize = EXCHANGES,
> {
    secrets: [SecretPlace; L],
    exchanges: [ExchangePlace<S>; X],
    waiting: [Option<Outgoing>; ORCHESTRATOR_WAITING],
    shares: [SharesPlace; E],
    merges: [Option<Merge>; L],
    ahead: [SignedAhead; L],
    ecus: [EcuRecord; E],
}

impl<S: GroupSuite, const E: usize, const X: usize> MemberArrays<S, E, X> {
    /// Returns empty arrays.
    #[must_use]
    pub const fn new() -> Self {
        MemberArrays {
            secrets: [const { None }; MEMBER_SECRETS],
            exchanges: [const { None }; X],
            waiting: [None; MEMBER_WAITING],
            shares: [None; E],
        }
    }

    /// Lends them to a member.
    pub const fn storage(&mut self) -> MemberStorage<'_, S> {
        MemberStorage {
            party: PartyStorage {
                secrets: Storage::borrowed(&mut self.secrets),
                exchanges: Storage::borrowed(&mut self.exchanges),
                waiting: Storage::borrowed(&mut self.waiting),
            },
            shares: Storage::borrowed(&mut self.shares),
        }
    }
}

impl<S: GroupSuite, const E: usize, const X: usize> Default for MemberArrays<S, E, X> {
    fn default() -> Self {
        Self::new()
    }
}

impl<S: GroupSuite, const E: usize, const L: usize, const X: usize> OrchestratorArrays<S, E, L, X> {
    /// Returns empty arrays.
    #[must_use]
    pub const fn new() -> Self {
        OrchestratorArrays {
            secrets: [const { None }; L],
            exchanges: [const { None }; X],
            waiting: [None; ORCHESTRATOR_WAITING],
            shares: [None; E],
            merges: [None; L],
            ahead: [None; L],
            ecus: [const { EcuRecord::new() }; E],
        }
    }

    /// Lends them to an orchestrator.
    pub const fn storage(&mut self) -> OrchestratorStorage<'_, S> {
        OrchestratorStorage {
            party: PartyStorage {
                secrets: Storage::borrowed(&mut self.secrets),
                exchanges: Storage::borrowed(&mut self.exchanges),
                waiting: Storage::borrowed(&mut self.waiting),
            },
            shares: Storage::borrowed(&mut self.shares),
            merges: Storage::borrowed(&mut self.merges),
            ahead: Storage::borrowed(&mut self.ahead),
            ecus: Storage::borrowed(&mut self.ecus),
        }
    }
}

impl<S: GroupSuite, const E: usize, const L: usize, const X: usize> Default
    for OrchestratorArrays<S, E, L, X>
{
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(feature = "alloc")]
impl<S: GroupSuite> PartyStorage<'_, S> {
    fn boxed(secrets: usize, waiting: usize) -> Self {
        PartyStorage {
            secrets: Storage::boxed(secrets, || None),
            exchanges: Storage::boxed(DEPTH_MAX, || None),
            waiting: Storage::boxed(waiting, || None),
        }
    }
}

#[cfg(feature = "alloc")]
impl<S: GroupSuite> MemberStorage<'_, S> {
    /// As much memory on the heap as a member of this plan can need.
    #[must_use]
    pub fn boxed(plan: &GroupPlan) -> Self {
        let shares = match plan.scheme() {
            Scheme::SymmetricDistribution => plan.ecu_count(),
            Scheme::TreeWithOrchestrator | Scheme::TreeWithoutOrchestrator => 0,
        };
        MemberStorage {
            party: PartyStorage::boxed(MEMBER_SECRETS, MEMBER_WAITING),
            shares: Storage::boxed(shares, || None),
        }
    }
}

#[cfg(feature = "alloc")]
impl<S: GroupSuite> OrchestratorStorage<'_, S> {
    /// As much memory on the heap as the orchestrator of this plan can need.
    #[must_use]
    pub fn boxed(plan: &GroupPlan) -> Self {
        let (ecus, logical) = (plan.ecu_count(), plan.merges().count() + 1);
        OrchestratorStorage {
            party: PartyStorage::boxed(logical, ORCHESTRATOR_WAITING),
            shares: Storage::boxed(ecus, || None),
            merges: Storage::boxed(logical, || None),
            ahead: Storage::boxed(logical, || None),
            ecus: Storage::boxed(ecus, EcuRecord::new),
        }
    }
}
