//! Fault confinement: which senders the errors of a bus may make error-passive, or take off it.
//!
//! An error costs its sender 8, and each frame sent brings 1 back. The frames that are sent for
//! certain are those of streams whose latency is bounded, as long as no sender is off. A
//! receive error counter counts the same way here, though most errors cost a receiver 1.

use waywarden_response_time::{CounterProgress, Errors, PASSIVE_ABOVE, counter_peak, is_bus_off};
use waywarden_vehicle_file::{BusIndex, EcuIndex};

use crate::hops::{Hop, Hops};
use crate::timing::at_most;

/// Bits of suspension that an error-passive transmitter adds to an intermission.
pub(crate) const SUSPENSION_BITS: u64 = 8;

/// Effect of errors on a controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Confined {
    /// It stays error-active.
    #[default]
    Active,
    /// It may become error-passive, and then suspends transmission.
    Passive,
    /// It may go bus-off.
    Off,
}

/// Returns what errors may do to the controller of an ECU on a bus. `latency` returns the bound of
/// a hop, if it has one and none of its frames is lost at a full queue.
pub(crate) fn confined(
    hops: &Hops<'_>,
    (ecu, bus): (EcuIndex, BusIndex),
    errors: &Errors,
    latency: impl Fn(usize) -> Option<u64>,
) -> Confined {
    let all = hops.hops.iter().enumerate();
    let here = all.filter(|(_, hop)| hop.bus == bus);
    let counted = here.filter_map(|(at, hop)| Some((hop.ecu, progress(hops, hop, latency(at)?)?)));
    let (sent, received): (Vec<_>, Vec<_>) = counted.partition(|(sender, _)| *sender == ecu);
    let peak = |frames: Vec<(EcuIndex, CounterProgress)>| {
        let frames: Vec<CounterProgress> =
            frames.into_iter().map(|(_, progress)| progress).collect();
        counter_peak(errors, &frames)
    };
    let (transmit, receive) = (peak(sent), peak(received));
    let is_passive = |peak: Option<u64>| peak.is_none_or(|peak| peak > PASSIVE_ABOVE);
    if is_bus_off(transmit) {
        Confined::Off
    } else if is_passive(transmit) || is_passive(receive) {
        Confined::Passive
    } else {
        Confined::Active
    }
}

/// Returns how surely frames of a hop are sent; none for what is no stream's.
fn progress(hops: &Hops<'_>, hop: &Hop, latency: u64) -> Option<CounterProgress> {
    let stream = hops.file.stream(hop.stream?);
    let ppm = hops.file.ecu(stream.sender).clock_ppm;
    // Before its offset a stream has sent nothing, though others of its sender may have.
    let late = latency + hop.jitter + at_most(stream.latest_offset(), ppm);
    Some(CounterProgress {
        period: at_most(stream.period, ppm).max(1),
        // The sender has its frame a bit after the receivers.
        late: late + hops.buses[hop.bus.0].bit(),
    })
}
