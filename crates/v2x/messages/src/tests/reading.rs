//! Hostile bytes: no panic, and bounded work.

use waywarden_testkit::{Random, bytes_of, each_random_bytes, each_seed};

use super::field::EUROPEAN;
use super::oracle::random_value;
use crate::{Message, Readings};

#[test]
fn the_release_of_a_message_is_always_among_its_readings() {
    each_seed(30, |seed| {
        let mut random = Random::new(seed);
        for message in Message::all() {
            let value = random_value(&message, &mut random);
            let bytes = message.write(&value).expect("a message");
            let readings = Readings::new(message.kind(), &bytes);
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
        let readings = Readings::new(kind, &bytes);
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
    let readings = Readings::new("DENM", &second.write(&value).expect("a DENM"));
    assert_eq!(
        readings
            .read
            .iter()
            .map(|one| one.message)
            .collect::<Vec<_>>(),
        [second]
    );
    assert_eq!(readings.partial, [first]);
    let mut value = first.example();
    value["denm"]["situation"] = serde_json::json!({
        "informationQuality": 3,
        "eventType": { "causeCode": 200, "subCauseCode": 0 },
    });
    let readings = Readings::new("DENM", &first.write(&value).expect("a DENM"));
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

#[test]
fn random_bytes_are_read_or_refused() {
    each_random_bytes(
        2_000,
        |bytes| {
            for message in Message::all() {
                if let Ok(value) = message.read(bytes) {
                    let written = message.write(&value);
                    assert_eq!(written.as_deref(), Ok(bytes), "{message}: {value}");
                }
            }
        },
        drop,
    );
}
