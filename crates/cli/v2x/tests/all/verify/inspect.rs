//! `waywarden inspect` shows the parts of a message with their positions.

use serde_json::Value;

use super::{json, run, text};
use crate::support::corpus;

#[test]
fn inspect_shows_parts_with_their_places() {
    let (code, all) = json(&["inspect", "examples/v2x/trust/authority.oer"]);
    assert_eq!(code, Some(0));
    let own = &all["rows"][0];
    assert_eq!(own["hashed_id8"], "973531e9a3f9d897");
    assert_eq!(own["parts"]["length"], own["length"]);
    let field = |part: &Value, name: &str| {
        let parts = part["parts"].as_array().unwrap();
        parts
            .iter()
            .find(|part| part["field"] == name)
            .cloned()
            .unwrap()
    };
    let start = field(
        &field(&field(&own["parts"], "toBeSigned"), "validityPeriod"),
        "start",
    );
    assert_eq!(start["meaning"], "2026-03-07T10:26:35Z");
    let output = run(&["inspect", "examples/v2x/messages.hex"]);
    assert!(text(&output).contains("psid: Psid = 36 (0x24, cooperative awareness, CAM)"));
}

/// The payloads of messages are shown, too: positions of cars in Wyoming, and the roots of Europe.
#[test]
fn inspect_shows_what_messages_carry() {
    if let Some(folder) = corpus("v2x/us_field") {
        let messages = folder.join("signed.hex").display().to_string();
        let (code, all) = json(&["inspect", &messages]);
        assert_eq!(code, Some(0));
        let carried = all["rows"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["payload"][0]);
        let safety = carried.filter(|layer| layer["value"]["messageId"] == 20);
        let mut count = 0;
        for layer in safety {
            assert!(layer["error"].is_null(), "{layer}");
            let text = layer.to_string();
            // Latitude in tenths of a microdegree: 41 degrees north.
            assert!(
                text.contains("\"field\":\"lat\"") && text.contains("\"value\":41"),
                "{text}"
            );
            count += 1;
        }
        println!("{count} basic safety messages");
        assert!(count > 100);
    }
    if let Some(folder) = corpus("v2x/eu_trust") {
        let list = folder.join("CE4CF6C19BFED720.oer").display().to_string();
        let (code, all) = json(&["inspect", &list]);
        assert_eq!(code, Some(0));
        assert!(all.to_string().contains("1_EU-ROOT-CA_L2"));
        assert_eq!(
            all["rows"][0]["payload"][0]["kind"],
            "message of TS 102 941"
        );
    }
}
