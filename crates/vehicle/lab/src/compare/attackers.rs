//! The standard attackers: the same for each variant, so that what they reach can be compared.
//!
//! Of the streams that are to be protected, the busiest one that is sent on each bus is forged,
//! then its messages are sent again, then it is flooded with forgeries; before all that an intruder
//! runs code on the ECU that sends the busiest of all. They follow one another with pauses, so that
//! it is known who did what.

use toml::{Table, Value};
use waywarden_work::Duration;

use crate::composing::names;
use crate::composing::nanos;
use waywarden_vehicle_file::{BusIndex, Stream, StreamIndex, VehicleFile};

/// The shortest run in which their turns are far enough apart: what is sent at the end of one turn
/// may be taken up to 50 ms later.
pub const DURATION_MIN: Duration = Duration::from_millis(1_000);

/// Start of each turn and length of all turns, in hundredths of the run.
const COMPROMISE: u64 = 40;
const SPOOF: u64 = 56;
const REPLAY: u64 = 72;
const FLOOD: u64 = 88;
const TURN: u64 = 10;

/// A flood has so many forgeries for each message, if they fit.
const FLOODED: u64 = 10;

/// So many bits are kept from one forgery to the next: a classic frame has up to 135.
const FLOOD_BITS: u64 = 400;

/// Returns the attackers of these streams for runs of this length.
pub(super) fn standard(
    file: &VehicleFile,
    streams: &[StreamIndex],
    duration: Duration,
) -> Vec<Value> {
    let at = |share: u64| Duration::from_nanos(duration.as_nanos() / 100 * share);
    let attacker = |name: String, kind: &str, from: u64| {
        let mut table = Table::new();
        table.insert("name".to_owned(), name.into());
        table.insert("kind".to_owned(), kind.into());
        table.insert("from".to_owned(), nanos(at(from)));
        table.insert("until".to_owned(), nanos(at(from + TURN)));
        table
    };
    let mut all = Vec::new();
    if let Some(stream) = busiest(file, streams, |_| true) {
        let mut intruder = attacker("intruder".to_owned(), "compromise", COMPROMISE);
        let ecu = file.ecu(stream.sender).name.value.as_str();
        intruder.insert("ecus".to_owned(), names([ecu]));
        all.push(intruder);
    }
    for number in 0..file.buses.len() {
        let bus = BusIndex(number);
        let Some(stream) = busiest(file, streams, |stream| stream.bus == bus) else {
            continue;
        };
        let aimed = |name: &str, kind: &str, from: u64| {
            let mut table = attacker(format!("{name}-{}", number + 1), kind, from);
            table.insert("stream".to_owned(), stream.name.value.as_str().into());
            table.insert("bus".to_owned(), file.bus(bus).name.value.as_str().into());
            table
        };
        all.push(aimed("spoof", "spoof", SPOOF));
        let mut replay = aimed("replay", "replay", REPLAY);
        replay.insert(
            "delay".to_owned(),
            nanos(Duration::from_nanos(at(TURN).as_nanos() / 3)),
        );
        all.push(replay);
        let mut flood = aimed("flood", "spoof", FLOOD);
        let bits = FLOOD_BITS * 1_000_000_000 / u64::from(file.bus(bus).nominal.bit_rate.max(1));
        let period = (stream.period.as_nanos() / FLOODED).max(bits);
        flood.insert("period".to_owned(), nanos(Duration::from_nanos(period)));
        all.push(flood);
    }
    all.into_iter().map(Value::Table).collect()
}

/// The stream with the shortest period, of equal ones the first.
fn busiest<'a>(
    file: &'a VehicleFile,
    streams: &[StreamIndex],
    is_meant: impl Fn(&Stream) -> bool,
) -> Option<&'a Stream> {
    let streams = streams.iter().map(|at| file.stream(*at));
    let meant = streams.filter(|stream| is_meant(stream));
    meant.min_by_key(|stream| stream.period)
}
