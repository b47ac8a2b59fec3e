//! The counts of each attacker.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_page::{PageInput, page};
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};

use super::tags;
use crate::under_fire::{CAR, lowered, outcome, parse};

/// A second attacker in the gateway, and an interferer that has the name of the first.
const MORE_DISTURBANCES: &str = r#"
[[attacker]]
name = "hush"
kind = "suppress"
gateway = "gateway"
streams = ["EngineSpeed"]
from = "330ms"
until = "390ms"

[[interferer]]
name = "silencer"
kind = "babbling"
bus = "comfort"
period = "20ms"
from = "460ms"
until = "490ms"
"#;

#[test]
fn each_attacker_has_its_own_counts() {
    let file = parse(&format!("{CAR}{MORE_DISTURBANCES}"));
    let lowered = lowered(&file);
    let mut recorder = RunRecorder::new(&file, &lowered.config, lowered.prose.clone());
    let (mut dropped, mut struck) = (BTreeMap::new(), BTreeMap::new());
    let prose = lowered.prose.clone();
    let outcome = outcome(lowered, &mut |at: Time, event: &VehicleEvent<'_>| {
        match event {
            VehicleEvent::Noted { remark, .. } if remark.kind().is_some() => {
                let by = prose.responsible(remark.fact).to_owned();
                *dropped.entry(by).or_insert(0) += 1;
            }
            VehicleEvent::Interfered { by, .. } => {
                *struck.entry((*by).to_owned()).or_insert(0) += 1;
            }
            _ => {}
        }
        recorder.record(at, event);
    });
    let report = Report::new(&file, file.seed, &outcome);
    let source = PageInput {
        file: &file,
        report: &report,
        outcome: &outcome,
        recording: &recorder.finish(),
    };
    let tags = tags(&page(&source));
    let cells: Vec<&str> = tags
        .iter()
        .skip_while(|tag| tag.text.trim() != "Attacks, interference, faults")
        .filter(|tag| tag.name == "td")
        .map(|tag| tag.text.trim())
        .collect();
    let rows: Vec<(&str, &str)> = cells[..6 * 7]
        .chunks(7)
        .map(|row| (row[1], row[5]))
        .collect();
    assert!(dropped["silencer"] != dropped["hush"] && dropped["hush"] > 1);
    let sent = outcome.measure.ecus.last().unwrap().sent;
    let expected = [
        ("standstill", format!("{sent} frames sent")),
        (
            "silencer",
            format!("{} frames suppressed", dropped["silencer"]),
        ),
        ("hush", format!("{} frames suppressed", dropped["hush"])),
        ("unplug", format!("{} strikes", struck["unplug"])),
        ("silencer", format!("{} strikes", struck["silencer"])),
    ];
    for (row, (name, count)) in rows.iter().zip(&expected) {
        assert_eq!((row.0, row.1), (*name, count.as_str()));
    }
    let actions: Vec<u64> = report.attacks.iter().map(|row| row.actions).collect();
    let counted = [
        sent,
        dropped["silencer"],
        dropped["hush"],
        struck["unplug"],
        struck["silencer"],
        1,
    ];
    assert_eq!(actions, counted);
}
