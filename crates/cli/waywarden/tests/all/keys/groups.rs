//! The groups of a vehicle: their choice, their schemes, their networks and subgroups.

use serde_json::Value;

use super::{keys, list, refused};
use crate::support::{json, waywarden};

#[test]
fn a_group_that_does_not_agree_in_time_is_an_answer() {
    let (code, printed, complaint) = keys(&["--until", "50ms"]);
    assert_eq!((code, complaint.as_str()), (Some(1), ""));
    assert!(printed.contains("NOT AGREED by 50.000 ms"), "{printed}");
    let missing = "5 of 5 ECUs lack the key: orchestrator, ecu-1, ecu-2, ecu-3, ecu-4";
    assert!(printed.contains(missing), "{printed}");
    let output = waywarden()
        .args(["keys", "--until", "50ms", "--format", "json"])
        .output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1));
    let output: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output["agreed"], false);
    assert_eq!(list(&output["groups"][0], "missing").len(), 5);
}

#[test]
fn the_groups_of_a_vehicle_are_shown_together_or_one_of_them() {
    let car = "examples/compact-car.toml";
    let all = json(waywarden().args(["keys", car, "--format", "json"]));
    assert_eq!(
        (list(&all, "groups").len(), &all["agreed"]),
        (3, &true.into())
    );
    let one = ["keys", car, "--group", "chassis-key", "--format", "json"];
    let one = json(waywarden().args(one));
    assert_eq!(list(&one, "groups").len(), 1);
    assert_eq!(one["groups"][0]["group"], "chassis-key");
    assert_eq!(one["groups"][0]["agreed_ms"], all["groups"][1]["agreed_ms"]);
    let mut frames = list(&one, "time_line")
        .iter()
        .filter(|one| one["kind"] == "frame");
    assert!(frames.all(|frame| frame["group"] == "chassis-key"));
    // It was a run like any other.
    let run = json(waywarden().args(["run", car, "--format", "json"]));
    let start_up = run["groups"][1]["start_up_ms"].as_f64().unwrap();
    assert!((start_up - one["groups"][0]["agreed_ms"].as_f64().unwrap()).abs() < 1e-5);
}

#[test]
fn what_a_group_does_not_have_is_refused_with_the_scheme_that_has() {
    for option in [
        ["--suite", "ml-kem-768+ml-dsa-44"],
        ["--profile", "compact"],
        ["--credentials", "digests"],
        ["--pacing", "1ms"],
    ] {
        refused(&option, &[option[0], "--scheme lasan"]);
    }
    refused(&["--scheme", "lasan", "--ecus", "127"], &["126"]);
    refused(&["--scheme", "lasan", "--pacing", "1s"], &["up to 100 ms"]);
    let published = ["--profile", "as-published", "--credentials", "keys"];
    refused(
        &[&["--scheme", "lasan"], &published[..]].concat(),
        &["the published messages"],
    );
}

#[test]
fn promotions_networks_and_subgroups_are_shown() {
    let promoted = ["--ecus", "5", "--odd-levels", "promoted"];
    let (code, printed, _) = keys(&promoted);
    assert_eq!(code, Some(0), "{printed}");
    for shown in ["odd levels promoted", "11, promoted", "logical ECU"] {
        assert!(printed.contains(shown), "{shown}: {printed}");
    }
    let output = json(
        waywarden()
            .arg("keys")
            .args(promoted)
            .args(["--format", "json"]),
    );
    let group = &output["groups"][0];
    assert_eq!(group["odd_levels"], "promoted");
    let parts = list(group, "parts").iter();
    let promotions = parts.filter(|part| part["part"] == "promotion").count();
    let subgroups = list(group, "subgroups");
    let alone = subgroups.iter().filter(|one| one["second"] == 0).count();
    assert_eq!((promotions, alone, subgroups.len()), (2, 2, 11));
    assert!(subgroups.iter().all(|one| one["key_ms"].is_number()));
    refused(
        &["--scheme", "lasan", "--odd-levels", "promoted"],
        &["--odd-levels promoted", "forms no tree"],
    );
}

#[test]
fn an_exchange_goes_on_until_all_networks_have_joined() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../examples/trailer.toml"
    );
    let (code, printed, complaint) = keys(&[path]);
    assert_eq!(code, Some(0), "{printed}{complaint}");
    for shown in ["tractor", "trailer", "2000.000", "AGREED at 2"] {
        assert!(printed.contains(shown), "{shown}: {printed}");
    }
    let (code, printed, _) = keys(&[path, "--until", "1s"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("trailer-brakes, trailer-lights"),
        "{printed}"
    );
}
