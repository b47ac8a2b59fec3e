//! Writing of a PKI's files: obstacles, other writers, and access rights.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{World, snapshot};

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
        let program = crate::support::PROGRAM;
        let line = format!("umask {mask}; {program} {words}");
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
            let is_database = path.to_string_lossy().contains("pki.sqlite");
            let allowed = if is_key || is_database { 0o600 } else { files };
            assert_eq!(mode(&path), allowed, "{mask} {}", path.display());
        }
        assert_eq!(mode(&world.path(&pki).join("keys")), 0o700);
    }
}

#[test]
fn a_command_that_waits_for_another_says_so() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let held = File::open(world.path("p")).unwrap();
    held.lock().unwrap();
    let mut command = Command::new(crate::support::PROGRAM);
    command.current_dir(world.path(""));
    command.args(["pki", "issue", "p", "--name", "car"]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The line is there while the lock is held; without it, the read would not return.
    let (send, receive) = std::sync::mpsc::channel();
    let complaint = child.stderr.take().unwrap();
    std::thread::spawn(move || {
        let mut line = String::new();
        let _ = BufReader::new(complaint).read_line(&mut line);
        let _ = send.send(line);
    });
    let line = receive.recv_timeout(std::time::Duration::from_secs(20));
    drop(held);
    assert!(child.wait().unwrap().success());
    let line = line.expect("a line before the lock is free");
    assert!(line.contains("waiting for") && line.contains('p'), "{line}");
    // A free lock is no reason to say so.
    assert!(
        !world
            .run("pki issue p --name van")
            .complaint
            .contains("waiting")
    );
}

#[test]
fn a_new_pki_removes_nothing_that_another_made() {
    let world = World::new();
    fs::create_dir(world.path(".victim.partial")).unwrap();
    world.write(".victim.partial/thesis", "years of work");
    let before = snapshot(&world.path(""));
    let reasons = [".victim.partial", "`waywarden pki init` did not make it"];
    world.refused("pki init victim --no-passphrase", &reasons);
    assert_eq!(snapshot(&world.path("")), before);
    // A link to a folder is no folder of this command.
    fs::rename(world.path(".victim.partial"), world.path("work")).unwrap();
    std::os::unix::fs::symlink("work", world.path(".victim.partial")).unwrap();
    world.refused("pki init victim --no-passphrase", &reasons);
    assert!(world.path("work/thesis").exists());
}
