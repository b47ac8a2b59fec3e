//! Hostile bytes: no panic, bounded work, and what is read is written as it was. Releases are told
//! apart.

use serde_json::Value;
use waywarden_testkit::{Random, bytes_of, each_random_bytes, each_seed};
use waywarden_v2x_wire::coer::Visitor;
use waywarden_v2x_wire::denm::Denm;
use waywarden_v2x_wire::{ParseFault, uper};

use super::field::EUROPEAN;
use super::oracle::random_value as named_value;
use super::writing::random_value;
use crate::notation::parse;
use crate::{Message, Readings, read};

#[test]
fn the_release_of_a_message_is_always_among_its_readings() {
    each_seed(30, |seed| {
        let mut random = Random::new(seed);
        for message in Message::all() {
            let value = named_value(&message, &mut random, 150);
            let bytes = message.write(&value).expect("a message");
            let readings = Readings::of(message.kind(), &bytes);
            let mut read = readings.read.iter();
            let own = read.find(|one| one.message == message);
            assert_eq!(
                own.map(|one| &one.value),
                Some(&value),
                "{message}, seed {seed}"
            );
        }
    });
}

#[test]
fn messages_of_release_1_are_those_of_release_2_in_other_names() {
    for text in EUROPEAN {
        let bytes = bytes_of(text);
        let kind = if bytes[1] == 1 { "DENM" } else { "CAM" };
        let readings = Readings::of(kind, &bytes);
        let releases: Vec<_> = readings
            .read
            .iter()
            .map(|one| one.message.release())
            .collect();
        assert_eq!(releases, [Some(1), Some(2)], "{kind}");
        assert!(readings.are_alike(), "{kind}");
    }
}

#[test]
fn an_addition_of_release_2_and_a_cause_of_release_1_tell_them_apart() {
    let [first, second] = [1, 2].map(|release| Message::find("DENM", Some(release)).expect("one"));
    let mut value = second.example();
    value["denm"]["situation"] = serde_json::json!({
        "informationQuality": 3,
        "eventType": { "ccAndScc": { "accident2": 0 } },
        "linkedDenms": [{ "originatingStationId": 1, "sequenceNumber": 2 }],
    });
    let readings = Readings::of("DENM", &second.write(&value).expect("a DENM"));
    assert_eq!(
        readings
            .read
            .iter()
            .map(|one| one.message)
            .collect::<Vec<_>>(),
        [second]
    );
    assert_eq!(
        readings
            .partial
            .iter()
            .map(|one| one.message)
            .collect::<Vec<_>>(),
        [first]
    );
    let mut value = first.example();
    value["denm"]["situation"] = serde_json::json!({
        "informationQuality": 3,
        "eventType": { "causeCode": 200, "subCauseCode": 0 },
    });
    let readings = Readings::of("DENM", &first.write(&value).expect("a DENM"));
    assert_eq!(
        readings
            .read
            .iter()
            .map(|one| one.message)
            .collect::<Vec<_>>(),
        [first]
    );
    let (refused, _) = readings
        .refused
        .iter()
        .find(|(one, _)| one.release() == Some(2))
        .expect("2");
    assert_eq!(*refused, second);
}

/// Stations read a DENM by a type of their own, which knows release 1.
#[test]
fn stations_read_the_cause_of_a_denm_of_both_releases() {
    let causes = each_seed(200, |seed| {
        let mut random = Random::new(seed);
        let mut causes = Vec::new();
        for message in Message::of_kind("DENM").filter(|one| one.protocol() == Some(2)) {
            let mut value = named_value(&message, &mut random, 400);
            value["header"] = message.example()["header"].clone();
            let Ok(bytes) = message.write(&value) else {
                continue;
            };
            let denm: Denm<'_> = uper::parse(&bytes)
                .unwrap_or_else(|error| panic!("{message}, seed {seed}: {error}: {value}"));
            let found = denm.situation.map(|one| one.event_type.cause.value());
            assert_eq!(found, cause(&value), "{message}, seed {seed}: {value}");
            causes.push((message.release(), found.is_some()));
        }
        causes
    });
    let with_cause = (Some(2), true);
    let count = causes.iter().flatten().filter(|one| **one == with_cause);
    assert!(count.count() > 40);
}

/// Returns the cause of a DENM. Release 2 has it at the end of a name, as in `accident2`.
fn cause(denm: &Value) -> Option<i64> {
    let event = denm.pointer("/denm/situation/eventType")?;
    if let Some(number) = event.get("causeCode") {
        return number.as_i64();
    }
    let (name, _) = event.get("ccAndScc")?.as_object()?.iter().next()?;
    let digits = name.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    digits.parse().ok()
}

