//! Processes that are killed while they write: after restart nothing is recorded twice, nothing
//! that was acknowledged is lost, and the database opens.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki_service::database::{AnsweredRequest, Database, restore};
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use crate::support::{Folder, NOW, issued, station};

/// Environment variables with the task of the killed process, and the path of its database.
const TASK: &str = "WAYWARDEN_KILLED_TASK";
const PATH: &str = "WAYWARDEN_KILLED_PATH";

/// Returns the number of times a process is killed.
fn kills() -> usize {
    cases(200).min(2_000)
}

/// Not a test: what the killed process runs. It acknowledges each change on its standard output.
#[test]
fn process_to_be_killed() {
    let (Some(task), Some(path)) = (std::env::var_os(TASK), std::env::var_os(PATH)) else {
        return;
    };
    let path = PathBuf::from(path);
    match task.to_str().unwrap() {
        "answer" => answer_requests(&path),
        _ => replace(&path),
    }
}

/// Answers requests from the first one without an answer on, as an authority does after a restart.
fn answer_requests(path: &Path) {
    let mut database = Database::open(path).unwrap();
    for number in 0.. {
        if database.answer(&hash(number)).unwrap().is_some() {
            continue;
        }
        let answer = AnsweredRequest {
            hash: hash(number),
            generated: Time64(number),
            received: Time32(number as u32),
            response: number.to_be_bytes().to_vec(),
        };
        let certificates = [
            issued(number * 2, Some("car")),
            issued(number * 2 + 1, None),
        ];
        database.record_answer(&answer, &certificates, &[]).unwrap();
        acknowledge(number);
    }
}

/// Writes back-ups and restores them, without end.
fn replace(path: &Path) {
    let backup = path.with_file_name("backup");
    // What a killed process kept; a restore keeps so many and no more.
    for entry in fs::read_dir(path.parent().unwrap()).unwrap() {
        let found = entry.unwrap().path();
        if found.to_string_lossy().contains(".replaced") {
            fs::remove_file(found).unwrap();
        }
    }
    for number in 0.. {
        let database = Database::open(path).unwrap();
        database.back_up(&backup).unwrap();
        drop(database);
        let kept = restore(path, &backup, None, NOW).unwrap();
        fs::remove_file(kept.unwrap()).unwrap();
        acknowledge(number);
    }
}

fn acknowledge(number: u64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "acknowledged {number}").unwrap();
    out.flush().unwrap();
}

fn hash(number: u64) -> [u8; 32] {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    hash
}

fn start(task: &str, path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::process_to_be_killed", "--nocapture"])
        .env(TASK, task)
        .env(PATH, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Starts a process, kills it after a random time, and returns what it acknowledged.
fn kill(task: &str, path: &Path, random: &mut Random) -> Vec<u64> {
    let mut child = start(task, path);
    std::thread::sleep(Duration::from_micros(random.below(25_000)));
    child.kill().unwrap();
    child.wait().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let numbers = lines.filter_map(|line| {
        let line = line.ok()?;
        // The harness prints the name of the test before the first one.
        line.split_once("acknowledged ")?.1.parse().ok()
    });
    numbers.collect()
}

#[test]
fn killed_answering_forgets_nothing_and_issues_nothing_twice() {
    let test = "killed_answering_forgets_nothing_and_issues_nothing_twice";
    let mut random = Random::of_test(test);
    let folder = Folder::new();
    folder.open().register(&station("car")).unwrap();
    let mut acknowledged = Vec::new();
    for _ in 0..kills() {
        acknowledged.extend(kill("answer", &folder.database(), &mut random));
        let database = folder.open();
        let ids = database.issued_ids().unwrap();
        // Each answer has its two certificates, in order: none is missing and none is extra.
        let expected = (0..ids.len() as u64).map(u64::to_be_bytes);
        assert!(ids.iter().map(|id| id.0).eq(expected), "{ids:?}");
        assert_eq!(ids.len() % 2, 0);
        let answered = ids.len() as u64 / 2;
        assert!(acknowledged.iter().all(|number| *number < answered));
        assert!(database.answer(&hash(answered)).unwrap().is_none());
    }
    let database = folder.open();
    database.check().unwrap();
    for number in &acknowledged {
        let answer = database.answer(&hash(*number)).unwrap().unwrap();
        assert_eq!(answer.response, number.to_be_bytes());
    }
    let mut once = acknowledged.clone();
    once.dedup();
    assert_eq!(once, acknowledged, "a request is answered once");
    println!("{} answers acknowledged", acknowledged.len());
    assert!(!acknowledged.is_empty());
}

#[test]
fn killed_backups_and_restores_lose_nothing() {
    let mut random = Random::of_test("killed_backups_and_restores_lose_nothing");
    let folder = Folder::new();
    let all: Vec<_> = (0..50).map(|number| issued(number, None)).collect();
    folder.open().record(&all).unwrap();
    let mut done = 0;
    for _ in 0..kills() / 4 {
        done += kill("replace", &folder.database(), &mut random).len();
        assert_eq!(folder.open().issued_ids().unwrap().len(), 50);
        let backup = folder.path("backup");
        if backup.exists() {
            let backup = Database::open(&backup).unwrap();
            assert_eq!(backup.issued_ids().unwrap().len(), 50);
        }
    }
    folder.open().check().unwrap();
    println!("{done} restores acknowledged");
}
