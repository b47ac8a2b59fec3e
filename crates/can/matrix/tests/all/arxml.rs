//! AUTOSAR system descriptions.

use super::{ARXML, matrix, read};
use waywarden_can::Id;
use waywarden_can::timing::BitRate;
use waywarden_can_matrix::{
    AuthenticatorPlace, ByteOrder, MatrixFormat, MessageFormat, MessageKind, MessageMatrix,
    ReadOptions, SendType,
};
use waywarden_work::Duration;

const SWITCHED: MessageFormat = MessageFormat::Fd {
    bit_rate_switch: true,
};

fn message<'a>(matrix: &'a MessageMatrix, name: &str) -> &'a waywarden_can_matrix::MatrixMessage {
    let mut messages = matrix.messages();
    messages.find(|message| message.name == name).unwrap()
}

#[test]
fn clusters_frames_and_ends_are_read() {
    let matrix = read(ARXML);
    assert_eq!(matrix.format, MatrixFormat::Arxml);
    assert!(matrix.skipped.is_empty(), "{:?}", matrix.skipped);
    assert!(matrix.remarks.is_empty(), "{:?}", matrix.remarks);
    let [chassis, truck] = matrix.clusters.as_slice() else {
        panic!("{} clusters", matrix.clusters.len());
    };
    assert_eq!(chassis.name.as_deref(), Some("Chassis"));
    assert_eq!(chassis.nodes, ["Brakes", "Gateway"]);
    let rate = |rate: Option<BitRate>| rate.map(BitRate::bits_per_second);
    assert_eq!(rate(chassis.bit_rate), Some(500_000));
    assert_eq!(rate(chassis.data_bit_rate), Some(2_000_000));
    assert_eq!(rate(truck.bit_rate), Some(250_000));
    assert_eq!(rate(truck.data_bit_rate), None);

    let wheels = &chassis.messages[0];
    assert_eq!(wheels.name, "WheelSpeeds");
    assert_eq!(wheels.id, Id::standard(0x120).unwrap());
    assert_eq!((wheels.length, wheels.format), (12, SWITCHED));
    assert_eq!(wheels.senders, ["Brakes"]);
    assert_eq!(wheels.receivers, ["Gateway"]);
    assert_eq!(wheels.cycle_time, Some(Duration::from_millis(10)));
    assert_eq!(wheels.start_delay, Some(Duration::from_millis(2)));
    assert_eq!(wheels.send_type, SendType::Cyclic);
    let [signal] = wheels.signals.as_slice() else {
        panic!("{:?}", wheels.signals);
    };
    assert_eq!((signal.start, signal.length), (7, 16));
    assert_eq!(signal.byte_order, ByteOrder::BigEndian);
    assert_eq!((signal.factor, signal.offset), (0.01, -0.05));

    let request = &chassis.messages[1];
    assert_eq!(request.id, Id::standard(289).unwrap());
    assert_eq!(
        (request.length, request.format),
        (4, MessageFormat::Classic)
    );
    assert_eq!(
        (request.cycle_time, request.protection.as_ref()),
        (None, None)
    );
}

#[test]
fn secured_pdu_has_the_lengths_and_the_data_id_of_the_file() {
    let matrix = read(ARXML);
    let own = message(&matrix, "WheelSpeeds").protection.clone().unwrap();
    assert_eq!(own.payload_length, 8);
    assert_eq!(own.data_id, Some(4660));
    assert_eq!(
        (own.freshness_bits, own.freshness_tx_bits),
        (Some(64), Some(8))
    );
    assert_eq!(own.freshness_value_id, Some(7));
    assert_eq!(own.authenticator_bits, Some(24));
    assert_eq!(own.algorithm.as_deref(), Some("CMAC-AES128"));
    assert_eq!(own.freshness.as_deref(), Some("Counter"));
    assert_eq!(
        (own.carrier, own.area, own.attempts),
        (AuthenticatorPlace::Trailer, None, None)
    );
}

