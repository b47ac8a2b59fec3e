//! A process that is killed leaves what was there, or what it was to make, and nothing between.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki_service::database::{DATABASE, Database};

use crate::support::World;

/// Returns the number of times that a command is killed.
fn kills() -> usize {
    cases(50).min(1_000)
}

fn command(folder: &Path, words: &str) -> Command {
    let mut command = Command::new(crate::support::PROGRAM);
    command.current_dir(folder).args(words.split(' '));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Starts a command and kills it after a random part of the time that it takes.
fn kill(folder: &Path, words: &str, takes: Duration, random: &mut Random) {
    let mut child = command(folder, words).spawn().unwrap();
    let part = u16::from_be_bytes(random.bytes(2).try_into().unwrap());
    std::thread::sleep(takes.mul_f64(f64::from(part) / 60_000.0));
    // It may have ended by itself.
    let _ = child.kill();
    child.wait().unwrap();
}

fn timed(folder: &Path, words: &str) -> Duration {
    let before = Instant::now();
    assert!(command(folder, words).status().unwrap().success());
    before.elapsed()
}

/// The number of certificates of a PKI, each of which is there whole with its key.
fn shown(world: &World) -> usize {
    let shown = world.works("pki show p");
    shown.matches("HashedId8").count()
}

#[test]
fn killed_init_leaves_nothing_or_all() {
    let mut random = Random::of_test("killed_init_leaves_nothing_or_all");
    let world = World::new();
    let init = "pki init p --no-passphrase";
    let takes = timed(&world.path(""), "pki init timed --no-passphrase");
    let (mut whole, mut none) = (0, 0);
    for _ in 0..kills() {
        kill(&world.path(""), init, takes, &mut random);
        if world.path("p").exists() {
            assert_eq!(shown(&world), 3);
            fs::remove_dir_all(world.path("p")).unwrap();
            whole += 1;
        } else {
            none += 1;
        }
    }
    println!("{whole} whole, {none} not begun");
    world.works(init);
    assert_eq!(shown(&world), 3);
    assert!(!world.path(".p.partial").exists());
}

#[test]
fn killed_issue_leaves_the_old_certificates_or_the_new_ones_too() {
    let mut random =
        Random::of_test("killed_issue_leaves_the_old_certificates_or_the_new_ones_too");
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let issue = "pki issue p --name car --count 3";
    let takes = timed(&world.path(""), issue);
    let mut before = shown(&world);
    let mut grown = 0;
    for _ in 0..kills() {
        kill(&world.path(""), issue, takes, &mut random);
        let after = shown(&world);
        assert!(after == before || after == before + 3, "{before} {after}");
        grown += u32::from(after > before);
        before = after;
    }
    println!("{grown} of {} done", kills());
    // Nothing is left over, and no key is there that the index does not name.
    world.works("pki issue p --name last");
    let after = shown(&world);
    assert_eq!(after, before + 1);
    assert!(!world.path("p/.staging").exists() && !world.path("p/.commit").exists());
    // All of them are recorded, once.
    let database = Database::open(&world.path("p").join(DATABASE)).unwrap();
    database.check().unwrap();
    assert_eq!(database.issued_ids().unwrap().len(), after);
    let keys = fs::read_dir(world.path("p/keys")).unwrap().count();
    // The two authorities below the root have a second key each.
    assert_eq!(keys, after + 2);
}

#[test]
fn commands_at_once_wait_for_each_other() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let issue = |number: u8| {
        let words = format!("pki issue p --name car{number} --count 2");
        command(&world.path(""), &words).spawn().unwrap()
    };
    let children: Vec<_> = (0..6).map(issue).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(shown(&world), 3 + 12);
}
