//! `waywarden init`: the file that it writes is right, runs, and shows what it says it shows.

use std::fs;

use crate::support::{json, waywarden};

#[test]
fn the_vehicle_is_right_and_meets_its_requirements() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let output = waywarden().arg("init").arg(&path).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let next = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        next.contains(&format!("waywarden run {}", path.display())),
        "{next}"
    );
    let output = waywarden()
        .args(["check", "--strict"])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    let mut run = waywarden();
    run.arg("run").arg(&path).args(["--format", "json"]);
    assert_eq!(run.output().unwrap().status.code(), Some(0));
    let report = json(&mut run);
    assert_eq!(report["attacks"][0]["taken"], 0, "{}", report["attacks"]);
    assert!(
        report["groups"][0]["agreements"].as_u64() >= Some(2),
        "{}",
        report["groups"]
    );

    // Without the authentication the attacker is believed, as a comment says.
    let text = fs::read_to_string(&path).unwrap();
    let begin = text.find("[[authentication]]").unwrap();
    let end = text.find("# ---- Attackers").unwrap();
    fs::write(&path, format!("{}{}", &text[..begin], &text[end..])).unwrap();
    assert_eq!(run.output().unwrap().status.code(), Some(1));
    let report = json(&mut run);
    assert!(
        report["attacks"][0]["taken"].as_u64() > Some(50),
        "{}",
        report["attacks"]
    );
}

#[test]
fn a_file_that_is_there_is_kept_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    fs::write(&path, "precious").unwrap();
    let init = |more: &[&str]| {
        let output = waywarden()
            .arg("init")
            .arg(&path)
            .args(more)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    let (code, errors) = init(&[]);
    assert_eq!(code, Some(2));
    assert!(errors.contains("--force"), "{errors}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "precious");
    assert_eq!(init(&["--force"]).0, Some(0));
    assert!(fs::read_to_string(&path).unwrap().contains("[vehicle]"));

    let output = waywarden().args(["init", "-"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.starts_with("# A small vehicle to begin with"),
        "{text}"
    );
}

#[test]
fn a_folder_is_made_for_the_file_and_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let init = |at: &str| {
        let output = waywarden()
            .current_dir(folder.path())
            .args(["init", at])
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), errors)
    };
    assert_eq!(init("no/such/folder/own.toml").0, Some(0));
    assert!(folder.path().join("no/such/folder/own.toml").is_file());
    let (code, errors) = init("no/such");
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("waywarden init no/such/my-vehicle.toml"),
        "{errors}"
    );
    let (code, errors) = init("no/such/folder/own.toml/own.toml");
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("no/such/folder/own.toml/own.toml"),
        "{errors}"
    );
}

/// Runs a command in a folder, whose words are separated by blanks.
fn succeeds(folder: &std::path::Path, words: &str) -> String {
    let mut command = waywarden();
    let output = command.current_dir(folder).args(words.split(' '));
    let output = output.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{words}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(unix)]
#[test]
fn pki_and_station_are_right_and_serve() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| succeeds(folder.path(), words);
    let next = run("init --kind pki");
    assert!(
        next.contains("waywarden pki init my-pki --profile my-pki.toml"),
        "{next}"
    );
    run("pki init my-pki --profile my-pki.toml --no-passphrase");
    run("pki issue my-pki --profile my-pki.toml --name car");
    let shown = run("pki show my-pki");
    for name in ["root", "ea", "aa", "car"] {
        assert!(shown.contains(name), "{shown}");
    }
    let next = run("init --kind station");
    assert!(
        next.contains("waywarden serve my-station.toml --check-config"),
        "{next}"
    );
    run("serve my-station.toml --check-config");
}
