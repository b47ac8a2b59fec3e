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

/// Tables as CSV and where a JSON document has the rows of each, to be compared by one program:
/// its start takes longer than all that it compares.
struct Comparison<'a> {
    folder: &'a Path,
    /// For each table: the CSV file, the JSON file, the place of the rows.
    tables: Vec<[String; 3]>,
    files: usize,
}

impl<'a> Comparison<'a> {
    fn new(folder: &'a Path) -> Self {
        Comparison {
            folder,
            tables: Vec::new(),
            files: 0,
        }
    }

    /// Runs a command; returns the file of what it prints.
    fn print(&mut self, command: &[&str], format: &[&str]) -> String {
        let output = waywarden().args(command).args(format).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.stdout.is_empty(),
            "{command:?} {format:?}: {errors}"
        );
        self.files += 1;
        let path = self.folder.join(self.files.to_string());
        fs::write(&path, output.stdout).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Adds tables of a command and the places of their rows in its document.
    fn add(&mut self, command: &[&str], tables: &[(Option<&str>, &str)]) {
        let document = self.print(command, &["--format", "json"]);
        for (table, rows) in tables {
            let named = table.map(|table| ["--table", table]);
            let csv: Vec<&str> = ["--format", "csv"]
                .into_iter()
                .chain(named.into_iter().flatten())
                .collect();
            let csv = self.print(command, &csv);
            let rows = (*rows).to_owned();
            self.tables.push([csv, document.clone(), rows]);
        }
    }

    /// Compares all of them; returns how many rows each has.
    fn rows(&self, python: &Path) -> Vec<usize> {
        let script = workspace().join("crates/cli/waywarden/tests/all/tables/compare.py");
        let mut compare = Command::new(python);
        compare.arg(script).args(self.tables.iter().flatten());
        let counts = output_of(&mut compare);
        let counts = counts.lines().filter_map(|line| line.split(' ').next());
        let counts: Vec<usize> = counts.map(|count| count.parse().unwrap()).collect();
        assert_eq!(counts.len(), self.tables.len());
        counts
    }
}

#[test]
fn every_table_of_a_run_is_read_without_loss() {
    let Some(python) = python_with("pandas") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let mut comparison = Comparison::new(folder.path());
    let attacked = [
        "run",
        "examples/compact-car-attack.toml",
        "--duration",
        "2s",
    ];
    let attacks = [
        (Some("attacks"), "attacks"),
        (Some("taken-messages"), "attacks.taken_by"),
    ];
    comparison.add(&attacked, &attacks);
    let all: Vec<_> = RUN_TABLES
        .iter()
        .map(|(table, rows)| (Some(*table), *rows))
        .collect();
    let protected = [
        "run",
        "crates/cli/waywarden/src/init/vehicle.toml",
        "--duration",
        "1s",
    ];
    comparison.add(&protected, &all);
    let granted = ["run", "examples/trailer.toml", "--duration", "3s"];
    let has = ["group", "subgroups", "streams", "ecus"];
    let of_groups = all.iter().copied().filter(|(table, _)| {
        let table = table.unwrap_or_default();
        has.iter().any(|name| table.contains(name))
    });
    comparison.add(&granted, &of_groups.collect::<Vec<_>>());
    let rows = comparison.rows(&python);
    assert!(rows[..attacks.len()].iter().all(|count| *count > 0));
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
    let mut comparison = Comparison::new(folder.path());
    let all: &[(&str, &str)] = &[
        (
            "bus load examples/drive.log --bitrate 500k --data-bitrate 2M",
            "channels.ids",
        ),
        ("bus bound examples/minimal.toml", "streams"),
        ("bus bits 123##1AABB", "bits"),
        ("boards", "rows"),
        ("boards tc3xx-hsm", "rows"),
        ("boards --compare m4f-emulated m4", "rows"),
        ("boards --memory", "rows"),
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
        comparison.add(&words, &[(None, *rows)]);
    }
    comparison.rows(&python);
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
