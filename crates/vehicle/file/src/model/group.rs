//! Group keys of `[[keys]]`: parties, scheme and times of agreement.

use waywarden_group_keys::{
    Address, GroupFrameReader, GroupPlan, GroupProfile, IdentifierPlan, MergeOrder, OddLevel,
    Orchestration, PlanError, PlannedEcu, Scheme, Transport,
};
use waywarden_work::Duration;

use super::{BusIndex, EcuIndex};
use crate::Located;

/// A group of ECUs that agree on a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyGroup {
    /// Its name.
    pub name: Located<String>,
    /// The scheme of agreement.
    pub scheme: Scheme,
    /// Treatment of the last one of a level with an odd number of entries.
    pub odd: OddLevel,
    /// Its cryptography.
    pub suite: KeySuite,
    /// Its messages: hardened, or as published.
    pub profile: GroupProfile,
    /// Its frame format.
    pub transport: Transport,
    /// Its identifiers.
    pub identifiers: IdentifierPlan,
    /// Start of the exchanges.
    pub orchestration: Orchestration,
    /// Order in which their merges run.
    pub merge_order: MergeOrder,
    /// The ECU that orders who agrees with whom.
    pub orchestrator: KeyParty,
    /// The others, in the file's order; those of one network stand together.
    pub members: Vec<KeyParty>,
    /// The networks that the group is merged of, the orchestrator's first; none if it is one.
    pub networks: Vec<KeyNetwork>,
    /// The buses that carry the key frames.
    pub buses: Vec<BusIndex>,
    /// The ECU that forwards key frames between them; always named if there are several.
    pub gateway: Option<EcuIndex>,
    /// Time at which the first agreement begins.
    pub start: Duration,
    /// True if its frames lose arbitration to application traffic; those of a renewal do.
    pub gives_way: bool,
    /// True if the streams of its ECUs wait for the first key.
    pub holds_streams: bool,
    /// Time between two renewals.
    pub renewal: Option<Duration>,
    /// Removals and readmissions, in order of time.
    pub changes: Vec<KeyChange>,
}

/// The cryptography of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySuite {
    /// FourQ and SchnorrQ.
    FourQ,
    /// P-256: ECDH and ECDSA.
    P256,
}

/// An ECU of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyParty {
    /// The ECU.
    pub ecu: EcuIndex,
    /// Its address in the key exchange: its own, or the lowest that was free.
    pub address: Address,
}

/// A network of a group: some of its members, which form keys of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyNetwork {
    /// Its name.
    pub name: Located<String>,
    /// Its members; the orchestrator belongs to the first network besides.
    pub members: Vec<KeyParty>,
    /// Time at which it joins the others; none if it takes part from the start.
    pub joins: Option<Duration>,
}

/// A removal of a member from a group, or its readmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyChange {
    /// Time of the change, from power-on.
    pub at: Duration,
    /// The member.
    pub member: KeyParty,
    /// True for a removal, false for a readmission.
    pub is_removal: bool,
}

impl KeyGroup {
    /// Returns the orchestrator and the members.
    pub fn parties(&self) -> impl Iterator<Item = &KeyParty> {
        std::iter::once(&self.orchestrator).chain(&self.members)
    }

    /// Returns the tree of its logical ECUs, with these ranks of its members in their order. The
    /// addresses of logical ECUs do not depend on ranks.
    ///
    /// # Errors
    /// [`PlanError`] by cause.
    pub fn plan(&self, ranks: impl Iterator<Item = u8>) -> Result<GroupPlan, PlanError> {
        let members = self.members.iter().zip(ranks);
        let places: Vec<PlannedEcu> = members
            .map(|(member, rank)| PlannedEcu {
                address: member.address,
                rank,
            })
            .collect();
        let mut rest = places.as_slice();
        let mut networks: Vec<&[PlannedEcu]> = Vec::new();
        for network in &self.networks {
            let (own, others) = rest.split_at(network.members.len().min(rest.len()));
            networks.push(own);
            rest = others;
        }
        if networks.is_empty() {
            networks.push(rest);
        }
        GroupPlan::of_networks(self.scheme, self.odd, self.orchestrator.address, &networks)
    }

    /// Returns the reader that tells its frames from all others on its buses.
    ///
    /// # Errors
    /// [`PlanError`] by cause.
    pub fn frames(&self) -> Result<GroupFrameReader, PlanError> {
        let plan = self.plan(std::iter::repeat(0))?;
        Ok(GroupFrameReader::new(
            plan,
            self.transport,
            self.identifiers,
        ))
    }

    /// Returns the addresses of a network's parties.
    #[must_use]
    pub fn network_addresses(&self, network: usize) -> Vec<Address> {
        let members = self.networks.get(network).map(|one| &one.members);
        let members = members.into_iter().flatten();
        let is_first = network == 0 && self.scheme == Scheme::TreeWithoutOrchestrator;
        let orchestrator = is_first.then_some(self.orchestrator.address);
        let addresses = members.map(|member| member.address);
        addresses.chain(orchestrator).collect()
    }
}
