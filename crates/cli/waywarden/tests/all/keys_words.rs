//! Words of `waywarden keys`: which ECUs have the key and which should not, shares of one period,
//! numbers and their nouns, and errors that name what was given.

use std::fs;

use crate::support::waywarden;

/// Three ECUs on one bus; `e1` is removed before anybody has a key.
const CAR: &str = "[vehicle]\nname = \"car\"\nduration = \"3s\"\n\
    [[bus]]\nname = \"a\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n\
    [[ecu]]\nname = \"gw\"\nports = [\"a\"]\n\
    [[ecu]]\nname = \"e1\"\nports = [\"a\"]\n\
    [[ecu]]\nname = \"e2\"\nports = [\"a\"]\n\
    [[keys]]\n";

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

/// The same with a file of this text.
fn with_file(text: &str, options: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    fs::write(&path, text).unwrap();
    keys(&[&[path.to_str().unwrap()], options].concat())
}

#[test]
fn who_was_removed_or_retired_is_not_said_to_have_a_key() {
    let removed = "orchestrator = \"gw\"\nremove = [{ ecu = \"e1\", at = \"1us\" }]\n";
    let retired = "scheme = \"lasan\"\nsecurity_module = \"gw\"\n\
                   retire = [{ ecu = \"e1\", at = \"1us\" }]\n";
    for (lines, says, who, table, field) in [
        (
            removed,
            "all 2 ECUs have the key",
            "; removed before: e1",
            "groups",
            "removed",
        ),
        (
            retired,
            "the only ECU is authenticated",
            "; retired before: e1",
            "networks",
            "retired",
        ),
    ] {
        let text = format!("{CAR}{lines}");
        let (code, printed, complaint) = with_file(&text, &[]);
        assert_eq!((code, complaint.as_str()), (Some(0), ""));
        assert!(printed.contains(says) && printed.contains(who), "{printed}");
        let (_, json, _) = with_file(&text, &["--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json[table][0][field], serde_json::json!(["e1"]));
        // Later it had the key, as all ECUs have.
        let (_, later, _) = with_file(&text.replace("1us", "2500ms"), &[]);
        assert!(
            later.contains(": all ") && !later.contains(" before: "),
            "{later}"
        );
    }
    let all_retired = retired.replace("}]", "}, { ecu = \"e2\", at = \"1us\" }]");
    let (code, printed, _) = with_file(&format!("{CAR}{all_retired}"), &[]);
    assert_eq!(code, Some(0));
    let expected = "AUTHORIZED: there is no ECU to authenticate; retired before: e1, e2.\n";
    assert!(printed.contains(expected), "{printed}");
    let (code, printed, _) = with_file(
        &format!("{CAR}{removed}start = \"2s\"\n"),
        &["--until", "1s"],
    );
    assert_eq!(code, Some(1));
    assert!(
        printed.contains("2 of 2 ECUs lack the key: gw, e2; removed before: e1"),
        "{printed}"
    );
}

#[test]
fn the_share_of_the_bus_is_that_of_the_time_on_it() {
    let ideal = [
        "--board",
        "ideal",
        "--ecus",
        "20",
        "--scheme",
        "symmetric-distribution",
    ];
    let (_, json, _) = keys(&[&ideal[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let frames = json["time_line"].as_array().unwrap().iter();
    let frames = frames.filter(|entry| entry["kind"] == "frame");
    let time = |entry: &serde_json::Value, key: &str| entry[key].as_f64().unwrap();
    let (mut first, mut last) = (f64::INFINITY, 0.0_f64);
    for frame in frames {
        first = first.min(time(frame, "from_ms"));
        last = last.max(time(frame, "to_ms"));
    }
    let group = &json["groups"][0];
    let share = time(group, "bus_load") * (last - first);
    // All but the intermission after the last frame.
    assert!(
        (share - time(group, "bus_ms")).abs() < 0.01,
        "{share} {group}"
    );
    assert!(time(group, "bus_load") <= 1.0);
    let (_, printed, _) = keys(&ideal);
    assert!(
        printed.contains("of its time from the first frame to the last."),
        "{printed}"
    );
    assert!(!printed.contains("-0.000"), "{printed}");
}

#[test]
fn one_is_not_several() {
    let noise = "orchestrator = \"gw\"\n[[interferer]]\nkind = \"babbling\"\nbus = \"a\"\n\
                 period = \"1s\"\nfrom = \"401us\"\nuntil = \"900ms\"\n";
    let (_, printed, _) = with_file(&format!("{CAR}{noise}"), &[]);
    assert!(
        printed.contains("1 frame was destroyed on the bus."),
        "{printed}"
    );
    assert!(!printed.contains("\n1 frames"), "{printed}");
}

#[test]
fn errors_name_what_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let board = folder.path().join("passwd");
    fs::write(&board, "root\n").unwrap();
    let board = board.to_str().unwrap();
    let (code, _, complaint) = keys(&["--board", board]);
    assert_eq!(code, Some(2));
    assert!(complaint.contains(&format!("{board}:1:")), "{complaint}");
    for (option, rate, range) in [
        ("--bitrate", "2M", "5k to 1M"),
        ("--data-bitrate", "9M", "5k to 8M"),
    ] {
        let (code, _, complaint) = keys(&[option, rate]);
        assert_eq!(
            (code, complaint.lines().count()),
            (Some(2), 1),
            "{complaint}"
        );
        assert!(
            complaint.contains(option) && complaint.contains(range),
            "{complaint}"
        );
    }
}

#[test]
fn what_is_planned_for_after_the_end_is_warned_of() {
    let late = format!("{CAR}orchestrator = \"gw\"\nremove = [{{ ecu = \"e1\", at = \"50s\" }}]\n");
    let (code, _, complaint) = with_file(&late, &[]);
    assert_eq!(code, Some(0), "{complaint}");
    let warned = complaint.starts_with("warning: ") && complaint.contains("car.toml:19:");
    assert!(warned && complaint.lines().count() == 1, "{complaint}");
    let (_, _, complaint) = with_file(&late, &["--until", "60s"]);
    assert_eq!(complaint, "");
}

/// The ECU that is authenticated first asks for a key while a hundred others still wait: an ECU
/// without an answer restarts, and then no ECU is ever done.
#[test]
fn as_many_ecus_as_there_can_be_are_authorized() {
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--ecus", "126"]);
    let verdict = printed.lines().find(|line| line.contains("AUTHORIZED"));
    assert_eq!((code, complaint.as_str()), (Some(0), ""), "{verdict:?}");
    assert!(
        printed.contains("and all 126 protected streams have keys."),
        "{verdict:?}"
    );
}

/// A stream that `e1` sends to `e2`, protected by a security module on boards that take half a
/// second for a session.
const PROTECTED: &str = "[vehicle]\nname = \"car\"\nduration = \"4s\"\n\
    [[bus]]\nname = \"a\"\nbitrate = \"500k\"\ndata_bitrate = \"2M\"\n\
    [[ecu]]\nname = \"gw\"\nports = [\"a\"]\nboard = \"tc297\"\n\
    [[ecu]]\nname = \"e1\"\nports = [\"a\"]\nboard = \"tc297\"\n\
    sends = [{ name = \"S1\", id = 0x100, length = 8, period = \"20ms\", receivers = [\"e2\"] }]\n\
    [[ecu]]\nname = \"e2\"\nports = [\"a\"]\nboard = \"tc297\"\n\
    [require]\nauthorized_within = \"3s\"\n\
    [[keys]]\nname = \"k\"\nscheme = \"lasan\"\nsecurity_module = \"gw\"\nprotect = [\"S1\"]\n";

fn window(from: &str, until: &str) -> String {
    format!(
        "{PROTECTED}windows = [{{ stream = \"S1\", from = \"{from}\", until = \"{until}\" }}]\n"
    )
}

/// The window is missed whether it began with power-on or after that: no ECU could ever send in it.
#[test]
fn a_window_that_is_over_before_anybody_has_the_key_is_missed() {
    for (from, until, start) in [("10ms", "60ms", ""), ("1s", "1500ms", "start = \"2s\"\n")] {
        let text = format!("{}{start}", window(from, until));
        let (code, printed, _) = with_file(&text, &[]);
        assert_eq!(code, Some(1), "{printed}");
        let when = match start {
            "" => "S1 (its window was over at 60.000 ms)",
            _ => "S1 (its window was over at 1500.000 ms)",
        };
        assert!(
            printed.contains("NOT AUTHORIZED") && printed.contains(when),
            "{printed}"
        );
        assert!(!printed.contains("not to be sent"), "{printed}");
        let (_, json, _) = with_file(&text, &["--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let network = &json["networks"][0];
        assert_eq!(network["unkeyed"], serde_json::json!(["S1"]));
        assert_eq!(network["authorized"], false);
        let (code, printed) = requirement(&text);
        assert_eq!(code, Some(1), "{printed}");
        assert!(
            printed.contains("MISSED authorized k") && printed.contains("its window was over at"),
            "{printed}"
        );
    }
    // One that is yet to begin keeps no ECU waiting, and one that is open is waited for.
    let (code, printed, _) = with_file(&window("3s", "4s"), &[]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(printed.contains("not to be sent by then: S1"), "{printed}");
    let (code, printed, _) = with_file(&window("10ms", "4s"), &[]);
    assert_eq!(code, Some(0), "{printed}");
    assert!(
        printed.contains("and the one protected stream has its key"),
        "{printed}"
    );
    assert_eq!(requirement(&window("10ms", "4s")).0, Some(0));
}

/// Runs a vehicle with its requirements.
fn requirement(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("car.toml");
    fs::write(&path, text).unwrap();
    let output = waywarden().arg("run").arg(path).output().unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
    )
}

/// The module's and all ECUs' certificates end before the last ECU is up.
#[test]
fn who_was_cut_off_by_a_certificate_is_said_to_be() {
    let late = PROTECTED.replace(
        "name = \"e2\"\nports",
        "name = \"e2\"\nstart = \"1s\"\nports",
    );
    let text = format!("{late}start = \"1ms\"\nvalid_until = \"900ms\"\n");
    let (code, printed, _) = with_file(&text, &[]);
    assert_eq!(code, Some(1), "{printed}");
    let both = "1 of 2 ECUs is not authenticated: e2;\n1 of 2 ECUs was authenticated until a \
                certificate was over: e1";
    assert!(printed.contains(both), "{printed}");
    let (_, json, _) = with_file(&text, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["networks"][0]["cut_off"], serde_json::json!(["e1"]));
}

#[test]
fn times_are_said_as_they_were_given_and_without_noise() {
    let text = format!("{PROTECTED}stream_key = \"1.0005s\"\n");
    let (code, _, complaint) = with_file(&text, &[]);
    assert_eq!(code, Some(2), "{complaint}");
    assert!(
        complaint.contains("stream_key 1.0005 s ends"),
        "{complaint}"
    );
    let (_, json, _) = with_file(PROTECTED, &["--format", "json"]);
    let numbers = json
        .split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter_map(|number| number.split_once('.'));
    let mut most = 0;
    for (whole, decimals) in numbers.filter(|(whole, _)| *whole != "0") {
        // Nanoseconds of milliseconds; what is less than 1 may be a share.
        assert!(decimals.len() <= 6, "{whole}.{decimals}");
        most = most.max(decimals.len());
    }
    assert!(most > 3, "{json}");
}

#[test]
fn no_one_forwards_on_one_bus() {
    for (lines, line) in [
        ("orchestrator = \"gw\"\ngateway = \"e1\"\n", 19),
        (
            "scheme = \"lasan\"\nsecurity_module = \"gw\"\ngateway = \"e1\"\n",
            20,
        ),
    ] {
        let (code, _, complaint) = with_file(&format!("{CAR}{lines}"), &[]);
        assert_eq!(code, Some(2), "{complaint}");
        let place = format!("car.toml:{line}:11");
        assert!(
            complaint.contains(&place) && complaint.contains("leave `gateway` out"),
            "{complaint}"
        );
    }
}
