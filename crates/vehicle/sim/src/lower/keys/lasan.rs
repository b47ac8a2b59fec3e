//! Security modules and their ECUs: the provisioned data and memory of each ECU when the car leaves
//! the factory, and its role.

mod attackers;
mod image;
mod known;
mod load;
mod roles;
mod settings;
mod warnings;

use std::cell::Cell;
use std::sync::Arc;

use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can_sim::config::BusConfig;
use waywarden_lasan::{AnyLasanSuite, EVERY_ECU, IdPattern, StreamId};
use waywarden_work::{Duration, Instant};

use crate::lower::boot_timeline::{BootPeriod, boot_timeline};
use crate::lower::part::Part;
use crate::lower::{KeyTimes, LowerError, port_on};
use crate::nodes::{
    AdministrativeCommand, AdministrativeTimetable, AuthorizationContext, AuthorizationRole,
    GrantedKeys, KeyRole, KeysInUse, NetworkPlaces,
};
use waywarden_session_keys::ChangeOver;
use waywarden_vehicle_file::{
    self as file, BusIndex, EcuIndex, GrantedKey, KeyParty, Lasan, VehicleFile, WorkshopWork,
};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::Facts;

use known::Parts;
use roles::{MakeRole, Place};

pub(in crate::lower) use image::NetworkImage;
pub(super) use settings::at_once;

/// A security module and its ECUs, ready to create roles.
pub(in crate::lower) struct Network<'a> {
    at: usize,
    lasan: &'a Lasan,
    /// The keys that the security module grants.
    keys: Vec<GrantedKey>,
    parts: Arc<Parts>,
    make: MakeRole,
    places: Arc<NetworkPlaces>,
    /// Warnings of load that the boards cannot keep up with.
    overload: Vec<String>,
}

/// Creates the networks of a vehicle.
///
/// # Errors
/// [`LowerError::Keys`] for a network with an unknown suite, or with boards that do not allow it.
pub(super) fn networks<'a>(
    file: &'a VehicleFile,
    resources: &Resources,
    buses: &[BusConfig],
) -> Result<Vec<Network<'a>>, LowerError> {
    let network = |(at, lasan): (usize, &'a Lasan)| {
        let suite = AnyLasanSuite::named(lasan.suite).ok_or_else(|| LowerError::Keys {
            place: file.source.place(&lasan.name.span),
            name: lasan.name.value.clone(),
            why: format!(
                "suite {} is not in this build, which has {} suites; choose another `suite`",
                lasan.suite,
                AnyLasanSuite::ALL.len()
            ),
        })?;
        let computed = settings::settings(file, (at, lasan), suite, resources, buses)?;
        let mut overload = load::overload(file, lasan, resources, computed.at_module)?;
        overload.extend(computed.warning);
        let keys = file.granted_keys(at);
        Ok(Network {
            at,
            lasan,
            parts: Arc::new(Parts::of(suite, file, at, &keys, computed.settings)),
            make: roles::make(suite, lasan, keys.len()),
            places: Arc::new(places(file, lasan)),
            keys,
            overload,
        })
    };
    file.lasan.iter().enumerate().map(network).collect()
}

fn places(file: &VehicleFile, lasan: &Lasan) -> NetworkPlaces {
    let ecus = lasan.parties().map(|party| (party.address, party.ecu.0));
    let streams = lasan.protected.iter();
    let streams = streams.map(|line| {
        let id = file.stream(line.stream).id.value;
        (StreamId::of(id), line.stream.0)
    });
    NetworkPlaces {
        ecus: ecus.collect(),
        streams: streams.collect(),
    }
}

