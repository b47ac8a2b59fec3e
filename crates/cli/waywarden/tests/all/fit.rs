//! `waywarden fit`: rows equal the commands on their files, forms of output, exit codes, bad input.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{json, waywarden, workspace};

const MATRIX: &str = "examples/matrix.dbc";

/// Options of a quick run: two candidates for each carrier.
const QUICK: [&str; 6] = [
    "--assume",
    "100ms",
    "--profiles",
    "autosar-1",
    "--duration",
    "400ms",
];

fn fit(file: &str, options: &[&str]) -> assert_cmd::Command {
    let mut command = waywarden();
    command.arg("fit").arg(file).args(options);
    command
}

fn quick(options: &[&str]) -> assert_cmd::Command {
    let mut command = fit(MATRIX, &QUICK);
    command.args(options);
    command
}

/// Standard error of a command that refuses its input.
fn refused(command: &mut assert_cmd::Command) -> String {
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn each_row_has_the_figures_that_run_and_bus_bound_print_for_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rows");
    let mut command = quick(&["--format", "json", "--out"]);
    let fit = json(command.arg(&out));
    let rows = fit["rows"].as_array().unwrap();
    assert_eq!(fs::read_dir(&out).unwrap().count(), rows.len());
    for row in rows {
        let name = row["name"].as_str().unwrap();
        let file = out.join(format!("{name}.toml"));
        let run = json(waywarden().arg("run").arg(&file).args(["--format", "json"]));
        assert_eq!(row["load"], run["buses"][0]["load"], "{name}");
        assert_eq!(row["start_up_ms"], run["start_up_ms"], "{name}");
        let mut bound = waywarden();
        bound.args(["bus", "bound"]).arg(&file);
        let bound = json(bound.args(["--no-simulate", "--format", "json"]));
        for message in row["messages"].as_array().unwrap() {
            let of = |all: &Value| {
                let mut all = all["streams"].as_array().unwrap().iter();
                all.find(|one| one["stream"] == message["stream"]).cloned()
            };
            let (run, bound) = (of(&run).unwrap(), of(&bound).unwrap());
            assert_eq!(message["simulated_ms"], run["worst_ms"], "{name}");
            assert_eq!(message["bound_ms"], bound["bound_ms"], "{name}");
        }
        let worst = |rows: &Value, key: &str| {
            let all = rows["streams"].as_array().unwrap().iter();
            let shares = all
                .filter_map(|one| Some(one[key].as_f64()? / one["deadline_ms"].as_f64().unwrap()));
            shares.fold(0.0, f64::max)
        };
        assert_eq!(row["simulated"]["share"], worst(&run, "worst_ms"), "{name}");
        assert_eq!(row["bound"]["share"], worst(&bound, "bound_ms"), "{name}");
    }
    // The folder is not empty any more.
    let text = refused(quick(&["--out"]).arg(&out));
    assert!(text.contains("is not empty; name a new folder"), "{text}");
}

