//! Matrices of other formats than DBC, written and read back.

use super::*;
use crate::{AuthenticationProtocol, FrameFormat, VehicleFile};
use waywarden_can::Id;
use waywarden_can_auth::secoc::FreshnessWidths;
use waywarden_work::Duration;

/// A system description with SecOC, CAN FD and SAE J1939.
const ARXML: &str = include_str!("../../../../../examples/system.arxml");

fn matrix(text: &str) -> MessageMatrix {
    read(text.as_bytes(), ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn written(matrix: &MessageMatrix) -> (String, VehicleFile) {
    let options = DbcOptions {
        assumed: Some(Duration::from_millis(100)),
        ..DbcOptions::default()
    };
    let text = to_vehicle_toml(matrix, &options);
    let file = VehicleFile::parse("made.toml", &text);
    let file = file.unwrap_or_else(|errors| panic!("{text}\n{errors}"));
    (text, file)
}

/// Returns the protocol of a table.
fn secoc(file: &VehicleFile, at: usize) -> &crate::Secoc {
    match &file.authentications[at].protocol {
        AuthenticationProtocol::Secoc(secoc) => secoc,
        other => panic!("{other:?}"),
    }
}

#[test]
fn system_description_becomes_a_vehicle_with_its_authentication() {
    let (text, file) = written(&matrix(ARXML));
    let buses: Vec<&str> = file
        .buses
        .iter()
        .map(|bus| bus.name.value.as_str())
        .collect();
    assert_eq!(buses, ["Chassis", "Truck"]);
    let of = |name: &str| {
        let mut streams = file.streams.iter();
        streams.find(|stream| stream.name.value == name).unwrap()
    };
    // The gateway is on both buses.
    let gateway = file.ecu(of("BrakeRequest").sender);
    assert_eq!(
        (gateway.name.value.as_str(), gateway.ports.len()),
        ("Gateway", 2)
    );
    let wheels = of("WheelSpeeds");
    assert_eq!((wheels.length, wheels.wire_length()), (8, 12));
    assert_eq!(
        wheels.format,
        FrameFormat::Fd {
            bit_rate_switch: true
        }
    );
    let steering = of("Steering");
    assert_eq!((steering.length, steering.wire_length()), (8, 8));
    assert_eq!(file.authentications.len(), 2, "{text}");
    let by_name = |name: &str| {
        let mut tables = 0..2;
        tables
            .find(|at| {
                let streams = &file.authentications[*at].streams;
                streams
                    .iter()
                    .any(|one| file.stream(*one).name.value == name)
            })
            .unwrap()
    };
    let own = secoc(&file, by_name("WheelSpeeds"));
    assert_eq!(own.profile.freshness(), FreshnessWidths::counter(64));
    assert_eq!(
        (own.profile.truncated_bits(), own.profile.mac_bits()),
        (8, 24)
    );
    assert_eq!(own.data_ids[0].1, 4660);
    assert!(own.cryptographic_ids.is_empty() && own.master.is_none());
    let own = secoc(&file, by_name("Steering"));
    assert_eq!(own.profile.mac_bits(), 56);
    assert_eq!(own.cryptographic_ids[0].1, Id::standard(0x131).unwrap());
    assert_eq!(own.data_ids[0].1, 4661);
    assert!(
        text.contains("# SteeringCode is a cryptographic I-PDU"),
        "{text}"
    );
    assert!(
        text.contains("TP.CM 0x1CECFF00 and 6 TP.DT 0x1CEBFF00"),
        "{text}"
    );
    assert!(
        text.contains("# [[stream]]\n# name = \"EngineConfiguration\""),
        "{text}"
    );
}

/// Gives a secured I-PDU any lengths, sensible ones and others.
fn vary(own: &mut SecuredPdu, random: &mut waywarden_testkit::Random) {
    let any =
        |random: &mut waywarden_testkit::Random, values: &[u64]| values[random.index(values.len())];
    own.freshness_bits = match random.below(5) {
        0 => None,
        _ => Some(any(
            random,
            &[0, 1, 5, 8, 32, 38, 39, 40, 48, 64, 65, 1 << 40],
        )),
    };
    let bits = [0, 1, 2, 3, 4, 6, 8, 16, 32, 64, 65, 1 << 40];
    own.freshness_tx_bits = Some(any(random, &bits));
    let bits = [0, 7, 8, 10, 24, 28, 32, 64, 128, 129, 256, 1 << 33];
    own.authenticator_bits = Some(any(random, &bits));
    own.data_id = Some(any(random, &[0, 1, 0xFFFF, 0x1_0000, u64::MAX]));
    own.attempts = match random.below(2) {
        0 => None,
        _ => Some(any(random, &[0, 1, 2, 8, 9, u64::MAX])),
    };
    own.area = match random.below(2) {
        0 => None,
        _ => Some((random.below(9), any(random, &[0, 1, 8, 64, u64::MAX]))),
    };
    own.has_header = random.once_in(4);
}

/// Every combination of lengths becomes a file that parses: with the table, or with the reason why
/// there is none.
#[test]
fn every_length_of_freshness_and_code_is_carried_over_or_explained() {
    let seed = 0x5EC0C;
    println!("seed {seed:#x}");
    let mut random = waywarden_testkit::Random::new(seed);
    let (mut tables, mut reasons) = (0, 0);
    for case in 0..waywarden_testkit::cases(300) {
        let mut matrix = matrix(ARXML);
        let chassis = &mut matrix.clusters[0].messages;
        let wheels = &mut chassis[0];
        if random.once_in(2) {
            wheels.format = MessageFormat::Classic;
            wheels.length = 8;
        } else {
            wheels.length = random.index(65);
        }
        let own = wheels.protection.as_mut().unwrap();
        own.payload_length = random.index(wheels.length + 1);
        vary(own, &mut random);
        let stated = own.clone();
        let (text, file) = written(&matrix);
        let mut streams = file.authentications.iter().flat_map(|one| &one.streams);
        if streams.any(|one| file.stream(*one).name.value == "WheelSpeeds") {
            tables += 1;
            let at = file.authentications.iter().position(|one| {
                one.streams
                    .iter()
                    .any(|one| file.stream(*one).name.value == "WheelSpeeds")
            });
            let own = secoc(&file, at.unwrap());
            assert_eq!(
                (
                    Some(u64::from(own.profile.truncated_bits())),
                    Some(u64::from(own.profile.mac_bits()))
                ),
                (stated.freshness_tx_bits, stated.authenticator_bits),
                "case {case}\n{text}"
            );
        } else {
            reasons += 1;
            assert!(
                text.contains("# SecOC is not carried over: "),
                "case {case}\n{text}"
            );
        }
    }
    assert!(
        tables > 20 && reasons > 20,
        "{tables} tables, {reasons} reasons"
    );
}

#[test]
fn freshness_that_a_master_announces_has_one() {
    let mut matrix = matrix(ARXML);
    let own = matrix.clusters[0].messages[0].protection.as_mut().unwrap();
    (own.freshness_tx_bits, own.authenticator_bits) = (Some(0), Some(24));
    let (text, file) = written(&matrix);
    let at = file
        .authentications
        .iter()
        .position(|one| one.freshness_master().is_some());
    let own = secoc(&file, at.unwrap());
    let master = own.master.as_ref().unwrap();
    assert_eq!(
        file.ecu(master.ecu).name.value,
        "Gateway",
        "it is on the most buses"
    );
    assert_eq!(own.profile.freshness().bits(), 64);
    assert!(text.contains("# assumed: the file has none"), "{text}");
}

#[test]
fn other_formats_become_vehicles_too() {
    let kcd = "<NetworkDefinition><Node id=\"1\" name=\"A\"/><Bus name=\"Drive\"><Message \
               id=\"0x10\" name=\"M\" length=\"4\" interval=\"10\"><Producer><NodeRef id=\"1\"/>\
               </Producer></Message></Bus><Bus name=\"Empty\"/></NetworkDefinition>";
    let (text, file) = written(&matrix(kcd));
    assert_eq!(file.buses.len(), 1);
    assert!(
        text.contains("# Imported from a KCD file: 1 messages."),
        "{text}"
    );
    assert!(
        text.contains("# Bus Empty has no message: left out."),
        "{text}"
    );
    let sym =
        "FormatVersion=6.0\n{SEND}\n[M]\nID=10h\nLen=4\nCycleTime=10\n{RECEIVE}\n[N]\nID=11h\n";
    let (text, file) = written(&matrix(sym));
    assert_eq!(file.streams.len(), 2);
    assert_eq!(file.streams[0].period, Duration::from_millis(10));
    assert!(text.contains("assumed: the SYM file has none"), "{text}");
}

/// A frame that only its sender could acknowledge is sent without end.
#[test]
fn bus_of_one_ecu_gets_another_that_acknowledges() {
    let node = |at: u8| format!("<Node id=\"{at}\" name=\"E{at}\"/>");
    let kcd = |nodes: &str, sender: &str| {
        format!(
            "<NetworkDefinition>{nodes}<Bus name=\"Drive\"><Message id=\"0x10\" name=\"M\" \
             length=\"4\" interval=\"10\">{sender}</Message></Bus></NetworkDefinition>"
        )
    };
    let sender = "<Producer><NodeRef id=\"1\"/></Producer>";
    for (nodes, sender, is_added) in [
        (node(1), sender, true),
        (String::new(), "", true),
        (node(1), "", false),
        (node(1) + &node(2), sender, false),
    ] {
        let matrix = matrix(&kcd(&nodes, sender));
        let (text, file) = written(&matrix);
        assert_eq!(file.ecus.len(), 2, "{text}");
        assert_eq!(text.contains("acknowledging-ecu"), is_added, "{text}");
        let own = write(&matrix, &DbcOptions::default());
        assert_eq!(own.acknowledged == ["Drive"], is_added, "{text}");
    }
}

/// A frame keeps its length where a plain PDU or padding shares it with a secured one.
#[test]
fn classic_frame_of_a_secured_pdu_keeps_its_length() {
    let mut matrix = matrix(ARXML);
    let wheels = &mut matrix.clusters[0].messages[0];
    (wheels.format, wheels.length) = (MessageFormat::Classic, 8);
    let own = wheels.protection.as_mut().unwrap();
    (own.payload_length, own.freshness_tx_bits) = (2, Some(8));
    own.authenticator_bits = Some(24);
    let (text, file) = written(&matrix);
    let mut streams = file.streams.iter();
    let wheels = streams
        .find(|stream| stream.name.value == "WheelSpeeds")
        .unwrap();
    assert_eq!((wheels.length, wheels.wire_length()), (4, 8), "{text}");
    let remark = "its payload has 2 bytes; with 4 its frame has the 8 of the file";
    assert!(text.contains(remark), "{text}");
}

/// 264 bits are not the 8 that are left of them in a byte.
#[test]
fn lengths_beyond_a_byte_are_refused() {
    for (freshness, authenticator, part) in [
        (264, 24, "264 bits of its freshness value travel"),
        (65, 24, "65 bits of its freshness value travel"),
        (8, 280, "its authenticator has 280 bits"),
    ] {
        let mut matrix = matrix(ARXML);
        let own = matrix.clusters[0].messages[0].protection.as_mut().unwrap();
        own.freshness_bits = Some(freshness);
        own.freshness_tx_bits = Some(freshness);
        own.authenticator_bits = Some(authenticator);
        let (text, _) = written(&matrix);
        let reason = format!("SecOC is not carried over: {part}");
        assert!(text.contains(&reason), "{text}");
    }
}

/// As many messages of one name as a file may have: by the square of them, this would take minutes.
#[test]
fn names_that_many_messages_share_are_numbered() {
    let mut names = names::Renamed::new();
    let count = 50_000;
    let last = (0..count).map(|_| names.rename("M")).last();
    assert_eq!(last, Some(format!("M-{count}")));
    assert_eq!(names.rename("M-2"), "M-2-2");
}
