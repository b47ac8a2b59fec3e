//! `sign --as` and `pki backup` on a folder that cannot be written.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Output};

use assert_cmd::cargo::cargo_bin;

use crate::support::{World, snapshot};

/// A user without rights, as whom commands run where the tests run as root: root may write in any
/// folder.
const USER: u32 = 65_534;

const SIGN: &str = "sign bsm.hex --lines --pki p --as car --psid BSM --index 1 \
                    --time 2026-02-28T00:00:00Z -o out/signed";

/// Takes from all users the right to write in a folder and below it, or gives it back.
fn set_writable(folder: &Path, is_writable: bool) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_writable(&path, is_writable);
        }
    }
    let mode = if is_writable { 0o755 } else { 0o555 };
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
}

fn give(path: &Path) {
    chown(path, Some(USER), Some(USER)).unwrap();
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path());
        }
    }
}

/// A vehicle with pseudonyms in `p`, and the folder `out` for outputs.
fn world() -> World {
    let world = World::new();
    world.works("pki init p --us --no-passphrase --start 2026-02-01T00:00:00Z");
    world.works("pki pseudonyms p --for car --start 2026-02-26T00:00:00Z --weeks 1 --per-week 2");
    world.write("bsm.hex", "0011\n");
    fs::create_dir(world.path("out")).unwrap();
    world
}

/// Runs a command as a user who cannot write in `p`.
fn run(world: &World, words: &str) -> Output {
    let folder = world.path("");
    let program = world.path("waywarden");
    if !program.exists() {
        fs::copy(cargo_bin("waywarden"), &program).unwrap();
    }
    let mut command = Command::new(&program);
    if fs::metadata(&folder).unwrap().uid() == 0 {
        give(&folder);
    }
    if fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        command.uid(USER).gid(USER);
    }
    set_writable(&world.path("p"), false);
    let output = command
        .current_dir(&folder)
        .args(words.split_whitespace())
        .output()
        .unwrap();
    set_writable(&world.path("p"), true);
    output
}

#[test]
fn read_only_folder_signs_with_pseudonyms_and_is_backed_up() {
    let world = world();
    let before = snapshot(&world.path("p"));
    for words in [SIGN, "pki backup p -o out/backup"] {
        let output = run(&world, words);
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}: {complaint}");
    }
    assert_eq!(snapshot(&world.path("p")), before);
    // As without a lock that could be taken.
    fs::remove_file(world.path("p/pki.sqlite.lock")).unwrap();
    let output = run(&world, SIGN);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    assert!(!world.path("p/pki.sqlite.lock").exists());
    let shown = world.works("verify out/signed --trust p/trust --at generation");
    assert!(shown.contains("1 accepted"), "{shown}");
    world.works("pki restore p out/backup");
}

#[test]
fn changes_in_a_log_that_cannot_be_taken_up_are_named() {
    let world = world();
    // A process that was ended leaves a log.
    fs::write(world.path("p/pki.sqlite-wal"), [0; 64]).unwrap();
    let before = snapshot(&world.path("p"));
    let output = run(&world, SIGN);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{complaint}");
    assert!(
        complaint.contains("in the log beside it (-wal)"),
        "{complaint}"
    );
    assert_eq!(snapshot(&world.path("p")), before);
}