/// Parts of a value beyond the number of its bits.
const SPARE_PARTS: usize = 256;

/// Counts the parts that are read, also before a fault.
#[derive(Default)]
struct Parts(usize);

impl Visitor for Parts {
    fn enter(&mut self, _: &'static str, _: &'static str, _: usize) {
        self.0 += 1;
    }
}

/// Returns the number of values in a value, itself among them.
fn values_in(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(values_in).sum(),
        Value::Object(members) => members.values().map(values_in).sum::<usize>(),
        _ => 0,
    }
}

/// Reads bytes; what is read has bounded parts and is written byte for byte. Returns true if it was
/// read.
fn read_bounded(message: &Message, bytes: &[u8]) -> bool {
    let mut parts = Parts::default();
    let read = message.read_with(bytes, &mut parts);
    let most = bytes.len() * 8 + SPARE_PARTS;
    let found = parts.0;
    assert!(found <= most, "{message}: {found} parts of {bytes:02X?}");
    let Ok(value) = read else {
        return false;
    };
    // A BIT STRING without a fixed length is three values; an addition without a layout is no part.
    let most = 3 * found + bytes.len();
    assert!(values_in(&value) <= most, "{message}: {value}");
    let written = message.write(&value);
    assert_eq!(written.as_deref(), Ok(bytes), "{message}: {value}");
    true
}

#[test]
fn random_bytes_are_read_or_refused() {
    each_random_bytes(
        2_000,
        |bytes| {
            for message in Message::all() {
                read_bounded(&message, bytes);
            }
        },
        drop,
    );
}

/// Changes an encoding: up to three bits turned, bytes cut off or put behind it.
fn change(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.below(4) {
        let bit = random.index(bytes.len() * 8);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    match random.below(6) {
        0 => bytes.truncate(random.index(bytes.len() + 1)),
        1 => bytes.extend(random.bytes_up_to(8)),
        // The last byte may be a filled one: zeros behind it are one byte too many.
        2 => bytes.push(0),
        _ => {}
    }
    if bytes.is_empty() {
        bytes.push(random.u64() as u8);
    }
}

#[test]
fn changed_messages_are_read_or_refused() {
    let counts = each_seed(5, |seed| {
        let mut random = Random::new(seed);
        let (mut read, mut refused) = (0, 0);
        for message in Message::all() {
            let value = random_value(&message, &mut random);
            let Ok(bytes) = message.write(&value) else {
                continue;
            };
            for _ in 0..20 {
                let mut changed = bytes.clone();
                change(&mut changed, &mut random);
                // Each kind reads what was another, too.
                for other in Message::all() {
                    match read_bounded(&other, &changed) {
                        true => read += 1,
                        false => refused += 1,
                    }
                }
            }
        }
        (read, refused)
    });
    let sum = |all: fn(&(usize, usize)) -> usize| counts.iter().map(all).sum::<usize>();
    let (read, refused) = (sum(|one| one.0), sum(|one| one.1));
    println!("{read} read, {refused} refused");
    assert!(read > counts.len() && refused > counts.len());
}

#[test]
fn elements_without_bits_cost_no_memory() {
    for (text, bytes) in [
        ("A = LIST (0..60000) NULL", &[0xEA, 0x60][..]),
        ("A = LIST (0..60000) INTEGER 5..5", &[0xEA, 0x60]),
        ("A = LIST (0..60000) SEQUENCE { }", &[0xEA, 0x60]),
        (
            "A = LIST (0..60000) LIST (255) ENUMERATED { a }",
            &[0x10, 0x00],
        ),
        ("A = LIST (0..) NULL", &[0xBF, 0xFF]),
        ("A = LIST (3) LIST (60000) CHOICE { a NULL }", &[0]),
        (
            "A = LIST (0..200) B\nB = LIST (200) C\nC = LIST (200) SEQUENCE { a NULL b NULL }",
            &[0xC8],
        ),
    ] {
        let layouts = parse(&[text]).expect(text);
        let mut parts = Parts::default();
        let refused = read::read(&layouts, 0, bytes, &mut parts).expect_err(text);
        assert_eq!(refused.fault, ParseFault::CountTooLarge(1), "{text}");
        let most = bytes.len() * 8 + SPARE_PARTS;
        assert_eq!(parts.0, most, "{text}");
    }
    // So many as there is room for are read.
    let layouts = parse(&["A = LIST (0..60000) NULL"]).expect("a file");
    let mut parts = Parts::default();
    let (value, _) = read::read(&layouts, 0, &[0, 200], &mut parts).expect("200 elements");
    assert_eq!(values_in(&value), 201);
}
