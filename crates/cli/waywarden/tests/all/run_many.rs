//! `waywarden run --seeds --phases` and `run merge`: one table of many runs, of several machines.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::schemas::schema;
use crate::support::{json, waywarden};

/// Three streams, of which two offsets are unknown and one requirement is missed at times.
const CAR: &str = r#"
[vehicle]
name = "car"
seed = 5
duration = "200ms"
[[bus]]
name = "main"
bitrate = "500k"
[[ecu]]
name = "dash"
ports = ["main"]
[[ecu]]
name = "engine"
ports = ["main"]
sends = [
  { name = "a", id = 0x10, length = 8, period = "10ms", receivers = ["dash"], offset = "unknown" },
  { name = "b", id = 0x11, length = 8, period = "10ms", receivers = ["dash"], offset = "3ms" },
  { name = "c", id = 0x12, length = 8, period = "20ms", receivers = ["dash"], offset = "unknown" },
]
[require.latency]
c = "0.3ms"
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("car.toml"), CAR).unwrap();
    folder
}

fn run(folder: &Path, words: &str) -> assert_cmd::Command {
    let mut command = waywarden();
    command
        .current_dir(folder)
        .arg("run")
        .args(words.split_whitespace());
    command
}

/// Standard output of runs that end with this exit code.
fn output(folder: &Path, words: &str, code: i32) -> String {
    let output = run(folder, words).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

fn complaint(folder: &Path, words: &str, code: i32) -> String {
    let output = run(folder, words).output().unwrap();
    assert_eq!(output.status.code(), Some(code), "{words}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn unknown_offsets_are_counted_with_the_bound_beside_them_in_every_form() {
    let folder = folder();
    let folder = folder.path();
    let text = output(folder, "car.toml --html page.html", 1);
    let sentence = "2 of 3 streams have unknown offsets, taken as 0";
    assert!(
        text.contains(sentence) && text.contains("bound ms"),
        "{text}"
    );
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    assert!(page.contains(sentence) && page.contains("bound ms"));
    let report = json(&mut run(folder, "car.toml --format json"));
    assert_eq!(
        (&report["unknown_offsets"], &report["phase"]),
        (&2.into(), &0.into())
    );
    let bounds = waywarden()
        .current_dir(folder)
        .args([
            "bus",
            "bound",
            "car.toml",
            "--no-simulate",
            "--format",
            "json",
        ])
        .output()
        .unwrap();
    let bounds: Value = serde_json::from_slice(&bounds.stdout).unwrap();
    for at in 0..3 {
        let (shown, bound) = (&report["streams"][at]["bound_ms"], &bounds["streams"][at]);
        assert_eq!(shown, &bound["bound_ms"]);
        assert!(shown.as_f64() >= report["streams"][at]["worst_ms"].as_f64());
    }
    // Where all offsets are stated, nothing is said of them.
    fs::write(
        folder.join("known.toml"),
        CAR.replace("\"unknown\"", "\"1ms\""),
    )
    .unwrap();
    let text = output(folder, "known.toml", 1);
    assert!(
        !text.contains("unknown") && !text.contains("bound ms"),
        "{text}"
    );
}

#[test]
fn many_runs_have_one_row_for_each_stream_and_the_exit_code_of_the_worst() {
    let folder = folder();
    let folder = folder.path();
    let document = json(&mut run(folder, "car.toml --phases 12 --format json"));
    let schema = schema("runs");
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&document), "{document:#}");
    assert_eq!(document["runs"], 12);
    assert_eq!(document["met"], false);
    let c = &document["streams"][2];
    let numbers = ["best_ms", "median_ms", "worst_ms", "bound_ms"];
    let numbers = numbers.map(|name| c[name].as_f64().unwrap());
    assert!(numbers.is_sorted(), "{numbers:?}");
    // A single run of the worst phase shows the same.
    let (seed, phase) = (&c["worst_in"]["seed"], &c["worst_in"]["phase"]);
    let words = format!("car.toml --seed {seed} --phase {phase} --format json");
    let one = json(&mut run(folder, &words));
    assert_eq!(one["streams"][2]["worst_ms"], c["worst_ms"]);
    // Phase 0 is the run without --phase; the file's seed is 5.
    let plain = json(&mut run(folder, "car.toml --format json"));
    assert_eq!(plain["streams"][2]["worst_ms"], c["critical_ms"]);
    assert_eq!(seed, 5);
    let text = output(folder, "car.toml --phases 12", 1);
    assert!(
        text.contains("MISSED latency c") && text.contains("of 12 runs"),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.chars().count() <= 132),
        "{text}"
    );
    let csv = output(
        folder,
        "car.toml --phases 3 --format csv --table requirements",
        1,
    );
    assert!(csv.starts_with("runs_missed,"), "{csv}");
}

