//! What the vehicle file has done to the car, and how much of it came through.

use waywarden_work::Duration;

use super::Source;
use super::axis::span;
use super::markup::Page;
use super::tables::{Table, table};
use crate::file::{
    Attack, Attacker, BusIndex, EcuIndex, Fault, FaultKind, FrameRate, Interference, Interferer,
    VehicleFile, Window,
};

/// An attack, interference or fault.
pub(super) struct Trouble {
    /// Counted from 1; the plots say which is which by it.
    pub(super) number: usize,
    pub(super) name: String,
    what: String,
    /// The buses it acts on.
    pub(super) buses: Vec<BusIndex>,
    /// From when until when, as shares of the run.
    pub(super) window: (f64, f64),
    times: String,
    counted: String,
}

pub(super) fn section(page: &mut Page, source: &Source<'_>) {
    let troubles = all(source);
    if troubles.is_empty() {
        return;
    }
    let explanation = "Attacks, interference and faults as the vehicle file has them. The bus \
                       loads below are shaded while one acts, and carry its number.";
    page.section("trouble", "What was done to the car", explanation);
    let rows: Vec<Vec<String>> = troubles
        .into_iter()
        .map(|trouble| {
            let buses: Vec<&str> = trouble
                .buses
                .iter()
                .map(|&bus| source.file.bus(bus).name.value.as_str())
                .collect();
            vec![
                trouble.number.to_string(),
                trouble.name,
                trouble.what,
                buses.join(", "),
                trouble.times,
                trouble.counted,
            ]
        })
        .collect();
    let headers = ["no.", "name", "what", "where", "when", "came to"];
    let caption = "Attacks, interference, faults";
    table(
        page,
        Table {
            caption,
            headers: &headers,
            numbers: 0..1,
            folded: false,
        },
        &rows,
    );
    page.end_section();
}

/// Lists attackers, then interferers, then faults, as the file has them.
pub(super) fn all(source: &Source<'_>) -> Vec<Trouble> {
    let file = source.file;
    let senders = file.ecus.len() + file.replays.len();
    let sends = |attacker: &&Attacker| sends(&attacker.attack);
    let mut troubles = Vec::new();
    for (at, attacker) in file.attackers.iter().enumerate() {
        let sender = senders + file.attackers[..at].iter().filter(sends).count();
        let (what, buses, counted) = attack(source, attacker, sender);
        troubles.push(trouble(
            source,
            &attacker.name.value,
            &attacker.window,
            (what, buses, counted),
        ));
    }
    for interferer in &file.interferers {
        let strikes = source
            .recording
            .strikes
            .get(&interferer.name.value)
            .copied()
            .unwrap_or(0);
        let acts = (
            interference(file, interferer),
            vec![interferer.bus],
            count(strikes, "strike"),
        );
        troubles.push(trouble(
            source,
            &interferer.name.value,
            &interferer.window,
            acts,
        ));
    }
    for one in &file.faults {
        troubles.push(trouble(
            source,
            &one.name.value,
            &one.window,
            fault(file, one),
        ));
    }
    (1..)
        .zip(&mut troubles)
        .for_each(|(number, trouble)| trouble.number = number);
    troubles
}

type Acts = (String, Vec<BusIndex>, String);

fn trouble(source: &Source<'_>, name: &str, window: &Window, acts: Acts) -> Trouble {
    let length = source.file.duration;
    let share = |time: Duration| match length.as_nanos() {
        0 => 0.0,
        whole => (time.as_nanos() as f64 / whole as f64).min(1.0),
    };
    let (what, buses, counted) = acts;
    Trouble {
        number: 0,
        name: name.to_owned(),
        what,
        buses,
        window: (share(window.from), window.until.map_or(1.0, share)),
        times: match window.until {
            Some(until) => format!("{} to {}", moment(window.from), moment(until)),
            None => format!("from {}", moment(window.from)),
        },
        counted,
    }
}

