//! Random values of every layout are read as they were written; values that a message cannot have
//! are told with their place.

use serde_json::{Map, json};
use waywarden_testkit::{Random, each_seed};

use super::random::Values;
use crate::Message;
use crate::write::{Constraints, write};

pub(super) fn random_value(message: &Message, random: &mut Random) -> serde_json::Value {
    let (layouts, of_type) = message.layout();
    let mut values = Values {
        layouts,
        random,
        left: 400,
        has_unknown: true,
    };
    let mut value = values.value(of_type, &Map::new());
    if let Some(protocol) = message.protocol() {
        value["header"]["protocolVersion"] = protocol.into();
    }
    value
}

#[test]
fn random_values_are_read_as_they_were_written() {
    each_seed(20, |seed| {
        let mut random = Random::new(seed);
        for message in Message::all() {
            let value = random_value(&message, &mut random);
            let Ok(bytes) = message.write(&value) else {
                // Open types beyond 16,383 bytes come in fragments.
                continue;
            };
            let read = message.read(&bytes);
            assert_eq!(read.as_ref(), Ok(&value), "{message}, seed {seed}");
            assert_eq!(message.write(&value), Ok(bytes), "{message}, seed {seed}");
        }
    });
}

#[test]
fn a_value_that_a_message_cannot_have_is_reported_with_its_place() {
    let cam = Message::of_kind("CAM").next().expect("a layout");
    let mut random = Random::new(1);
    let good = random_value(&cam, &mut random);
    let changed = |path: &str, value: serde_json::Value| {
        let mut changed = good.clone();
        *changed.pointer_mut(path).expect(path) = value;
        cam.write(&changed).expect_err(path).to_string()
    };
    assert_eq!(
        changed("/header/stationID", json!(-1)),
        "header.stationID: -1 is not within 0..4294967295"
    );
    assert_eq!(
        changed("/header/stationID", json!("7")),
        "header.stationID: a whole number is expected, not \"7\""
    );
    let place = "/cam/camParameters/basicContainer/referencePosition";
    assert_eq!(
        changed(place, json!({ "latitude": 1 })),
        "cam.camParameters.basicContainer.referencePosition: longitude is missing"
    );
    let text = changed(place, json!({ "lat": 1 }));
    assert!(
        text.contains("lat is not known; there are latitude, longitude"),
        "{text}"
    );
}

#[test]
fn the_example_of_each_message_is_written_and_read() {
    for message in Message::all() {
        let example = message.example();
        let bytes = message.write(&example);
        let bytes = bytes.unwrap_or_else(|error| panic!("{message}: {error}"));
        assert_eq!(message.read(&bytes), Ok(example), "{message}");
        if message.release().is_some() {
            let alone = waywarden_v2x_wire::detect::unsecured(&bytes);
            let kind = alone.map(|alone| alone.kind());
            assert!(
                bytes.len() < 7 || kind == Some(message.kind()),
                "{message}: {kind:?}"
            );
        }
    }
}

#[test]
fn a_message_is_found_by_kind_and_release() {
    let found = |kind, release| Message::find(kind, release).map(|one| one.standard());
    assert_eq!(found("cam", Some(2)), Ok("TS 103 900 V2.3.1"));
    assert_eq!(found("j2735-messageframe", None), Ok("SAE J2735 201603"));
    let refused = |kind, release| Message::find(kind, release).expect_err(kind).to_string();
    assert!(refused("CAM", None).starts_with("there are CAM of release 1 (EN 302 637-2 V1.4.1), "));
    let only =
        "VAM of release 1 has no layout: give that of VAM of release 2 (TS 103 300-3 V2.3.1)";
    assert_eq!(refused("VAM", Some(1)), only);
    let unknown = "BSM: no kind of message with a layout: give one of CAM, CPM,";
    assert!(refused("BSM", None).starts_with(unknown));
}