#[test]
fn result_does_not_depend_on_how_many_run_at_a_time_or_on_which_machine() {
    let folder = folder();
    let folder = folder.path();
    let whole = output(
        folder,
        "car.toml --seed 1 --seeds 4 --phases 5 --format json",
        1,
    );
    let words = "car.toml --seed 1 --seeds 4 --phases 5 --jobs 1 --format json";
    assert_eq!(whole, output(folder, words, 1));
    for (name, seeds) in [("first", "--seed 1 --seeds 3"), ("second", "--seed 4")] {
        let words = format!("car.toml {seeds} --phases 5 --format json");
        fs::write(folder.join(name), output(folder, &words, 1)).unwrap();
    }
    let merged = json(&mut run(folder, "merge second first --format json"));
    let mut whole: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(merged["ranges"].as_array().unwrap().len(), 2);
    whole["ranges"] = merged["ranges"].clone();
    assert_eq!(merged, whole);
    let xml = folder.join("runs.xml");
    output(folder, "merge first second --junit runs.xml", 1);
    let xml = fs::read_to_string(xml).unwrap();
    assert!(xml.contains("tests=\"1\" failures=\"1\""), "{xml}");
    assert!(
        xml.contains("missed in") && xml.contains("of 20 runs"),
        "{xml}"
    );
}

#[test]
fn documents_that_do_not_fit_together_are_refused_by_name() {
    let folder = folder();
    let folder = folder.path();
    let write = |name: &str, words: &str| {
        let text = output(folder, &format!("{words} --format json"), 1);
        fs::write(folder.join(name), text).unwrap();
    };
    write("a.json", "car.toml --phases 2");
    write("run.json", "car.toml");
    write("long.json", "car.toml --phases 2 --seed 9 --duration 300ms");
    fs::write(folder.join("other.toml"), format!("{CAR}# changed\n")).unwrap();
    write("other.json", "other.toml --phases 2 --seed 9");
    fs::write(folder.join("text.json"), "no JSON").unwrap();
    let old = fs::read_to_string(folder.join("a.json")).unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let old = old.replacen(
        &format!("\"tool_version\": \"{version}\""),
        "\"tool_version\": \"0\"",
        1,
    );
    fs::write(folder.join("old.json"), old).unwrap();
    for (words, wanted) in [
        ("merge a.json a.json", "a.json: has runs of seed 5"),
        (
            "merge a.json long.json",
            "long.json: runs of 300 ms, not of 200 ms",
        ),
        (
            "merge a.json other.json",
            "other.json: runs of different files of the vehicle",
        ),
        (
            "merge run.json",
            "run.json: \"waywarden/run/1\" where \"waywarden/runs/1\"",
        ),
        ("merge text.json", "text.json: no JSON document"),
        ("merge old.json", "old.json: runs of waywarden \"0\""),
        ("merge none.json", "none.json"),
        (
            "car.toml --phases 2 --html page.html",
            "give --seed and --phase",
        ),
        (
            "car.toml --phases 2 --format csv --table ecus",
            "streams and requirements",
        ),
        (
            "car.toml --seeds 1000 --phases 100000",
            "more than 1000000 runs",
        ),
        (
            "car.toml --seed 18446744073709551615 --seeds 2",
            "begin lower",
        ),
    ] {
        let error = complaint(folder, words, 2);
        assert!(error.contains(wanted), "{words}: {error}");
    }
}

#[test]
fn seed_and_phase_that_change_nothing_are_noted() {
    let folder = folder();
    let folder = folder.path();
    fs::write(
        folder.join("known.toml"),
        CAR.replace("\"unknown\"", "\"1ms\""),
    )
    .unwrap();
    let random = CAR.replace("offset = \"3ms\"", "jitter = \"1ms\"");
    fs::write(folder.join("random.toml"), random).unwrap();
    let (seed, phase) = ("a seed changes nothing", "a phase changes nothing");
    for (words, wanted) in [
        ("car.toml --seed 1", [true, false]),
        ("car.toml --seeds 2", [true, false]),
        ("car.toml --seeds 2 --phases 2", [false, false]),
        ("random.toml --seed 1", [false, false]),
        ("known.toml --phases 2", [false, true]),
        ("known.toml --seeds 2 --phases 2", [true, true]),
        ("known.toml", [false, false]),
    ] {
        let notes = complaint(folder, words, 1);
        assert_eq!(
            [notes.contains(seed), notes.contains(phase)],
            wanted,
            "{words}: {notes}"
        );
    }
}

/// The page does not show the latency of one run as if it were the worst of all.
#[test]
fn tile_of_unknown_offsets_has_the_bound_beside_the_worst_seen() {
    let folder = folder();
    let tile = |words: &str, car: &str, code| {
        fs::write(folder.path().join("car.toml"), car).unwrap();
        output(
            folder.path(),
            &format!("car.toml --html run.html {words}"),
            code,
        );
        let page = fs::read_to_string(folder.path().join("run.html")).unwrap();
        let from = page.find("<dt>Worst latency").expect("a tile");
        let tile = &page[from..];
        tile[..tile.find("</div>").unwrap()].to_owned()
    };
    let critical = tile("--phase 0", CAR, 1);
    for words in [
        "Worst latency: seen, bound</dt>",
        " of deadline, bound ",
        " for any offsets; in this one run, with the unknown offsets all 0",
    ] {
        assert!(critical.contains(words), "{words}: {critical}");
    }
    let drawn = tile("--phase 3", CAR, 0);
    assert!(
        drawn.contains("with the unknown offsets drawn as phase 3"),
        "{drawn}"
    );
    let known = CAR.replace("offset = \"unknown\"", "offset = \"1ms\"");
    let known = tile("", &known, 1);
    assert!(known.contains("<dt>Worst latency seen</dt>"), "{known}");
    assert!(known.contains("with the offsets of the file"), "{known}");
}
