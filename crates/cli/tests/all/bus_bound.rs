//! `waywarden bus bound`: its exit codes, and what it says of what it cannot bound.

use std::fs;

use crate::support::{json, waywarden};

/// A DBC file with one message, with a cycle time or without.
fn matrix(cycle_time: &str) -> String {
    format!(
        "VERSION \"\"\nNS_ :\nBS_:\nBU_: A B\nBO_ 256 Speed: 8 A\n SG_ Value : 0|16@1+ (1,0) [0|0] \
         \"\" B\nBA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 65535;\n\
         BA_DEF_DEF_ \"GenMsgCycleTime\" 0;\n{cycle_time}"
    )
}

#[test]
fn the_exit_code_says_whether_every_bound_is_within_its_deadline() {
    let arguments = ["bus", "bound", "--format", "json"];
    let mut met = waywarden();
    met.args(arguments).arg("examples/minimal.toml");
    assert_eq!(met.output().unwrap().status.code(), Some(0));
    let bounds = json(&mut met);
    let rows = bounds["streams"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["bound_ms"].as_f64() > Some(0.0)));

    // So many messages are more than this bus has time for.
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full.toml");
    let stream = |at: u32| {
        format!("{{ name = 'S{at}', id = {at}, length = 8, period = '5ms', receivers = ['b'] }},\n")
    };
    let streams: String = (0x100..0x140).map(stream).collect();
    fs::write(
        &full,
        format!(
            "[vehicle]\nname = 'full'\n[[bus]]\nname = 'one'\nbitrate = '125k'\n[[ecu]]\nname = \
             'a'\nports = ['one']\nsends = [\n{streams}]\n[[ecu]]\nname = 'b'\nports = ['one']\n"
        ),
    )
    .unwrap();
    let mut missed = waywarden();
    missed.args(["bus", "bound", "--no-simulate"]).arg(&full);
    let output = missed.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{text}{errors}");
    assert!(text.contains("no bound"), "{text}");
}

#[test]
fn a_matrix_needs_cycle_times_and_a_file_has_to_be_there() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("matrix.dbc");
    let bound = || {
        let mut command = waywarden();
        command.args(["bus", "bound", "--no-simulate"]).arg(&file);
        command.output().unwrap()
    };
    let output = bound();
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("matrix.dbc"), "{text}");

    fs::write(&file, matrix("BA_ \"GenMsgCycleTime\" BO_ 256 20;\n")).unwrap();
    let output = bound();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("Speed"), "{text}");

    fs::write(&file, matrix("")).unwrap();
    let output = bound();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("Speed") || text.contains("GenMsgCycleTime"),
        "{text}"
    );
}

/// What is counted for forged messages is more than for genuine ones.
#[test]
fn every_attempt_of_a_receiver_takes_longer() {
    let bound = |every: &[&str]| {
        let mut command = waywarden();
        command.args(["bus", "bound", "--no-simulate", "--format", "json"]);
        command.args(every).arg("examples/electric-van-secoc.toml");
        let bounds = json(&mut command);
        let rows = bounds["streams"].as_array().expect("rows").clone();
        rows.iter()
            .map(|row| row["bound_ms"].as_f64())
            .collect::<Vec<_>>()
    };
    let (genuine, every) = (bound(&[]), bound(&["--every-attempt"]));
    assert!(genuine.iter().all(Option::is_some), "{genuine:?}");
    for (one, other) in genuine.iter().zip(&every) {
        assert!(other.is_none_or(|other| Some(other) >= *one), "{every:?}");
    }
    assert_ne!(genuine, every);
}
