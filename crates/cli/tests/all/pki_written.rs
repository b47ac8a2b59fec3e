//! How the files of a PKI are written: what is in the way, who else writes, and with which rights.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use assert_cmd::cargo::cargo_bin;

use crate::pki::{World, snapshot};

#[test]
fn what_is_in_the_way_is_found_before_a_change_is_decided() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    fs::create_dir(world.path("p/stations")).unwrap();
    world.write("p/stations/blocked", "");
    let before = snapshot(&world.path("p"));
    let reasons = ["p/stations/blocked: not a directory", "as it was"];
    world.refused("pki issue p --name blocked", &reasons);
    assert_eq!(snapshot(&world.path("p")), before);
    assert!(!world.path("p/.commit").exists() && !world.path("p/.staging").exists());
    world.works("pki issue p --name car");
    assert_eq!(world.indexed("p", "blocked", "id"), [""; 0]);
}

#[test]
fn a_decided_change_that_cannot_be_finished_says_so_and_is_finished_later() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    // As a command leaves it that was ended after it decided.
    world.works("pki issue p --name car");
    let file = world.newest("p", "car", "certificate").replace("p/", "");
    let staged = world.path("p/.commit").join(&file);
    fs::create_dir_all(staged.parent().unwrap()).unwrap();
    fs::rename(world.path("p").join(&file), &staged).unwrap();
    fs::copy(world.path("p/pki.toml"), world.path("p/.commit/pki.toml")).unwrap();
    fs::remove_dir(world.path("p/stations/car")).unwrap();
    world.write("p/stations/car", "");
    let ended = world.run("pki issue p --name other");
    assert_eq!(ended.code, Some(2));
    let complaint = ended.complaint;
    for part in ["p/stations/car: not a directory", "the change is decided"] {
        assert!(complaint.contains(part), "{complaint}");
    }
    assert!(!complaint.contains("as it was"), "{complaint}");
    fs::remove_file(world.path("p/stations/car")).unwrap();
    world.works("pki issue p --name other");
    assert!(world.path("p").join(&file).exists());
    assert!(!world.path("p/.commit").exists());
}

#[test]
fn only_the_owner_may_write_whatever_the_mask_of_the_process() {
    let world = World::new();
    let run = |mask: &str, words: &str| {
        let program = cargo_bin("waywarden");
        let line = format!("umask {mask}; {} {words}", program.display());
        let mut shell = Command::new("sh");
        let output = shell
            .current_dir(world.path(""))
            .args(["-c", &line])
            .output();
        let output = output.unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (mask, folders, files) in [("000", 0o755, 0o644), ("077", 0o700, 0o600)] {
        let pki = format!("of-{mask}");
        run(mask, &format!("pki init {pki} --no-passphrase"));
        run(mask, &format!("pki issue {pki} --name car"));
        for place in ["", "trust", "stations", "stations/car"] {
            let path = world.path(&pki).join(place);
            assert_eq!(mode(&path), folders, "{mask} {place}");
        }
        for (path, _) in snapshot(&world.path(&pki)) {
            let is_key = path.starts_with(world.path(&pki).join("keys"));
            let allowed = if is_key { 0o600 } else { files };
            assert_eq!(mode(&path), allowed, "{mask} {}", path.display());
        }
        assert_eq!(mode(&world.path(&pki).join("keys")), 0o700);
    }
}
