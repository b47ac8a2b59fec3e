//! `waywarden demo`: attacks that succeed without SecOC and fail with it, V2X messages of which
//! only the honest ones are accepted, and a story on two screens.

use std::sync::LazyLock;

use serde_json::{Value, json as value};

use crate::support::{json, waywarden};

/// The demo as JSON: it simulates two cars for long, and several tests look at what it found.
pub(crate) static REPORT: LazyLock<Value> =
    LazyLock::new(|| json(waywarden().args(["demo", "--format", "json"])));

fn attacks(car: &Value) -> &Vec<Value> {
    car["attacked"]["attacks"].as_array().unwrap()
}

#[test]
fn secoc_stops_every_forgery_of_the_demo_and_meets_the_requirements() {
    let report = &*REPORT;
    let (before, after) = (&report["unprotected"], &report["secoc"]);
    let successful = attacks(before).iter().filter(|row| row["taken"] != 0);
    let names: Vec<&str> = successful
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["standstill", "key-thief", "liar", "bad-connector"]);
    assert!(before["attacked"]["forgeries"].as_u64().unwrap() > 1_000);
    assert_eq!(after["attacked"]["forgeries"], 0);
    // An attack that never acts would be stopped by anything.
    assert_eq!(attacks(before).len(), attacks(after).len());
    assert!(attacks(after).iter().all(|row| row["actions"] != 0));
    for car in [before, after] {
        let calm = &car["calm"];
        assert_eq!(calm["buses"].as_array().unwrap().len(), 3);
        assert_eq!(calm["attacks"].as_array().unwrap().len(), 0);
        let verdicts = calm["requirements"].as_array().unwrap();
        assert!(verdicts.len() > 100 && verdicts.iter().all(|verdict| verdict["met"] == true));
    }
}

#[test]
fn the_v2x_receiver_of_the_demo_accepts_the_honest_messages_and_no_other() {
    let report = &*REPORT;
    let rows = report["v2x"]["messages"].as_array().unwrap();
    let found: Vec<(&str, u64, u64, &Value)> = rows
        .iter()
        .map(|row| {
            let count = |field: &str| row[field].as_u64().unwrap();
            let kind = row["kind"].as_str().unwrap();
            (kind, count("sent"), count("accepted"), &row["refused"])
        })
        .collect();
    let consistency = |rest: &str| value!({ format!("spduConsistency{rest}"): 20 });
    let relevance = |rest: &str| value!({ format!("spduRelevance{rest}"): 20 });
    let signature = value!({ "spduCryptoVerificationFailure": 20 });
    let expected = [
        ("cam", 300, 300, &value!({})),
        ("denm", 10, 10, &value!({})),
        ("forged", 20, 0, &signature),
        ("changed", 20, 0, &signature),
        ("replayed", 20, 0, &relevance("ReplayedSpdu")),
        ("held-back", 20, 0, &relevance("GenerationTimeTooFarInPast")),
        (
            "expired-certificate",
            20,
            0,
            &consistency("ExpiredCertificateAtGenerationTime"),
        ),
        ("not-permitted", 20, 0, &consistency("UnauthorizedPSID")),
        (
            "displaced",
            20,
            0,
            &consistency("GenerationLocationOutsideValidityRegion"),
        ),
    ];
    assert_eq!(found, expected);
}

#[test]
fn the_demo_fits_two_screens() {
    let output = waywarden().arg("demo").output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().count() <= 100,
        "{} lines",
        text.lines().count()
    );
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    let headings = [
        "1. The car as it is",
        "2. The same attacks",
        "3. What SecOC costs",
        "4. Messages to other vehicles",
        "Next:",
    ];
    let places: Vec<_> = headings.iter().map(|part| text.find(part)).collect();
    assert!(
        places.iter().all(Option::is_some) && places.is_sorted(),
        "{places:?}"
    );
}

#[test]
fn the_full_demo_has_every_table() {
    let output = waywarden().args(["demo", "--full"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    for title in [
        "as it is, without attackers",
        "as it is, under attack",
        "with SecOC, without attackers",
        "with SecOC, under attack",
    ] {
        assert!(text.contains(&format!("\nThe car {title}\n")), "{title}");
    }
    let (runs, reports) = text
        .split_once("\nWhat the V2X receiver reports\n")
        .unwrap();
    assert_eq!(reports.matches("┆ spdu").count(), 7);
    // Each of the four runs lists every message.
    assert!(runs.matches("│ EngineNetwork ").count() >= 4);
}
