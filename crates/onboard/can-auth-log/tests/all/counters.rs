//! vatiCAN's and LeiA's streams in a recording: the counter is learnt, and no message waits for
//! ever on a bus that is followed.

use waywarden_can_auth_log::FrameVerdict::{
    self, Authentic, Missing, OutOfStep, Replay, TagWithoutData, WrongTag,
};
use waywarden_can_auth_log::{CheckedRecord, LogChecker};
use waywarden_testkit::each_seed;
use waywarden_work::{Duration, NoMeter};

use super::recordings::{messages, part};
use super::{Log, plain, plan, stand_alone};

/// The hardened protocols, and those as published.
const PAIRED: [&str; 5] = [
    "scheme = \"vatican\"\nmac = \"siphash\"\nprotect = [0x120]",
    "scheme = \"leia\"\nmac = \"siphash\"\nprotect = [0x120]",
    "scheme = \"vatican\"\nmac = \"spongent-mac\"\nprotect = [0x120]",
    "scheme = \"vatican\"\nprofile = \"as-published\"\nmac = \"siphash\"\nprotect = [0x120]",
    "scheme = \"leia\"\nprofile = \"as-published\"\nmac = \"siphash\"\nprotect = [0x120]",
];

/// The protected log of so many messages, two records each.
fn protected(table: &str, count: usize) -> Log {
    messages(count).protected(&plan(table)).unwrap()
}

fn verdicts(checked: &[CheckedRecord]) -> Vec<FrameVerdict> {
    checked.iter().map(|one| one.verdict).collect()
}

/// The log of these messages, by their numbers from 0 on.
fn only(log: &Log, keep: impl Fn(usize) -> bool) -> Log {
    part(log, |at| keep(at / 2))
}

#[test]
fn log_begins_at_any_counter_and_has_gaps() {
    for table in PAIRED {
        let log = protected(table, 2_000);
        for (first, gap) in [(0, 0..0), (1, 0..0), (300, 0..0), (700, 800..1_900)] {
            let kept = only(&log, |at| at >= first && !gap.contains(&at));
            for (checked, summary) in [kept.checked(&plan(table)), kept.reviewed(&plan(table))] {
                let found = verdicts(&checked);
                let refused = found.iter().position(|one| *one != Authentic);
                assert_eq!(refused, None, "{table}, from {first} without {gap:?}");
                assert_eq!(plain(&checked).len() * 2, found.len());
                let counter = summary.streams[0].first_counter;
                let known = counter.map(|counter| counter as usize);
                let nonces = usize::from(table.contains("as-published"));
                match table.contains("leia") && nonces > 0 {
                    true => assert_eq!(known, None),
                    false => assert_eq!(known, Some(first + nonces), "{table}"),
                }
            }
        }
        // A receiver has what its protocol tolerates.
        let kept = only(&log, |at| at >= 300);
        let (checked, _) = kept.checked_by(LogChecker::as_ecu(plan(table)));
        let is_lost = verdicts(&checked).iter().all(|one| *one != Authentic);
        assert_eq!(is_lost, table.contains("vatican"), "{table}");
    }
}

/// The last counter that is found and the first that is not.
#[test]
fn search_is_bounded() {
    let table = PAIRED[3];
    let log = protected(table, 65_540);
    for (first, is_found) in [(65_535, true), (65_536, false)] {
        let kept = only(&log, |at| at == first);
        let (checked, summary) = kept.checked(&plan(table));
        assert_eq!(verdicts(&checked) == [Authentic; 2], is_found, "{first}");
        assert_eq!(summary.nothing_right, !is_found);
        let mut given = stand_alone(table, 1, false);
        given.set_first_counter(None, first as u64 + 1);
        let (checked, _) = kept.checked(&given.into());
        assert_eq!(verdicts(&checked), [Authentic; 2]);
    }
    // A wrong key costs eight searches, and then 64 values a frame.
    let other = PAIRED[0];
    let (_, summary) = only(&log, |at| at < 3_000).checked(&plan(other));
    assert!(summary.nothing_right);
}

#[test]
fn given_counter_bounds_replays() {
    for table in &[PAIRED[0], PAIRED[1], PAIRED[3]] {
        let log = protected(table, 600);
        let mut given = stand_alone(table, 1, false);
        given.set_first_counter(Some("0x120"), 500);
        let given = std::sync::Arc::new(given);
        let (checked, _) = only(&log, |at| at >= 510).checked(&given);
        assert!(checked.iter().all(|one| one.verdict == Authentic));
        let (checked, summary) = only(&log, |at| (300..310).contains(&at)).checked(&given);
        assert!(checked.iter().all(|one| one.verdict != Authentic));
        assert_eq!(summary.streams[0].authentic, 0);
    }
}

/// Changed tags, changed messages and replays among genuine messages, in a log with gaps.
#[test]
fn forged_frames_are_refused_and_genuine_ones_are_not() {
    let logs = [PAIRED[0], PAIRED[1]].map(|table| (table, protected(table, 3_000)));
    each_seed(4, |seed| {
        for (table, log) in &logs {
            forge(table, log, seed);
        }
    });
}

