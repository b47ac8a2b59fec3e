//! `waywarden start-up`: the situations of a car, forms of output, exit codes, bad input, and the
//! page about it.

use std::fs;

use crate::support::{json, tables, waywarden, workspace};

const PROTECTED: &str = "examples/compact-car-protected.toml";

/// A car whose ECUs agree on the key of a stream; computing takes no time.
const CAR: &str = r#"
[vehicle]
name = "small"
duration = "3s"
[[bus]]
name = "can"
bitrate = "500k"
data_bitrate = "2M"
[[ecu]]
name = "engine"
ports = ["can"]
sends = [{ name = "Speed", id = 0x280, length = 8, period = "10ms", receivers = ["cluster"] }]
[[ecu]]
name = "cluster"
ports = ["can"]
[[ecu]]
name = "radio"
ports = ["can"]
[[keys]]
name = "core"
orchestrator = "engine"
members = ["cluster"]
[[authentication]]
name = "messages"
scheme = "secoc"
profile = "production"
master = "engine"
group = "core"
before_first_key = "retained"
protect = ["Speed"]
"#;

struct Car {
    folder: tempfile::TempDir,
}

impl Car {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("car.toml"), text).unwrap();
        Car { folder }
    }

    fn start_up(&self, options: &[&str]) -> assert_cmd::Command {
        let mut command = waywarden();
        command
            .arg("start-up")
            .arg(self.folder.path().join("car.toml"));
        command.args(options);
        command
    }

    /// Ends with exit code 2 and says this.
    fn is_refused(&self, options: &[&str], expected: &str) {
        let output = self.start_up(options).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(expected), "{text}");
    }
}

/// The page explains each column and each situation of its example, which `commands.rs` compares
/// with what the command prints.
#[test]
fn the_page_explains_its_example() {
    let page = fs::read_to_string(workspace().join("docs/start-up.md")).unwrap();
    let (_, example) = page.split_once("```console\n$ waywarden ").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (command, text) = example.split_once('\n').unwrap();
    let (command, remark) = command.split_once("  #").unwrap();
    assert!(remark.contains("exit code 1") && command.contains(PROTECTED));
    let tables = tables(text);
    for header in tables.iter().flat_map(|table| &table[0]) {
        assert!(page.contains(&format!("| {header} |")), "{header}");
    }
    let situations: Vec<&str> = tables[0]
        .iter()
        .skip(1)
        .map(|row| row[0].as_str())
        .collect();
    let expected = [
        "as the file says",
        "stored keys",
        "key exchange",
        "brown-out",
        "replaced ECU",
    ];
    assert_eq!(situations, expected);
    for situation in expected {
        assert!(page.contains(&format!("| {situation} |")), "{situation}");
    }
}

#[test]
fn json_has_every_replaced_ecu_however_many_run_at_a_time() {
    let car = Car::new(CAR);
    let of = |jobs: &str| json(&mut car.start_up(&["--format", "json", "--jobs", jobs]));
    let (one, four) = (of("1"), of("4"));
    assert_eq!(one, four);
    assert_eq!(one["situations"].as_array().unwrap().len(), 5);
    let replaced = one["replaced"].as_array().unwrap().iter();
    let replaced: Vec<_> = replaced.map(|row| row["replaced"].as_str()).collect();
    assert_eq!(replaced, [Some("engine"), Some("cluster")]);
    let stored = &one["situations"][1];
    assert_eq!((&stored["waits"], &stored["never"]), (&1.into(), &0.into()));
    assert_eq!(stored["longest"]["stream"], "Speed");
    assert!(stored["met"].is_null() && one["required_text"].is_null());
}

#[test]
fn csv_has_a_line_for_each_situation_and_each_replaced_ecu() {
    let output = Car::new(CAR).start_up(&["--format", "csv"]).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(text.lines().count(), 1 + 4 + 2, "{text}");
    assert!(text.starts_with("situation,replaced,waits,never,late,longest."));
}

#[test]
fn the_exit_code_says_whether_authentic_within_is_met_everywhere() {
    Car::new(CAR).start_up(&[]).assert().code(0);
    let with = |bound: &str| {
        let car = Car::new(&format!("{CAR}[require]\nauthentic_within = \"{bound}\"\n"));
        let output = car.start_up(&["--ecu", "cluster"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), text)
    };
    let (code, text) = with("2s");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("met in 5 of 5 situations"), "{text}");
    let (code, text) = with("1ms");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("MISSED key exchange: 1 of 1 waits"), "{text}");
}

#[test]
fn a_situation_that_the_file_cannot_have_is_listed_once_with_the_reason() {
    let (before, after) = CAR.split_once("[[keys]]").unwrap();
    let (_, after) = after.split_once("[[authentication]]").unwrap();
    let after = after.replace("group = \"core\"\nbefore_first_key = \"retained\"\n", "");
    let car = Car::new(&format!("{before}[[authentication]]{after}"));
    let output = car.start_up(&[]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    let listed = text.matches("not possible: key exchange: ").count();
    assert!(
        listed == 1 && text.contains("all keys are in place"),
        "{text}"
    );
    // Two ECUs are replaced, and the run is too short for both of them for one reason.
    let output = car.start_up(&["--duration", "100ms"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        text.matches("not possible: replaced ECU: ").count(),
        1,
        "{text}"
    );
}

#[test]
fn bad_input_is_answered_with_what_there_is() {
    let car = Car::new(CAR);
    car.is_refused(&["--ecu", "engin"], "did you mean \"engine\"?");
    car.is_refused(&["--ecu", "radio"], "send or check: engine, cluster");
    car.is_refused(&["--duration", "0s"], "duration");
    let broken = CAR.replace("master = \"engine\"", "master = \"engin\"");
    Car::new(&broken).is_refused(&[], "did you mean \"engine\"?");
    let (open, _) = CAR.split_once("[[authentication]]").unwrap();
    Car::new(open).is_refused(
        &[],
        "no ECU checks messages from power-on on: add [[authentication]]",
    );
    waywarden()
        .args(["start-up", "no-such-file.toml"])
        .assert()
        .code(2);
}
