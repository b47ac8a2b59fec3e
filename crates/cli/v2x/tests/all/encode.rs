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
        ("{", "", "value.json:2: not JSON: "),
    ] {
        refused(&world, &value, (from, to), reason);
    }
    world.write("value.json", "{ \"header\": 1 }");
    world.refused(
        "encode value.json",
        &[
            "value.json: ",
            "kind is missing; name the kind of a value alone by --kind",
        ],
    );
    world.write("value.json", "[]");
    world.refused("encode value.json", &["value.json: has no message"]);
    world.refused(
        "encode --example XAM",
        &["--example: XAM: no kind of message"],
    );
}

/// Refuses a document in which a text is replaced by another one.
fn refused(world: &World, document: &str, (from, to): (&str, &str), reason: &str) {
    let changed = document.replacen(from, to, 1);
    assert_ne!(changed, document, "{from}");
    world.write("value.json", changed);
    world.refused("encode value.json", &["value.json", reason]);
}

#[test]
fn a_document_that_contradicts_itself_is_refused() {
    let world = World::new();
    let value = world.works("encode --example CAM --release 1");
    for (from, to, reason) in [
        (
            "\"kind\": \"CAM\",",
            "\"kind\": \"CAM\",\n\"kind\": \"CAM\",",
            "value.json:3: kind: the key is given twice",
        ),
        (
            "\"longitude\": 0",
            "\"longitude\": 0, \"longitude\": 1",
            "value.cam.camParameters.basicContainer.referencePosition.longitude: the key is given \
             twice",
        ),
        (
            "\"release\": 1",
            "\"release\": 1, \"standard\": \"TS 103 900 V2.3.1\"",
            "standard: no layout of this CAM is of TS 103 900 V2.3.1: give EN 302 637-2 V1.4.1 or \
             leave it out",
        ),
        (
            "\"messageID\": 2",
            "\"messageID\": 1",
            "value.header.messageID: 1 is not the number of a CAM, which is 2",
        ),
        (
            "\"header\": {",
            "\"header\": { \"...\": { \"count\": 1 },",
            "value.header[\"...\"]: the type has no additions: leave this member out",
        ),
        (
            "\"release\": 1",
            "\"relase\": 1",
            "relase is not known; there are kind, release, standard, psid, value, parts, remark",
        ),
    ] {
        refused(&world, &value, (from, to), reason);
    }
    for (from, to) in [
        ("\"CAM\"", "\"cam\""),
        ("\"release\": 1,", ""),
        (
            "\"release\": 1",
            "\"standard\": \"EN 302 637-2 V1.4.1\", \"psid\": \"CAM\"",
        ),
    ] {
        world.write("value.json", value.replacen(from, to, 1));
        world.works("encode value.json");
    }
}

/// The header of a message in the clear, and the port of BTP that it travels under, may differ.
#[test]
fn inspect_remarks_on_a_port_of_another_kind() {
    let world = World::new();
    world.write("cam.json", world.works("encode --example CAM --release 1"));
    let cam = world.works("encode cam.json");
    // GeoNetworking to all in range, in the clear, and BTP-B [EN 302 636-4-1 §9].
    let packet = |port: &str| {
        let message = cam.trim();
        let length = message.len() / 2 + 4;
        let source = format!("9400020000000017{}", "00".repeat(20));
        format!("1100050120500280{length:04x}0100{source}{port}0000{message}")
    };
    for (port, remark) in [
        ("07d1", None),
        (
            "07d2",
            Some("under the BTP port of a DENM, and the header is that of a CAM"),
        ),
    ] {
        world.write("packet.hex", packet(port));
        let shown = world.works("inspect packet.hex --format json");
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let layer = &shown["rows"][0]["payload"][0];
        assert_eq!(layer["kind"], "CAM", "{shown}");
        let found = layer["remark"].as_str().unwrap_or_default();
        assert_eq!(
            found.contains("under the BTP port"),
            remark.is_some(),
            "{found}"
        );
        assert!(found.starts_with(remark.unwrap_or_default()), "{found}");
    }
}

#[test]
fn inspect_claims_no_edition_of_a_message_without_a_layout() {
    let world = World::new();
    world.write("frames.hex", "002102a5f0\n001402a5f0\n");
    let ended = world.run("inspect frames.hex --format json");
    let shown: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let layers = |row: usize| &shown["rows"][row]["payload"][0];
    assert_eq!(layers(0)["standard"], serde_json::Value::Null);
    assert_eq!(
        layers(0)["remark"],
        "message 33 has no layout: its bytes are kept, its edition is not known"
    );
    // A BSM has one, which cannot read these bytes.
    assert_eq!(layers(1)["standard"], "SAE J2735 201603");
    assert!(layers(1)["error"].is_string());
}