#[test]
fn cryptographic_pdu_protects_the_frame_of_its_authentic_pdu() {
    let matrix = read(ARXML);
    let steering = message(&matrix, "Steering");
    assert_eq!(steering.kind, MessageKind::Application);
    let own = steering.protection.as_ref().unwrap();
    let id = Id::standard(0x131).unwrap();
    assert_eq!(
        own.carrier,
        AuthenticatorPlace::Separate { id, link_bits: 0 }
    );
    assert_eq!(
        (own.authenticator_bits, own.data_id),
        (Some(56), Some(4661))
    );
    let code = message(&matrix, "SteeringCode");
    assert_eq!(code.kind, MessageKind::Cryptographic);
    assert_eq!(code.protection, None);
    assert_eq!(code.cycle_time, None, "the authentic PDU has its own frame");
}

/// Revision 4.2 has the lengths in the properties of the PDU itself; the secured area, too.
#[test]
fn properties_of_the_pdu_itself_count() {
    let inner = "<SECURE-COMMUNICATION-PROPS><AUTH-INFO-TX-LENGTH>0x20</AUTH-INFO-TX-LENGTH>\
                 <AUTHENTICATION-RETRIES>2</AUTHENTICATION-RETRIES>\
                 <DATA-ID>017</DATA-ID><FRESHNESS-VALUE-LENGTH>32</FRESHNESS-VALUE-LENGTH>\
                 <FRESHNESS-VALUE-TX-LENGTH>0</FRESHNESS-VALUE-TX-LENGTH>\
                 <SECURED-AREA-LENGTH>4</SECURED-AREA-LENGTH>\
                 <SECURED-AREA-OFFSET>2</SECURED-AREA-OFFSET></SECURE-COMMUNICATION-PROPS>\
                 <USE-SECURED-PDU-HEADER>SECURED-PDU-HEADER-08-BIT</USE-SECURED-PDU-HEADER>";
    let start = ARXML.find("<AUTHENTICATION-PROPS-REF").unwrap();
    let payload = ARXML.find("<PAYLOAD-REF").unwrap();
    let props = ARXML.find("<SECURE-COMMUNICATION-PROPS>").unwrap();
    let end = ARXML.find("</SECURED-I-PDU>").unwrap();
    let text = [
        &ARXML[..start],
        &ARXML[payload..props],
        inner,
        &ARXML[end..],
    ]
    .concat();
    let matrix = read(&text);
    let own = message(&matrix, "WheelSpeeds").protection.as_ref().unwrap();
    assert_eq!(own.authenticator_bits, Some(32));
    assert_eq!(own.data_id, Some(15), "octal");
    assert_eq!(
        (own.freshness_bits, own.freshness_tx_bits),
        (Some(32), Some(0))
    );
    assert_eq!(own.attempts, Some(3));
    assert_eq!(own.area, Some((2, 4)));
    assert!(own.has_header);
}

#[test]
fn broken_frames_cost_themselves_and_are_named_with_path_and_line() {
    let dangling = ARXML.replacen("/Frames/BrakeRequest<", "/Frames/Gone<", 1);
    let without = dangling.replacen("<IDENTIFIER>0x130</IDENTIFIER>", "", 1);
    let text = without.replacen("<IDENTIFIER>0x120<", "<IDENTIFIER>0x820<", 1);
    let matrix = read(&text);
    let names: Vec<&str> = matrix.messages().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["SteeringCode", "EEC1", "EngineConfiguration"]);
    let reported: Vec<String> = matrix.skipped.iter().map(ToString::to_string).collect();
    assert!(
        reported[0].starts_with(
            "CAN-FRAME-TRIGGERING /Buses/Chassis/Channel/FT_WheelSpeeds is skipped: its IDENTIFIER \
             0x820 is none of CAN-ADDRESSING-MODE STANDARD"
        ),
        "{reported:?}"
    );
    assert!(
        reported[1].contains("FRAME-REF /Frames/Gone leads nowhere"),
        "{reported:?}"
    );
    assert!(reported[2].contains("it has no IDENTIFIER"), "{reported:?}");
    let lines: Vec<usize> = matrix.skipped.iter().filter_map(|one| one.line).collect();
    let line = 1 + ARXML[..ARXML.find("FT_WheelSpeeds").unwrap()]
        .matches('\n')
        .count();
    assert_eq!(lines[0], line - 1, "where the element begins");
    assert!(lines.is_sorted());
}

