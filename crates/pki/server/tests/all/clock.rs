//! Clocks that jump: a request is answered once, whatever the clock of the server does.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Connection;
use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_pki::enrolment::{
    AnswerStore as _, EnrolmentLimits, RecordError, StationRegistry as _, StationStatus,
};
use waywarden_v2x_pki_service::Registry;
use waywarden_v2x_pki_service::database::{Database, DatabaseError, Status, restore};
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};

use crate::registry::{at, consent, registered, registry};
use crate::support::Folder;

const SECOND: u64 = 1_000_000;

/// Number of random histories at most: each answer is synchronised.
const HISTORIES_MAX: u64 = 2_000;

/// A request: what tells it from others, and its generation time.
type Request = ([u8; 32], Time64);

/// True if the authority answers, as `read_signed` and `check_remembered` decide before it records.
fn is_granted(registry: &mut Registry, request: &Request, now: Time64) -> bool {
    let (hash, generated) = request;
    let limits = EnrolmentLimits::DEFAULT;
    let window = now.0.saturating_sub(limits.past)..=now.0 + limits.future;
    if !window.contains(&generated.0) || registry.answer(hash).unwrap().is_some() {
        return false;
    }
    let record = waywarden_v2x_pki::enrolment::AnswerRecord {
        generated: Some(*generated),
        ..consent(hash, now)
    };
    match registry.record(&record) {
        Ok(()) => true,
        Err(RecordError::Forgotten | RecordError::Full) => false,
        Err(other) => panic!("{other:?}"),
    }
}

/// Waits for processes that other tests of this one start: until they run their program, they hold
/// its locks.
fn patiently<T>(run: impl Fn() -> Result<T, DatabaseError>) -> T {
    for _ in 0..1_000 {
        match run() {
            Err(DatabaseError::InUse(_)) => std::thread::sleep(Duration::from_millis(5)),
            other => return other.unwrap(),
        }
    }
    panic!("in use for five seconds");
}

fn reopened(folder: &Folder) -> Registry {
    patiently(|| Database::open(&folder.database()).map(drop));
    registry(folder, 30)
}

#[test]
fn request_is_answered_once_although_the_clock_jumped_ahead_and_back() {
    let folder = registered();
    let mut registry = registry(&folder, 10);
    registry.record(&consent(&[1; 32], at(0))).unwrap();
    // The clock is ahead once.
    registry.record(&consent(&[2; 32], at(200_000))).unwrap();
    assert_eq!(registry.answer(&[1; 32]).unwrap(), None, "it is forgotten");
    let again = registry.record(&consent(&[1; 32], at(0)));
    assert_eq!(again, Err(RecordError::Forgotten));
    // Stations whose clocks are right are served at once.
    registry.record(&consent(&[3; 32], at(1))).unwrap();
    drop(registry);
    let mut registry = self::registry(&folder, 10);
    let again = registry.record(&consent(&[1; 32], at(0)));
    assert_eq!(again, Err(RecordError::Forgotten), "after a restart, too");
}

#[test]
fn restored_database_refuses_what_may_have_been_answered_since() {
    let folder = registered();
    folder.open().back_up(&folder.path("backup")).unwrap();
    let mut registry = registry(&folder, 10);
    registry.record(&consent(&[1; 32], at(50))).unwrap();
    drop(registry);
    folder.open().set_status(b"car", Status::Blocked).unwrap();
    // Even if the clock is behind: the replaced database has a later request.
    restore(&folder.database(), &folder.path("backup"), None, at(10)).unwrap();
    let mut registry = self::registry(&folder, 10);
    assert_eq!(registry.answer(&[1; 32]).unwrap(), None);
    let again = registry.record(&consent(&[1; 32], at(50)));
    assert_eq!(again, Err(RecordError::Forgotten));
    registry.record(&consent(&[2; 32], at(51))).unwrap();
    let station = registry.station(b"car").unwrap().unwrap();
    assert_eq!(
        station.status,
        StationStatus::Blocked,
        "it is not let in again"
    );
    assert_eq!(
        registry.database().restored().unwrap(),
        Some(Time32(700_000_010))
    );
}

#[test]
fn answers_of_an_earlier_version_are_forgotten_as_of_the_end_of_their_second() {
    let folder = Folder::new();
    drop(folder.open());
    let earlier = Connection::open(folder.database()).unwrap();
    earlier
        .execute_batch(
            "DROP TABLE forgotten; DROP TABLE restored; ALTER TABLE request DROP COLUMN generated;
             INSERT INTO request (hash, received, response) VALUES (zeroblob(32), 100, x'00');
             PRAGMA user_version = 2;",
        )
        .unwrap();
    drop(earlier);
    let mut database = folder.open();
    assert_eq!(database.answers().unwrap(), 1);
    assert_eq!(database.forgotten_until().unwrap(), None);
    assert_eq!(database.forget_requests(Time32(101)).unwrap(), 1);
    let until = database.forgotten_until().unwrap();
    assert_eq!(until, Some(Time64(103 * SECOND)));
}

/// Random histories: requests, replays of any of them, jumps of the clock, restarts, back-ups and
/// restores. The true time goes on by itself; the server's clock is it, or off by up to two days.
#[test]
fn no_history_of_clocks_restarts_and_restores_has_a_request_answered_twice() {
    let outcomes = each_seed(6, |seed| {
        if seed >= HISTORIES_MAX {
            return 0;
        }
        let mut random = Random::new(seed);
        let folder = registered();
        folder.open().back_up(&folder.path("backup")).unwrap();
        let mut registry = registry(&folder, 30);
        let (mut time, mut off) = (at(1_000_000).0, 0_i64);
        let mut granted: BTreeMap<[u8; 32], u32> = BTreeMap::new();
        let mut sent: Vec<Request> = Vec::new();
        for step in 0..80_u64 {
            time += random.below(200) * SECOND;
            match random.below(12) {
                0 => off = (random.below(4 * 86_400) as i64 - 2 * 86_400) * SECOND as i64,
                1 | 2 => off = 0,
                3 => {
                    drop(registry);
                    registry = reopened(&folder);
                }
                4 if random.once_in(3) => {
                    let kept = registry.database().back_up(&folder.path("backup"));
                    kept.unwrap();
                }
                4 if off == 0 => {
                    drop(registry);
                    let (path, backup) = (folder.database(), folder.path("backup"));
                    patiently(|| restore(&path, &backup, None, Time64(time)));
                    registry = reopened(&folder);
                }
                _ => {}
            }
            let now = Time64(time.saturating_add_signed(off));
            if random.once_in(2) {
                // Of a station whose clock is right, or off as that of the server is.
                let own = if random.once_in(3) { now.0 } else { time };
                let mut hash = [0; 32];
                hash[..8].copy_from_slice(&step.to_be_bytes());
                sent.push((hash, Time64(own - random.below(3) * SECOND + step)));
            }
            for _ in 0..3 {
                let Some(request) = sent.get(random.index(sent.len().max(1))) else {
                    continue;
                };
                if is_granted(&mut registry, request, now) {
                    *granted.entry(request.0).or_default() += 1;
                }
            }
            for request in &sent {
                let count = granted.get(&request.0).copied().unwrap_or_default();
                assert!(count <= 1, "step {step}: answered {count} times");
            }
        }
        assert!(registry.database().answers().unwrap() <= 30);
        granted.len()
    });
    let all: usize = outcomes.iter().sum();
    println!("{} seeds, {all} requests answered once", outcomes.len());
    assert!(all > 0);
}
