//! What `waywarden keys` says: who has the key and who should not, shares of one period, numbers
//! and their nouns, and errors that name what was given.

mod support;

use std::fs;

use support::waywarden;

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
        // Later it had the key, and everybody has.
        let (_, later, _) = with_file(&text.replace("1us", "2500ms"), &[]);
        assert!(
            later.contains(": all ") && !later.contains(" before: "),
            "{later}"
        );
    }
    let nobody = retired.replace("}]", "}, { ecu = \"e2\", at = \"1us\" }]");
    let (code, printed, _) = with_file(&format!("{CAR}{nobody}"), &[]);
    assert_eq!(code, Some(0));
    let expected = "AUTHORISED: there is no ECU to authenticate; retired before: e1, e2.\n";
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
                 period = \"1s\"\nfrom = \"201us\"\nuntil = \"900ms\"\n";
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

/// Who is authenticated first asks for a key while a hundred others are still to be: whoever is not
/// answered begins anew, and then nobody is ever done.
#[test]
fn as_many_ecus_as_there_can_be_are_authorised() {
    let (code, printed, complaint) = keys(&["--scheme", "lasan", "--ecus", "126"]);
    let verdict = printed.lines().find(|line| line.contains("AUTHORISED"));
    assert_eq!((code, complaint.as_str()), (Some(0), ""), "{verdict:?}");
    assert!(
        printed.contains("and all 126 protected streams have keys."),
        "{verdict:?}"
    );
}
