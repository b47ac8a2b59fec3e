//! Attackers under a security module: the roles that they play, and what they know.

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_can::node::{Port, Ports, Slot};
use waywarden_lasan::{LasanKind, StreamId};
use waywarden_work::{Duration, Instant};

use super::{Network, Place, home};
use crate::lower::port_on;
use crate::nodes::{MakePlayed, MasqueradePlan, MiddlePlan, Sessions};
use waywarden_vehicle_file::{Attacker, BusIndex, EcuIndex, KeyParty, VehicleFile};
use waywarden_vehicle_trace::Facts;

impl Network<'_> {
    /// Returns what an attacker is made of that plays a party from its boot on.
    pub(in crate::lower) fn masked(
        &self,
        file: &VehicleFile,
        (at, attacker): (usize, &Attacker),
        (party, has_certificate): (KeyParty, bool),
        facts: &Facts,
    ) -> MasqueradePlan {
        let is_module = party == self.lasan.security_module;
        let from = attacker.window.from;
        MasqueradePlan {
            make: self.played(file, party, has_certificate, from),
            is_module,
            sessions: self.sessions(at, facts),
            overhears: (is_module && !has_certificate).then(|| self.broadcasts()),
        }
    }

    /// Returns what an attacker in the gateway is made of that stands before a member.
    pub(in crate::lower) fn middle(
        &self,
        file: &VehicleFile,
        (at, attacker): (usize, &Attacker),
        (gateway, member): (EcuIndex, KeyParty),
        facts: &Facts,
    ) -> Option<MiddlePlan> {
        let lasan = self.lasan;
        let module = lasan.security_module;
        let port = |bus: BusIndex| port_on(file, gateway, bus);
        let started = file.ecu(gateway).start;
        let (window, end) = (attacker.window, attacker.window.until);
        let shows = |at: Duration| Instant::ZERO + (at.max(started) - started);
        Some(MiddlePlan {
            as_ecu: self.played(file, member, false, started),
            as_module: self.played(file, module, false, started),
            ecu: (member.address, port(home(file, lasan, member.ecu)?)),
            module: (module.address, port(home(file, lasan, module.ecu)?)),
            window: (shows(window.from), shows(end.unwrap_or(file.duration))),
            sessions: self.sessions(at, facts),
        })
    }

    fn sessions(&self, attacker: usize, facts: &Facts) -> Sessions {
        Sessions {
            attacker,
            network: self.at,
            module: self.lasan.security_module.address,
            frames: self.lasan.frames(),
            places: self.places.clone(),
            facts: facts.clone(),
        }
    }

    /// Makes roles in the name of a party, on clocks that start at a time.
    fn played(
        &self,
        file: &VehicleFile,
        party: KeyParty,
        has_certificate: bool,
        started: Duration,
    ) -> MakePlayed {
        let lasan = self.lasan;
        let lines = lasan.protected.iter().map(|line| file.stream(line.stream));
        let sent = lines.filter(|stream| stream.sender == party.ecu);
        let requests: Vec<StreamId> = sent.map(|stream| StreamId::of(stream.id.value)).collect();
        let is_module = party == lasan.security_module;
        let (parts, make) = (self.parts.clone(), self.make.clone());
        Arc::new(move |boot| {
            let provisioned = parts.attackers(has_certificate, started);
            let place = Place {
                address: party.address,
                ports: Ports::NONE.with(Port(0)),
                slot: Slot(0),
                is_module,
            };
            make(boot, &provisioned, &place, &requests)
        })
    }

    /// Returns how many frames the security module's messages to all have.
    fn broadcasts(&self) -> BTreeMap<LasanKind, usize> {
        let kinds = LasanKind::ALL.iter().filter(|kind| kind.is_broadcast());
        let frames = |kind: &LasanKind| {
            let length = self.lasan.lengths()?.of(*kind)?;
            Some((*kind, self.lasan.frame_count(length) as usize))
        };
        kinds.filter_map(frames).collect()
    }
}
