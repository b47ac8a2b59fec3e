//! The application side of each ECU: the streams it takes and sends, its program, and who else runs
//! code there.

use waywarden_can::node::Port;
use waywarden_work::Duration;

use super::boot_timeline::BootPeriod;
use super::{authentication, port_on};
use crate::nodes::{Application, ApplicationConfig, Handled, Intrusion};
use crate::programs::{
    CentralStreams, CentralUnit, EcuProgram, InstrumentCluster, Stroke, SuppliedPayloads, Wheel,
};
use waywarden_vehicle_file::{
    Attack, BusIndex, EcuIndex, Press, ProgramKind, Protection, StreamIndex, VehicleFile, Warning,
};
use waywarden_vehicle_trace::Facts;

/// Plan of an ECU's application side, which is made at each boot.
pub(super) struct Plan {
    config: ApplicationConfig,
    program: Option<ProgramKind>,
    /// Payloads of an ECU without a program.
    supplied: Option<SuppliedPayloads>,
    has_modules: bool,
    /// Attackers that run code there, each with its window and period.
    intruders: Vec<Intruder>,
}

struct Intruder {
    /// The attacker, by its place in the vehicle file.
    attacker: usize,
    from: Duration,
    until: Duration,
    period: Duration,
    has_keys: bool,
    has_driver: bool,
}

/// Plans the application side of an ECU.
pub(super) fn plan(
    file: &VehicleFile,
    index: EcuIndex,
    supplied: Option<&SuppliedPayloads>,
) -> Plan {
    let mut programs = file.software.iter();
    let program = programs.find(|one| one.ecu == index);
    let has_modules = file.has_modules(index);
    let attackers = file.attackers.iter().enumerate();
    let intruders = attackers.filter_map(|(at, one)| match &one.attack {
        Attack::Compromise { ecus, period } if ecus.contains(&index) => Some(Intruder {
            attacker: at,
            from: one.window.from,
            until: one.window.until.unwrap_or(file.duration),
            period: *period,
            has_keys: !has_modules,
            has_driver: !file.has_driver_in_module(index),
        }),
        _ => None,
    });
    Plan {
        config: application_config(file, index),
        program: program.map(|one| one.program.clone()),
        supplied: supplied.cloned(),
        has_modules,
        intruders: intruders.collect(),
    }
}

impl Plan {
    /// Makes the application side for a boot period of its ECU.
    pub(super) fn begin(&self, life: &BootPeriod, seed: u64, facts: Facts) -> Application {
        let program = self.program.as_ref();
        let program = program.map(|kind| program_of(kind, life, self.has_modules));
        let supplied = self.supplied.clone();
        let program = program.or(supplied.map(|own| -> Box<dyn EcuProgram> { Box::new(own) }));
        let intrusions = (0u64..).zip(&self.intruders).map(|(at, one)| {
            let intrusion = Intrusion {
                attacker: one.attacker,
                period: one.period,
                from: life.shows(one.from),
                until: life.shows(one.until),
                has_keys: one.has_keys,
                has_driver: one.has_driver,
            };
            (intrusion, seed.wrapping_add(at))
        });
        Application::new(self.config.clone(), program, intrusions.collect(), facts)
    }
}

fn program_of(kind: &ProgramKind, life: &BootPeriod, has_modules: bool) -> Box<dyn EcuProgram> {
    match kind {
        ProgramKind::CentralUnit {
            left,
            right,
            rpm,
            indicators,
            keypad,
        } => {
            let streams = CentralStreams {
                left: left.0,
                right: right.0,
                rpm: rpm.0,
                indicators: indicators.0,
            };
            let (to_come, before) = strokes(keypad, life);
            Box::new(CentralUnit::new(to_come, before, streams, has_modules))
        }
        ProgramKind::Wheel { shows } => Box::new(Wheel::new(shows.0, has_modules)),
        ProgramKind::InstrumentCluster { rpm, indicators } => {
            Box::new(InstrumentCluster::new(rpm.0, indicators.0))
        }
    }
}

