//! Configuration of each stream's measurement: its receivers and their path.

use waywarden_can_auth::paired::WireForm;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_vehicle_file::{self as file, Protection, StreamIndex, VehicleFile};
use waywarden_work::Duration;

use super::Watched;

/// Returns the configuration of measurement of each stream.
#[must_use]
pub fn watched(file: &VehicleFile) -> Vec<Watched> {
    file.streams
        .iter()
        .enumerate()
        .map(|(at, stream)| Watched {
            name: stream.name.value.clone(),
            sender: EcuIndex(stream.sender.0),
            bus: BusIndex(stream.bus.0),
            id: stream.id.value,
            checked: checked(file, StreamIndex(at), stream),
            is_counted: stream.protection == Protection::Paired(WireForm::Leia),
            receivers: stream
                .receivers
                .iter()
                .map(|one| EcuIndex(one.ecu.0))
                .collect(),
            deadline: stream.deadline,
            bound: bound(file, StreamIndex(at)),
        })
        .collect()
}

/// Says which receivers of a stream check its tag themselves.
fn checked(file: &VehicleFile, index: StreamIndex, stream: &file::Stream) -> Vec<bool> {
    let is_tagged = file.authentication_of(index).is_some();
    let receivers = stream.receivers.iter();
    receivers
        .map(|one| is_tagged && !file.takes_unchecked(index, one.ecu, one.bus))
        .collect()
}

/// Returns the bound that is required of the latency of a stream.
fn bound(file: &VehicleFile, index: StreamIndex) -> Option<Duration> {
    let mut bounds = file.require.latency.iter();
    let own = bounds.find(|(stream, _)| *stream == index);
    own.map(|(_, bound)| bound.value)
}
