//! Tests of the import of each part of a DBC file.

use crate::dbc::*;
use waywarden_can::Id;
use waywarden_testkit::DBC;
use waywarden_work::Duration;

const FD: MessageFormat = MessageFormat::Fd {
    bit_rate_switch: true,
};

fn by_name<'a>(matrix: &'a Matrix, name: &str) -> &'a DbcMessage {
    let found = matrix.messages.iter().find(|message| message.name == name);
    found.unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_part_of_a_message_is_imported() {
    let matrix = import(DBC).unwrap();
    assert_eq!(matrix.nodes, ["engine", "gearbox", "cluster"]);
    assert_eq!(matrix.messages.len(), 5, "the pseudo message is left out");
    let speed = by_name(&matrix, "Speed");
    assert_eq!(
        *speed,
        DbcMessage {
            name: "Speed".to_owned(),
            id: Id::standard(0x1A0).unwrap(),
            length: 8,
            format: MessageFormat::Classic,
            is_j1939: false,
            senders: vec!["engine".to_owned(), "gearbox".to_owned()],
            receivers: vec!["gearbox".to_owned(), "cluster".to_owned()],
            send_type: SendType::Cyclic,
            cycle_time: Some(Duration::from_millis(10)),
            fast_cycle_time: None,
            minimum_distance: None,
            start_delay: None,
            remarks: Vec::new(),
        }
    );
    let diagnosis = by_name(&matrix, "Diagnosis");
    assert_eq!(diagnosis.id, Id::extended(0x18FE_F1FE).unwrap());
    assert_eq!((diagnosis.senders.len(), diagnosis.cycle_time), (0, None));
    assert_eq!(by_name(&matrix, "Camera").format, FD, "longer than 8 bytes");
    assert_eq!(by_name(&matrix, "Odd").format, FD, "by its attribute");
    let transfer = by_name(&matrix, "Transfer");
    assert_eq!(
        transfer.format,
        MessageFormat::Classic,
        "longer than 64 bytes"
    );
}

/// The attribute as an integer has Vector's numbers for the frame formats: 14 and 15 are CAN FD.
#[test]
fn frame_format_as_integer_means_can_fd() {
    let definition = r#"ENUM  "StandardCAN","ExtendedCAN","StandardCAN_FD""#;
    for (kind, default, value, is_fd) in [
        ("INT 0 15", "0", "14", true),
        ("INT 0 15", "0", "15", true),
        ("INT 0 0", "0", "14", true),
        ("FLOAT 0 15", "0", "14", true),
        ("STRING", "\"\"", "\"StandardCAN_FD\"", true),
        ("INT 0 15", "0", "2", false),
        ("INT 0 15", "0", "3", false),
        ("INT 0 15", "0", "1", false),
    ] {
        let text = DBC
            .replace(definition, kind)
            .replace(
                "\"VFrameFormat\" \"StandardCAN\"",
                &format!("\"VFrameFormat\" {default}"),
            )
            .replace("BO_ 418 2;", &format!("BO_ 418 {value};"))
            .replace("418 Odd: 10", "418 Odd: 8");
        let matrix = import(&text).unwrap();
        let is_odd_fd = by_name(&matrix, "Odd").format == FD;
        assert_eq!(is_odd_fd, is_fd, "{kind}: {value}");
        let speed = by_name(&matrix, "Speed");
        assert_eq!(speed.format, MessageFormat::Classic, "{kind}: by default");
    }
    let all_fd = DBC
        .replace(definition, "INT 0 15")
        .replace("\"VFrameFormat\" \"StandardCAN\"", "\"VFrameFormat\" 14");
    let matrix = import(&all_fd).unwrap();
    assert_eq!(by_name(&matrix, "Speed").format, FD, "by default");
}

#[test]
fn old_files_are_windows_1252() {
    assert_eq!(decode(b"\xEF\xBB\xBF\xC2\xB0C"), "\u{b0}C");
    assert_eq!(decode(b"\xB0C"), "\u{b0}C");
    let bytes: Vec<u8> = DBC
        .replace("1/min", "\u{b0}")
        .chars()
        .map(|c| c as u8)
        .collect();
    assert_eq!(import(&decode(&bytes)).unwrap().messages.len(), 5);
}