fn forge(table: &str, log: &Log, seed: u64) {
    let mut random = waywarden_testkit::Random::new(seed);
    let (mut records, mut is_genuine) = (Vec::new(), Vec::new());
    let mut at = random.index(1_000);
    let mut time = 0;
    for _ in 0..60 {
        let last = at;
        at += 1 + random.index(2) * random.index(60);
        let pair = &log.records[2 * at..2 * at + 2];
        let forged = match random.below(4) {
            0 => Some(2 * random.index(last + 1)),
            1 => Some(2 * at),
            _ => None,
        };
        for (from, own) in [(forged, false), (Some(2 * at), true)] {
            let Some(from) = from else { continue };
            time += 30_000_000;
            for (place, record) in log.records[from..from + 2].iter().enumerate() {
                let mut record = waywarden_can_log::Record {
                    at_ns: time,
                    ..*record
                };
                if !own && from == 2 * at && place == 1 {
                    record = super::verdicts::changed(&record);
                }
                records.push(record);
                is_genuine.push(own);
            }
        }
        assert_eq!(pair.len(), 2);
    }
    let log = Log {
        channels: log.channels.clone(),
        records,
    };
    let (checked, _) = log.checked(&plan(table));
    for (at, (found, own)) in checked.iter().zip(&is_genuine).enumerate() {
        // A replayed message of before the first genuine one is new to a log.
        let is_first = !is_genuine[..at].contains(&true);
        let is_right = (found.verdict == Authentic) == *own || is_first;
        assert!(is_right, "{table}, record {at}: {:?}", found.verdict);
    }
}

/// The answer to a receiver tells the epoch of a sender that was reset.
#[test]
fn answer_in_the_log_tells_another_epoch() {
    use waywarden_can_auth::mac::{AesCmac, MacKey};
    use waywarden_can_auth::paired::{PairedConnection, PairedReceiver, PairedSender, WireForm};
    use waywarden_can_auth::{key_store::KeyId, key_store::Usage, keyring::Keyring};
    use waywarden_can_log::{Channels, LogEntry, Record};
    use waywarden_work::Instant;

    let id = |raw| waywarden_can::StandardId::new(raw).unwrap();
    let key = MacKey::from_bytes(std::array::from_fn(|at| 0x11 * at as u8));
    for wire in [WireForm::Vatican, WireForm::Leia] {
        let mut ring = Keyring::<AesCmac, 1>::default();
        ring.insert(KeyId(0), Usage::Both, &key).unwrap();
        let connection = PairedConnection::new(wire, id(0x120), KeyId(0)).unwrap();
        let mut frames = Vec::new();
        for epoch in [1, 2] {
            let mut sender = PairedSender::in_epoch(connection, epoch);
            let mut asking = PairedReceiver::new(connection, id(0x700), &[epoch as u8; 16]);
            for round in 0..6u8 {
                if round == 3 {
                    let question = asking.outgoing(Instant::ZERO).unwrap();
                    frames.push(question);
                    sender.receive(&question);
                    for _ in 0..2 {
                        let answer = sender.outgoing(Instant::ZERO, &mut ring, &mut NoMeter);
                        frames.push(answer.unwrap().unwrap());
                    }
                }
                let message = sender.protect(&[round], &mut ring, &mut NoMeter);
                let message = message.unwrap();
                frames.extend([message.data, message.tag]);
            }
        }
        let mut channels = Channels::default();
        let channel = channels.intern(b"can0").unwrap();
        let records = frames.iter().enumerate().map(|(at, frame)| Record {
            at_ns: 5_000_000 * at as u64,
            channel,
            entry: LogEntry::Frame {
                frame: *frame,
                direction: None,
            },
        });
        let (records, is_live) = (records.collect(), [true, false]);
        let log = Log { channels, records };
        let name = match wire {
            WireForm::Vatican => "vatican",
            WireForm::Leia => "leia",
        };
        let plan = plan(&format!(
            "scheme = \"{name}\"\nmac = \"aes-128-cmac\"\nprotect = [0x120]"
        ));
        for is_live in is_live {
            let (checked, _) = match is_live {
                true => log.checked(&plan),
                false => log.reviewed(&plan),
            };
            let found: Vec<_> = verdicts(&checked);
            let authentic = found.iter().filter(|one| **one == Authentic).count();
            assert_eq!(authentic, 2 * (6 + 3), "{name}: {found:?}");
        }
    }
}

#[test]
fn message_without_a_tag_is_given_up_in_silence_and_by_the_time_of_the_log() {
    let second = Duration::from_nanos(1_000_000_000);
    let almost = Duration::from_nanos(999_999_999);
    for table in PAIRED {
        let log = protected(table, 3);
        let plan = plan(table);
        let mut checker = LogChecker::new(plan.clone()).waiting_at_most(second);
        let mut checked = Vec::new();
        let mut take = |at: usize, later: u64, checked: &mut Vec<CheckedRecord>| {
            let mut record = log.records[at];
            record.at_ns += later;
            checker.check(&record, &log.channels, checked).unwrap();
            let before = checked.len();
            checker.silence(almost, checked);
            assert_eq!(checked.len(), before, "{table}");
            checker.silence(second, checked);
            checker.late()
        };
        assert_eq!(take(0, 0, &mut checked), 0);
        assert_eq!(verdicts(&checked), [Missing], "{table}");
        assert_eq!(plain(&checked), []);
        // What comes later is counted, and changes no verdict.
        assert_eq!(take(1, 0, &mut checked), 1, "{table}");
        assert_eq!(verdicts(&checked), [Missing, Authentic], "{table}");
        assert_eq!(take(2, 0, &mut checked), 1);
        assert_eq!(verdicts(&checked)[2..], [Missing], "{table}");
        let wrong = [TagWithoutData, WrongTag, Replay, OutOfStep];
        take(5, 100_000_000, &mut checked);
        assert!(
            wrong.contains(&checked[3].verdict),
            "{table}: {:?}",
            checked[3].verdict
        );
    }
}
