//! Folders of results: runs that are kept, repeated, damaged or mixed.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::trace;
use crate::support::{json, waywarden};

#[test]
fn a_run_that_is_there_is_not_repeated_and_a_damaged_one_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = |seed: &str| folder.path().join(format!("out-{seed}"));
    let run = |seed: &str| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        let output = command.args(["--seed", seed, "--out"]).arg(out(seed));
        output.assert().success().get_output().clone()
    };
    let printed = run("1").stdout;
    let summary = out("1").join("summary.json");
    let first = fs::read(&summary).unwrap();
    let again = run("1");
    assert!(
        again.stdout == printed,
        "{}",
        String::from_utf8_lossy(&again.stdout)
    );
    let note = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(note.contains("there already"), "{note}");
    fs::write(&summary, "{}").unwrap();
    run("1");
    assert_eq!(fs::read(&summary).unwrap(), first);
    run("2");
    let mut merge = waywarden();
    merge.args(["traffic", "merge", "--format", "json"]);
    let merged = json(merge.arg(out("1")).arg(out("2")));
    let figure = |name: &str| {
        let mut all = merged["rows"].as_array().unwrap().iter();
        all.find(|one| one["figure"] == name).unwrap().clone()
    };
    assert_eq!(figure("vehicles")["mean"], 4.0);
    assert_eq!(figure("vehicles")["confidence_95"], 0.0);
    assert_eq!(figure("messages_received")["runs"], 2);
    assert!(figure("received_from_areas/circle:150m true/most")["mean"].is_number());
}

#[test]
fn a_run_with_buildings_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = folder.path().join("out");
    let note = |more: &[&str]| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path);
        let output = command.args(more).arg("--out").arg(&out).assert().success();
        String::from_utf8_lossy(&output.get_output().stderr).contains("there already")
    };
    let buildings = ["--buildings", "examples/traffic/campus/buildings.poly.xml"];
    assert!(!note(&buildings));
    assert!(note(&buildings));
    assert!(!note(&[]));
    assert!(!note(&["--seed", "2"]));
}

#[test]
fn scenarios_that_cannot_be_run_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "../../../examples/traffic/roundabout";
    for (arguments, expected) in [
        (vec!["traffic", "run", scenario], "--out DIR"),
        (
            vec!["traffic", "sumo", scenario, "--out", "out"],
            "--level normal or rush",
        ),
        (
            vec![
                "traffic", "sumo", scenario, "--level", "night", "--out", "out",
            ],
            "there are normal, rush",
        ),
        (
            vec![
                "traffic", "sumo", scenario, "--level", "rush", "--out", "out",
            ],
            "pip install eclipse-sumo",
        ),
        (vec!["traffic", "merge", "nowhere"], "summary.json"),
    ] {
        let scenario = fs::canonicalize(scenario).unwrap();
        let arguments = arguments
            .iter()
            .map(|argument| match argument.starts_with("..") {
                true => scenario.clone().into_os_string(),
                false => argument.into(),
            });
        let mut command = waywarden();
        command.args(arguments).current_dir(folder.path());
        command.env("PATH", "").env_remove("SUMO_HOME");
        let output = command.assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn what_a_folder_keeps_is_of_one_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let out = folder.path().join("out");
    let run = |path: &Path, more: &[&str]| {
        let mut command = waywarden();
        command
            .args(["traffic", "run"])
            .arg(path)
            .args(more)
            .arg("--out")
            .arg(&out);
        command.output().unwrap()
    };
    let first = run(
        &path,
        &["--messages", "csv", "--board", "a53", "--format", "json"],
    );
    let again = run(
        &path,
        &["--messages", "csv", "--board", "a53", "--format", "json"],
    );
    assert!(first.status.success() && first.stdout == again.stdout);
    assert!(out.join("decided.csv.gz").is_file());
    // Files of a run that is not there any more go with it.
    assert!(run(&path, &["--seed", "2"]).status.success());
    assert!(!out.join("decided.csv.gz").exists() && out.join("windows.csv").is_file());
    let manifest: Value =
        serde_json::from_slice(&fs::read(out.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["options"]["seed"], 2);
    // A trace in the folder would be overwritten by a file of its name.
    let inside = out.join("windows.csv.gz");
    fs::copy(&path, &inside).unwrap();
    let refused = run(&inside, &[]);
    let error = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        refused.status.code() == Some(2) && error.contains("keep it elsewhere"),
        "{error}"
    );
    // Another command that writes there is waited for.
    let lock = fs::File::create(out.join("lock")).unwrap();
    lock.lock().unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| run(&path, &["--seed", "3"]));
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(!waiting.is_finished());
        lock.unlock().unwrap();
        let output = waiting.join().unwrap();
        let note = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            output.status.success() && note.contains("waiting for another"),
            "{note}"
        );
    });
}

#[test]
fn runs_that_do_not_belong_together_are_not_folded() {
    let folder = tempfile::tempdir().unwrap();
    let path = trace(folder.path(), 4, 20);
    let run = |name: &str, more: &[&str]| {
        let mut command = waywarden();
        command.args(["traffic", "run"]).arg(&path).args(more);
        command
            .arg("--out")
            .arg(folder.path().join(name))
            .assert()
            .success();
    };
    run("a", &[]);
    run("b", &["--seed", "2", "--bytes", "100"]);
    fs::create_dir(folder.path().join("empty")).unwrap();
    fs::write(folder.path().join("empty/summary.json"), "[]").unwrap();
    for (names, expected) in [
        (&["a", "a"][..], "given twice"),
        (&["a", "b"], "its option bytes differs from that of"),
        (&["empty"], "no figure in it"),
    ] {
        let mut command = waywarden();
        command
            .args(["traffic", "merge"])
            .args(names)
            .current_dir(folder.path());
        let output = command.assert().code(2).get_output().clone();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(error.contains(expected), "{error}");
    }
}
