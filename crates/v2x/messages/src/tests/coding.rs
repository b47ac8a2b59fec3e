//! Kinds and releases that are not given: found, or told where they cannot be.

use serde_json::json;
use waywarden_testkit::{Random, bytes_of};

use super::writing::random_value;
use crate::{Message, MessageError, OtherReading, decode, encode};

/// A CAM of release 1.
const CAM: &str = "0202f37248b4ea00005a8ac678ce175997623022c6de3e239658ad00e0defe02c68a3f33f401ff\
    ba203fff945980";

#[test]
fn header_names_the_kind_and_other_releases_are_reported() {
    let bytes = bytes_of(CAM);
    let decoded = decode(&bytes, None, None).expect("a CAM");
    assert_eq!(decoded.message.kind(), "CAM");
    assert_eq!(decoded.header, None);
    // That of another version of the protocol is none.
    assert_eq!(decoded.others.len(), 1);
    let all = decoded.to_json();
    assert_eq!(all["release"], json!(decoded.message.release()));
    assert_eq!(all["remark"], json!(decoded.remark()));
    let (message, written) = encode("CAM", None, &decoded.value).expect("the same CAM");
    assert_eq!((message, written), (decoded.message, bytes));
}

#[test]
fn each_release_is_read_where_it_is_given() {
    let bytes = bytes_of(CAM);
    let all = Message::of_kind("CAM").filter(|one| one.protocol() == Some(2));
    for message in all {
        match decode(&bytes, Some("CAM"), message.release()) {
            Ok(decoded) => {
                assert_eq!(decoded.message, message);
                for (other, reading) in decoded.others {
                    let read = other.read(&bytes);
                    match reading {
                        OtherReading::Refused(fault) => assert_eq!(read, Err(fault)),
                        _ => assert!(read.is_ok(), "{other}"),
                    }
                }
            }
            Err(error) => assert!(message.read(&bytes).is_err(), "{error}"),
        }
    }
}

#[test]
fn kind_that_the_header_does_not_name_is_reported() {
    let error = decode(&[2, 1, 0, 0, 0, 1], None, None).expect_err("a header alone");
    assert_eq!(error, MessageError::NoHeader);
    let mut bytes = bytes_of(CAM);
    bytes[1] = 4;
    let decoded = decode(&bytes, Some("CAM"), None).expect("a CAM but for its header");
    assert_eq!(decoded.header, Some("SPATEM"));
    let remark = decoded.remark().expect("a remark");
    assert!(
        remark.starts_with("the header is that of a SPATEM"),
        "{remark}"
    );
}

#[test]
fn faults_have_place_and_remedy() {
    let bytes = bytes_of(CAM);
    let error = decode(&[0xFF; 40], None, None).expect_err("no message");
    assert_eq!((error.code(), error.place()), ("no-header", None));
    assert!(error.to_string().contains("give one of CAM, "), "{error}");
    let error = decode(&bytes, Some("BSM"), None).expect_err("no such kind");
    assert_eq!(error.code(), "kind");
    assert!(
        error
            .to_string()
            .starts_with("BSM: no kind of message with a layout: give one of")
    );
    let error = decode(&bytes, Some("CAM"), Some(3)).expect_err("no such release");
    assert_eq!(error.code(), "release");
    assert!(
        error
            .to_string()
            .contains("CAM of release 3 has no layout: give that of CAM of release 1")
    );
    let frame = "J2735-MessageFrame";
    let error = decode(&bytes, Some(frame), Some(1)).expect_err("no release at all");
    assert_eq!(
        error.to_string(),
        "J2735-MessageFrame of release 1 has no layout: give none"
    );
    let error = decode(&bytes[..20], None, None).expect_err("half a message");
    assert_eq!(error.code(), "not-read");
    let place = error.place().expect("a place");
    assert!(place.starts_with("byte "), "{place}");
    let error = encode(
        "CAM",
        Some(1),
        &json!({ "header": { "protocolVersion": 300 } }),
    );
    let error = error.expect_err("a version of one byte");
    assert_eq!(error.place().as_deref(), Some("header.protocolVersion"));
    assert_eq!(
        error.to_string(),
        "not CAM of release 1 (EN 302 637-2 V1.4.1): header.protocolVersion: 300 is not within \
         0..255"
    );
}

#[test]
fn releases_that_differ_are_not_guessed() {
    // Bytes that both releases can read, each in its way, are looked for among random messages.
    let both = (0..500).find_map(|seed| {
        let mut random = Random::new(seed);
        let kinds = ["CAM", "DENM", "CPM"].into_iter();
        let mut all = kinds.flat_map(Message::of_kind);
        all.find_map(|message| {
            let bytes = message.write(&random_value(&message, &mut random)).ok()?;
            match decode(&bytes, Some(message.kind()), None) {
                Err(MessageError::ReadingsDiffer(all)) => Some((bytes, all)),
                _ => None,
            }
        })
    });
    let (bytes, all) = both.expect("such bytes");
    assert_eq!(all.len(), 2);
    for message in all {
        let decoded = decode(&bytes, Some(message.kind()), message.release())
            .expect("the release that is given");
        assert_eq!(decoded.message, message);
        assert_eq!(decoded.others.len(), 1);
        assert_eq!(decoded.others[0].1, OtherReading::Different);
        assert!(
            decoded
                .remark()
                .expect("a remark")
                .contains("into other fields")
        );
    }
}

