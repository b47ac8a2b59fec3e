//! Receivers for messages of which a matrix names none.

use std::collections::{BTreeMap, HashSet};

use toml::Table;
use waywarden_vehicle_file::{BusIndex, EcuIndex, StreamIndex, VehicleFile};

use super::wording::have;
use crate::composing::{add, change_stream, names, set};

/// Limit on the messages that each stand-in receives: an ECU has room for so many counters.
const STAND_IN_STREAMS: usize = waywarden_ecu::COUNTERS;

/// Gives the messages that no ECU receives a receiver, the same one in each row: only what has one
/// is judged. Those that check messages receive no others, because their counters are limited.
pub(super) fn stand_in(
    table: &mut Table,
    file: &VehicleFile,
    chosen: &[StreamIndex],
    remarks: &mut Vec<String>,
) {
    let mut by_bus: BTreeMap<(BusIndex, bool), Vec<StreamIndex>> = BTreeMap::new();
    for at in (0..file.streams.len()).map(StreamIndex) {
        let stream = file.stream(at);
        if stream.receivers.is_empty() {
            let alike = (stream.bus, !chosen.contains(&at));
            by_bus.entry(alike).or_default().push(at);
        }
    }
    let ecus = (0..file.ecus.len()).map(|at| file.ecu(EcuIndex(at)).name.value.as_str());
    let mut taken: HashSet<String> = ecus.map(str::to_owned).collect();
    let (mut ecus, mut messages) = (0, 0);
    for ((bus, _), streams) in by_bus {
        for part in streams.chunks(STAND_IN_STREAMS) {
            let free = (1..).map(|number| format!("receiver-{number}"));
            let Some(ecu) = free.into_iter().find(|name| taken.insert(name.clone())) else {
                return;
            };
            let mut written = Table::new();
            set(&mut written, "name", ecu.as_str());
            written.insert(
                "ports".to_owned(),
                names([file.bus(bus).name.value.as_str()]),
            );
            add(table, "ecu", written);
            for at in part {
                change_stream(table, &file.stream(*at).name.value, |stream| {
                    stream.insert("receivers".to_owned(), names([ecu.as_str()]));
                });
            }
            ecus += 1;
            messages += part.len();
        }
    }
    if messages > 0 {
        remarks.push(format!(
            "{} no receivers: {}, named from receiver-1 on, for up to \
             {STAND_IN_STREAMS} messages each",
            have(messages),
            match ecus {
                1 => "1 ECU stands in for them".to_owned(),
                number => format!("{number} ECUs stand in for them"),
            }
        ));
    }
}
