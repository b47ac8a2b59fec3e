//! The configuration of an ECU in a group that agrees on keys.

use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_group_keys::{
    Address, GroupPlan, GroupProfile, GroupSettings, GroupTiming, IdentifierPlan, MergeOrder,
    OddLevel, Orchestration, OrchestratorCommand, PlanError, PlannedEcu, Scheme, Transport,
};
use waywarden_key_suites::PublicKey;
use waywarden_work::{Duration, Instant};

use crate::List;
use crate::ecu_record::{EcuRecord, KEYS_MAX};
use crate::fields::{Field, MessageError, Reader, Writer, put_all, take_all};
use crate::kind::GROUP_KEYS;
use crate::record::Record;

/// Maximum number of ECUs of a group, the orchestrator among them.
pub const PARTIES_MAX: usize = 16;
/// Maximum number of networks that a group is merged of.
pub const NETWORKS_MAX: usize = 4;
/// Maximum number of orders of an orchestrator, its renewals apart.
pub const ORDERS_MAX: usize = 32;

/// The configuration of an ECU on one bus, with its part in a group.
pub struct GroupRecord {
    /// Its streams and its ends. Keys that follow the group's are not among its keys.
    pub ecu: EcuRecord,
    /// The suite, by the byte that stands for it in what is hashed and signed.
    pub suite: u8,
    /// The facts from which the plan is made.
    pub plan: PlanRecord,
    /// The frame format of the group.
    pub transport: Transport,
    /// The identifiers of its frames.
    pub identifiers: IdentifierPlan,
    /// The order of the merges.
    pub merge_order: MergeOrder,
    /// The way in which exchanges are started.
    pub orchestration: Orchestration,
    /// The time limits.
    pub timing: GroupTiming,
    /// The public keys of all ECUs of the group.
    pub directory: List<(Address, PublicKey), PARTIES_MAX>,
    /// Its own address: that of a member, or the orchestrator's.
    pub address: Address,
    /// The secret of its signing key.
    pub secret: [u8; 32],
    /// True if its streams wait for the first key.
    pub holds_streams: bool,
    /// Orders with their times; only an orchestrator has any.
    pub orders: List<(Instant, OrchestratorCommand), ORDERS_MAX>,
    /// The time of the first renewal, and from one to the next.
    pub renewal: Option<(Instant, Duration)>,
    /// The keys that follow the group's.
    pub followed: Option<FollowedRecord>,
}

/// The facts from which a plan is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanRecord {
    /// The scheme.
    pub scheme: Scheme,
    /// The treatment of the last one of an odd level.
    pub odd: OddLevel,
    /// The orchestrator.
    pub orchestrator: Address,
    /// The members, in their order, by network.
    pub networks: List<List<PlannedEcu, PARTIES_MAX>, NETWORKS_MAX>,
}

/// A key of a group, and the keys that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedRecord {
    /// The logical ECU whose key it is; none for the group's own.
    pub logical: Option<Address>,
    /// Time from its ECU's new key until a sender uses it.
    pub sends_after: Duration,
    /// Time in which a receiver takes messages under the one before, too.
    pub overlap: Duration,
    /// The keys.
    pub keys: List<FollowingRecord, KEYS_MAX>,
}

/// A key that follows a group's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FollowingRecord {
    /// Its name.
    pub id: KeyId,
    /// Permitted usage.
    pub usage: Usage,
    /// True if the ECU sends under it.
    pub sends: bool,
    /// The authentication and the stream or announcement whose key it is.
    pub of: [u64; 2],
}

impl PlanRecord {
    /// Makes the plan.
    ///
    /// # Errors
    /// As [`GroupPlan::of_networks`].
    pub fn plan(&self) -> Result<GroupPlan, PlanError> {
        let mut networks: List<&[PlannedEcu], NETWORKS_MAX> = List::new();
        networks.extend(self.networks.iter().map(|ecus| &ecus[..]));
        GroupPlan::of_networks(self.scheme, self.odd, self.orchestrator, &networks)
    }
}

