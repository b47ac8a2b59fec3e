//! `waywarden papers` with road traffic that was simulated, beside the tables of the paper.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{json, waywarden};

/// Ten vehicles one behind the other, 20 m apart, at 20 m/s for ten seconds. The last one leaves
/// half-way.
fn trace(folder: &Path) -> PathBuf {
    let mut text = "timestep_time;vehicle_id;vehicle_x;vehicle_y\n".to_owned();
    for step in 0..100 {
        for vehicle in 0..if step < 50 { 10 } else { 9 } {
            let x = 20 * vehicle + 2 * step;
            let _ = writeln!(text, "{:.1};v{vehicle};{x};0", f64::from(step) / 10.0);
        }
    }
    let path = folder.join("trace.csv");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn simulated_traffic_stands_beside_the_tables_of_the_paper() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path());
    let runs = folder.path().join("runs");
    for seed in ["1", "2"] {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        command.args(["--seed", seed, "--out"]);
        command.arg(runs.join(format!("highway-rush-{seed}")));
        command.assert().success();
    }
    // The same with half of the range, of one seed.
    let mut command = waywarden();
    command.args(["traffic", "run"]).arg(&path);
    command.args(["--power", "0.1", "--out"]);
    command.arg(runs.join("variants/a-short-range/highway-rush-1"));
    command.assert().success();
    let mut command = waywarden();
    command.args(["papers", "ecqv-cits", "--no-simulation", "--format", "json"]);
    let cells = json(command.arg("--traffic").arg(&runs));
    let cell = |place: &str, name: &str| {
        let mut all = cells["rows"].as_array().unwrap().iter();
        let found = all.find(|one| one["place"] == place && one["cell"] == name);
        found.unwrap_or_else(|| panic!("{place} {name}")).clone()
    };
    let most = cell("Table VI, simulated", "100 ms, most: Highway rush");
    assert_eq!(
        (&most["paper"], &most["measured"]),
        (&89.0.into(), &9.0.into())
    );
    let why = most["why"].as_str().unwrap();
    assert!(why.contains("2 seeds +-0; a short range: 0.0"), "{most}");
    let misread = "100 ms, sector of 180 degrees, heading misread: Highway rush";
    // The trace has no headings.
    assert_eq!(cell("Table XIII, simulated", misread)["measured"], 0.0);
    for (paper, place, expected) in [
        ("gke", runs.as_path(), "--traffic is for ecqv-cits"),
        ("ecqv-cits", folder.path(), "no run in it"),
    ] {
        let mut command = waywarden();
        command.args(["papers", paper, "--no-simulation", "--traffic"]);
        let output = command.arg(place).assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}
