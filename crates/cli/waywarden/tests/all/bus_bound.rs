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

/// The count for forged messages is higher than that for genuine ones.
#[test]
fn every_attempt_of_a_receiver_takes_longer() {
    let bound = |every: &[&str]| {
        let mut command = waywarden();
        command.args(["bus", "bound", "--no-simulate", "--format", "json"]);
        command.arg("--without-keys").args(every);
        command.arg("examples/electric-van-secoc.toml");
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

/// One bus with two ECUs, and lines after them.
fn two_ecus(sends: &str, rest: &str) -> String {
    format!(
        "[vehicle]\nname = 'two'\nduration = '1s'\n[[bus]]\nname = 'b'\nbitrate = '500k'\n[[ecu]]\n\
         name = 'tx'\nports = ['b']\nsends = [\n{sends}\n]\n[[ecu]]\nname = 'rx'\nports = ['b']\n\
         {rest}"
    )
}

const SPEED: &str = "{ name = 'S', id = 0x100, length = 8, period = '10ms', receivers = ['rx'] },";

/// Runs `bus bound` on a vehicle; returns its exit code, its table and its document.
fn bound_of(text: &str, options: &[&str]) -> (Option<i32>, String, serde_json::Value) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("car.toml");
    fs::write(&file, text).unwrap();
    let command = |format: &str| {
        let mut command = waywarden();
        command.args(["bus", "bound", "--no-simulate", "--format", format]);
        command.args(options).arg(&file);
        command
    };
    let output = command("table").output().unwrap();
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_ne!(output.status.code(), Some(2), "{errors}");
    let document = command("json").output().unwrap().stdout;
    let document = serde_json::from_slice(&document).unwrap();
    (output.status.code(), table, document)
}

/// An error for each frame: 8 up and 1 down.
#[test]
fn errors_that_may_drive_a_sender_bus_off_leave_no_bound_and_say_so() {
    let text = two_ecus(SPEED, "");
    let (code, table, document) = bound_of(&text, &["--error-every", "10ms"]);
    assert_eq!(code, Some(1), "{table}");
    assert!(table.contains("bus-off"), "{table}");
    assert!(table.contains("assumed: an error every 10 ms"), "{table}");
    assert_eq!(document["streams"][0]["bound_ms"], serde_json::Value::Null);
    assert_eq!(document["assumed"]["errors"]["every_ms"], 10.0);
    assert_eq!(document["assumed"]["errors"]["at_once"], 1);

    let (code, table, document) = bound_of(&text, &["--error-every", "100ms"]);
    assert_eq!(code, Some(0), "{table}");
    assert!(document["streams"][0]["bound_ms"].is_f64());
    let (_, table, document) = bound_of(&text, &[]);
    assert!(table.contains("assumed: no errors"), "{table}");
    assert_eq!(document["assumed"]["errors"], serde_json::Value::Null);
}

#[test]
fn keys_are_included_unless_they_are_left_out() {
    let keys = "[[keys]]\nname = 'k'\norchestrator = 'tx'\n";
    let bound = |rest: &str, options: &[&str]| {
        let (_, table, document) = bound_of(&two_ecus(SPEED, rest), options);
        let bound = document["streams"][0]["bound_ms"].as_f64().unwrap();
        (bound, table, document["assumed"].clone())
    };
    let (none, table, assumed) = bound("", &[]);
    assert_eq!(assumed["keys"], "none", "{table}");
    let (left_out, table, assumed) = bound(keys, &["--without-keys"]);
    assert_eq!((left_out, &assumed["keys"]), (none, &"left-out".into()));
    assert!(table.contains("assumed: no keys are exchanged"), "{table}");
    let (polite, table, assumed) = bound(&format!("{keys}gives_way = true\n"), &[]);
    assert_eq!(assumed["keys"], "included", "{table}");
    let table_of = |assumed: &serde_json::Value| assumed["key_tables"][0].clone();
    assert_eq!(table_of(&assumed)["gives_way"], true);
    assert!(none < polite && polite < none + 0.4, "{none} {polite}");
    let (urgent, _, assumed) = bound(keys, &[]);
    assert_eq!(table_of(&assumed)["gives_way"], false);
    assert!(table_of(&assumed)["frames"].as_u64() > Some(45));
    assert!(urgent > polite, "{urgent} {polite}");
}

#[test]
fn offsets_keep_the_streams_of_one_sender_apart() {
    let stream = |(name, id, offset): (&str, u32, u32)| {
        format!(
            "{{ name = '{name}', id = {id}, length = 8, period = '10ms', offset = '{offset}ms', \
             receivers = ['rx'] }},\n"
        )
    };
    let sends: String = [("A", 0x100, 0), ("B", 0x101, 5), ("C", 0x102, 2)]
        .map(stream)
        .concat();
    let bounds = |options: &[&str]| {
        let (_, table, document) = bound_of(&two_ecus(&sends, ""), options);
        let rows = document["streams"].as_array().unwrap();
        let bounds: Vec<f64> = rows
            .iter()
            .map(|row| row["bound_ms"].as_f64().unwrap())
            .collect();
        (bounds, table, document["assumed"]["offsets"].clone())
    };
    let (any, table, used) = bounds(&[]);
    assert_eq!(used, false);
    assert!(table.contains("assumed: any offsets"), "{table}");
    let (known, table, used) = bounds(&["--offsets"]);
    assert_eq!(used, true);
    assert!(table.contains("keep their offsets"), "{table}");
    assert!(known.iter().zip(&any).all(|(known, any)| known <= any));
    assert!(known[2] < any[2], "{known:?} {any:?}");
}

#[test]
fn streams_without_receivers_are_counted_and_their_deadlines_skipped() {
    let sends = format!(
        "{SPEED}\n{{ name = 'T', id = 0x200, length = 8, period = '10ms', deadline = '1us' }},"
    );
    let (code, table, document) = bound_of(&two_ecus(&sends, ""), &[]);
    assert_eq!(code, Some(0), "{table}");
    assert!(table.contains("1 streams have no receivers"), "{table}");
    assert_eq!(document["streams"][1]["has_receivers"], false);
    assert_eq!(document["without_receivers"], 1);
}