#[test]
fn file_without_a_cluster_is_refused_with_a_remedy() {
    for (text, part) in [
        ("<AUTOSAR/>", "no CAN-CLUSTER, so no CAN bus"),
        (
            "<AUTOSAR><AR-PACKAGES><ECU-INSTANCE/></AR-PACKAGES></AUTOSAR>",
            "an extract of one ECU",
        ),
        ("<NOT-AUTOSAR/>", "XML of <NOT-AUTOSAR>"),
        ("<AUTOSAR><A></AUTOSAR>", "no well-formed XML"),
        ("<AUTOSAR><A>", "ends within an element"),
        (
            "<AUTOSAR>&lol;</AUTOSAR>",
            "entity &lol; is none of XML's own",
        ),
    ] {
        let error = matrix(text.as_bytes()).expect_err(text);
        assert!(error.to_string().contains(part), "{text}: {error}");
        assert_eq!(error.line(), Some(1), "{text}");
    }
}

/// AUTOSAR 3: other containers, lengths of PDUs in bits, and a gateway.
#[test]
fn schema_3_is_read_too() {
    let text = "<AUTOSAR xmlns=\"http://autosar.org/3.2.3\"><TOP-LEVEL-PACKAGES><AR-PACKAGE>\
        <SHORT-NAME>P</SHORT-NAME><ELEMENTS><CAN-CLUSTER><SHORT-NAME>C</SHORT-NAME>\
        <SPEED>125000</SPEED><PHYSICAL-CHANNELS><PHYSICAL-CHANNEL><SHORT-NAME>Ch</SHORT-NAME>\
        <FRAME-TRIGGERINGSS><CAN-FRAME-TRIGGERING><SHORT-NAME>T</SHORT-NAME>\
        <FRAME-REF DEST=\"FRAME\">/P/F</FRAME-REF><IDENTIFIER>291</IDENTIFIER>\
        </CAN-FRAME-TRIGGERING></FRAME-TRIGGERINGSS></PHYSICAL-CHANNEL></PHYSICAL-CHANNELS>\
        </CAN-CLUSTER><FRAME><SHORT-NAME>F</SHORT-NAME><PDU-TO-FRAME-MAPPINGS>\
        <PDU-TO-FRAME-MAPPING><PDU-REF>/P/I</PDU-REF></PDU-TO-FRAME-MAPPING>\
        </PDU-TO-FRAME-MAPPINGS></FRAME><SIGNAL-I-PDU><SHORT-NAME>I</SHORT-NAME>\
        <LENGTH>20</LENGTH><I-PDU-TIMING-SPECIFICATION><CYCLIC-TIMING><REPEATING-TIME>\
        <VALUE>0.1</VALUE></REPEATING-TIME></CYCLIC-TIMING><EVENT-CONTROLLED-TIMING/>\
        </I-PDU-TIMING-SPECIFICATION></SIGNAL-I-PDU><ECU-INSTANCE><SHORT-NAME>E</SHORT-NAME>\
        <ASSOCIATED-I-PDU-GROUP-REFS><ASSOCIATED-I-PDU-GROUP-REF>/P/G\
        </ASSOCIATED-I-PDU-GROUP-REF></ASSOCIATED-I-PDU-GROUP-REFS></ECU-INSTANCE>\
        <I-PDU-GROUP><SHORT-NAME>G</SHORT-NAME><COMMUNICATION-DIRECTION>OUT\
        </COMMUNICATION-DIRECTION><I-PDU-REFS><I-PDU-REF>/P/I</I-PDU-REF></I-PDU-REFS>\
        </I-PDU-GROUP><GATEWAY><SHORT-NAME>Gw</SHORT-NAME><FRAME-MAPPINGS><FRAME-MAPPING/>\
        </FRAME-MAPPINGS></GATEWAY></ELEMENTS></AR-PACKAGE></TOP-LEVEL-PACKAGES></AUTOSAR>";
    let matrix = read(text);
    let [cluster] = matrix.clusters.as_slice() else {
        panic!();
    };
    assert_eq!(cluster.bit_rate.unwrap().bits_per_second(), 125_000);
    let frame = &cluster.messages[0];
    assert_eq!((frame.name.as_str(), frame.length), ("F", 3));
    assert_eq!(frame.cycle_time, Some(Duration::from_millis(100)));
    assert_eq!(frame.send_type, SendType::CyclicAndEvent);
    assert_eq!(frame.senders, ["E"]);
    assert_eq!(
        matrix.remarks,
        ["GATEWAY /P/Gw: 1 mappings are not carried over: add [[route]] tables"]
    );
}

