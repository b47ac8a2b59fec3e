//! Figures of group keys: holders, time of agreement, and cost.

mod following;
mod subgroups;

use std::collections::{BTreeMap, VecDeque};

use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_group_keys::{
    Address, GroupFrameReader, GroupHeader, GroupRoleEvent, Step, Transport,
};

use super::orders::Orders;
use waywarden_vehicle_file::{KeyGroup, KeyParty};

use subgroups::subgroups;
pub use subgroups::{MergedNetwork, SubgroupFigures};

pub(super) use following::Following;

/// Number of remembered agreements of a group; the rest is counted.
pub const AGREEMENTS_MAX: usize = 1_024;

/// Longest delay from a member's first use of a key to the orchestrator's: 100 ms.
const AGREED_BY: Picoseconds = Picoseconds::new(100_000_000_000);

/// Number of remembered keys of the orchestrator, with which those of members are compared.
const KEYS_MAX: usize = 1_024;

/// Figures of one group.
#[derive(Clone, Debug, Default)]
pub struct GroupFigures {
    /// The orchestrator, then the members, in the vehicle file's order.
    pub parties: Vec<PartyFigures>,
    /// The agreements, in order of time, up to [`AGREEMENTS_MAX`].
    pub agreements: Vec<Agreement>,
    /// Number of agreements in total.
    pub agreed: u64,
    /// Exchanges that the orchestrator saw fail.
    pub failed: u64,
    /// Its logical ECUs, in an order in which they can be formed.
    pub subgroups: Vec<SubgroupFigures>,
    /// The networks that it is merged of, in the vehicle file's order; none if it is one.
    pub networks: Vec<MergedNetwork>,
    /// Frames sent by step, on each bus that carries them.
    pub steps: BTreeMap<Step, u64>,
    /// Picoseconds that these frames and their intermissions took.
    pub busy: u64,
    buses: Vec<usize>,
    gateway: Option<usize>,
    /// Tells its frames from others; none of a group without a plan, of which the file was refused.
    frames: Option<GroupFrameReader>,
    transport: Option<Transport>,
    /// Beginning of the agreement under way.
    begun: Option<Time>,
    /// Beginning of the last agreement of all ECUs.
    last_begun: Time,
    orders: Orders,
    /// First 8 bytes of each of the orchestrator's keys, the newest last.
    keys: VecDeque<u64>,
}

/// Figures of one ECU of a group.
#[derive(Clone, Copy, Debug)]
pub struct PartyFigures {
    /// The ECU.
    pub ecu: EcuIndex,
    /// Its address.
    pub address: Address,
    /// Time at which it had its first key.
    pub first: Option<Time>,
    /// The epoch of the key that it has, 0 for none: since its last boot it confirmed none.
    pub epoch: u64,
    /// Time since which it has that key.
    pub since: Time,
    /// The most agreements in a row that it was ordered into and that gave it no key, as it
    /// reported; 0 if it never did.
    pub starved: u32,
    /// Picoseconds that it had computed when all had the first key.
    pub computed: Option<u64>,
    /// True if the orchestrator has removed it.
    pub removed: bool,
    /// True if it had been removed when all others had the first key.
    pub absent: bool,
    /// First 8 bytes of its key.
    key: Option<u64>,
}

/// An agreement: all ECUs of the group have the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The key's epoch.
    pub epoch: u64,
    /// Beginning at the orchestrator, if this agreement was of all ECUs.
    pub begun: Option<Time>,
    /// Time at which the last ECU had the key.
    pub at: Time,
}

impl GroupFigures {
    fn of(group: &KeyGroup) -> Self {
        let party = |party: &KeyParty| PartyFigures {
            ecu: EcuIndex(party.ecu.0),
            address: party.address,
            first: None,
            epoch: 0,
            since: Time::ZERO,
            starved: 0,
            computed: None,
            removed: false,
            absent: false,
            key: None,
        };
        let (subgroups, networks) = subgroups(group);
        GroupFigures {
            gateway: group.gateway.map(|ecu| ecu.0),
            frames: group.frames().ok(),
            transport: Some(group.transport),
            parties: group.parties().map(party).collect(),
            subgroups,
            networks,
            buses: group.buses.iter().map(|bus| bus.0).collect(),
            ..GroupFigures::default()
        }
    }

    /// Returns when all networks that it is merged of had one key; without networks, when all its
    /// ECUs had the first key.
    #[must_use]
    pub fn merged(&self) -> Option<Time> {
        let joined = self.networks.iter().map(|network| network.joined);
        joined.fold(self.start_up(), |last, joined| Some(last?.max(joined?)))
    }

    /// Returns when all its ECUs had the first key, if that has happened.
    #[must_use]
    pub fn start_up(&self) -> Option<Time> {
        self.agreements.first().map(|first| first.at)
    }

    /// Returns true if an ECU was not to have the first key; before there is one, if it is not to
    /// have it now.
    #[must_use]
    pub fn is_left_out(&self, party: &PartyFigures) -> bool {
        if self.joins(party) {
            return false;
        }
        match self.agreed {
            0 => party.removed,
            _ => party.absent,
        }
    }

    /// Returns true if an ECU is of a network that joins later, or has joined.
    #[must_use]
    pub fn joins(&self, party: &PartyFigures) -> bool {
        let is_its_own = |network: &&MergedNetwork| {
            let mut members = network.members.iter();
            network.joins && members.any(|&at| self.parties[at].ecu == party.ecu)
        };
        self.networks.iter().any(|network| is_its_own(&network))
    }

