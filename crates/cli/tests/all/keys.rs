//! `waywarden keys`: exchanges that agree, one that does not, what is printed, what is refused.

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
            assert_eq!(data.len() as u64, 2 * entry["bytes"].as_u64().unwrap());
            assert!(data.chars().all(|digit| digit.is_ascii_hexdigit()));
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
    for (ecus, lines_max) in [("4", 150), ("32", 140)] {
        let (code, printed, complaint) = keys(&["--ecus", ecus]);
        assert_eq!((code, complaint.as_str()), (Some(0), ""));
        assert!(!printed.contains('\u{1b}'));
        let widest = printed.lines().map(|line| line.chars().count()).max();
        assert!(
            widest <= Some(100 + usize::from(ecus == "32") * 8),
            "{widest:?}"
        );
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
    assert_eq!(
        rows[0],
        "ms,took ms,group,bus,ECU,what,id,addresses,bytes,data"
    );
    let data = rows[1..].iter().map(|row| row.rsplit(',').next().unwrap());
    let data: Vec<&str> = data.filter(|data| !data.is_empty()).collect();
    assert_eq!(data.len(), 15);
    for data in data {
        assert!(matches!(data.len(), 64 | 128));
        for start in (0..data.len()).step_by(32) {
            assert!(table.contains(&data[start..start + 32]));
        }
    }
}

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
    let start_up = run["keys"][1]["start_up_ms"].as_f64().unwrap();
    assert!((start_up - one["groups"][0]["agreed_ms"].as_f64().unwrap()).abs() < 1e-5);
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

#[test]
fn a_start_under_a_security_module_is_shown_in_each_suite() {
    for (suite, profile, credentials) in [
        ("p256", "hardened", "certificates"),
        ("fourq", "compact", "digests"),
        ("ml-kem-768+ml-dsa-44", "as-published", "certificates"),
        ("ml-kem-768+ml-dsa-65", "hardened", "keys"),
        ("ml-kem-512+fn-dsa-512", "compact", "keys"),
        ("ml-kem-768+fn-dsa-1024", "compact", "certificates"),
        ("x25519-ml-kem-768+ml-dsa-65", "hardened", "digests"),
    ] {
        let mut command = waywarden();
        let command = command.args([
            "keys", "--scheme", "lasan", "--ecus", "3", "--format", "json",
        ]);
        let words = [
            "--suite",
            suite,
            "--profile",
            profile,
            "--credentials",
            credentials,
        ];
        let output = json(command.args(words));
        command.assert().success();
        let network = &output["networks"][0];
        assert_eq!(
            (&output["agreed"], &network["authorised"]),
            (&true.into(), &true.into())
        );
        for (key, value) in [
            ("suite", suite),
            ("profile", profile),
            ("credentials", credentials),
        ] {
            assert_eq!(network[key], value);
        }
        assert_eq!(
            (list(network, "ecus").len(), list(network, "streams").len()),
            (4, 3)
        );
        let frames = list(&output, "time_line").iter();
        let frames = frames.filter(|entry| entry["kind"] == "frame").count();
        assert_eq!(network["frames"], frames, "{suite}");
    }
}

#[test]
fn the_options_of_a_security_module_change_what_they_say() {
    let network = |options: &[&str]| {
        let all = [&["keys", "--scheme", "lasan", "--format", "json"], options].concat();
        json(waywarden().args(all))["networks"][0].clone()
    };
    let plain = network(&[]);
    assert_eq!(
        (&plain["suite"], &plain["profile"]),
        (&"p256".into(), &"hardened".into())
    );
    assert_eq!(plain["credentials"], "certificates");
    let number = |network: &Value, key: &str| network[key].as_f64().unwrap();
    // A frame of 64 bytes, or of 8; more bytes with certificates than without.
    let classic = network(&["--transport", "classic"]);
    assert!(number(&classic, "frames") > 3.0 * number(&plain, "frames"));
    assert_eq!(list(&classic, "streams").len(), 0);
    let digests = network(&["--credentials", "digests"]);
    assert!(number(&digests, "bytes") < number(&plain, "bytes"));
    assert_eq!(network(&["--profile", "compact"])["credentials"], "keys");
    let paced = network(&["--pacing", "5ms"]);
    assert!(number(&paced, "took_ms") > number(&plain, "took_ms") + 10.0);
    let slow = network(&["--bitrate", "250k", "--data-bitrate", "1M"]);
    assert!(number(&slow, "bus_ms") > 1.9 * number(&plain, "bus_ms"));
    let fast = network(&["--board", "a72"]);
    assert!(number(&fast, "took_ms") < number(&plain, "took_ms"));
}

#[test]
fn a_start_is_printed_and_one_that_fails_is_an_answer() {
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--ecus", "2"]);
    assert_eq!((code, complaint.as_str()), (Some(0), ""));
    for part in [
        "Security module car: p256, hardened, certificates, fd; security-module and 2 others on",
        "ecu-confirmation",
        "1 > all",
        "AUTHORISED at ",
        "all 2 ECUs are authenticated",
        "and all 2 protected streams have keys.",
        "went to all ECUs at once",
    ] {
        assert!(printed.contains(part), "{part}\n{printed}");
    }
    assert!(!printed.contains("-0.000"), "{printed}");
    let widest = printed.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(125), "{widest:?}");
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--until", "100ms"]);
    assert_eq!((code, complaint.as_str()), (Some(1), ""));
    let missing = "NOT AUTHORISED by 100.000 ms: 4 of 4 ECUs are not authenticated: ecu-1, ecu-2, ";
    assert!(printed.contains(missing), "{printed}");
    assert!(
        printed.contains("an ECU lacks the key: Stream1, Stream2, Stream3, Stream4"),
        "{printed}"
    );
}

#[test]
fn the_security_module_of_a_vehicle_is_shown_and_one_s_own_file_too() {
    let van = json(waywarden().args(["keys", "examples/electric-van.toml", "--format", "json"]));
    let network = &van["networks"][0];
    assert_eq!(
        (&network["authorised"], list(&van, "groups").len()),
        (&true.into(), 0)
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    let options = ["--scheme", "lasan", "--profile", "compact", "--ecus", "3"];
    let (code, text, _) = keys(&[&options[..], &["--print-vehicle"]].concat());
    assert_eq!(code, Some(0));
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let own = json(waywarden().args(["keys", path, "--group", "car", "--format", "json"]));
    let built_in = [&["keys"], &options[..], &["--format", "json"]].concat();
    assert_eq!(json(waywarden().args(built_in)), own);
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
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/trailer.toml");
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
