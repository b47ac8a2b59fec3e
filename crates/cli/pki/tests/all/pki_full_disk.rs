//! A medium that is full: a command that changes a PKI reports nothing that is not on the medium.
//!
//! The limit on the size of files stands for the full medium: a write beyond it is an error, as one
//! to a full medium is, and no privilege is needed. It is in units of 512 bytes: with 0 nothing can
//! be written, and with the others a command comes further, to the index of the log of its database
//! (64: 32 KiB) and beyond.
#![cfg(unix)]

use std::fs;
use std::process::Command;

use crate::support::{Ended, World};

const LIMITS: [u32; 4] = [0, 4, 65, 160];

/// Reports of commands that have changed something.
const DONE: [&str; 11] = [
    "revoked",
    "revokes",
    "wrote",
    "registered",
    "blocked",
    "made",
    "issued",
    "restored",
    "kept",
    "HashedId8",
    "ctlSequence",
];

/// Runs a command that can write so much to each file.
fn limited(world: &World, words: &str, limit: u32) -> Ended {
    let program = crate::support::PROGRAM;
    let line = format!("trap '' XFSZ; ulimit -f {limit}; exec {program} {words}");
    let mut command = Command::new("sh");
    command.current_dir(world.path("")).args(["-c", &line]);
    let output = command.output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        complaint: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Commands one after the other, each of which fails at some limits and works without one.
fn walk(world: &World, pki: &str, commands: &[&str]) {
    let index = || fs::read(world.path(pki).join("pki.toml")).unwrap_or_default();
    let (mut failed, mut done) = (0, 0);
    for words in commands {
        for limit in LIMITS {
            let before = index();
            let ended = limited(world, words, limit);
            if ended.code == Some(0) {
                done += 1;
                continue;
            }
            failed += 1;
            let place = format!("{words}, {limit}: {}{}", ended.out, ended.complaint);
            assert_eq!(ended.code, Some(2), "{place}");
            assert_eq!(ended.out, "", "{place}");
            assert!(ended.complaint.contains("error: "), "{place}");
            let is_decided = ended.complaint.contains("the change is decided");
            for word in DONE {
                let is_said = ended.complaint.contains(&format!("{word} "));
                assert!(!is_said || is_decided, "{word}: {place}");
            }
            let is_numbered = words.starts_with("pki crl") || words.starts_with("pki restore");
            assert!(is_decided || is_numbered || index() == before, "{place}");
        }
        let ended = world.run(words);
        // A limit that was high enough, or what was decided, had it done before.
        let is_done = ["already", "is there", "another name"].iter();
        let is_done = is_done.copied().any(|part| ended.complaint.contains(part));
        assert!(
            ended.code == Some(0) || is_done,
            "{words}: {}",
            ended.complaint
        );
    }
    println!("{failed} failed, {done} had enough room");
    assert!(failed >= commands.len());
}

#[test]
fn american_pki_reports_nothing_that_is_not_on_the_medium() {
    let world = World::new();
    let commands = [
        "pki init p --us --no-passphrase",
        "pki issue p --name car",
        "pki issue p --name van",
        "pki enrol p --name truck",
        "pki renew p crlg",
        "pki pseudonyms p --for bus --weeks 2 --per-week 2",
        "pki backup p -o backup.sqlite",
        "pki revoke p car",
        "pki revoke p bus",
        "pki crl p -o list.oer",
        "pki revoke p van",
        "pki crl p -o delta.oer --delta",
        "pki restore p backup.sqlite",
    ];
    walk(&world, "p", &commands);
    // All that was revoked is on lists that are in their places.
    let full = world.run("pki crl p -o full.oer").complaint;
    let revoked = ["car", "van"].map(|name| world.indexed("p", name, "id").len());
    let revoked: usize = revoked.iter().sum();
    let words = format!("full.oer: revokes {revoked} certificates");
    assert!(full.contains(&words), "{full}");
    assert!(
        full.contains("full.linked.oer: revokes 1 holders"),
        "{full}"
    );
}

#[test]
fn european_pki_and_stores_report_nothing_that_is_not_on_the_medium() {
    let world = World::new();
    world.works("pki keygen key.p8 --public key.der --no-passphrase");
    let commands = [
        "pki keygen car.p8 --public car.der --no-passphrase",
        "pki init p --no-passphrase",
        "pki register p --id CAR --public-key key.der",
        "pki register p --id CAR --block",
        "pki issue p --name car",
        "pki ctl p --url http://a.example -o root.ctl",
        "pki renew p aa",
        "pki revoke p aa",
        "pki crl p -o root.crl",
        "pki backup p -o backup.sqlite",
        "pki restore p backup.sqlite",
    ];
    walk(&world, "p", &commands);
    let root = world.newest("p", "root", "certificate");
    let id = world.newest("p", "root", "id").replace("p/", "");
    let import = format!("pki trust import t {root} root.ctl --trust-anchor {id}");
    for limit in LIMITS {
        let ended = limited(&world, &import, limit);
        assert!(
            ended.code == Some(0) || ended.out.is_empty(),
            "{}",
            ended.out
        );
    }
    world.works(&import);
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_its_revocations_stay_new() {
    let world = World::new();
    world.works("pki init p --us --no-passphrase");
    world.works("pki issue p --name car");
    world.works("pki revoke p car");
    let ended = world.run("pki crl p -o /dev/full --delta");
    assert_eq!(ended.code, Some(2), "{}", ended.complaint);
    assert!(!ended.complaint.contains("revokes"), "{}", ended.complaint);
    let ended = world.run("pki crl p -o delta.oer --delta");
    assert!(
        ended.complaint.contains("revokes 1 certificates"),
        "{}",
        ended.complaint
    );
}
