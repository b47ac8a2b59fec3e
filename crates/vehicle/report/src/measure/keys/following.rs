//! Agreements under way: which ECU has which key.

use std::collections::BTreeSet;

use waywarden_can::{Frame, Id};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_vehicle_file::{KeyTable, VehicleFile};
use waywarden_vehicle_trace::{AuthorizationEvent, GroupKeyEvent};

use super::super::key_deceptions::{KeyDeception, KeyDeceptions};
use super::super::lasan::NetworkFigures;
use super::GroupFigures;

/// All key protocols of a run.
#[derive(Debug, Default)]
pub(crate) struct Following {
    pub(crate) groups: Vec<GroupFigures>,
    pub(crate) networks: Vec<NetworkFigures>,
    pub(crate) deceptions: KeyDeceptions,
    /// First bits of the 29-bit identifiers of message authentication: those of tags, questions and
    /// answers, and of LeiA's messages.
    pub(crate) tags: BTreeSet<(u16, u32)>,
}

impl Following {
    pub(crate) fn of(file: &VehicleFile) -> Self {
        let networks = 0..file.lasan.len();
        Following {
            groups: file.groups.iter().map(GroupFigures::of).collect(),
            networks: networks.map(|at| NetworkFigures::of(file, at)).collect(),
            deceptions: KeyDeceptions::of(file),
            tags: file.tag_bases().collect(),
        }
    }

    /// Counts a frame that was sent, if it is a key protocol's, and returns whether it is.
    pub(crate) fn sent(
        &mut self,
        at: Time,
        (bus, ecu): (BusIndex, EcuIndex),
        frame: &Frame,
        busy: u64,
    ) -> bool {
        if let Id::Extended(id) = frame.id()
            && self.tags.contains(&(id.base(), id.raw() >> 16 & 3))
        {
            return false;
        }
        let mut is_key = false;
        for network in &mut self.networks {
            is_key |= network.sent(bus, ecu, frame, busy);
        }
        for (place, group) in self.groups.iter_mut().enumerate() {
            let its_own =
                group.buses.contains(&bus.0) && group.parties.iter().any(|one| one.ecu == ecu);
            let read = group.frames.as_ref().filter(|_| its_own);
            if let Some((step, header)) = read.and_then(|frames| frames.read(frame)) {
                is_key = true;
                *group.steps.entry(step).or_default() += 1;
                group.busy += busy;
                if group.answers_no_order((bus, ecu), (step, header)) {
                    let table = KeyTable::Group(place);
                    let what = KeyDeception::Order;
                    self.deceptions.took(at, table, ecu.0, what);
                }
            }
        }
        is_key
    }

    /// Compares the members' keys with the orchestrator's, at the end of the run.
    pub(crate) fn finish(&mut self, end: Time) {
        for (place, group) in self.groups.iter().enumerate() {
            for party in group.parties.iter().skip(1) {
                let foreign = group.foreign_at_end(party, end);
                if let Some(since) = foreign {
                    let table = KeyTable::Group(place);
                    let what = KeyDeception::GroupKey;
                    self.deceptions.took(since, table, party.ecu.0, what);
                }
            }
        }
    }

    /// An ECU is reset: it has no group key until it confirms one again.
    pub(crate) fn reset(&mut self, ecu: EcuIndex) {
        let parties = self.groups.iter_mut().flat_map(|group| &mut group.parties);
        for party in parties.filter(|party| party.ecu == ecu) {
            party.epoch = 0;
            party.key = None;
        }
    }

    /// An ECU begins a computation.
    pub(crate) fn computes(&mut self, ecu: EcuIndex, slice: &TimeSlice) {
        for network in &mut self.networks {
            network.computes(ecu, slice);
        }
    }

    /// An ECU boots.
    pub(crate) fn booted(&mut self, at: Time, ecu: EcuIndex) {
        self.reset(ecu);
        for network in &mut self.networks {
            network.booted(at, ecu);
        }
    }

    /// Applies an ECU's report on a group key; `computed` returns an ECU's computing time.
    pub(crate) fn add_group_event(
        &mut self,
        at: Time,
        (place, ecu): (usize, EcuIndex),
        event: &GroupKeyEvent,
        computed: impl Fn(EcuIndex) -> u64,
    ) {
        let Some(group) = self.groups.get_mut(place) else {
            return;
        };
        match *event {
            GroupKeyEvent::Begun => (group.begun, group.last_begun) = (Some(at), at),
            GroupKeyEvent::InUse { epoch, key } => {
                if let Some(since) = group.uses(at, ecu, (epoch, key), computed) {
                    let (table, what) = (KeyTable::Group(place), KeyDeception::GroupKey);
                    self.deceptions.took(since, table, ecu.0, what);
                }
            }
            GroupKeyEvent::Role(event) => group.happened(at, ecu, event),
        }
    }

    /// Applies an ECU's report under a security module, likewise.
    pub(crate) fn add_network_event(
        &mut self,
        at: Time,
        (place, ecu): (usize, EcuIndex),
        event: &AuthorizationEvent,
        computed: impl Fn(EcuIndex) -> u64,
    ) {
        if let AuthorizationEvent::SharesSession { attacker, ecu } = *event {
            self.deceptions.shares_session(at, ecu, attacker);
        } else if let Some(network) = self.networks.get_mut(place)
            && network.add_event(at, ecu, event, computed)
            && let Some(module) = network.parties.first()
        {
            let (table, what) = (KeyTable::Lasan(place), KeyDeception::Request);
            self.deceptions.took(at, table, module.ecu.0, what);
        }
    }
}
