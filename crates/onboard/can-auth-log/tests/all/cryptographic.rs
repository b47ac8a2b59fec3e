//! Cryptographic PDUs: messages whose freshness and code have a frame of their own.

use std::num::NonZeroU32;
use std::sync::Arc;

use waywarden_can_auth::mac::MacKey;
use waywarden_can_auth_log::FrameVerdict::{self, Authentic, Missing, TagWithoutData, WrongTag};
use waywarden_can_auth_log::{AuthenticationPlan, LogChecker, VehicleKeys, VehiclePlan};
use waywarden_vehicle_file::{StreamIndex, VehicleFile};

use super::{Log, plain};

const CAR: &str = r#"
    [vehicle]
    name = "cryptographic PDUs"

    [[bus]]
    name = "can0"
    bitrate = "500k"

    [[ecu]]
    name = "engine"
    ports = ["can0"]

    [[ecu]]
    name = "brakes"
    ports = ["can0"]

    [[stream]]
    name = "speed"
    id = 0x280
    sender = "engine"
    receivers = ["brakes"]
    period = "10ms"
    length = 8

    [[authentication]]
    scheme = "secoc"
    profile = "autosar-1"
    protect = ["speed"]
    cryptographic_pdus = [{ stream = "speed", id = 0x281 }]
"#;

struct OneKey;

impl VehicleKeys for OneKey {
    fn message_key(&self, _: usize, _: StreamIndex) -> MacKey {
        MacKey::from_bytes([7; 16])
    }

    fn announcement_key(&self, _: usize) -> MacKey {
        MacKey::from_bytes([8; 16])
    }
}

fn car() -> Arc<AuthenticationPlan> {
    let file = VehicleFile::parse("car.toml", CAR).unwrap();
    let plan = VehiclePlan::new(&file).unwrap();
    Arc::new(plan.finish(&OneKey, NonZeroU32::MIN).unwrap())
}

fn messages(count: usize) -> Log {
    let line = |at: usize| {
        let (second, micros) = (1 + at / 100, at % 100 * 10_000);
        format!("({second}.{micros:06}) can0 280#0011223344{at:06X}\n")
    };
    Log::new(&(0..count).map(line).collect::<String>())
}

fn by_each(log: &Log) -> [Vec<FrameVerdict>; 3] {
    let ecu = log.checked_by(LogChecker::as_ecu(car()));
    [log.checked(&car()), log.reviewed(&car()), ecu]
        .map(|(checked, _)| checked.iter().map(|one| one.verdict).collect())
}

#[test]
fn messages_with_cryptographic_pdus_come_back() {
    let log = messages(10);
    let protected = log.protected(&car()).unwrap();
    assert_eq!(protected.records.len(), 20);
    for found in by_each(&protected) {
        assert_eq!(found, [Authentic; 20]);
    }
    let (checked, summary) = protected.reviewed(&car());
    assert_eq!(plain(&checked), log.records);
    assert_eq!(summary.streams[0].stream, "speed");
}

#[test]
fn lost_and_changed_pdus_are_reported() {
    let protected = messages(10).protected(&car()).unwrap();
    let without = |lost: usize| {
        let mut records = protected.records.clone();
        records.remove(lost);
        Log {
            channels: protected.channels.clone(),
            records,
        }
    };
    let mut expected = [Authentic; 19];
    expected[8] = Missing;
    for found in by_each(&without(9)) {
        assert_eq!(found, expected);
    }
    expected[8] = TagWithoutData;
    for found in by_each(&without(8)) {
        assert_eq!(found, expected);
    }
    let mut swapped = without(9);
    swapped.records[8].entry = protected.records[10].entry;
    for found in by_each(&swapped) {
        assert_ne!(found[8], Authentic, "a message of no code");
    }
    let mut foreign = without(9);
    foreign.records[9].entry = protected.records[3].entry;
    for found in by_each(&foreign) {
        assert!(
            [WrongTag, Missing, FrameVerdict::Replay].contains(&found[9]),
            "{found:?}"
        );
    }
}

/// A PDU that is more urgent than its message comes first on a loaded bus.
#[test]
fn pdu_that_overtook_its_message_is_found_with_hindsight() {
    let mut log = messages(10).protected(&car()).unwrap();
    for pair in log.records.chunks_exact_mut(2) {
        pair.swap(0, 1);
        pair[1].at_ns += 1_000_000;
    }
    let [live, reviewed, ecu] = by_each(&log);
    assert_eq!(reviewed, [Authentic; 20]);
    for found in [live, ecu] {
        assert!(
            !found.contains(&Authentic),
            "a receiver takes none: {found:?}"
        );
    }
}

#[test]
fn log_with_cryptographic_pdus_begins_at_any_counter() {
    let mut log = messages(3_010).protected(&car()).unwrap();
    log.records.drain(..6_000);
    let (checked, summary) = log.reviewed(&car());
    assert!(checked.iter().all(|one| one.verdict == Authentic));
    assert_eq!(summary.streams[0].first_counter, Some(3_001));
}
