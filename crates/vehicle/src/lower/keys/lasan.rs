//! Security modules: who takes part, what each knows and has in its memory when the car leaves the
//! factory, and the role of each ECU.

mod known;
mod roles;
mod settings;

use std::cell::Cell;
use std::rc::Rc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_sim::config::BusConfig;
use waywarden_ecu_keys::lasan::{Lengths, SUITES, StreamId};
use waywarden_work::{Duration, Instant};

use super::Part;
use crate::file::{BusIndex, EcuIndex, FaultKind, KeyParty, Lasan, VehicleFile, WorkshopWork};
use crate::lower::{LowerError, port_on};
use crate::nodes::{Authorising, Decree, KeyRole, KeyTable, Names, Post, Tidings, Timetable};
use crate::resources::Resources;

use known::Parts;
use roles::{MakeRole, Place};

pub(super) use settings::at_once;
pub(crate) use settings::frame_count;

/// The 29-bit identifiers of its messages, as value and mask.
pub(super) const MESSAGES: (u32, u32) = (0x0B00_0000, 0x0F00_0000);

/// A security module and its ECUs, ready to make roles.
pub(super) struct Network<'a> {
    at: usize,
    lasan: &'a Lasan,
    parts: Rc<Parts>,
    make: MakeRole,
    names: Rc<Names>,
}

/// Makes the networks of a vehicle.
///
/// # Errors
/// [`LowerError::Keys`] for one that its boards do not allow.
pub(super) fn networks<'a>(
    file: &'a VehicleFile,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Vec<Network<'a>>, LowerError> {
    let network = |(at, lasan): (usize, &'a Lasan)| {
        let suite = roles::suite(lasan.suite).ok_or_else(|| LowerError::Keys {
            place: file.source.place(&lasan.name.span),
            name: lasan.name.value.clone(),
            why: format!(
                "no suite {}; there are {} others",
                lasan.suite,
                SUITES.len()
            ),
        })?;
        let settings = settings::settings(file, lasan, suite.as_ref(), resources, buses)?;
        Ok(Network {
            at,
            lasan,
            parts: Rc::new(suite.parts(file, at, lasan, settings)),
            make: suite.roles(lasan),
            names: Rc::new(names(file, lasan)),
        })
    };
    file.lasan.iter().enumerate().map(network).collect()
}

fn names(file: &VehicleFile, lasan: &Lasan) -> Names {
    let ecus = lasan.parties();
    let ecus = ecus.map(|party| (party.address, file.ecu(party.ecu).name.value.clone()));
    let streams = lasan.protected.iter().map(|line| {
        let stream = file.stream(line.stream);
        let name = stream.name.value.clone();
        (StreamId::of(stream.id.value), (line.stream.0, name))
    });
    Names {
        ecus: ecus.collect(),
        streams: streams.collect(),
    }
}

