//! Boards and verification policies, beside the tables of the paper.

use serde_json::Value;

use super::{figures, trace};
use crate::support::{json, waywarden};

pub(super) fn share(found: &Value, board: &str, policy: &str) -> f64 {
    let all = found["verified_in_time"].as_array().unwrap();
    let cell = all
        .iter()
        .find(|one| one["board"] == board && one["policy"] == policy);
    let cell = cell.unwrap_or_else(|| panic!("{board} {policy}: {found}"));
    cell["share"].as_f64().unwrap()
}

#[test]
fn boards_verify_in_time_what_they_can() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let boards = ["--board", "x86-64", "--board", "arm11", "--board", "m4"];
    let policies = ["--policy", "fifo", "--policy", "safety"];
    let found = figures(&path, &[&boards[..], &policies[..]].concat());
    // Some 90 messages a second from within 180 m. The first board verifies 1,449 a second.
    for policy in ["fifo", "safety"] {
        assert!(share(&found, "x86-64", policy) > 0.99, "{found}");
    }
    // 31 a second: in line all come too late, but for the longest latency.
    let (line, planned) = (
        share(&found, "arm11", "fifo"),
        share(&found, "arm11", "safety"),
    );
    assert!(
        line < 0.1 && (0.25..0.45).contains(&planned),
        "{line} {planned}"
    );
    // Three a second, each too late for all but one application.
    assert!(share(&found, "m4", "safety") > share(&found, "m4", "fifo"));
    assert!(share(&found, "m4", "safety") < 0.02, "{found}");
}

#[test]
fn false_messages_cost_fifo_more_than_safety() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 5, 300);
    let board = ["--board", "a53", "--policy", "fifo", "--policy", "safety"];
    let calm = figures(&path, &board);
    assert!(share(&calm, "a53", "fifo") > 0.99, "{calm}");
    for kind in ["new-names", "stolen-names", "valid-signatures"] {
        let attack = ["--attack", kind, "--attack-rate", "400"];
        let found = figures(&path, &[&board[..], &attack[..]].concat());
        let shares = [share(&found, "a53", "fifo"), share(&found, "a53", "safety")];
        assert!(shares[0] < 0.6 && shares[1] > 0.8, "{kind}: {shares:?}");
    }
}

#[test]
fn simulated_traffic_stands_beside_the_tables_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let runs = folder.path().join("runs");
    for seed in ["1", "2"] {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        command.args(["--seed", seed, "--out"]);
        command.arg(runs.join(format!("highway-rush-{seed}")));
        command.assert().success();
    }
    // The same with half of the range, of one seed.
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    command.args(["--power", "0.1", "--out"]);
    command.arg(runs.join("variants/a-short-range/highway-rush-1"));
    command.assert().success();
    let mut command = waywarden();
    command.args(["papers", "ecqv-cits", "--no-simulation", "--format", "json"]);
    let cells = json(command.arg("--traffic").arg(&runs));
    let cell = |place: &str, name: &str| {
        let mut all = cells["rows"].as_array().unwrap().iter();
        let found = all.find(|one| one["place"] == place && one["cell"] == name);
        found.unwrap_or_else(|| panic!("{place} {name}")).clone()
    };
    let most = cell("Table VI, simulated", "100 ms, most: Highway rush");
    assert_eq!(
        (&most["paper"], &most["measured"]),
        (&89.0.into(), &9.0.into())
    );
    let why = most["why"].as_str().unwrap();
    assert!(why.contains("2 seeds +-0; a short range: 0.0"), "{most}");
    let misread = "100 ms, sector of 180 degrees, heading misread: Highway rush";
    // The trace has no headings.
    assert_eq!(cell("Table XIII, simulated", misread)["measured"], 0.0);
    for (paper, place, expected) in [
        ("gke", runs.as_path(), "--traffic is for ecqv-cits"),
        ("ecqv-cits", folder.path(), "no run in it"),
    ] {
        let mut command = waywarden();
        command.args(["papers", paper, "--no-simulation", "--traffic"]);
        let output = command.arg(place).assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn kept_keys_make_room_for_more_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let board = ["--board", "arm11", "--policy", "fifo", "--policy", "safety"];
    let each = figures(&path, &board);
    let kept = ["--key-rebuilding", "first-message"];
    let kept = figures(&path, &[&board[..], &kept[..]].concat());
    for policy in ["fifo", "safety"] {
        let (each, kept) = (share(&each, "arm11", policy), share(&kept, "arm11", policy));
        assert!(kept > each, "{policy}: {each} {kept}");
    }
}
