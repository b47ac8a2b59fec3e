//! `waywarden traffic run`: vehicles of a trace on the radio channel.

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
    assert_eq!(found["vehiclesAtMost"], 10);
    // Nine of them for ten seconds, one for five, ten messages a second.
    let sent = found["messagesSent"].as_u64().unwrap();
    assert!((940..=950).contains(&sent), "{found}");
    let windows = &found["receivedIn100ms"];
    // A hundred windows of nine vehicles, and fifty of the one that leaves.
    assert_eq!(windows["windows"], 950);
    let mean = windows["mean"].as_f64().unwrap();
    assert!((8.0..=9.0).contains(&mean), "{found}");
    let delivered = found["deliveredByDistance"].as_array().unwrap();
    assert_eq!(delivered.len(), 4);
    assert!(
        delivered
            .iter()
            .all(|one| one["share"].as_f64().unwrap() > 0.95)
    );
    // A tenth of a milliwatt does not reach the end of the queue.
    let weak = figures(&path, &["--power", "0.1"]);
    let share = |figures: &Value, bin: usize| {
        figures["deliveredByDistance"][bin]["share"]
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
    assert!(text.contains("received in 100 ms, 99 %"), "{text}");
}

#[test]
fn traces_that_make_no_sense_are_refused_with_line_and_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let head = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n";
    for (text, more, said) in [
        (String::new(), &[][..], "line 1: neither GPX"),
        (
            format!("{head}0;a;1;2\n60;a;1;2\n"),
            &[],
            "line 3: 60 s after",
        ),
        (
            format!("{head}0;a;1;2\n0;a;x;2\n"),
            &[],
            "line 3: vehicle_x=\"x\"",
        ),
        (format!("{head}0;a;5000;2\n"), &["--geo"], "leave out --geo"),
        (head.to_owned(), &[], "no time step"),
        (format!("{head}0;a;1;2\n"), &["--bytes", "39"], "--bytes"),
        (
            format!("{head}0;a;1;2\n"),
            &["--power", "NaN"],
            "0.001 to 2000",
        ),
    ] {
        let path = folder.path().join("broken.csv");
        fs::write(&path, &text).unwrap();
        let mut command = waywarden();
        let output = command
            .args(["traffic", "run"])
            .arg(&path)
            .args(more)
            .output();
        let output = output.unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{text}: {errors}");
        assert!(errors.contains(said), "{text}: {errors}");
    }
}