#[test]
fn table_csv_page_and_vehicle_say_the_same() {
    let table = quick(&[]).output().unwrap();
    assert_eq!(table.status.code(), Some(0));
    let table = String::from_utf8(table.stdout).unwrap();
    let conclusion = table.lines().next().unwrap();
    let conclusion = conclusion.strip_prefix("matrix: ").unwrap();
    let document = json(&mut quick(&["--format", "json", "--jobs", "1"]));
    assert_eq!(document["conclusion_text"], conclusion);
    let rows = document["rows"].as_array().unwrap();
    let csv = quick(&["--format", "csv"]).output().unwrap();
    let csv = String::from_utf8(csv.stdout).unwrap();
    assert_eq!(csv.lines().count(), rows.len() + 1);
    assert!(
        csv.starts_with("number,name,profile,freshness_bits,code_bits,carrier,"),
        "{csv}"
    );
    let page = quick(&["--html", "-"]).output().unwrap();
    assert!(String::from_utf8(page.stdout).unwrap().contains(conclusion));
    let vehicle = quick(&["--print-vehicle"]).output().unwrap();
    let vehicle = String::from_utf8(vehicle.stdout).unwrap();
    assert!(
        vehicle.starts_with(&format!("# {conclusion}\n")),
        "{vehicle}"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("best.toml");
    fs::write(&path, vehicle).unwrap();
    let check = waywarden().arg("check").arg(&path).output().unwrap();
    assert_eq!(check.status.code(), Some(0));
}

#[test]
fn bad_input_is_refused_with_its_remedy() {
    let text = refused(&mut quick(&["--protect", "EngineSped"]));
    assert!(
        text.contains("EngineSped") && text.contains("EngineSpeed"),
        "{text}"
    );
    let text = refused(&mut quick(&["--truncations", "8-56"]));
    assert!(text.contains("8/56"), "{text}");
    let text = refused(&mut quick(&["--share", "1.5"]));
    assert!(text.contains("above 0 and at most 1"), "{text}");
    let text = refused(&mut quick(&["--profiles", "autosar-9"]));
    assert!(text.contains("production, jaspar, autosar-1"), "{text}");
    let text = refused(&mut fit("examples/minimal.toml", &["--assume", "10ms"]));
    assert!(text.contains("--assume is for message matrices"), "{text}");
    // None of the messages has a period.
    let folder = tempfile::tempdir().unwrap();
    let matrix = fs::read_to_string(workspace().join(MATRIX)).unwrap();
    let timeless: Vec<&str> = matrix
        .lines()
        .filter(|line| !line.starts_with("BA_"))
        .collect();
    let path = folder.path().join("timeless.dbc");
    fs::write(&path, timeless.join("\n")).unwrap();
    let text = refused(&mut fit(&path.display().to_string(), &[]));
    for part in [
        "3 of 3 messages have no period: EngineSpeed",
        "--log LOG",
        "GenMsgCycleTime",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // With one that has none it is left out.
    let warned = fit(MATRIX, &QUICK[2..]).output().unwrap();
    let text = String::from_utf8(warned.stderr).unwrap();
    assert!(
        text.contains("1 of 3 messages has no period: DisplayState"),
        "{text}"
    );
    // So says the document, and the choice of that message has the remedy.
    let document = json(&mut fit(
        MATRIX,
        &[&QUICK[2..], &["--format", "json"]].concat(),
    ));
    let said = document["changes_text"].to_string();
    assert!(
        said.contains("1 message has no period: DisplayState"),
        "{said}"
    );
    let text = refused(&mut fit(MATRIX, &["--protect", "Display*"]));
    for part in [
        "message \"DisplayState\" has no period",
        "--log LOG",
        "--assume TIME",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_recording_replaces_periods_and_lengths() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("drive.log");
    let line =
        |at: u32, frame: &str| format!("({}.{:06}) can0 {frame}\n", at / 1_000, at % 1_000 * 1_000);
    let mut text = String::new();
    for turn in 0..40 {
        text += &line(turn * 20, "100#11223344");
        text += &line(turn * 20 + 3, "7A0#00");
    }
    fs::write(&log, text).unwrap();
    let fit = quick(&["--format", "json", "--log"])
        .arg(&log)
        .output()
        .unwrap();
    let errors = String::from_utf8(fit.stderr).unwrap();
    assert!(
        errors.contains("1 identifier of the log belongs to no message"),
        "{errors}"
    );
    let fit: Value = serde_json::from_slice(&fit.stdout).unwrap();
    let changes = fit["changes_text"].to_string();
    for part in [
        "EngineSpeed as recorded: every 20 ms instead of 10 ms, 4 bytes instead of 8",
        "1 identifier of the recording belongs to no message, and its load is not counted: 0x7A0",
    ] {
        assert!(changes.contains(part), "{changes}");
    }
    let message = &fit["rows"][0]["messages"][0];
    assert_eq!(
        (&message["period_ms"], &message["payload_bytes"]),
        (&20.0.into(), &4.into())
    );
    assert!(Path::new(&log).is_file());
}

/// Writes 40 instances of two messages of the matrix on `bus`, and one of them on `other`.
fn two_channels(bus: &str, other: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("drive.log");
    let mut text = String::new();
    for turn in 0..40_u32 {
        let mut line = |after: u32, channel: &str, frame: &str| {
            let ms = turn * 20 + after;
            text += &format!("({}.{:03}000) {channel} {frame}\n", ms / 1_000, ms % 1_000);
        };
        line(0, bus, "100#11223344");
        line(1, bus, "200#11");
        // The same identifier at another time on the other bus.
        line(7, other, "100#11223344556677");
        line(8, other, "7A0#00");
        // No message: its data would have no byte, and its period be half as long.
        line(12, bus, "200#R");
    }
    fs::write(&log, text).unwrap();
    (folder, log)
}

#[test]
fn one_channel_of_a_recording_is_the_bus_and_remote_frames_are_no_messages() {
    let (_folder, log) = two_channels("can0", "can1");
    let said = |options: &[&str]| {
        let mut command = quick(&["--format", "json", "--log"]);
        let output = command.arg(&log).args(options).output().unwrap();
        let fit: Value = serde_json::from_slice(&output.stdout).unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        (fit["changes_text"].to_string(), errors)
    };
    let (changes, errors) = said(&[]);
    for part in [
        "EngineSpeed as recorded: every 20 ms instead of 10 ms, 4 bytes instead of 8",
        "DisplayState as recorded: 1 byte instead of 4",
    ] {
        assert!(changes.contains(part), "{changes}");
    }
    for part in [
        "channel can0 is taken, which has most of the identifiers: can0 (2 of 2 identifiers \
         known), can1 (1 of 2 identifiers known)",
        "40 remote frames left out: no messages",
    ] {
        assert!(errors.contains(part), "{errors}");
    }
    let (changes, errors) = said(&["--channel", "can1"]);
    assert!(changes.contains("7 bytes instead of 8"), "{changes}");
    assert!(!errors.contains("is taken"), "{errors}");
    let text = refused(quick(&["--channel", "can2", "--log"]).arg(&log));
    assert!(text.contains("no message is on channel can2"), "{text}");
    assert!(text.contains("can0 (2 of 2"), "{text}");
}

#[test]
fn a_recording_whose_channels_are_alike_is_refused_with_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("drive.log");
    fs::write(&log, "(0.0) can0 100#11\n(0.1) can1 120#11\n").unwrap();
    let text = refused(quick(&["--log"]).arg(&log));
    for part in ["name it with --channel", "can0 (1 of 1", "can1 (1 of 1"] {
        assert!(text.contains(part), "{text}");
    }
    // So it is with `bus import`.
    let mut import = waywarden();
    import.args(["bus", "import", MATRIX, "--log"]).arg(&log);
    let text = refused(&mut import);
    assert!(text.contains("name it with --channel"), "{text}");
    let output = import.args(["--channel", "can0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn what_fits_not_ends_with_exit_code_1() {
    // 8 bytes of payload leave no room for a code.
    let options = ["--protect", "EngineSpeed", "--carriers", "in-message"];
    let output = quick(&options).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    for part in [
        "No candidate protects a message",
        "message \"EngineSpeed\" has 8 bytes, and freshness and code take 4 of the 8",
    ] {
        assert!(text.contains(part), "{text}");
    }
    // Without a vehicle file the reasons are beside the errors.
    let output = quick(&options).arg("--print-vehicle").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("not possible: ") && text.contains("take 4 of the 8"),
        "{text}"
    );
}

#[test]
fn written_vehicle_files_find_the_boards_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let board = workspace().join("crates/base/boards/data/tc297.toml");
    fs::copy(board, folder.path().join("own.toml")).unwrap();
    let car = fs::read_to_string(workspace().join("examples/minimal.toml")).unwrap();
    let car = car.replacen("[vehicle]", "[vehicle]\nboard = \"own.toml\"", 1);
    let path = folder.path().join("car.toml");
    fs::write(&path, car).unwrap();
    let out = folder.path().join("rows");
    let mut command = fit(&path.display().to_string(), &["--profiles", "autosar-1"]);
    command.args(["--duration", "200ms", "--out"]).arg(&out);
    command.output().unwrap();
    let row = fs::read_dir(&out).unwrap().next().unwrap().unwrap();
    let run = waywarden().arg("run").arg(row.path()).output().unwrap();
    let errors = String::from_utf8(run.stderr).unwrap();
    assert_ne!(run.status.code(), Some(2), "{errors}");
}
