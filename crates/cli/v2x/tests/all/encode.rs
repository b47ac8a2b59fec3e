//! `waywarden encode` makes again what `inspect` shows, and tells what a message cannot have.

use crate::support::{World, corpus};

#[test]
fn what_inspect_shows_is_encoded_again_byte_for_byte() {
    let world = World::new();
    let examples = world.works("encode --list");
    assert!(examples.contains("VAM"), "{examples}");
    for (kind, release) in [
        ("CAM", "--release 1"),
        ("DENM", "--release 2"),
        ("SPATEM", "--release 1"),
        ("IVIM", "--release 2"),
        ("J2735-MessageFrame", ""),
    ] {
        let value = world.works(&format!("encode --example {kind} {release}"));
        world.write("value.json", &value);
        world.works("encode value.json -o first.hex");
        let first = std::fs::read_to_string(world.path("first.hex")).unwrap();
        let shown = world.works("inspect first.hex --format json");
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let row = &shown["rows"][0];
        assert_eq!(row["kind"], kind, "{row}");
        world.write("shown.json", shown.to_string());
        world.works("encode shown.json -o again.hex");
        let again = std::fs::read_to_string(world.path("again.hex")).unwrap();
        // Releases that read the same are shown once.
        assert_eq!(first, again, "{kind}");
    }
}

#[test]
fn real_messages_are_encoded_again_in_the_order_of_the_file() {
    let Some(folder) = corpus("v2x/us_field") else {
        return;
    };
    let world = World::new();
    let path = folder.join("signed.hex").display().to_string();
    world.write(
        "shown.json",
        world.works(&format!("inspect {path} --format json")),
    );
    let encoded = world.works("encode shown.json");
    let signed = std::fs::read_to_string(path).unwrap().to_lowercase();
    let mut signed = signed.lines();
    let count = encoded.lines().count();
    for line in encoded.lines() {
        assert!(
            signed.any(|message| message.contains(&line.to_lowercase())),
            "{line}"
        );
    }
    println!("{count} messages");
    assert_eq!(count, 843);
}

#[test]
fn a_value_that_does_not_fit_is_reported_with_its_place() {
    let world = World::new();
    let value = world.works("encode --example CAM --release 1");
    for (from, to, reason) in [
        (
            "\"latitude\": 0",
            "\"latitude\": 900000002",
            "latitude: 900000002 is not within",
        ),
        (
            "\"longitude\": 0",
            "\"lon\": 0",
            "referencePosition: lon is not known",
        ),
        (
            "\"release\": 1",
            "\"release\": 3",
            "CAM of release 3 has no layout: give that of",
        ),
        (
            "\"kind\": \"CAM\"",
            "\"kind\": \"CAMM\"",
            "CAMM: no kind of message with a layout: give one of CAM,",
        ),
        (
            "\"kind\": \"CAM\",",
            "",
            "an object with kind, release and value is expected",
        ),
        (
            "\"release\": 1",
            "\"release\": \"x\"",
            "release: 1 or 2 is expected, not \"x\"",
        ),
        ("{", "", "not JSON: "),
    ] {
        let changed = value.replacen(from, to, 1);
        assert_ne!(changed, value, "{from}");
        world.write("value.json", changed);
        world.refused("encode value.json", &["value.json", reason]);
    }
    world.write("value.json", "[]");
    world.refused("encode value.json", &["value.json: has no message"]);
    world.refused(
        "encode --example XAM",
        &["--example: XAM: no kind of message"],
    );
}