impl Network<'_> {
    /// Returns the time that its ECUs allow for an authentication and for an answer.
    pub(super) fn times(&self) -> KeyTimes {
        let timing = self.parts.settings().timing;
        KeyTimes {
            exchange: timing.authentication,
            answer: timing.answer,
        }
    }

    /// Returns warnings about settings of the file that may not take effect.
    pub(super) fn warnings(&self, vehicle: &VehicleFile) -> Vec<(file::SourceLocation, String)> {
        let takes = self.parts.settings().timing.authentication;
        let place = vehicle.source.place(&self.lasan.name.span);
        let name = &self.lasan.name.value;
        let overload = self.overload.iter();
        let overload = overload.map(|text| (place, format!("{name}: {text}")));
        let mut warnings = warnings::warnings(vehicle, self.lasan, takes);
        warnings.extend(overload);
        warnings
    }

    /// Returns the timing of a change of a granted key. The sender gets the new key when the
    /// receivers have acknowledged it or retries are exhausted. The previous key stays valid as
    /// long as it does for frames under the security module's own protection.
    pub(super) fn change_over(&self) -> ChangeOver {
        ChangeOver {
            sends_after: Duration::ZERO,
            overlap: self.parts.settings().timing.patience,
        }
    }

    /// Creates an ECU's part in the network; `None` if it has none.
    pub(super) fn part(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        (in_use, facts): (&Arc<KeysInUse>, &Facts),
    ) -> Option<Part> {
        let lasan = self.lasan;
        let party = *lasan.parties().find(|party| party.ecu == index)?;
        let keys = self.keys.iter();
        let granted = GrantedKeys {
            in_use: in_use.clone(),
            wanted: keys
                .filter(|key| key.authentication().is_some() && key.is_held_by(index))
                .map(|key| StreamId::of(key.id))
                .collect(),
        };
        let context = self.context(file, index, (granted, facts));
        let mut ports = context.ports;
        for (_, port) in &context.receives {
            ports = ports.with(*port);
        }
        let is_module = party == lasan.security_module;
        let (parts, make) = (self.parts.clone(), self.make.clone());
        let boots = self.boots(file, index, is_module);
        let booted = Cell::new(0);
        let sent = self.keys.iter().filter(|key| key.sender == index);
        let requests: Vec<StreamId> = sent.map(|key| StreamId::of(key.id)).collect();
        let part = move |boot: &Boot<'_>, slot: Slot| -> Box<dyn KeyRole> {
            let number: usize = booted.replace(booted.get() + 1);
            // The file plans every boot, so the bound is never reached.
            let planned = &boots[number.min(boots.len() - 1)];
            let place = Place {
                address: party.address,
                ports: context.ports,
                slot,
                is_module,
            };
            context.granted.in_use.forget_grants(context.network);
            // A new part has an empty memory.
            let boot = match planned.is_new {
                true => &Boot {
                    retained: &[],
                    ..*boot
                },
                false => boot,
            };
            let provisioned = parts.booted(party.address, planned.version, planned.at);
            let role = make(boot, &provisioned, &place, &requests);
            let timetable = planned.timetable.clone();
            Box::new(AuthorizationRole::new(role, timetable, context.clone()))
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

    /// Returns the ports, streams and keys of an ECU.
    fn context(
        &self,
        file: &VehicleFile,
        index: EcuIndex,
        (granted, facts): (GrantedKeys, &Facts),
    ) -> AuthorizationContext {
        let lasan = self.lasan;
        let ecu = file.ecu(index);
        let buses = lasan.buses.iter().filter(|bus| ecu.ports.contains(bus));
        let module = lasan.security_module.ecu;
        let is_gateway = lasan.gateway == Some(index);
        let ports = match is_gateway && index == module {
            true => buses.fold(Ports::NONE, |all, bus| all.with(port_on(file, index, *bus))),
            // The gateway forwards messages for the ECU to its home bus; a gateway listens on the
            // home bus of the module.
            false => {
                let bus = home(file, lasan, if is_gateway { module } else { index });
                let port = bus.map(|bus| port_on(file, index, bus));
                port.map_or(Ports::NONE, |port| Ports::NONE.with(port))
            }
        };
        let streams = || lasan.protected.iter().map(|line| file.stream(line.stream));
        let receives = streams().filter_map(|stream| {
            let receiver = stream.receivers.iter().find(|one| one.ecu == index)?;
            Some((stream.id.value, port_on(file, index, receiver.bus)))
        });
        let sends = streams().filter(|stream| stream.sender == index);
        AuthorizationContext {
            network: self.at,
            frames: lasan.frames(),
            authentication: self.parts.settings().timing.authentication,
            ports,
            sends: sends.map(|stream| stream.id.value).collect(),
            receives: receives.collect(),
            places: self.places.clone(),
            granted,
            facts: facts.clone(),
        }
    }

    /// Returns the boots of an ECU that the file plans, at least one.
    fn boots(&self, file: &VehicleFile, index: EcuIndex, is_module: bool) -> Vec<Planned> {
        let replacements = || self.lasan.replacements(index);
        let planned = |life: BootPeriod| Planned {
            at: life.began,
            start: life.shows(self.lasan.start),
            version: replacements().filter(|at| *at < life.began).count(),
            is_new: replacements().any(|at| life.follows(at)),
            timetable: match is_module {
                true => self.timetable(&life),
                false => AdministrativeTimetable::default(),
            },
        };
        boot_timeline(file, index)
            .into_iter()
            .map(planned)
            .collect()
    }

    /// Converts the times of a security module's commands to its ECU's clock in a boot period. The
    /// module remembers retired and enrolled ECUs over a reset; an epoch ends with a reset.
    fn timetable(&self, life: &BootPeriod) -> AdministrativeTimetable {
        let lasan = self.lasan;
        let start = life.shows(lasan.start);
        let mut orders = vec![(start, AdministrativeCommand::Start)];
        let mut replaced: Vec<KeyParty> = Vec::new();
        for change in &lasan.changes {
            let member = change.member;
            if change.work == WorkshopWork::Replace {
                replaced.push(member);
            }
            if !life.is_due_from(change.at) {
                continue;
            }
            let version = replaced.iter().filter(|one| **one == member).count();
            let address = member.address;
            let (name, digest) = self.parts.enrolment(address, version);
            let command = match change.work {
                WorkshopWork::Retire => AdministrativeCommand::Retire(address),
                WorkshopWork::Enrol => AdministrativeCommand::Enrol(address, name, digest),
                WorkshopWork::Replace => AdministrativeCommand::Replace(address, name, digest),
            };
            orders.push((life.shows(change.at), command));
        }
        let renewal = lasan.renewal;
        let renewal = renewal.map(|period| (start + period, period, AdministrativeCommand::Start));
        AdministrativeTimetable::new(orders, renewal)
    }
}

