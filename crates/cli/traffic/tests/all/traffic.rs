//! `waywarden traffic run`: vehicles of a trace on the radio channel.

mod cam_rules;
mod folders;
mod policies;
mod stack;
mod traces;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{json, waywarden};

/// Vehicles one behind the other, 20 m apart, at 20 m/s for so many tenths of a second. The last
/// one leaves half-way.
fn trace(folder: &Path, vehicles: u32, steps: u32) -> PathBuf {
    let mut text = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n".to_owned();
    for step in 0..steps {
        for vehicle in 0..vehicles {
            if vehicle + 1 == vehicles && step >= steps / 2 {
                continue;
            }
            let x = 20 * vehicle + 2 * step;
            let _ = writeln!(text, "{:.1};v{vehicle};{x};0", f64::from(step) / 10.0);
        }
    }
    let path = folder.join("trace.csv");
    fs::write(&path, text).unwrap();
    path
}

fn figures(path: &Path, more: &[&str]) -> Value {
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(path);
    json(command.args(["--format", "json"]).args(more))
}

#[test]
fn vehicles_near_each_other_hear_nearly_everything() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 10, 100);
    let found = figures(&path, &[]);
    assert_eq!(found["vehicles_at_most"], 10);
    // Nine of them for ten seconds, one for five, ten messages a second.
    let sent = found["messages_sent"].as_u64().unwrap();
    assert!((940..=950).contains(&sent), "{found}");
    let windows = &found["received_in_100ms"];
    // A hundred windows of nine vehicles, and fifty of the one that leaves.
    assert_eq!(windows["windows"], 950);
    let mean = windows["mean"].as_f64().unwrap();
    assert!((8.0..=9.0).contains(&mean), "{found}");
    let delivered = found["delivered_by_distance"].as_array().unwrap();
    assert_eq!(delivered.len(), 4);
    assert!(
        delivered
            .iter()
            .all(|one| one["share"].as_f64().unwrap() > 0.95)
    );
    // A tenth of a milliwatt does not reach the end of the queue.
    let weak = figures(&path, &["--power", "0.1"]);
    let share = |figures: &Value, bin: usize| {
        figures["delivered_by_distance"][bin]["share"]
            .as_f64()
            .unwrap()
    };
    assert!(share(&weak, 0) > 0.9 && share(&weak, 3) < 0.01, "{weak}");
}

#[test]
fn same_seed_gives_the_same_figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 60, 30);
    let run = |seed| figures(&path, &["--seed", seed, "--rate", "20"]);
    assert_eq!(run("3"), run("3"));
    assert_ne!(run("3"), run("4"));
    let output = waywarden()
        .args(["traffic", "run"])
        .arg(&path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("received in 100 ms, 99th percentile"),
        "{text}"
    );
}

/// The rows of a log.
fn rows(path: &Path) -> Vec<csv::StringRecord> {
    let file = fs::File::open(path).unwrap();
    let mut reader = csv::Reader::from_reader(flate2::read::GzDecoder::new(file));
    reader.records().map(Result::unwrap).collect()
}

#[test]
fn a_log_has_each_message_that_the_summary_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 6, 200);
    let out = folder.path().join("out");
    let out_text = out.to_str().unwrap();
    let options = [
        "--board",
        "arm11",
        "--policy",
        "safety",
        "--policy",
        "circle:30m,exclusive",
        "--attack",
        "stolen-names",
        "--messages",
        "csv",
        "--out",
        out_text,
    ];
    let found = figures(&path, &options);
    let received = rows(&out.join("received.csv.gz"));
    let is_false = |row: &&csv::StringRecord| &row[6] == "true";
    let count = |name: &str| found[name].as_u64().unwrap() as usize;
    assert_eq!(
        received.iter().filter(is_false).count(),
        count("false_messages_received")
    );
    assert_eq!(
        received.iter().filter(|row| !is_false(row)).count(),
        count("messages_received")
    );
    let decided = rows(&out.join("decided.csv.gz"));
    for cell in found["verified_in_time"].as_array().unwrap() {
        let policy = cell["policy"].as_str().unwrap();
        let own: Vec<_> = decided.iter().filter(|row| &row[8] == policy).collect();
        // All six verify, so each reception is decided once for each policy.
        assert_eq!(own.len(), received.len(), "{policy}");
        let relevant = own.iter().filter(|row| &row[9] != "0");
        let verdicts = |code: &str| relevant.clone().filter(|row| &row[10] == code).count() as u64;
        assert_eq!(cell["messages_in_time"], verdicts("in-time"), "{policy}");
        assert_eq!(cell["messages_late"], verdicts("late"), "{policy}");
        assert_eq!(cell["messages_dropped"], verdicts("dropped"), "{policy}");
        assert_eq!(cell["messages_skipped"], verdicts("skipped"), "{policy}");
        let seconds = |row: &csv::StringRecord, at: usize| row[at].parse::<f64>().unwrap();
        assert!(own.iter().all(|row| seconds(row, 11) >= seconds(row, 0)));
    }
    let windows = fs::read_to_string(out.join("windows.csv")).unwrap();
    let sum: u64 = windows.lines().skip(1).map(|line| column(line, 2)).sum();
    assert_eq!(sum as usize, count("messages_received"));
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("circle:30m,exclusive") && page.contains("</svg>"));
}

fn column(line: &str, at: usize) -> u64 {
    line.split(',').nth(at).unwrap().parse().unwrap()
}

#[test]
fn channel_switching_and_slow_frames_cost_messages() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 80, 50);
    let received = |more: &[&str]| figures(&path, more)["messages_received"].as_u64().unwrap();
    let plain = received(&[]);
    assert!(received(&["--channel-switching"]) < plain);
    assert!(received(&["--data-rate", "3"]) < plain);
    // Faster frames are shorter, but do not reach as far.
    assert!(received(&["--data-rate", "27"]) < plain);
    assert!(received(&["--frames", "subframes"]) < plain);
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    command.args([
        "--channel-switching",
        "--frames",
        "subframes",
        "--bytes",
        "2000",
    ]);
    let output = command.args(["--subframe-bytes", "20"]).assert().code(2);
    let error = String::from_utf8_lossy(&output.get_output().stderr).into_owned();
    assert!(error.contains("100.0 ms, longer than the 46 ms"), "{error}");
}

#[test]
fn csv_has_the_figures_of_the_json_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 3, 20);
    let options = ["--board", "a53", "--policy", "fifo", "--receivers", "2"];
    let found = figures(&path, &options);
    let output = waywarden()
        .args(["traffic", "run"])
        .arg(&path)
        .args(options)
        .args(["--format", "csv"])
        .output()
        .unwrap();
    let mut table = csv::Reader::from_reader(output.stdout.as_slice());
    assert_eq!(table.headers().unwrap(), ["figure", "value"].as_slice());
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let value = |figure: &str| {
        let row = rows.iter().find(|row| &row[0] == figure);
        row.unwrap_or_else(|| panic!("no {figure}: {rows:?}"))[1]
            .parse::<f64>()
            .unwrap()
    };
    assert_eq!(
        Some(value("messages_sent")),
        found["messages_sent"].as_f64()
    );
    let cell = &found["verified_in_time"][0];
    assert_eq!(
        Some(value("verified_in_time/a53 fifo/messages_in_time")),
        cell["messages_in_time"].as_f64()
    );
}
