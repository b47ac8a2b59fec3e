//! `waywarden traffic sweep`, with a stand-in for SUMO that writes a small trace.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::support::waywarden;

/// Writes vehicles in a row, as many as the trips, a little farther apart with each seed; and notes
/// that it was called.
const SUMO: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        --fcd-output) out=$2 ;;
        --route-files) trips=$2 ;;
        --seed) seed=$2 ;;
    esac
    shift
done
echo "$seed" >> "${0%/*}/calls"
[ "$seed" != 13 ] || { echo "Error: no such luck" >&2; exit 1; }
vehicles=$(grep -c '<trip ' "$trips")
{
    echo "timestep_time;vehicle_id;vehicle_x;vehicle_y"
    awk -v n="$vehicles" -v gap="$((20 + seed))" 'BEGIN {
        for (step = 0; step < 40; step++) for (v = 0; v < n; v++)
            printf "%.1f;v%d;%d;0\n", step / 10, v, gap * v + 2 * step }'
} | gzip > "$out"
"#;

const NETWORK: &str = r#"<net>
    <edge id="in" from="w" to="a"><lane length="100" shape="0,0 100,0"/></edge>
    <edge id="out" from="a" to="e"><lane length="50" shape="100,0 150,0"/></edge>
    <connection from="in" to="out" fromLane="0" toLane="0"/>
</net>"#;

fn prepare(folder: &Path, name: &str) {
    let scenario = folder.join(name);
    fs::create_dir(&scenario).unwrap();
    fs::write(scenario.join("net.xml"), NETWORK).unwrap();
    let text = format!(
        "name = \"{name}\"\nroads = {{ network = \"net.xml\" }}\n[traffic]\nduration_s = 4\n\
         between = \"ends\"\nvehicles = {{ rush = 14, normal = 5 }}\n"
    );
    fs::write(scenario.join("scenario.toml"), text).unwrap();
    let sumo = folder.join("sumo");
    fs::write(&sumo, SUMO).unwrap();
    fs::set_permissions(&sumo, fs::Permissions::from_mode(0o755)).unwrap();
}

fn sweep(folder: &Path, arguments: &[&str]) -> Output {
    let path = format!("{}:/usr/bin:/bin", folder.display());
    let mut command = waywarden();
    command.args(["traffic", "sweep"]).args(arguments);
    command.env("PATH", path).env_remove("SUMO_HOME");
    command.current_dir(folder).output().unwrap()
}

fn calls(folder: &Path) -> usize {
    fs::read_to_string(folder.join("calls")).map_or(0, |text| text.lines().count())
}

/// All files below a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        match path.is_dir() {
            true => all.extend(
                files(&path)
                    .into_iter()
                    .map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)),
            ),
            false => drop(all.insert(name, fs::read(path).unwrap())),
        }
    }
    all
}

const COMPARED: [&str; 12] = [
    "--board",
    "arm11",
    "--board",
    "x86-64",
    "--policy",
    "fifo",
    "--policy",
    "safety",
    "--attack",
    "none",
    "--attack",
    "new-names",
];

#[test]
fn a_sweep_gives_the_same_bytes_with_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "row");
    let run = |out: &str, jobs: &str| {
        let own = [
            "row", "--seeds", "3", "--out", out, "--jobs", jobs, "--format", "json",
        ];
        let output = sweep(folder.path(), &[&own[..], &COMPARED[..]].concat());
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.stdout
    };
    let one = run("one", "1");
    assert_eq!(one, run("four", "4"));
    let all = files(&folder.path().join("one"));
    assert_eq!(all, files(&folder.path().join("four")));
    assert!(
        all.contains_key("row-rush-new-names-3/summary.json"),
        "{:?}",
        all.keys()
    );
    assert!(all.contains_key("row-normal-1/report.html") && all.contains_key("report.html"));
    assert!(
        !all.keys().any(|name| name.contains("trace")),
        "{:?}",
        all.keys()
    );
    let headline: Value = serde_json::from_slice(&one).unwrap();
    let cells = headline["cells"].as_array().unwrap();
    // Two levels, two attacks, two boards.
    assert_eq!(cells.len(), 8);
    let cell = |level: &str, board: &str| {
        let mut all = cells.iter();
        let found = all.find(|one| one["level"] == level && one["board"] == board);
        found.unwrap().clone()
    };
    let slow = cell("rush", "arm11");
    assert_eq!(
        (&slow["attack"], &slow["seeds"]),
        (&"none".into(), &3.into())
    );
    assert_eq!(slow["policies"][0]["reference_is"], "better");
    let fast = cell("normal", "x86-64");
    assert_eq!(fast["policies"][1]["share"], 1.0);
    assert_eq!(fast["policies"][0]["reference_is"], "same");
}

#[test]
fn a_sweep_that_was_stopped_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "row");
    let arguments = ["row", "--level", "rush", "--seeds", "2", "--out", "out"];
    let table = |output: &Output| String::from_utf8(output.stdout.clone()).unwrap();
    let first = sweep(folder.path(), &[&arguments[..], &COMPARED[..]].concat());
    assert_eq!(calls(folder.path()), 2);
    let text = table(&first);
    let expected = "safety is worse than another policy in 0, beyond the interval; its mean is \
                    above every other's in 1, in 1 of them beyond the interval; another has 100 % \
                    too in 1";
    assert!(text.contains(expected), "{text}");
    // Nothing is missing, so SUMO is not called.
    let again = sweep(folder.path(), &[&arguments[..], &COMPARED[..]].concat());
    assert_eq!((table(&again), calls(folder.path())), (text, 2));
    fs::remove_file(folder.path().join("out/row-rush-2/manifest.json")).unwrap();
    let again = sweep(folder.path(), &[&arguments[..], &COMPARED[..]].concat());
    assert_eq!((table(&again), calls(folder.path())), (table(&first), 3));
}

#[test]
fn what_is_wrong_with_a_sweep_is_named() {
    let folder = tempfile::tempdir().unwrap();
    prepare(folder.path(), "row");
    fs::create_dir(folder.path().join("other")).unwrap();
    prepare(&folder.path().join("other"), "row");
    for (arguments, expected) in [
        (vec!["nowhere", "--out", "o"], "scenario.toml"),
        (
            vec!["row", "--level", "night", "--out", "o"],
            "there are normal, rush",
        ),
        (vec!["row", "other/row", "--out", "o"], "same name"),
        (vec!["row", "--out", "o", "--seeds", "13"], "no such luck"),
        (vec!["row", "--out", "row/net.xml"], "row/net.xml"),
        (vec!["row", "--out", "a,b"], "a comma in a path"),
        (
            vec!["row", "--out", "o", "--attack", "none", "--attack", "none"],
            "--attack none: given twice",
        ),
        (
            vec!["row", "--out", "o", "--level", "rush", "--level", "rush"],
            "--level rush: given twice",
        ),
    ] {
        let output = sweep(folder.path(), &arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
    // What was whole before the fault is there, and is not repeated.
    assert!(folder.path().join("o/row-normal-1/manifest.json").is_file());
}