impl Network<'_> {
    /// Returns what the network is in what ECUs tell.
    pub(super) fn table(&self) -> (KeyTable, String) {
        (KeyTable::Lasan(self.at), self.lasan.name.value.clone())
    }

    /// Makes an ECU's part, if it has one.
    pub(super) fn part(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        tidings: &Rc<Tidings>,
    ) -> Option<Part> {
        let lasan = self.lasan;
        let party = *lasan.parties().find(|party| party.ecu == index)?;
        let post = self.post(file, index, tidings);
        let mut ports = post.ports;
        for (_, port) in &post.receives {
            ports = ports.with(*port);
        }
        let is_module = party == lasan.security_module;
        let timetable = match is_module {
            true => self.timetable(file.ecu(index).start),
            false => Timetable::default(),
        };
        let (parts, make) = (self.parts.clone(), self.make.clone());
        let boots = boots(file, lasan, index);
        let booted = Cell::new(0);
        let requests: Vec<StreamId> = post.sends.iter().map(|id| StreamId::of(*id)).collect();
        let part = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn KeyRole> {
            let at: usize = booted.replace(booted.get() + 1);
            let (version, is_new) = boots.get(at).or(boots.last()).copied().unwrap_or_default();
            let place = Place {
                address: party.address,
                ports: post.ports,
                slot,
                is_module,
            };
            // A new part has nothing in its memory.
            let boot = match is_new {
                true => &Boot {
                    retained: &[],
                    ..*boot
                },
                false => boot,
            };
            let role = make(
                boot,
                &parts.of_version(party.address, version),
                &place,
                &requests,
            );
            Box::new(Authorising::new(role, timetable.clone(), post.clone()))
        };
        Some(Part {
            make: Box::new(part),
            ports,
            slots: match is_module {
                true => 1 + lasan.members.len(),
                false => 1,
            },
        })
    }

    /// Returns where an ECU hears and sends what.
    fn post(&self, file: &VehicleFile, index: EcuIndex, tidings: &Rc<Tidings>) -> Post {
        let lasan = self.lasan;
        let ecu = file.ecu(index);
        let mut ports = Ports::NONE;
        for &bus in lasan.buses.iter().filter(|bus| ecu.ports.contains(bus)) {
            ports = ports.with(port_on(file, index, bus));
            // Whatever one bus has, the gateway brings to the others.
            if lasan.gateway != Some(index) {
                break;
            }
        }
        let streams = || lasan.protected.iter().map(|line| file.stream(line.stream));
        let receives = streams().filter_map(|stream| {
            let receiver = stream.receivers.iter().find(|one| one.ecu == index)?;
            Some((stream.id.value, port_on(file, index, receiver.bus)))
        });
        let sends = streams().filter(|stream| stream.sender == index);
        Post {
            ecu: index.0,
            authentication: self.parts.settings().timing.authentication,
            ports,
            sends: sends.map(|stream| stream.id.value).collect(),
            receives: receives.collect(),
            names: self.names.clone(),
            tidings: tidings.clone(),
        }
    }

    /// Puts the orders of a security module on the clock of its ECU, which starts with it.
    fn timetable(&self, ecu_start: Duration) -> Timetable<Decree> {
        let local = |at: Duration| {
            let nanos = at.as_nanos().saturating_sub(ecu_start.as_nanos());
            Instant::ZERO + Duration::from_nanos(nanos)
        };
        let lasan = self.lasan;
        let mut orders = vec![(local(lasan.start), Decree::Start)];
        let mut replaced: Vec<KeyParty> = Vec::new();
        for change in &lasan.changes {
            let member = change.member;
            if change.work == WorkshopWork::Replace {
                replaced.push(member);
            }
            let version = replaced.iter().filter(|one| **one == member).count();
            let decree = match change.work {
                WorkshopWork::Retire => Decree::Retire(member.address),
                _ => {
                    let (name, digest) = self.parts.enrolment(member.address, version);
                    Decree::Enrol(member.address, name, digest)
                }
            };
            orders.push((local(change.at), decree));
        }
        let renewal = lasan
            .renewal
            .map(|period| (local(lasan.start) + period, period, Decree::Start));
        Timetable::new(orders, renewal)
    }
}

/// Returns, for each boot of an ECU that the file plans, which of its parts boots, counted from 0,
/// and whether that is its first boot after it replaced another.
fn boots(file: &VehicleFile, lasan: &Lasan, index: EcuIndex) -> Vec<(usize, bool)> {
    let faults = file.faults.iter().filter(|fault| fault.ecu == index);
    let resets = faults.filter(|fault| fault.kind == FaultKind::Reset);
    let resets = resets.map(|fault| (fault.window.from, false));
    let replacements = lasan.replacements(index).map(|at| (at, true));
    let mut planned: Vec<(Duration, bool)> = resets.chain(replacements).collect();
    planned.sort_by_key(|&(at, _)| at);
    let mut boots = vec![(0, false)];
    let mut version = 0;
    for (_, is_new) in planned {
        version += usize::from(is_new);
        boots.push((version, is_new));
    }
    boots
}

/// Returns the lengths of a network's messages; none for a suite that there is not.
pub(crate) fn lengths(lasan: &Lasan) -> Option<Lengths> {
    let sizes = roles::suite(lasan.suite)?.sizes();
    Some(Lengths::new(lasan.profile, lasan.credentials, sizes))
}

/// Returns whether an ECU needs the messages of a bus, for itself or to forward them.
pub(super) fn concerns(lasan: &Lasan, index: EcuIndex, bus: BusIndex) -> bool {
    let takes_part = lasan.parties().any(|party| party.ecu == index);
    lasan.buses.contains(&bus) && (takes_part || lasan.gateway == Some(index))
}