#[test]
fn additions_that_cannot_be_are_reported() {
    let cam = Message::find("CAM", Some(1)).expect("a layout");
    let good = random_value(&cam, &mut Random::new(1));
    let with = |additions: serde_json::Value| {
        let mut changed = good.clone();
        let place = changed
            .pointer_mut("/cam/camParameters")
            .expect("a sequence");
        place["..."] = additions;
        cam.write(&changed).map_err(|error| error.to_string())
    };
    for (additions, fault) in [
        (json!({}), "count: a number from 1 to 64 is expected"),
        (
            json!({ "count": 65, "0": "A5" }),
            "count: a number from 1 to 64 is expected",
        ),
        (json!({ "count": 1, "1": "A5" }), "1 additions are too few"),
        (
            json!({ "count": 2, "01": "A5" }),
            "01 is not known; there are count, and numbers",
        ),
        (json!({ "count": 2, "more": "A5" }), "more is not known"),
        (
            json!({ "count": 2, "1": "" }),
            "an open type has one byte at least",
        ),
        (
            json!([]),
            "cam.camParameters[\"...\"]: an object of additions by number is expected, not a list \
             without elements",
        ),
        (
            json!({ "count": "2" }),
            "cam.camParameters[\"...\"].count: a number from 1 to 64 is expected",
        ),
    ] {
        let error = with(additions.clone()).expect_err(fault);
        assert!(error.contains(fault), "{additions}: {error}");
    }
    assert!(with(json!({ "count": 2, "1": "A5" })).is_ok());
    let mut without = good.clone();
    without["..."] = json!({ "count": 1 });
    assert_eq!(
        cam.write(&without).expect_err("no additions").to_string(),
        "[\"...\"]: the type has no additions: leave this member out"
    );
}

#[test]
fn a_value_of_another_type_is_reported_in_a_sentence() {
    let refused = |text: &'static str, value: serde_json::Value| {
        let layouts = crate::notation::parse(&[text]).expect("a layout");
        let error = write(&layouts, 0, &value, Constraints::All);
        error.expect_err(text).to_string()
    };
    for (text, value, fault) in [
        (
            "A = OCTETS (2)",
            json!("A"),
            "a text of pairs of hexadecimal digits is expected, not \"A\"",
        ),
        (
            "A = BITS (3)",
            json!({ "a": 1 }),
            "a text of hexadecimal digits for 3 bits is expected, not an object with one member",
        ),
        (
            "A = BITS (3) { x y z }",
            json!({}),
            "a text of hexadecimal digits for 3 bits or a list of names of bits is expected, not \
             an object without members",
        ),
        (
            "A = INTEGER",
            json!([1, 2]),
            "a whole number is expected, not a list with 2 elements",
        ),
        (
            "A = LIST (2..3) NULL",
            json!([null]),
            "1 element is not within 2..3",
        ),
    ] {
        assert_eq!(refused(text, value), fault, "{text}");
    }
}

#[test]
fn size_of_utf8_counts_characters_and_changes_no_bits() {
    let sized = crate::notation::parse(&["A = UTF8 (1..4)"]).expect("a layout");
    let free = crate::notation::parse(&["A = UTF8"]).expect("a layout");
    for text in ["", "a", "äöü€", "äöü€x", "abcdefgh"] {
        let value = json!(text);
        let bytes = write(&free, 0, &value, Constraints::All).expect(text);
        let count = text.chars().count();
        let whole = write(&sized, 0, &value, Constraints::All);
        match (1..=4).contains(&count) {
            true => assert_eq!(whole.as_ref(), Ok(&bytes), "{text}"),
            false => {
                let error = whole.expect_err(text).to_string();
                assert_eq!(error, format!("{count} characters are not within 1..4"));
            }
        }
        // A text that was received is written again.
        assert_eq!(
            write(&sized, 0, &value, Constraints::Encoded),
            Ok(bytes.clone())
        );
        let read = crate::read::read(&sized, 0, &bytes, &mut waywarden_v2x_wire::coer::Silent);
        assert_eq!(read.expect(text).0, value);
    }
}

#[test]
fn values_in_themselves_have_a_bound() {
    let text = "message X release 1 \"S\" root A\nA = SEQUENCE { a ? A }";
    let layouts = crate::notation::parse(&[text]).expect("a layout");
    let nested = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({ "a": inner }));
    let bytes = write(&layouts, 0, &nested(63), Constraints::All).expect("64 parts");
    let read = crate::read::read(&layouts, 0, &bytes, &mut waywarden_v2x_wire::coer::Silent);
    assert_eq!(read.expect("64 parts").0, nested(63));
    for depth in [64, 1_000] {
        let error = write(&layouts, 0, &nested(depth), Constraints::All).expect_err("too deep");
        let error = error.to_string();
        assert!(
            error.ends_with("a.a: more than 64 parts lie in each other"),
            "{error}"
        );
    }
    let deep = [0xFF_u8; 40];
    let error = crate::read::read(&layouts, 0, &deep, &mut waywarden_v2x_wire::coer::Silent);
    assert_eq!(
        error.expect_err("too deep").fault,
        waywarden_v2x_wire::ParseFault::TooDeep
    );
}
