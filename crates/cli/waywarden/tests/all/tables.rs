//! CSV tables: read with pandas, each cell is what the JSON document has.

use std::fs;
use std::path::Path;
use std::process::Command;

use waywarden_testkit::{output_of, python_with};

use crate::support::{waywarden, workspace};

/// The tables of a run, and where the JSON document has their rows.
const RUN_TABLES: &[(&str, &str)] = &[
    ("streams", "streams"),
    ("ecus", "ecus"),
    ("buses", "buses"),
    ("requirements", "requirements"),
    ("attacks", "attacks"),
    ("taken-messages", "attacks.taken_by"),
    ("key-deceptions", "attacks.key_deceived"),
    ("verdicts", "authentication.checks"),
    ("authentication", "authentication"),
    ("first-authentic", "first_authentic"),
    ("groups", "groups"),
    ("group-ecus", "groups.ecus"),
    ("group-networks", "groups.networks"),
    ("subgroups", "groups.subgroups"),
    ("group-steps", "groups.steps"),
    ("security-modules", "security_modules"),
    ("security-module-boots", "security_modules.boots"),
    ("security-module-ecus", "security_modules.ecus"),
    ("granted-keys", "security_modules.streams"),
    (
        "granted-key-receivers",
        "security_modules.streams.receivers",
    ),
    ("security-load", "security_load"),
    ("displays", "displays"),
    ("costs", "costs"),
];

/// A vehicle whose identifiers and names look like numbers to programs that guess: `1E5`, `010`.
const NUMBERS: &str = "\
[vehicle]
name = \"1e5\"
duration = \"100ms\"

[[bus]]
name = \"010\"
bitrate = \"500k\"

[[ecu]]
name = \"engine\"
ports = [\"010\"]

[[ecu]]
name = \"cluster\"
ports = [\"010\"]

[[stream]]
name = \"Speed\"
id = 0x1E5
sender = \"engine\"
receivers = [\"cluster\"]
length = 8
period = \"10ms\"

[[stream]]
name = \"Torque\"
id = 0x10
extended = true
sender = \"engine\"
receivers = [\"cluster\"]
length = 8
period = \"10ms\"
";

/// Runs a command with a table as CSV and its document as JSON, and compares them.
fn compare(
    folder: &Path,
    python: &Path,
    command: &[&str],
    table: Option<&str>,
    rows: &str,
) -> String {
    let print = |format: &[&str], name: &str| {
        let output = waywarden().args(command).args(format).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.stdout.is_empty(),
            "{command:?} {format:?}: {errors}"
        );
        let path = folder.join(name);
        fs::write(&path, output.stdout).unwrap();
        path
    };
    let named = table.map(|table| ["--table", table]);
    let csv: Vec<&str> = ["--format", "csv"]
        .into_iter()
        .chain(named.into_iter().flatten())
        .collect();
    let csv = print(&csv, "table.csv");
    let json = print(&["--format", "json"], "document.json");
    let script = workspace().join("crates/cli/waywarden/tests/all/tables/compare.py");
    let mut compare = Command::new(python);
    output_of(compare.arg(script).arg(csv).arg(json).arg(rows))
}

#[test]
fn every_table_of_a_run_is_read_without_loss() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let protected = [
        "run",
        "crates/cli/waywarden/src/init/vehicle.toml",
        "--duration",
        "1s",
    ];
    for (table, rows) in RUN_TABLES {
        compare(folder.path(), &python, &protected, Some(table), rows);
    }
    let attacked = [
        "run",
        "examples/compact-car-attack.toml",
        "--duration",
        "2s",
    ];
    for (table, rows) in [
        ("attacks", "attacks"),
        ("taken-messages", "attacks.taken_by"),
    ] {
        let found = compare(folder.path(), &python, &attacked, Some(table), rows);
        assert!(!found.starts_with("0 "), "{table}: {found}");
    }
    let granted = ["run", "examples/trailer.toml", "--duration", "3s"];
    for (table, rows) in RUN_TABLES {
        let has = ["group", "subgroups", "streams", "ecus"];
        if has.iter().any(|name| table.contains(name)) {
            compare(folder.path(), &python, &granted, Some(table), rows);
        }
    }
}

#[test]
fn identifiers_that_look_like_decimal_numbers_stay_what_they_are() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let car = folder.path().join("car.toml");
    fs::write(&car, NUMBERS).unwrap();
    let car = car.to_str().unwrap();
    let output = waywarden()
        .args(["run", car, "--format", "csv"])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Speed,485,0x1E5,false,"), "{text}");
    assert!(text.contains("Torque,16,0x00000010,true,"), "{text}");
    let rows = "import pandas, sys; f = pandas.read_csv(sys.argv[1]); \
                print(list(f.id), list(f.id_hex), list(f.extended))";
    let csv = folder.path().join("streams.csv");
    fs::write(&csv, text).unwrap();
    let read = output_of(Command::new(&python).args(["-c", rows]).arg(csv));
    let expected = "[485, 16] ['0x1E5', '0x00000010'] [False, True]\n";
    assert_eq!(read, expected);
}

#[test]
fn tables_of_other_commands_are_read_without_loss() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let all: &[(&str, &str)] = &[
        (
            "bus load examples/drive.log --bitrate 500k --data-bitrate 2M",
            "channels.ids",
        ),
        ("bus bound examples/minimal.toml", "streams"),
        ("bus bits 123##1AABB", "bits"),
        ("boards", "rows"),
        ("boards tc3xx-hsm", "rows"),
        ("papers gke", "rows"),
        ("keys --ecus 3", "time_line"),
        (
            "auth check examples/drive.log --config examples/auth.toml",
            "streams",
        ),
        ("auth attacks --only leia-as-published", "rows"),
        ("compare examples/minimal.toml --keys none", "variants"),
    ];
    for (command, rows) in all {
        let words: Vec<&str> = command.split(' ').collect();
        compare(folder.path(), &python, &words, None, rows);
    }
}

#[test]
fn table_is_refused_without_csv() {
    let output = waywarden()
        .args(["run", "examples/minimal.toml", "--table", "buses"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("--table is for --format csv"), "{error}");
}