impl GroupRecord {
    /// Makes the settings on which the group agrees.
    ///
    /// # Errors
    /// As [`PlanRecord::plan`]; none of a record that was read.
    pub fn settings(&self) -> Result<GroupSettings, PlanError> {
        Ok(GroupSettings {
            plan: self.plan.plan()?,
            profile: GroupProfile::Hardened,
            transport: self.transport,
            identifiers: self.identifiers,
            merge_order: self.merge_order,
            orchestration: self.orchestration,
            timing: self.timing,
        })
    }
}

impl Record for GroupRecord {
    const KIND: u8 = GROUP_KEYS;
}

impl Field for GroupRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.ecu)?;
        to.put(&self.suite)?;
        to.put(&self.plan)?;
        to.put(&self.transport)?;
        to.put(&self.identifiers)?;
        to.put(&self.merge_order)?;
        to.put(&self.orchestration)?;
        to.put(&self.timing)?;
        put_all(&self.directory, to)?;
        to.put(&self.address)?;
        to.put(&self.secret)?;
        to.put(&self.holds_streams)?;
        put_all(&self.orders, to)?;
        to.put(&self.renewal)?;
        to.put(&self.followed)
    }

    // On its own, as its parts are: else all of them are on the stack of the boot at a time.
    #[inline(never)]
    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(GroupRecord {
            ecu: read_ecu(from)?,
            suite: from.take()?,
            plan: read_plan(from)?,
            transport: from.take()?,
            identifiers: from.take()?,
            merge_order: from.take()?,
            orchestration: from.take()?,
            timing: from.take()?,
            directory: take_all(from, "the number of public keys")?,
            address: from.take()?,
            secret: from.take()?,
            holds_streams: from.take()?,
            orders: take_all(from, "the number of orders")?,
            renewal: from.take()?,
            followed: read_followed(from)?,
        })
    }
}

#[inline(never)]
fn read_ecu(from: &mut Reader<'_>) -> Result<EcuRecord, MessageError> {
    from.take()
}

#[inline(never)]
fn read_followed(from: &mut Reader<'_>) -> Result<Option<FollowedRecord>, MessageError> {
    from.take()
}

#[inline(never)]
fn read_plan(from: &mut Reader<'_>) -> Result<PlanRecord, MessageError> {
    from.take()
}

impl Field for PlanRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.scheme)?;
        to.put(&self.odd)?;
        to.put(&self.orchestrator)?;
        put_all(&self.networks, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        let record = PlanRecord {
            scheme: from.take()?,
            odd: from.take()?,
            orchestrator: from.take()?,
            networks: take_all(from, "the number of networks")?,
        };
        let members: usize = record.networks.iter().map(|ecus| ecus.len()).sum();
        if members >= PARTIES_MAX {
            return Err(MessageError::Field("the number of ECUs in a group"));
        }
        let made = record.plan();
        made.map_err(|_| MessageError::Field("the plan of a group"))?;
        Ok(record)
    }
}

impl<const N: usize> Field for List<PlannedEcu, N> {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        put_all(self, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        take_all(from, "the number of ECUs in a network")
    }
}

impl Field for PlannedEcu {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.address)?;
        to.put(&self.rank)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(PlannedEcu {
            address: from.take()?,
            rank: from.take()?,
        })
    }
}

impl Field for FollowedRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.logical)?;
        to.put(&self.sends_after)?;
        to.put(&self.overlap)?;
        put_all(&self.keys, to)
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(FollowedRecord {
            logical: from.take()?,
            sends_after: from.take()?,
            overlap: from.take()?,
            keys: take_all(from, "the number of keys that follow a group's")?,
        })
    }
}

impl Field for FollowingRecord {
    fn write(&self, to: &mut Writer<'_>) -> Result<(), MessageError> {
        to.put(&self.id.0)?;
        to.put(&self.usage)?;
        to.put(&self.sends)?;
        to.put(&self.of[0])?;
        to.put(&self.of[1])
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(FollowingRecord {
            id: KeyId(from.take()?),
            usage: from.take()?,
            sends: from.take()?,
            of: [from.take()?, from.take()?],
        })
    }
}
