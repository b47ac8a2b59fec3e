//! A log is judged as a log: it begins at any counter, has gaps, and is looked at with hindsight.
//! No forged frame gains by that.

use waywarden_can::Frame;
use waywarden_can_auth_log::FrameVerdict::{self, Authentic, OutOfStep, Replay, WrongTag};
use waywarden_can_auth_log::{Judging, LogChecker};
use waywarden_can_log::{LogEntry, Record};
use waywarden_testkit::{Random, each_seed};

use super::{Log, plain, plan};

/// A counter of 64 bits, of which 8 travel.
const COUNTER: &str = "scheme = \"secoc\"\nprofile = \"autosar-1\"\nprotect = [0x120]";
/// Trips and resets that a master announces every 100 ms.
const ANNOUNCED: &str = "scheme = \"secoc\"\nprotect = [0x120]";

/// So many messages, 10 ms apart.
pub(super) fn messages(count: usize) -> Log {
    let line = |at: usize| {
        let (second, micros) = (1 + at / 100, at % 100 * 10_000);
        format!("({second}.{micros:06}) can0 120#{at:08X}\n")
    };
    Log::new(&(0..count).map(line).collect::<String>())
}

/// The protected log of so many messages.
fn protected(table: &str, count: usize) -> Log {
    messages(count).protected(&plan(table)).unwrap()
}

pub(super) fn part(log: &Log, keep: impl Fn(usize) -> bool) -> Log {
    let kept = log.records.iter().enumerate().filter(|(at, _)| keep(*at));
    Log {
        channels: log.channels.clone(),
        records: kept.map(|(_, record)| *record).collect(),
    }
}

fn live(log: &Log, table: &str) -> Vec<FrameVerdict> {
    let (checked, _) = log.checked(&plan(table));
    checked.iter().map(|one| one.verdict).collect()
}

fn reviewed(log: &Log, table: &str) -> Vec<FrameVerdict> {
    let (checked, _) = log.reviewed(&plan(table));
    assert_eq!(checked.len(), log.records.len());
    checked.iter().map(|one| one.verdict).collect()
}

fn as_ecu(log: &Log, table: &str) -> Vec<FrameVerdict> {
    let (checked, _) = log.checked_by(LogChecker::as_ecu(plan(table)));
    checked.iter().map(|one| one.verdict).collect()
}

fn of_frame(record: &Record, frame: Frame) -> Record {
    let entry = LogEntry::Frame {
        frame,
        direction: None,
    };
    Record { entry, ..*record }
}

#[test]
fn gaps_up_to_the_window_of_the_profile_are_accepted_at_once() {
    let log = protected(COUNTER, 2_000);
    for gap in [17, 32, 40, 511] {
        let kept = part(&log, |at| at % gap == 0);
        let all = vec![Authentic; kept.records.len()];
        assert_eq!(live(&kept, COUNTER), all, "gap {gap}");
        assert_eq!(reviewed(&kept, COUNTER), all, "gap {gap}");
    }
    // What a receiver does, which retains a reserve of 32.
    let kept = part(&log, |at| at % 40 == 0);
    let found = as_ecu(&kept, COUNTER);
    assert_eq!(found[0], Authentic);
    assert!(found[1..].contains(&OutOfStep), "{found:?}");
}

#[test]
fn log_begins_at_any_counter() {
    let log = protected(COUNTER, 6_010);
    for first in [33, 300, 6_000] {
        let kept = part(&log, |at| at + 1 >= first && at + 1 < first + 9);
        let mut all = vec![Authentic; kept.records.len()];
        assert_eq!(reviewed(&kept, COUNTER), all, "from {first}");
        let (checked, summary) = kept.reviewed(&plan(COUNTER));
        assert_eq!(plain(&checked).len(), all.len());
        assert_eq!(summary.streams[0].first_counter, Some(first as u64));
        assert_eq!((summary.judged_as, summary.passes), (Judging::Log, 1));
        // As it comes, the first of a counter far ahead is not yet known.
        if first > 511 {
            all[0] = OutOfStep;
        }
        assert_eq!(live(&kept, COUNTER), all, "from {first}");
    }
}

#[test]
fn given_counter_needs_no_search_and_bounds_replays() {
    let log = protected(COUNTER, 6_010);
    let kept = part(&log, |at| at >= 5_999);
    let mut given = super::stand_alone(COUNTER, 1, false);
    given.set_first_counter(Some("0x120"), 6_000);
    let given = std::sync::Arc::new(given);
    let (checked, _) = kept.checked(&given);
    assert!(checked.iter().all(|one| one.verdict == Authentic));
    let older = part(&log, |at| (5_000..5_003).contains(&at));
    let (checked, summary) = older.reviewed(&given);
    assert!(checked.iter().all(|one| one.verdict != Authentic));
    assert!(summary.nothing_right);
}

#[test]
fn gap_beyond_the_window_needs_a_second_frame() {
    let log = protected(COUNTER, 4_000);
    let kept = part(&log, |at| !(5..3_000).contains(&at));
    let mut all = vec![Authentic; kept.records.len()];
    assert_eq!(reviewed(&kept, COUNTER), all);
    all[5] = OutOfStep;
    assert_eq!(live(&kept, COUNTER), all);
    // One frame alone is not enough.
    let kept = part(&log, |at| at < 5 || at == 3_999);
    assert_eq!(reviewed(&kept, COUNTER)[5], OutOfStep);
}

