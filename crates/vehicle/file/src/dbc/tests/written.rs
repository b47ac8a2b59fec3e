//! DBC files written and read back.

use crate::dbc::*;
use crate::{FrameFormat, VehicleFile};
use waywarden_can::Id;
use waywarden_testkit::DBC;
use waywarden_work::Duration;

#[test]
fn what_is_written_reads_back() {
    let matrix = import(DBC).unwrap();
    let mut options = DbcOptions {
        vehicle: "my car!".to_owned(),
        ..DbcOptions::default()
    };
    options
        .observed
        .insert(Id::standard(417).unwrap(), Duration::from_millis(40));
    let text = to_vehicle_toml(&matrix, &options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(file.name, "mycar");
    // The others have no period, or need a transport protocol.
    let names: Vec<&str> = file
        .streams
        .iter()
        .map(|stream| stream.name.value.as_str())
        .collect();
    assert_eq!(names, ["Speed", "Camera"]);
    assert_eq!(file.streams[0].period, Duration::from_millis(10));
    assert!(text.contains("offset = \"unknown\""), "{text}");
    assert_eq!(file.streams[0].format, FrameFormat::Classic);
    assert_eq!(file.ecu(file.streams[0].sender).name.value, "engine");
    assert_eq!(file.streams[1].period, Duration::from_millis(40));
    assert_eq!(
        file.streams[1].format,
        FrameFormat::Fd {
            bit_rate_switch: true
        }
    );
    assert!(
        text.contains("# [[stream]]\n# name = \"Diagnosis\""),
        "{text}"
    );
    assert!(
        text.contains("200 bytes need a transport protocol"),
        "{text}"
    );

    options.assumed = Some(Duration::from_millis(100));
    let text = to_vehicle_toml(&matrix, &options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert_eq!(file.streams.len(), 4);
    let odd = file
        .streams
        .iter()
        .find(|stream| stream.name.value == "Odd")
        .unwrap();
    assert_eq!(odd.length, 12, "padded to the next length CAN FD has");
    let diagnosis = &file.streams[1];
    assert_eq!(file.ecu(diagnosis.sender).name.value, "unknown-sender");
}

#[test]
fn names_that_a_vehicle_file_cannot_have_are_changed() {
    let text = DBC
        .replace("gearbox", "default")
        .replace("Camera", &"x".repeat(100));
    let matrix = import(&text).unwrap();
    let options = DbcOptions {
        assumed: Some(Duration::from_millis(5)),
        ..DbcOptions::default()
    };
    let text = to_vehicle_toml(&matrix, &options);
    let file = VehicleFile::parse("made.toml", &text).unwrap_or_else(|errors| panic!("{errors}"));
    assert!(file.ecus.iter().any(|ecu| ecu.name.value == "default_"));
}