fn sends(attack: &Attack) -> bool {
    matches!(
        attack,
        Attack::Spoof { .. } | Attack::Flood { .. } | Attack::Replay { .. }
    )
}

fn attack(source: &Source<'_>, attacker: &Attacker, sender: usize) -> Acts {
    let file = source.file;
    let forged = || {
        count(
            source.recording.forged.get(&sender).copied().unwrap_or(0),
            "frame",
        )
    };
    let remarks = |gateway: &EcuIndex, kind: &'static str| {
        let number = source
            .recording
            .remarks
            .get(&(gateway.0, kind))
            .copied()
            .unwrap_or(0);
        format!(
            "{} {kind} by {}",
            count(number, "frame"),
            file.ecu(*gateway).name.value
        )
    };
    match &attacker.attack {
        Attack::Spoof { bus, frame, period } => {
            let what = format!("spoofs {} every {}", frame.id, moment(*period));
            (what, vec![*bus], forged())
        }
        Attack::Replay { bus, id, delay, .. } => {
            let which = id.map_or("every frame".to_owned(), |id| id.to_string());
            (
                format!("replays {which} after {}", moment(*delay)),
                vec![*bus],
                forged(),
            )
        }
        Attack::Flood { bus, frame, rate } => {
            let rate = match rate {
                FrameRate::Full => "without a pause".to_owned(),
                FrameRate::PerSecond(rate) => format!("{rate} times a second"),
            };
            (
                format!("floods with {} {rate}", frame.id),
                vec![*bus],
                forged(),
            )
        }
        Attack::Suppress {
            gateway, streams, ..
        } => {
            let what = format!(
                "{} drops {}",
                file.ecu(*gateway).name.value,
                named(file, streams)
            );
            (
                what,
                file.ecu(*gateway).ports.clone(),
                remarks(gateway, "suppressed"),
            )
        }
        Attack::Modify {
            gateway, streams, ..
        } => {
            let what = format!(
                "{} changes {}",
                file.ecu(*gateway).name.value,
                named(file, streams)
            );
            (
                what,
                file.ecu(*gateway).ports.clone(),
                remarks(gateway, "modified"),
            )
        }
    }
}

/// Names up to three streams.
fn named(file: &VehicleFile, streams: &[crate::file::StreamIndex]) -> String {
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

fn interference(file: &VehicleFile, interferer: &Interferer) -> String {
    match &interferer.interference {
        Interference::BitErrors { rate } => format!("flips bits, {rate} of them"),
        Interference::ReceiverLocal { ecu, rate } => {
            format!(
                "flips bits for {} alone, {rate} of them",
                file.ecu(*ecu).name.value
            )
        }
        Interference::BusOff { id } => format!("destroys {id} until its sender is bus-off"),
        Interference::ErrorPassiveOverwrite { id, .. } => {
            format!("drives the sender of {id} error-passive and overwrites its frames")
        }
        Interference::Babbling { period, bits } => {
            format!(
                "holds the bus dominant for {bits} bits every {}",
                moment(*period)
            )
        }
        Interference::DoubleReceive { id, .. } => {
            let which = id.map_or("frames".to_owned(), |id| id.to_string());
            format!("makes receivers get {which} twice")
        }
        Interference::Janus { id, .. } => format!("shows some receivers another payload of {id}"),
    }
}

fn fault(file: &VehicleFile, fault: &Fault) -> Acts {
    let ecu = file.ecu(fault.ecu);
    let name = &ecu.name.value;
    match &fault.kind {
        FaultKind::Reset => (
            format!("{name} is in reset"),
            ecu.ports.clone(),
            String::new(),
        ),
        FaultKind::ClockDrift { ppm } => (
            format!("{name}'s clock drifts by {ppm} ppm"),
            ecu.ports.clone(),
            String::new(),
        ),
        FaultKind::BusOpen { buses } => {
            (format!("{name} is cut off"), buses.clone(), String::new())
        }
    }
}

/// Prints a number of things.
pub(super) fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn moment(duration: Duration) -> String {
    span(duration.as_nanos() as f64 * 1e-6)
}
