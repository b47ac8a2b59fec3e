//! Configuration and effects of each attacker, interferer and fault of a vehicle file.

mod kind;
mod taken;

pub use taken::{KeyDeceptionRow, TakenRow};

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_work::Duration;

use crate::RunOutcome;
use crate::require::{Comparison, Requirement, RequirementVerdict};
use waywarden_vehicle_file::formatting::{count, span};
use waywarden_vehicle_file::{
    Attack, BusIndex, EcuFailure, EcuFailureKind, EcuIndex, ForwardedFrames, FrameRate,
    Interference, KeyFrames, Located, RecordedFrames, StreamIndex, VehicleFile, Window,
    WireInterferer,
};

/// Measured text of an attack that never acted.
pub const NEVER_RAN: &str = "never ran";

/// An attacker, interferer or fault in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AttackRow {
    /// Its name.
    pub name: String,
    /// Its kind, as vehicle files write it.
    pub kind: &'static str,
    /// Its action and target, in words.
    pub what: String,
    /// The buses it acts on.
    pub buses: Vec<String>,
    /// Start of its window.
    pub from_ms: f64,
    /// End of its window; the end of the run where the file names none.
    pub until_ms: f64,
    /// Number of actions; 1 for a fault that came in time.
    pub actions: u64,
    /// Kind of action that is counted.
    pub action: AttackerAction,
    /// Messages that receivers took and their senders did not send, while it acted and was after
    /// their streams.
    pub taken: u64,
    /// Streams of these messages, and the ECUs that took them.
    pub taken_by: Vec<TakenRow>,
    /// Number of times ECUs took something of the attacker's for genuine in the exchange of keys.
    pub key_deceptions: u64,
    /// Kinds of those deceptions, and the deceived ECUs.
    pub key_deceived: Vec<KeyDeceptionRow>,
}

/// Repeated actions of attackers, interferers and faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AttackerAction {
    /// An attacker's own frame went over the bus.
    FrameSent,
    /// A gateway did not forward a frame.
    FrameSuppressed,
    /// A gateway forwarded another frame.
    FrameModified,
    /// An interferer changed a bit or held the bus.
    Strike,
    /// An intruder had a turn.
    Intrusion,
    /// An ECU failed.
    Fault,
}

impl AttackerAction {
    /// Prints how often it was done.
    pub(super) fn counted(self, times: u64) -> String {
        if times == 0 {
            return NEVER_RAN.to_owned();
        }
        let frames = count(times, "frame");
        match self {
            AttackerAction::FrameSent => format!("{frames} sent"),
            AttackerAction::FrameSuppressed => format!("{frames} suppressed"),
            AttackerAction::FrameModified => format!("{frames} modified"),
            AttackerAction::Intrusion => count(times, "turn"),
            AttackerAction::Strike => count(times, "strike"),
            AttackerAction::Fault => count(times, "fault"),
        }
    }
}

/// Text of an action, its buses, and the counted kind.
type Acts = (String, Vec<BusIndex>, AttackerAction);

