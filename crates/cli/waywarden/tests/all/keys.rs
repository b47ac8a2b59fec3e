//! `waywarden keys`: exchanges that agree, one that does not, what is printed, what is refused.

mod groups;
mod security_module;

use std::fs;

use crate::support::{json, waywarden};
use serde_json::Value;

/// Runs the command; returns the exit code, what it printed and what it complained about.
fn keys(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = waywarden().arg("keys").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

fn refused(arguments: &[&str], remedies: &[&str]) {
    let (code, printed, complaint) = keys(arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {complaint}");
    assert_eq!(printed, "", "{arguments:?}");
    for remedy in remedies {
        assert!(complaint.contains(remedy), "{arguments:?}: {complaint}");
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap_or_else(|| panic!("{key}"))
}

#[test]
fn every_scheme_takes_the_frames_that_the_paper_counts() {
    // 5(2n - 1), 5n, 7n on CAN FD; 32(2n - 1), 32n, 44n on classic CAN [GKE §V-C].
    for (scheme, counts) in [
        ("tree-with-orchestrator", [15, 65, 160]),
        ("tree-without-orchestrator", [10, 35, 96]),
        ("symmetric-distribution", [14, 49, 132]),
    ] {
        let networks = [(2, "fd"), (7, "fd"), (3, "classic")];
        for ((ecus, transport), frames) in networks.into_iter().zip(counts) {
            let ecus = ecus.to_string();
            let output = json(waywarden().args([
                "keys",
                "--profile",
                "as-published",
                "--format",
                "json",
                "--scheme",
                scheme,
                "--transport",
                transport,
                "--ecus",
                &ecus,
            ]));
            let group = &output["groups"][0];
            let what = format!("{scheme}, {ecus}, {transport}");
            assert_eq!(output["agreed"], true, "{what}");
            assert_eq!(group["frames"], frames, "{what}");
            let shown = list(&output, "time_line").iter();
            let shown = shown.filter(|entry| entry["kind"] == "frame").count();
            assert_eq!(shown, frames, "{what}");
            assert_eq!(group["scheme"], scheme);
            assert_eq!(group["transport"], transport);
        }
    }
}

#[test]
fn json_has_everything() {
    let command = ["keys", "--suite", "p256", "--seed", "5", "--format", "json"];
    let output = json(waywarden().args(command));
    assert_eq!(
        (&output["seed"], &output["left_out"]),
        (&5.into(), &0.into())
    );
    let group = &output["groups"][0];
    assert_eq!(
        (&group["suite"], &group["profile"]),
        (&"p256".into(), &"hardened".into())
    );
    let parties = list(group, "ecus");
    assert_eq!(
        (parties.len(), &parties[0]["part"]),
        (5, &"orchestrator".into())
    );
    let agreed = group["agreed_ms"].as_f64().unwrap();
    let latest = parties.iter().map(|one| one["agreed_ms"].as_f64().unwrap());
    assert!((latest.fold(0.0, f64::max) - agreed).abs() < 1e-9);
    let mut kinds = [("frame", 0), ("computation", 0), ("event", 0)];
    for entry in list(&output, "time_line") {
        let kind = kinds.iter_mut().find(|(kind, _)| entry["kind"] == *kind);
        kind.unwrap().1 += 1;
        if entry["kind"] == "frame" {
            let data = entry["data"].as_str().unwrap();
            let digits = data.strip_prefix("0x").unwrap();
            assert_eq!(digits.len() as u64, 2 * entry["bytes"].as_u64().unwrap());
            assert!(digits.chars().all(|digit| digit.is_ascii_hexdigit()));
        }
    }
    assert!(kinds.iter().all(|(_, count)| *count > 10), "{kinds:?}");
    // The same seed gives the same bytes, another one others.
    let again = json(waywarden().args(command));
    assert_eq!(again, output);
    let other = json(waywarden().args(["keys", "--suite", "p256", "--format", "json"]));
    assert_ne!(other["time_line"], output["time_line"]);
}

#[test]
fn the_table_fits_a_terminal_and_has_no_colours() {
    for (ecus, lines_max) in [("4", 150), ("32", 250)] {
        let (code, printed, complaint) = keys(&["--ecus", ecus]);
        assert_eq!((code, complaint.as_str()), (Some(0), ""));
        assert!(!printed.contains('\u{1b}'));
        let in_tables = printed.lines().filter(|line| line.starts_with('│'));
        let widest = in_tables.map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{widest:?}");
        assert!(printed.lines().count() <= lines_max, "{printed}");
        assert!(printed.contains("AGREED at "), "{printed}");
        // Stages for a few, exchanges for many.
        assert_eq!(printed.contains("verify, share"), ecus == "4");
        assert_eq!(printed.contains("--steps shows them"), ecus == "32");
    }
    let (_, steps, _) = keys(&["--ecus", "32", "--steps"]);
    assert!(steps.lines().count() > 800 && steps.contains("verify, share"));
}

#[test]
fn frames_are_shown_with_their_bytes() {
    let arguments = ["--ecus", "2", "--profile", "as-published"];
    let (_, table, _) = keys(&[&arguments[..], &["--frames"]].concat());
    let (_, csv, _) = keys(&[&arguments[..], &["--format", "csv"]].concat());
    let rows: Vec<&str> = csv.lines().collect();
    let columns: Vec<&str> = rows[0].split(',').collect();
    assert_eq!(columns[0], "kind");
    assert!(
        ["from_ms", "at_ms", "id_hex", "operation"]
            .iter()
            .all(|name| columns.contains(name))
    );
    let at = columns.iter().position(|name| *name == "data").unwrap();
    let data = rows[1..].iter().filter(|row| row.starts_with("frame,"));
    let data = data.map(|row| row.split(',').nth(at).unwrap());
    let data: Vec<&str> = data.map(|data| data.strip_prefix("0x").unwrap()).collect();
    assert_eq!(data.len(), 15);
    for data in data {
        assert!(matches!(data.len(), 64 | 128));
        for start in (0..data.len()).step_by(32) {
            assert!(table.contains(&data[start..start + 32]));
        }
    }
}

#[test]
fn the_built_in_vehicle_runs_the_same_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    let options = [
        "--ecus",
        "3",
        "--scheme",
        "symmetric-distribution",
        "--seed",
        "9",
    ];
    let (code, text, _) = keys(&[&options[..], &["--print-vehicle"]].concat());
    assert_eq!(code, Some(0));
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let own = json(waywarden().args(["keys", path, "--format", "json"]));
    let built_in = [&["keys"], &options[..], &["--format", "json"]].concat();
    assert_eq!(json(waywarden().args(built_in)), own);
    waywarden().args(["run", path]).assert().success();
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    for ecus in ["0", "1", "100000", "-3", "many"] {
        refused(&["--ecus", ecus], &["--ecus"]);
    }
    refused(&["--ecus", "128"], &["2..=127"]);
    refused(&["--ecus", "86"], &["room for 85"]);
    refused(&["--board", "nonsense"], &["tc297", "sam-v71", ".toml"]);
    refused(&["--board", "missing.toml"], &["missing.toml"]);
    refused(&["--scheme", "magic"], &["symmetric-distribution"]);
    refused(&["--until", "0s"], &["--until 0s"]);
    refused(&["--until", "soon"], &["10s"]);
    refused(&["--data-bitrate", "250k"], &["below the nominal"]);
    let classic = ["--transport", "classic", "--data-bitrate", "2M"];
    refused(&classic, &["--transport fd"]);
    refused(&["--seed", "18446744073709551615"], &["--seed"]);
    refused(&["--frames", "--steps"], &["--steps"]);
    refused(&["--group", "all"], &["VEHICLE"]);
}

#[test]
fn what_a_vehicle_file_says_is_not_said_again() {
    let car = "examples/compact-car.toml";
    for option in [
        &["--scheme", "symmetric-distribution"][..],
        &["--suite", "p256"],
        &["--profile", "hardened"],
        &["--ecus", "4"],
        &["--board", "tc297"],
        &["--transport", "fd"],
        &["--bitrate", "500k"],
        &["--data-bitrate", "2M"],
        &["--print-vehicle"],
    ] {
        refused(&[&[car], option].concat(), &[option[0], "VEHICLE"]);
    }
    refused(&[car, "--group", "x"], &["`x`", "chassis-key", "body-key"]);
    refused(&["examples/minimal.toml"], &["[[keys]]", "orchestrator"]);
    refused(&["missing.toml"], &["missing.toml"]);
}