/// References may be relative to a package that the file names.
#[test]
fn references_with_a_base_lead_to_the_same_elements() {
    let bases = "<REFERENCE-BASES><REFERENCE-BASE><SHORT-LABEL>F</SHORT-LABEL>\
                 <IS-DEFAULT>false</IS-DEFAULT><PACKAGE-REF>/Frames</PACKAGE-REF></REFERENCE-BASE>\
                 </REFERENCE-BASES>";
    let text = ARXML
        .replace(
            "<FRAME-REF DEST=\"CAN-FRAME\">/Frames/",
            "<FRAME-REF DEST=\"CAN-FRAME\" BASE=\"F\">",
        )
        .replacen(
            "<SHORT-NAME>Buses</SHORT-NAME>",
            &format!("<SHORT-NAME>Buses</SHORT-NAME>{bases}"),
            1,
        );
    assert!(!text.contains(">/Frames/W"));
    assert_eq!(read(&text), read(ARXML));
}

/// Writers differ in prefixes, comments, and what they put between elements.
#[test]
fn prefixes_and_comments_change_nothing() {
    let prefixed = ARXML
        .replace("</", "\u{1}")
        .replace("<!", "\u{2}")
        .replace("<?", "\u{3}")
        .replace('<', "<ar:")
        .replace('\u{1}', "</ar:")
        .replace('\u{2}', "<!")
        .replace('\u{3}', "<?")
        .replace("xmlns=", "xmlns:ar=");
    let commented = ARXML.replace("<SHORT-NAME>", "<!-- </x> --><SHORT-NAME>");
    let typed = ARXML.replacen(
        "<AUTOSAR",
        "<!DOCTYPE AUTOSAR [<!ENTITY a \"b\">]><AUTOSAR",
        1,
    );
    for text in [prefixed, commented, typed] {
        let other = waywarden_can_matrix::read(text.as_bytes(), ReadOptions::default()).unwrap();
        assert_eq!(other, read(ARXML));
    }
}

/// A signal without a place or a length costs itself, and the message says so.
#[test]
fn signals_without_a_place_are_named() {
    let mapping = ARXML
        .find("<I-SIGNAL-TO-I-PDU-MAPPING>")
        .or_else(|| ARXML.find("<I-SIGNAL-TO-PDU-MAPPING>"));
    let from = mapping.expect("a signal");
    let at = from + ARXML[from..].find("<START-POSITION>").unwrap() + "<START-POSITION>".len();
    let (before, behind) = ARXML.split_at(at);
    let count = |matrix: &MessageMatrix| {
        matrix
            .messages()
            .map(|one| one.signals.len())
            .sum::<usize>()
    };
    let whole = count(&read(ARXML));
    for place in ["x", "99999", ""] {
        let rest = behind.split_once('<').unwrap().1;
        let matrix = read(&format!("{before}{place}<{rest}"));
        assert!(count(&matrix) < whole, "{place}");
        let remarks: Vec<&String> = matrix.messages().flat_map(|one| &one.remarks).collect();
        let is_named = |one: &&String| one.contains("a signal is left out: START-POSITION of ");
        assert!(remarks.iter().any(is_named), "{place} {remarks:?}");
    }
}
