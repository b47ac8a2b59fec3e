//! The DBC files of the corpus: cantools reads the same messages, and each file becomes a vehicle
//! file that parses.

use std::path::PathBuf;
use std::process::Command;

use waywarden_testkit::{corpus, python_with};
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::dbc::{self, DbcOptions, Matrix};
use waywarden_work::Duration;

const FILES: [&str; 6] = [
    "ford_lincoln_base_pt",
    "gm_global_a_object",
    "hyundai_canfd",
    "toyota_secoc_pt",
    "vw_mqb",
    "vw_pq",
];

/// Returns the path of a DBC file; `None` (with a message) where there is no corpus.
fn database(name: &str) -> Option<PathBuf> {
    corpus(&format!("can/dbc/{name}.dbc"))
}

fn import(path: &PathBuf) -> Matrix {
    let bytes = std::fs::read(path).unwrap();
    dbc::import(&dbc::decode(&bytes))
        .unwrap_or_else(|error| panic!("{}:{:?}: {error}", path.display(), error.line()))
}

/// The same lines as `dbc_oracle.py` prints.
fn lines(matrix: &Matrix) -> Vec<String> {
    let sorted = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort();
        names.join(",")
    };
    let line = |message: &dbc::DbcMessage| {
        let cycle = message.cycle_time.unwrap_or(Duration::ZERO).as_nanos() / 1_000_000;
        format!(
            "{}|{}|{}|{}|{}|{cycle}",
            message.id,
            message.name,
            message.length,
            sorted(&message.senders),
            sorted(&message.receivers)
        )
    };
    matrix.messages.iter().map(line).collect()
}

#[test]
fn cantools_reads_the_same_messages() {
    let Some(python) = python_with("cantools") else {
        return;
    };
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/all/dbc_oracle.py");
    for name in FILES {
        let Some(path) = database(name) else {
            return;
        };
        let output = Command::new(&python)
            .arg(&script)
            .arg(&path)
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let mut theirs: Vec<String> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect();
        let mut ours = lines(&import(&path));
        theirs.sort();
        ours.sort();
        assert!(!ours.is_empty(), "{name}");
        assert_eq!(ours, theirs, "{name}");
    }
}

#[test]
fn every_matrix_becomes_a_vehicle_file() {
    for (name, messages) in FILES.into_iter().zip([331, 59, 51, 16, 113, 86]) {
        let Some(path) = database(name) else {
            return;
        };
        let matrix = import(&path);
        assert_eq!(matrix.messages.len(), messages, "{name}");
        let options = DbcOptions {
            assumed: Some(Duration::from_millis(100)),
            ..DbcOptions::default()
        };
        let text = dbc::to_vehicle_toml(&matrix, &options);
        let file = VehicleFile::parse(name, &text).unwrap_or_else(|errors| panic!("{errors}"));
        assert_eq!(file.streams.len(), messages, "{name}");
    }
}
