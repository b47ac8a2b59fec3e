//! Writes the streams that the security modules of a variant protect.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::super::keys;
use super::super::obstacle::{Laid, Obstacle};
use super::{Car, open};
use crate::compare::choice::KeyChoice;
use crate::composing::{names, tables};
use waywarden_vehicle_file::{
    BusIndex, EcuIndex, FrameFormat, HELD_MAX, PROTECTED_MAX, Stream, StreamIndex, protected_length,
};

/// Lets the security modules of a variant protect what they can: CAN FD streams with room, between
/// their members.
pub(super) fn write(table: &mut Table, car: Car<'_>) -> Laid {
    let file = car.file;
    let mut laid = Laid::default();
    let mut held: BTreeMap<EcuIndex, usize> = BTreeMap::new();
    for written in tables(table, "keys") {
        let buses = listed(written, car);
        let module = keys::module_of(file, &buses);
        let mut protect = Vec::new();
        for (at, stream) in open(car, KeyChoice::None, &mut laid) {
            let ends: BTreeSet<EcuIndex> = stream.receivers.iter().map(|one| one.ecu).collect();
            let ends = ends.into_iter().chain([stream.sender]);
            let ends: Vec<EcuIndex> = ends.collect();
            let is_within = stream.carried.iter().all(|one| buses.contains(&one.bus));
            let can_hold = |ecu: &EcuIndex| held.get(ecu).is_none_or(|count| *count < HELD_MAX);
            let holds = ends.iter().all(|ecu| Some(*ecu) != module && can_hold(ecu));
            if is_within && has_room(stream) && holds && protect.len() < PROTECTED_MAX {
                ends.iter()
                    .for_each(|ecu| *held.entry(*ecu).or_default() += 1);
                protect.push(file.stream(at).name.value.as_str());
                laid.covered.insert(at);
            }
        }
        written.insert("protect".to_owned(), names(protect));
    }
    let others = car.streams.iter().copied();
    let others: Vec<StreamIndex> = others.filter(|at| !laid.covered.contains(at)).collect();
    for at in others {
        let stream = file.stream(at);
        laid.leave_out(file, [at], |name| match has_room(stream) {
            false => Obstacle::new(
                format!(
                    "stream {name:?} is {} of {} bytes",
                    match stream.format {
                        FrameFormat::Classic => "a classic frame",
                        FrameFormat::Fd { .. } => "a CAN FD frame",
                    },
                    stream.length
                ),
                "LASAN protects CAN FD frames of up to 48 bytes: write `format = \"fd\"`, or \
                 shorten it",
            ),
            true => Obstacle::new(
                format!("not all ECUs of stream {name:?} have room for its key from one module"),
                "the module itself holds none, and each other ECU of its buses 64",
            ),
        });
    }
    laid
}

fn has_room(stream: &Stream) -> bool {
    matches!(stream.format, FrameFormat::Fd { .. }) && protected_length(stream.length).is_some()
}

/// Returns the buses of a security module.
fn listed(written: &Table, car: Car<'_>) -> Vec<BusIndex> {
    let listed = written.get("buses").and_then(Value::as_array);
    let listed: Vec<&str> = listed
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let buses = (0..car.file.buses.len()).map(BusIndex);
    buses
        .filter(|bus| listed.contains(&car.file.bus(*bus).name.value.as_str()))
        .collect()
}