/// Lists attackers, then interferers, then faults, as the file has them.
pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<AttackRow> {
    let row = |(name, kind): (&str, &'static str),
               window: &Window,
               (what, buses, action): Acts,
               actions: u64| AttackRow {
        name: name.to_owned(),
        kind,
        what,
        buses: buses
            .into_iter()
            .map(|bus| file.bus(bus).name.value.clone())
            .collect(),
        from_ms: super::ms(window.from),
        until_ms: super::ms(window.until.unwrap_or(file.duration.max(window.from))),
        actions,
        action,
        taken: outcome.measure.forgeries.of_attack(name),
        taken_by: taken::messages(outcome, name),
        key_deceptions: outcome
            .measure
            .key_deceptions()
            .of_attack(name)
            .map(|(_, _, times)| times)
            .sum(),
        key_deceived: taken::key_deceptions(outcome, name),
    };
    // Those that send are the last ECUs, in the file's order.
    let mut senders = file.ecus.len() + file.replays.len()..outcome.names.ecus.len();
    let attackers = file.attackers.iter().enumerate().map(|(at, one)| {
        let acts = attack(file, &one.attack);
        let actions = match acts.2 {
            AttackerAction::FrameSent => senders
                .next()
                .map_or(0, |ecu| outcome.measure.ecus[ecu].sent),
            _ => *outcome.measure.attacker_actions.get(&at).unwrap_or(&0),
        };
        let name = (one.name.value.as_str(), kind::of_attack(&one.attack));
        row(name, &one.window, acts, actions)
    });
    let interferers = file.interferers.iter().map(|one| {
        let name = one.name.value.as_str();
        let strikes = outcome.measure.strikes.get(name).copied().unwrap_or(0);
        let acts = (
            interference(file, one),
            vec![one.bus],
            AttackerAction::Strike,
        );
        let kind = kind::of_interference(&one.interference);
        row((name, kind), &one.window, acts, strikes)
    });
    let faults = file.faults.iter().map(|one| {
        let came = u64::from(one.window.from < file.duration);
        let name = (one.name.value.as_str(), kind::of_fault(&one.kind));
        row(name, &one.window, fault(file, one), came)
    });
    attackers.chain(interferers).chain(faults).collect()
}

/// Returns a missed requirement for each that never acted and is not optional: the other
/// requirements then show a run without it. Noise may spare a short run by chance.
pub(super) fn never_ran(file: &VehicleFile, rows: &[AttackRow]) -> Vec<RequirementVerdict> {
    let attackers = file.attackers.iter();
    let attackers = attackers.map(|one| (&one.name, one.window, one.is_optional, false));
    let interferers = file.interferers.iter().map(|one| {
        let is_noise = matches!(
            one.interference,
            Interference::BitErrors { .. } | Interference::ReceiverLocal { .. }
        );
        (&one.name, one.window, one.is_optional, is_noise)
    });
    let faults = file.faults.iter();
    let faults = faults.map(|one| (&one.name, one.window, one.is_optional, false));
    let all = attackers.chain(interferers).chain(faults).zip(rows);
    let verdict =
        |((name, window, is_optional, is_noise), row): ((_, Window, _, _), &AttackRow)| {
            let name: &Located<String> = name;
            let is_late = window.from >= file.duration;
            if row.actions > 0 || is_optional || (is_noise && !is_late) {
                return None;
            }
            let why = match is_late {
                true => format!(
                    "its window begins at {}, when the run ends at {}",
                    window.from, file.duration
                ),
                false => "nothing that it acts on came in its window".to_owned(),
            };
            let never = (0, NEVER_RAN.to_owned());
            let cause = format!("{why}; `optional = true` allows a run without it");
            Some(
                Comparison::of_counts((1, "acts at least once"), never).verdict(
                    (Requirement::AttackActs, Some(&name.value)),
                    false,
                    (file, &name.span),
                    Some(cause),
                ),
            )
        };
    all.filter_map(verdict).collect()
}

fn attack(file: &VehicleFile, attack: &Attack) -> Acts {
    match attack {
        Attack::Compromise { ecus, period } => compromise(file, ecus, *period),
        Attack::ManInTheMiddle { .. } | Attack::Suppress { .. } | Attack::Modify { .. } => {
            in_a_gateway(file, attack)
        }
        _ => {
            let (what, bus) = sender(file, attack);
            (what, bus.into_iter().collect(), AttackerAction::FrameSent)
        }
    }
}

fn compromise(file: &VehicleFile, ecus: &[EcuIndex], period: Duration) -> Acts {
    let whom = match ecus {
        [one] => file.ecu(*one).name.value.clone(),
        several => count(several.len() as u64, "ECU"),
    };
    let mut buses: Vec<BusIndex> = Vec::new();
    for ecu in ecus {
        buses.extend(&file.ecu(*ecu).ports);
    }
    buses.sort();
    buses.dedup();
    let what = format!("runs code on {whom}, every {}", moment(period));
    (what, buses, AttackerAction::Intrusion)
}

/// Describes an attacker in a gateway.
fn in_a_gateway(file: &VehicleFile, attack: &Attack) -> Acts {
    let inside =
        |gateway: &EcuIndex, verb: &str, what: &ForwardedFrames, action: AttackerAction| {
            let ecu = file.ecu(*gateway);
            let what = match what {
                ForwardedFrames::Streams(streams) => named(file, streams),
                ForwardedFrames::Keys(frames) => key_frames(frames),
            };
            let what = format!("{} {verb} {what}", ecu.name.value);
            (what, ecu.ports.clone(), action)
        };
    match attack {
        Attack::Suppress { gateway, what, .. } => {
            inside(gateway, "drops", what, AttackerAction::FrameSuppressed)
        }
        Attack::Modify { gateway, what, .. } => {
            inside(gateway, "changes", what, AttackerAction::FrameModified)
        }
        Attack::ManInTheMiddle {
            gateway,
            network,
            member,
        } => {
            let module = file.lasan[*network].security_module.ecu;
            let names = [*gateway, module, member.ecu].map(|ecu| &file.ecu(ecu).name.value);
            let [gateway_name, module, member] = names;
            let what = format!("{gateway_name} plays {module} and {member} to each other");
            let ports = file.ecu(*gateway).ports.clone();
            (what, ports, AttackerAction::FrameModified)
        }
        _ => (String::new(), Vec::new(), AttackerAction::FrameSent),
    }
}

/// Describes an attacker that sends frames, and returns its bus.
fn sender(file: &VehicleFile, attack: &Attack) -> (String, Option<BusIndex>) {
    let (what, bus) = match attack {
        Attack::Spoof { bus, frame, period } => (
            format!("spoofs {} every {}", frame.id, moment(*period)),
            bus,
        ),
        Attack::Replay {
            bus, which, delay, ..
        } => {
            let which = match which {
                RecordedFrames::All => "every frame".to_owned(),
                RecordedFrames::Id(id) => id.to_string(),
                RecordedFrames::Keys(frames) => key_frames(frames),
            };
            (format!("replays {which} after {}", moment(*delay)), bus)
        }
        Attack::Forge {
            bus,
            stream,
            attack,
            ..
        } => {
            let stream = &file.stream(*stream).name.value;
            (format!("{} {stream}", attack.words()), bus)
        }
        Attack::Relay { from, to } => {
            let from = &file.bus(*from).name.value;
            (format!("brings what it hears on {from}"), to)
        }
        Attack::Flood { bus, frame, rate } => {
            let rate = match rate {
                FrameRate::Full => "without a pause".to_owned(),
                FrameRate::PerSecond(rate) => format!("{rate} times a second"),
            };
            (format!("floods with {} {rate}", frame.id), bus)
        }
        Attack::Register {
            bus, ecus, period, ..
        } => {
            let names = count(ecus.len() as u64, "ECU");
            let what = format!("registers as {names} every {}", moment(*period));
            (what, bus)
        }
        Attack::Masquerade { bus, party, .. } => {
            let name = &file.ecu(party.ecu).name.value;
            (format!("plays {name} in the exchange of keys"), bus)
        }
        Attack::Compromise { .. }
        | Attack::ManInTheMiddle { .. }
        | Attack::Suppress { .. }
        | Attack::Modify { .. } => return (String::new(), None),
    };
    (what, Some(*bus))
}

/// Names key frames.
fn key_frames(frames: &KeyFrames) -> String {
    let names = frames.names().join(", ");
    let which = frames.occurrence.map(|one| format!("number {one} of the "));
    let names = match names.is_empty() {
        true => "key frames".to_owned(),
        false => format!("key frames {names}"),
    };
    format!("{}{names}", which.unwrap_or_default())
}

/// Names up to three streams.
fn named(file: &VehicleFile, streams: &[StreamIndex]) -> String {
    let names = streams
        .iter()
        .take(3)
        .map(|&stream| file.stream(stream).name.value.as_str());
    let text = names.collect::<Vec<_>>().join(", ");
    if streams.len() > 3 {
        format!("{text} and {} more", streams.len() - 3)
    } else {
        text
    }
}

fn interference(file: &VehicleFile, interferer: &WireInterferer) -> String {
    match &interferer.interference {
        Interference::BitErrors { rate } => format!("flips one bit in {:.0}", 1.0 / rate),
        Interference::ReceiverLocal { ecu, rate } => format!(
            "flips one bit in {:.0} for {} alone",
            1.0 / rate,
            file.ecu(*ecu).name.value
        ),
        Interference::BusOff { id } => format!("destroys {id} until its sender is bus-off"),
        Interference::ErrorPassiveOverwrite { id, .. } => {
            format!("drives the sender of {id} error-passive and overwrites its frames")
        }
        Interference::KeyFrameOverwrite { frames, .. } => {
            let which = key_frames(frames);
            format!("drives the sender of {which} error-passive and overwrites them")
        }
        Interference::Babbling { period, bits } => format!(
            "holds the bus dominant for {bits} bits every {}",
            moment(*period)
        ),
        Interference::DoubleReceive { id, .. } => {
            let which = id.map_or("frames".to_owned(), |id| id.to_string());
            format!("makes receivers get {which} twice")
        }
        Interference::Janus { id, receivers, .. } => {
            let whom = count(receivers.len() as u64, "ECU");
            format!("shows {whom} another payload of {id}")
        }
    }
}

fn fault(file: &VehicleFile, fault: &EcuFailure) -> Acts {
    let ecu = file.ecu(fault.ecu);
    let name = &ecu.name.value;
    let (what, buses) = match &fault.kind {
        EcuFailureKind::Reset => (format!("{name} is in reset"), &ecu.ports),
        EcuFailureKind::Replaced => (format!("{name} is replaced by a new part"), &ecu.ports),
        EcuFailureKind::ClockDrift { ppm } => {
            (format!("{name}'s clock drifts by {ppm} ppm"), &ecu.ports)
        }
        EcuFailureKind::BusOpen { buses } => (format!("{name} is cut off"), buses),
    };
    (what, buses.clone(), AttackerAction::Fault)
}

fn moment(duration: Duration) -> String {
    span(super::ms(duration))
}
