//! Senders and checkers of the messages of an authentication, which need its keys.

use crate::model::{Authentication, EcuIndex, StreamIndex, VehicleFile};

/// Returns each ECU that needs the keys of an authentication once, with its use of them.
pub(super) fn ends(file: &VehicleFile, table: &Authentication) -> Vec<(EcuIndex, String)> {
    let name = |stream: StreamIndex| &file.stream(stream).name.value;
    let streams = table.streams.iter();
    let senders = streams.map(|&at| (file.stream(at).sender, format!("sends {:?}", name(at))));
    let checks = file.checks(table).map(|check| {
        let does = match check.passes_to {
            Some(_) => "verifies",
            None => "receives",
        };
        (check.ecu, format!("{does} {:?}", name(check.stream)))
    });
    let master = table.freshness_master();
    let master = master.map(|master| (master.ecu, "announces freshness".to_owned()));
    let mut ends: Vec<(EcuIndex, String)> = senders.chain(checks).chain(master).collect();
    ends.sort_by_key(|(ecu, _)| *ecu);
    ends.dedup_by_key(|(ecu, _)| *ecu);
    ends
}
