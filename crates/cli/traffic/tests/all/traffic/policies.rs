//! Boards and verification policies.

use serde_json::Value;

use super::{figures, trace};

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