    /// Returns true if an ECU is to have the key before all networks are one group.
    #[must_use]
    pub fn is_awaited(&self, party: &PartyFigures) -> bool {
        !party.removed || (self.joins(party) && self.merged().is_none())
    }

    /// Returns true if all its ECUs have one key now.
    #[must_use]
    pub fn is_agreed(&self) -> bool {
        let epoch = self
            .parties
            .first()
            .map_or(0, |orchestrator| orchestrator.epoch);
        let mut present = self.parties.iter().filter(|party| !party.removed);
        let key = self.parties.first().and_then(|first| first.key);
        epoch != 0 && present.all(|party| party.epoch == epoch && party.key == key)
    }

    /// Returns true if a frame of one of its ECUs completes an answer to an order that was not
    /// given. A frame that a gateway sends may be a forwarded one.
    fn answers_no_order(
        &mut self,
        (bus, ecu): (BusIndex, EcuIndex),
        (step, header): (Step, GroupHeader),
    ) -> bool {
        if self.orchestrates(ecu) {
            self.orders.given(bus, step, header);
            return false;
        }
        let is_gateway = self.gateway == Some(ecu.0);
        self.transport.is_some_and(|transport| {
            !is_gateway && self.orders.answers((bus, ecu), (step, header), transport)
        })
    }

    fn orchestrates(&self, ecu: EcuIndex) -> bool {
        self.parties.first().is_some_and(|first| first.ecu == ecu)
    }

    /// Notes the key that an ECU uses from now on. Returns since when it had used the last one, if
    /// that was none of the orchestrator's.
    fn uses(
        &mut self,
        at: Time,
        ecu: EcuIndex,
        (epoch, key): (u64, u64),
        computed: impl Fn(EcuIndex) -> u64,
    ) -> Option<Time> {
        if self.orchestrates(ecu) {
            if self.keys.len() == KEYS_MAX {
                self.keys.pop_front();
            }
            self.keys.push_back(key);
        }
        let party = self.parties.iter_mut().find(|party| party.ecu == ecu)?;
        let (last, since) = (party.key.replace(key), party.since);
        (party.epoch, party.since) = (epoch, at);
        party.first = party.first.or(Some(at));
        self.see_agreement(at, computed);
        let foreign = last.is_some_and(|last| !self.keys.contains(&last));
        foreign.then_some(since)
    }

    /// Returns since when an ECU has used a key that is none of the orchestrator's, if that is no
    /// newer than the agreement that the orchestrator has come to.
    fn foreign_at_end(&self, party: &PartyFigures, end: Time) -> Option<Time> {
        let orchestrator = self.parties.first()?;
        let is_foreign = party.key.is_some_and(|key| !self.keys.contains(&key));
        let is_over = orchestrator.key.is_some() && orchestrator.since >= self.last_begun;
        // Of an agreement at the very end the orchestrator is not through yet.
        let is_settled = party.since + AGREED_BY <= end;
        (is_foreign && is_over && is_settled).then_some(party.since)
    }

    fn happened(&mut self, at: Time, ecu: EcuIndex, event: GroupRoleEvent) {
        match event {
            GroupRoleEvent::Starved { renewals } => {
                let party = self.parties.iter_mut().find(|party| party.ecu == ecu);
                if let Some(party) = party {
                    party.starved = party.starved.max(renewals);
                }
            }
            GroupRoleEvent::Formed(logical) => self.note_formed(at, ecu, logical),
            GroupRoleEvent::Failed { .. } if self.orchestrates(ecu) => self.failed += 1,
            GroupRoleEvent::Removed(address) => self.set_removed(address, true),
            GroupRoleEvent::Included(address) => self.set_removed(address, false),
            _ => {}
        }
    }

    /// An ECU has the secret of a logical one.
    fn note_formed(&mut self, at: Time, ecu: EcuIndex, logical: Address) {
        let parties = &self.parties;
        let mut subgroups = self.subgroups.iter_mut();
        let Some(subgroup) = subgroups.find(|one| one.logical == logical) else {
            return;
        };
        for (party, first) in &mut subgroup.members {
            if parties[*party].ecu == ecu {
                *first = first.or(Some(at));
            }
        }
        let takes_part = |(party, _): &&(usize, Option<Time>)| !parties[*party].removed;
        let mut present = subgroup.members.iter().filter(takes_part);
        if present.all(|(_, first)| first.is_some()) {
            subgroup.formed = subgroup.formed.or(Some(at));
        }
    }

    /// Notes the networks that have joined, once all that take part have one key.
    fn note_joined(&mut self, at: Time) {
        for network in &mut self.networks {
            let mut members = network.members.iter();
            if members.any(|&party| !self.parties[party].removed) {
                network.joined = network.joined.or(Some(at));
            }
        }
    }

    fn set_removed(&mut self, address: Address, removed: bool) {
        let mut parties = self.parties.iter_mut();
        if let Some(party) = parties.find(|party| party.address == address) {
            party.removed = removed;
        }
    }

    fn see_agreement(&mut self, at: Time, computed: impl Fn(EcuIndex) -> u64) {
        let epoch = self
            .parties
            .first()
            .map_or(0, |orchestrator| orchestrator.epoch);
        if !self.is_agreed()
            || self
                .agreements
                .last()
                .is_some_and(|last| last.epoch == epoch)
        {
            return;
        }
        if self.agreed == 0 {
            for party in &mut self.parties {
                party.computed = Some(computed(party.ecu));
                party.absent = party.removed;
            }
        }
        self.note_joined(at);
        self.agreed += 1;
        if self.agreements.len() < AGREEMENTS_MAX {
            let begun = self.begun.take();
            self.agreements.push(Agreement { epoch, begun, at });
        }
    }
}