#[test]
fn messages_before_an_announcement_are_judged_by_the_next_one() {
    let log = protected(ANNOUNCED, 60);
    // Without the first announcement, and without three in the middle.
    let ids: Vec<_> = log
        .records
        .iter()
        .map(|one| one.entry.frame().unwrap().id())
        .collect();
    let announced: Vec<_> = (0..ids.len()).filter(|at| ids[*at] == ids[0]).collect();
    for lost in [0..1, 2..5] {
        let kept = part(&log, |at| !announced[lost.clone()].contains(&at));
        let found = reviewed(&kept, ANNOUNCED);
        assert!(
            found.iter().all(|one| *one == Authentic),
            "{lost:?}: {found:?}"
        );
        let (_, summary) = kept.reviewed(&plan(ANNOUNCED));
        assert_eq!(summary.passes, 2);
    }
    let kept = part(&log, |at| at != 0);
    let found = live(&kept, ANNOUNCED);
    assert_eq!(found[..10], [OutOfStep; 10]);
    assert!(found[10..].iter().all(|one| *one == Authentic));
}

#[test]
fn wrong_key_and_unprotected_log_are_reported() {
    let log = protected(COUNTER, 3);
    let other = COUNTER.replace(
        "protect",
        "data_ids = [{ stream = 0x120, data_id = 7 }]\nprotect",
    );
    for (log, table) in [(&log, other.as_str()), (&messages(3), COUNTER)] {
        let (_, summary) = log.reviewed(&plan(table));
        assert!(summary.nothing_right, "{summary:?}");
    }
    let (_, summary) = messages(3).reviewed(&plan(ANNOUNCED));
    assert!(summary.nothing_right, "{summary:?}");
    let (_, summary) = log.reviewed(&plan(COUNTER));
    assert!(!summary.nothing_right);
}

#[test]
fn forged_announcement_shifts_nothing() {
    let mut log = protected(ANNOUNCED, 60);
    let forged: Vec<Record> = (0..40u8)
        .map(|n| {
            let first = &log.records[0];
            let mut data = first.entry.frame().unwrap().data().to_vec();
            (data[1], data[7]) = (n, n);
            of_frame(
                first,
                Frame::classic(first.entry.frame().unwrap().id(), &data).unwrap(),
            )
        })
        .collect();
    log.records.splice(20..20, forged);
    for found in [live(&log, ANNOUNCED), reviewed(&log, ANNOUNCED)] {
        let refused = |one: &FrameVerdict| [WrongTag, Replay].contains(one);
        assert!(found[20..60].iter().all(refused), "{found:?}");
        assert!(found[60..].iter().all(|one| *one == Authentic), "{found:?}");
        assert!(found[..20].iter().all(|one| *one == Authentic), "{found:?}");
    }
}

/// Forged frames among genuine ones: random codes, changed payloads, and frames that came before.
#[test]
fn forged_frames_are_refused_and_genuine_ones_are_not() {
    let logs = [protected(COUNTER, 6_000), protected(ANNOUNCED, 600)];
    each_seed(4, |seed| forge(&logs, seed));
}

/// A genuine frame that came before, if one did.
fn replayed(
    records: &[Record],
    is_genuine: &[bool],
    random: &mut Random,
) -> Option<Result<Frame, waywarden_can::FrameError>> {
    let at = random.index(records.len().max(1));
    let record = records.get(at).filter(|_| is_genuine[at])?;
    record.entry.frame().copied().map(Ok)
}

fn forge(logs: &[Log; 2], seed: u64) {
    let mut random = Random::new(seed);
    let is_counter = seed.is_multiple_of(2);
    let (log, table) = match is_counter {
        true => (&logs[0], COUNTER),
        false => (&logs[1], ANNOUNCED),
    };
    let from = if is_counter {
        random.index(4_000)
    } else {
        random.index(20)
    };
    let genuine: Vec<Record> = log.records[from..].iter().take(150).copied().collect();
    let gap = 20 + random.index(100);
    let lost = if is_counter { 100 } else { 0 };
    let (mut records, mut is_genuine) = (Vec::new(), Vec::new());
    for (at, record) in genuine.iter().enumerate() {
        if (gap..gap + lost).contains(&at) && at > gap {
            continue;
        }
        for _ in 0..random.below(4) {
            let frame = record.entry.frame().unwrap();
            let forged = match random.below(3) {
                0 => Frame::classic(frame.id(), &random.bytes(frame.data_len())),
                1 => {
                    let mut data = frame.data().to_vec();
                    data[random.index(4)] ^= 1 << random.below(8);
                    Frame::classic(frame.id(), &data)
                }
                // A frame that came before.
                _ => replayed(&records, &is_genuine, &mut random).unwrap_or(Ok(*frame)),
            };
            let is_replay = forged == Ok(*frame);
            if !is_replay {
                records.push(of_frame(record, forged.unwrap()));
                is_genuine.push(false);
            }
        }
        records.push(*record);
        is_genuine.push(true);
    }
    let log = Log {
        channels: log.channels.clone(),
        records,
    };
    let found = reviewed(&log, table);
    for (at, (verdict, is_genuine)) in found.iter().zip(&is_genuine).enumerate() {
        assert_eq!(
            *verdict == Authentic,
            *is_genuine,
            "record {at}: {verdict:?}"
        );
    }
    let found = live(&log, table);
    let wrong = found
        .iter()
        .zip(&is_genuine)
        .filter(|(one, own)| **one == Authentic && !**own);
    assert_eq!(wrong.count(), 0, "forged frames are authentic");
}
