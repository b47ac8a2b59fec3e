//! What each attacker, interferer and fault of a vehicle file was and did.

use serde::Serialize;

use crate::file::{Attack, FaultKind, FrameRate, Interference, VehicleFile, Window};
use crate::run::Outcome;

/// An attacker, interferer or fault in figures.
#[derive(Clone, Debug, Serialize)]
pub struct AttackRow {
    /// Its name.
    pub name: String,
    /// What it does, to whom.
    pub what: String,
    /// From when.
    pub from_ms: f64,
    /// Until when; the end of the run where the file names none.
    pub until_ms: f64,
    /// How often it acted: frames sent, frames tampered with, bits struck; 1 for a fault.
    pub deeds: u64,
}

pub(super) fn rows(file: &VehicleFile, outcome: &Outcome) -> Vec<AttackRow> {
    let deeds = |name: &str| outcome.measure.deeds.get(name).copied().unwrap_or(0);
    let sent = |name: &str| {
        let ecu = outcome.names.ecus.iter().rposition(|one| one == name);
        ecu.map_or(0, |ecu| outcome.measure.ecus[ecu].sent)
    };
    let row = |name: &str, what: String, window: &Window, deeds: u64| AttackRow {
        name: name.to_owned(),
        what,
        from_ms: super::ms(window.from),
        until_ms: super::ms(window.until.unwrap_or(file.duration)),
        deeds,
    };
    let attackers = file.attackers.iter().map(|one| {
        let name = one.name.value.as_str();
        let inside = matches!(one.attack, Attack::Suppress { .. } | Attack::Modify { .. });
        let count = if inside { deeds(name) } else { sent(name) };
        row(name, attack(file, &one.attack), &one.window, count)
    });
    let interferers = file.interferers.iter().map(|one| {
        let name = one.name.value.as_str();
        let what = interference(file, &one.interference);
        let what = format!("{what} on {}", file.bus(one.bus).name.value);
        row(name, what, &one.window, deeds(name))
    });
    let faults = file.faults.iter().map(|one| {
        let what = match &one.kind {
            FaultKind::Reset => "reset",
            FaultKind::ClockDrift { .. } => "clock drift",
            FaultKind::BusOpen { .. } => "cut off its bus",
        };
        let what = format!("{what}: {}", file.ecu(one.ecu).name.value);
        row(&one.name.value, what, &one.window, 1)
    });
    attackers.chain(interferers).chain(faults).collect()
}

fn attack(file: &VehicleFile, attack: &Attack) -> String {
    let bus = |index| &file.bus(index).name.value;
    match attack {
        Attack::Spoof { bus: at, frame, .. } => format!("spoofs {} on {}", frame.id, bus(*at)),
        Attack::Replay { bus: at, id, .. } => match id {
            Some(id) => format!("replays {id} on {}", bus(*at)),
            None => format!("replays everything on {}", bus(*at)),
        },
        Attack::Flood {
            bus: at,
            frame,
            rate,
        } => match rate {
            FrameRate::Full => format!("floods {} with {}", bus(*at), frame.id),
            FrameRate::PerSecond(rate) => {
                format!("floods {} with {} frames/s of {}", bus(*at), rate, frame.id)
            }
        },
        Attack::Suppress {
            gateway, streams, ..
        } => {
            format!(
                "suppresses {} streams in {}",
                streams.len(),
                file.ecu(*gateway).name.value
            )
        }
        Attack::Modify {
            gateway, streams, ..
        } => {
            format!(
                "modifies {} streams in {}",
                streams.len(),
                file.ecu(*gateway).name.value
            )
        }
    }
}

fn interference(file: &VehicleFile, interference: &Interference) -> String {
    match interference {
        Interference::BitErrors { rate } => format!("flips one bit in {:.0}", 1.0 / rate),
        Interference::ReceiverLocal { ecu, rate } => {
            format!(
                "flips one bit in {:.0} for {}",
                1.0 / rate,
                file.ecu(*ecu).name.value
            )
        }
        Interference::BusOff { id } => format!("drives the sender of {id} bus-off"),
        Interference::ErrorPassiveOverwrite { id, .. } => format!("overwrites {id}"),
        Interference::Babbling { .. } => "babbles".to_owned(),
        Interference::DoubleReceive { id: Some(id), .. } => format!("has {id} received twice"),
        Interference::DoubleReceive { id: None, .. } => "has frames received twice".to_owned(),
        Interference::Janus { id, receivers, .. } => {
            format!("shows {} ECUs another {id}", receivers.len())
        }
    }
}