/// Returns the strokes that are due in a boot period, and the number of strokes before it.
fn strokes(keypad: &[Press], life: &BootPeriod) -> (Vec<Stroke>, u64) {
    let down = keypad.iter().map(|press| (press.at, press.key, true));
    let held = keypad.iter().filter(|press| press.key.is_held());
    let up = held.map(|press| (press.at + press.held, press.key, false));
    let all: Vec<_> = down.chain(up).collect();
    let to_come = all.iter().filter(|(at, ..)| life.has_begun_by(*at));
    let to_come = to_come.map(|&(at, key, is_down)| Stroke {
        at: life.shows(at),
        key,
        is_down,
    });
    let to_come: Vec<Stroke> = to_come.collect();
    let before = (all.len() - to_come.len()) as u64;
    (to_come, before)
}

/// Returns what is known of a stream by a port.
pub(super) fn handled(
    file: &VehicleFile,
    index: StreamIndex,
    port: Port,
    protection: Protection,
) -> Handled {
    let stream = file.stream(index);
    Handled {
        stream: index.0,
        port,
        id: stream.id.value,
        format: stream.format,
        length: stream.length,
        protection,
    }
}

fn application_config(file: &VehicleFile, ecu: EcuIndex) -> ApplicationConfig {
    let (mut takes, mut checks, mut own) = (vec![], vec![], vec![]);
    for (at, stream) in file.streams.iter().enumerate() {
        let index = StreamIndex(at);
        let protection = stream.protection;
        // What a security module grants keys for has its own checks.
        if protection == Protection::Granted {
            continue;
        }
        if stream.sender == ecu {
            own.push(handled(
                file,
                index,
                port_on(file, ecu, stream.bus),
                protection,
            ));
        }
        for receiver in stream.receivers.iter().filter(|one| one.ecu == ecu) {
            let port = port_on(file, ecu, receiver.bus);
            match file.takes_unchecked(index, ecu, receiver.bus) {
                true => takes.push(handled(file, index, port, Protection::None)),
                false => checks.push(handled(file, index, port, protection)),
            }
        }
    }
    ApplicationConfig {
        takes,
        checks,
        keyed: keyed(file, ecu),
        own,
        forwards: forwards(file, ecu),
        warnings: warnings(file, ecu)
            .filter_map(|(bus, warning)| Some((port_on(file, ecu, bus), warning.frame()?)))
            .collect(),
        announces: authentication::announces(file, ecu),
    }
}

/// Returns the streams of whose messages an ECU has the keys because it checks them, and those that
/// an intruder tries to forge with a group's key.
fn keyed(file: &VehicleFile, ecu: EcuIndex) -> Vec<Handled> {
    let tables = file.authentications.iter();
    let checks = tables.flat_map(|table| {
        let checks = file.checks(table).filter(|one| one.ecu == ecu);
        checks.chain(authentication::overheard(file, table, ecu))
    });
    let keyed = checks.map(|one| {
        let protection = file.stream(one.stream).protection;
        handled(file, one.stream, port_on(file, ecu, one.bus), protection)
    });
    keyed.collect()
}

fn forwards(file: &VehicleFile, gateway: EcuIndex) -> Vec<Handled> {
    let forwarded = file.forwarded_by(gateway);
    let forwarded = forwarded.map(|(route, stream)| {
        let route = &file.routes[route.0];
        let protection = match route.verify {
            Some(_) => Protection::None,
            None => file.stream(stream).protection,
        };
        handled(file, stream, port_on(file, gateway, route.to), protection)
    });
    forwarded.collect()
}

/// Returns what gateways may warn an ECU of, and on which bus.
pub(super) fn warnings(
    file: &VehicleFile,
    ecu: EcuIndex,
) -> impl Iterator<Item = (BusIndex, &Warning)> {
    let there = file
        .routes
        .iter()
        .filter(move |route| route.gateway != ecu && file.ecu(ecu).ports.contains(&route.to));
    there.filter_map(|route| Some((route.to, route.verify.as_ref()?.warning.as_ref()?)))
}