/// A boot of an ECU that the file plans.
struct Planned {
    /// Time of the boot, from power-on.
    at: Duration,
    /// Beginning of the first epoch, on the ECU's own clock.
    start: Instant,
    /// Index of the part that boots, counted from 0.
    version: usize,
    /// True if it is the part's first boot, and the part replaced another.
    is_new: bool,
    /// Administrative commands to the ECU in this boot period.
    timetable: AdministrativeTimetable,
}

/// Returns the home bus of a party other than the gateway, on which it receives and sends: the
/// first of the network's buses that it is on.
fn home(file: &VehicleFile, lasan: &Lasan, party: EcuIndex) -> Option<BusIndex> {
    let ports = &file.ecu(party).ports;
    lasan.buses.iter().copied().find(|bus| ports.contains(bus))
}

/// Returns the identifiers that a network's gateway forwards from one bus to another: those to a
/// party there, and the security module's broadcasts. A bus carries only the messages of its own
/// ECUs, which matters most on a slow one.
pub(super) fn forwarded(
    file: &VehicleFile,
    lasan: &Lasan,
    (from, to): (BusIndex, BusIndex),
) -> Vec<IdPattern> {
    let frames = lasan.frames();
    // The gateway itself is on all buses.
    let others = lasan.parties().filter(|one| lasan.gateway != Some(one.ecu));
    let there = others.filter(|one| home(file, lasan, one.ecu) == Some(to));
    let forwarded = there.filter_map(|one| frames.pattern_to(one.address));
    let mut forwarded: Vec<IdPattern> = forwarded.collect();
    let module = lasan.security_module.ecu;
    if lasan.gateway != Some(module) && home(file, lasan, module) == Some(from) {
        forwarded.extend(frames.pattern_to(EVERY_ECU));
    }
    forwarded
}

/// Returns true if an ECU needs the messages of a bus, for itself or to forward them.
pub(super) fn concerns(lasan: &Lasan, index: EcuIndex, bus: BusIndex) -> bool {
    let takes_part = lasan.parties().any(|party| party.ecu == index);
    lasan.buses.contains(&bus) && (takes_part || lasan.gateway == Some(index))
}