#[test]
fn a_number_of_another_kind_in_the_header_is_refused_and_written_again() {
    for message in Message::all() {
        let Some(release) = message.release() else {
            continue;
        };
        let mut value = message.example();
        let header = value["header"].as_object_mut().expect("a header");
        let mut names = header.keys();
        let name = names.find(|name| name.to_lowercase() == "messageid");
        let name = name.expect("a number").clone();
        header[&name] = json!(77);
        let error = encode(message.kind(), Some(release), &value).expect_err("another number");
        assert_eq!(error.place(), Some(format!("header.{name}")), "{message}");
        let kind = message.kind();
        let reason = format!("77 is not the number of a {kind}, which is ");
        assert!(error.to_string().contains(&reason), "{error}");
        // A message that was received with it is written byte for byte.
        let bytes = message.write(&value).expect("bytes");
        assert_eq!(message.read(&bytes), Ok(value), "{message}");
        let decoded = decode(&bytes, Some(kind), Some(release)).expect("the message");
        let remark = decoded.remark().expect("a remark");
        assert!(remark.contains(&reason), "{remark}");
    }
}

#[test]
fn a_text_beyond_its_size_is_refused_and_reported() {
    let denm = Message::find("DENM", Some(1)).expect("a layout");
    let mut value = denm.example();
    value["denm"]["alacarte"] = json!({
        "stationaryVehicle": { "carryingDangerousGoods": {
            "dangerousGoodsType": "explosives1",
            "unNumber": 1,
            "elevatedTemperature": false,
            "tunnelsRestricted": false,
            "limitedQuantity": false,
            "companyName": "",
        } }
    });
    let place = "/denm/alacarte/stationaryVehicle/carryingDangerousGoods/companyName";
    for (name, is_right) in [("", false), ("ß", true), ("24 letters: abcdefghijkl", true)] {
        *value.pointer_mut(place).expect("a name") = name.into();
        assert_eq!(encode("DENM", Some(1), &value).is_ok(), is_right, "{name}");
    }
    *value.pointer_mut(place).expect("a name") = "25 letters: abcdefghijklm".into();
    let reason = "denm.alacarte.stationaryVehicle.carryingDangerousGoods.companyName: 25 \
                  characters are not within 1..24";
    let error = encode("DENM", Some(1), &value)
        .expect_err("a long name")
        .to_string();
    assert!(error.ends_with(reason), "{error}");
    let bytes = denm.write(&value).expect("bytes");
    let decoded = decode(&bytes, None, Some(1)).expect("a DENM");
    assert_eq!(decoded.value, value);
    let remark = decoded.remark().expect("a remark");
    assert!(remark.starts_with(reason), "{remark}");
}

#[test]
fn an_edition_that_the_layout_does_not_have_is_not_claimed() {
    // Road weather (33) is of a later edition than the layout; a common safety request (21) of its
    // own, and has no layout. MAP has one.
    for (bytes, standard) in [
        ("002102a5f0", None),
        ("001502a5f0", None),
        ("00f002a5f0", None),
        ("00120138", Some("SAE J2735 201603")),
    ] {
        let bytes = bytes_of(bytes);
        let message = Message::find("J2735-MessageFrame", None).expect("a layout");
        assert_eq!(
            message.has_content_of(bytes[1].into()),
            standard.is_some(),
            "{}",
            bytes[1]
        );
        let Ok(decoded) = decode(&bytes, None, None) else {
            assert!(standard.is_some());
            continue;
        };
        assert_eq!(decoded.standard(), standard);
        assert_eq!(decoded.to_json().get("standard"), None);
        let remark = decoded.remark().expect("a remark");
        let number = format!("message {} has no layout: its bytes are kept", bytes[1]);
        assert!(remark.starts_with(&number), "{remark}");
        let again = crate::parse_json(decoded.to_json().to_string().as_bytes()).expect("JSON");
        let again = crate::MessageDocument::of(&again).expect("a document");
        assert_eq!(again.encode(), Ok((message, bytes)));
    }
    let frame = Message::find("J2735-MessageFrame", None).expect("a layout");
    let mut value = frame.example();
    value["messageId"] = json!(18);
    let bytes = frame.write(&value).expect("a MAP");
    let decoded = decode(&bytes, None, None).expect("a MAP");
    assert_eq!(decoded.standard(), Some("SAE J2735 201603"));
    assert_eq!(decoded.remark(), None);
}
