//! Tests of the messages of a protected log, and of the verdicts on one that an attacker changed.

use waywarden_can::Frame;
use waywarden_can_auth_log::FrameVerdict::{
    self, Authentic, Missing, OutOfStep, Replay, TagWithoutData, UnknownId, WrongTag,
};
use waywarden_can_log::{LogEntry, Record, candump};

use super::{Log, plain, plan, plan_of};

const PAIRED: [&str; 4] = [
    "scheme = \"vatican\"\nprotect = [0x280]",
    "scheme = \"leia\"\nprotect = [0x280]",
    "scheme = \"vatican\"\nprofile = \"as-published\"\nprotect = [0x280]",
    "scheme = \"leia\"\nprofile = \"as-published\"\nprotect = [0x280]",
];

/// Two records a message, one announcement before them.
const SECOC: &str = "scheme = \"secoc\"\nfd = true\nprotect = [0x280]";

/// The record with the first bit of its payload changed.
pub(super) fn changed(record: &Record) -> Record {
    let LogEntry::Frame { frame, direction } = record.entry else {
        panic!("an error frame");
    };
    let mut data = frame.data().to_vec();
    data[0] ^= 0x80;
    let changed = match frame.is_fd() {
        true => Frame::fd(frame.id(), &data),
        false => Frame::classic(frame.id(), &data),
    };
    let entry = LogEntry::Frame {
        frame: changed.unwrap(),
        direction,
    };
    Record { entry, ..*record }
}

fn verdicts(log: &Log, table: &str) -> Vec<FrameVerdict> {
    let (checked, summary) = log.checked(&plan(table));
    let verdicts: Vec<_> = checked.iter().map(|one| one.verdict).collect();
    let count = |verdict| verdicts.iter().filter(|one| **one == verdict).count() as u64;
    let refused = [WrongTag, Replay, Missing, TagWithoutData, OutOfStep].map(count);
    assert_eq!(summary.refused, refused.iter().sum::<u64>(), "{table}");
    assert_eq!(summary.frames, verdicts.len() as u64, "{table}");
    let records: Vec<Record> = checked.iter().map(|one| one.record).collect();
    assert_eq!(records, log.records, "another order, or another log");
    verdicts
}

/// A protected log may be checked by a later version: no bit of it may change.
#[test]
fn protected_message_is_known_to_the_bit() {
    let cases = [
        (
            "secoc\"\nfd = true",
            "280",
            ["00F#0001000018B5C7A6", "280##10011223344556600182058F3"],
        ),
        (
            "secoc\"\nfd = true",
            "18FEF100",
            [
                "00F#0001000018B5C7A6",
                "18FEF100##10011223344556600103A6E9D",
            ],
        ),
        (
            "vatican\"",
            "280",
            ["280#0011223344556600", "281#000AA3A902D49F1C"],
        ),
        (
            "leia\"",
            "280",
            ["0A000000#0011223344556600", "0A050000#0AA3A902D49F1C52"],
        ),
        (
            "vatican\"\nprofile = \"as-published\"",
            "280",
            ["280#0011223344556600", "281#783503D5F33296A5"],
        ),
        (
            "leia\"\nprofile = \"as-published\"",
            "280",
            ["0A000001#0011223344556600", "0A050001#C90621098FBD143F"],
        ),
    ];
    for (scheme, id, known) in cases {
        let table = format!("scheme = \"{scheme}\nprotect = [0x{id}]");
        let log = Log::new(&format!("(1.000000) can0 {id}#0011223344556600\n"));
        let protected = log.protected(&plan(&table)).unwrap();
        let mut writer = candump::Writer::new(Vec::new());
        for record in &protected.records {
            writer.write(record, &protected.channels).unwrap();
        }
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let lines = known.map(|line| format!("(1.000000) can0 {line}\n"));
        assert_eq!(text, lines.concat(), "{table}");
        let (checked, _) = protected.checked(&plan(&table));
        assert_eq!(plain(&checked), log.records, "{table}");
    }
}

#[test]
fn real_traffic_comes_back_as_it_was() {
    let log = Log::new(include_str!("../../../../../examples/drive.log"));
    for table in [
        "scheme = \"secoc\"\nfd = true\nprotect = \"all\"",
        "scheme = \"secoc\"\nprofile = \"autosar-2\"\nfd = true\nprotect = \"all\"",
    ] {
        let plan = plan(table);
        let protected = log.protected(&plan).unwrap();
        assert_ne!(protected.records, log.records);
        let (checked, summary) = protected.checked(&plan);
        assert_eq!(plain(&checked), log.records, "{table}");
        assert_eq!(summary.refused + summary.unknown, 0, "{table}");
        assert_eq!(summary.frames, protected.records.len() as u64);
    }
}

#[test]
fn messages_come_back_from_frames_with_tags() {
    let log = Log::short();
    for table in PAIRED {
        let protected = log.protected(&plan(table)).unwrap();
        assert_eq!(verdicts(&protected, table), [Authentic; 20], "{table}");
        let (checked, _) = protected.checked(&plan(table));
        assert_eq!(plain(&checked), log.records, "{table}");
    }
}

#[test]
fn changed_frame_has_a_wrong_tag() {
    let mut log = Log::short().protected(&plan(SECOC)).unwrap();
    log.records[4] = changed(&log.records[4]);
    let mut expected = [Authentic; 11];
    expected[4] = WrongTag;
    assert_eq!(verdicts(&log, SECOC), expected);
    for table in PAIRED {
        let mut log = Log::short().protected(&plan(table)).unwrap();
        log.records[8] = changed(&log.records[8]);
        let found = verdicts(&log, table);
        assert_eq!(found[9], WrongTag, "{table}");
        assert_ne!(found[8], Authentic, "{table}");
    }
}

#[test]
fn replayed_frame_is_not_authentic_again() {
    let mut log = Log::short().protected(&plan(SECOC)).unwrap();
    log.records.insert(6, log.records[4]);
    log.records[6].at_ns = log.records[5].at_ns;
    let mut expected = [Authentic; 12];
    // Its freshness is the next one that has the truncated bits: the authenticator does not fit.
    expected[6] = WrongTag;
    assert_eq!(verdicts(&log, SECOC), expected);
    for table in &PAIRED[..2] {
        let mut log = Log::short().protected(&plan(table)).unwrap();
        let replayed = [log.records[8], log.records[9]].map(|record| Record {
            at_ns: log.records[11].at_ns + 1_000,
            ..record
        });
        log.records.splice(12..12, replayed);
        let found = verdicts(&log, table);
        assert!(!found[12..14].contains(&Authentic), "{table}: {found:?}");
        assert!(found[12..14].contains(&Replay), "{table}: {found:?}");
        assert_eq!(found.iter().filter(|one| **one == Authentic).count(), 20);
    }
}

#[test]
fn replayed_announcement_and_lost_ones_leave_messages_out_of_step() {
    let mut log = Log::short().protected(&plan(SECOC)).unwrap();
    log.records.remove(0);
    assert_eq!(verdicts(&log, SECOC), [OutOfStep; 10]);
    // The announcement of a start that is over.
    let first = Log::short().protected(&plan(SECOC)).unwrap();
    let (checked, _) = first.checked(&plan_of(SECOC, 2, false));
    assert_eq!(checked[0].verdict, Replay);
    assert!(checked[1..].iter().all(|one| one.verdict == OutOfStep));
}

#[test]
fn dropped_frames_are_missing_and_the_rest_goes_on() {
    let mut log = Log::short().protected(&plan(SECOC)).unwrap();
    log.records.drain(3..6);
    assert_eq!(verdicts(&log, SECOC), [Authentic; 8]);
    for table in &PAIRED[..2] {
        let protected = Log::short().protected(&plan(table)).unwrap().records;
        let dropped = |at: usize| {
            let mut log = Log::short();
            log.records.clone_from(&protected);
            log.records.remove(at);
            verdicts(&log, table)
        };
        let mut expected = [Authentic; 19];
        expected[8] = TagWithoutData;
        assert_eq!(dropped(8), expected, "{table}");
        expected[8] = Missing;
        assert_eq!(dropped(9), expected, "{table}");
    }
}

#[test]
fn frames_without_tags_are_missing_them_at_the_end() {
    let log = Log::short();
    assert_eq!(verdicts(&log, PAIRED[0]), [Missing; 10]);
    let other = "scheme = \"vatican\"\nprotect = [0x300]";
    assert_eq!(verdicts(&log, other), [UnknownId; 10]);
    let (checked, summary) = log.checked(&plan(other));
    assert_eq!(plain(&checked), log.records);
    assert!(summary.is_about_nothing());
    assert_eq!(
        plan(other).nothing_found(&log.channels),
        "no frame belongs to a stream; the tables are about 0x300; the log has can0"
    );
}

#[test]
fn waiting_records_are_bounded() {
    // The log's time stands still, and no tag ever comes.
    let first = Log::short().records[0];
    let mut log = Log::short();
    log.records = vec![first; (1 << 16) + 10];
    let mut checker = waywarden_can_auth_log::LogChecker::new(plan(PAIRED[2]));
    let mut checked = Vec::new();
    for record in &log.records {
        checker.check(record, &log.channels, &mut checked).unwrap();
    }
    assert!(checked.len() >= 10, "{} handed out", checked.len());
}

#[test]
fn data_ids_are_in_each_code() {
    let log =
        Log::new("(1.000000) can0 280#01\n(1.010000) can0 18FF1234#02\n(1.020000) can0 280#03\n");
    let table = |data_ids: &str| {
        format!("scheme = \"secoc\"\nprotect = [0x280, 0x18FF1234]\ndata_ids = [{data_ids}]")
    };
    let given = "{ stream = 0x280, data_id = 0x4280 }, { stream = 0x18FF1234, data_id = 0x4001 }";
    let (with, without) = (plan(&table(given)), plan(&table("")));
    let protected = log.protected(&with).unwrap();
    let (checked, summary) = protected.checked(&with);
    assert_eq!((summary.frames, summary.refused), (4, 0));
    assert_eq!(plain(&checked), log.records);
    let (_, summary) = protected.checked(&without);
    assert_eq!(summary.refused, 3, "only the announcement is authentic");
    // One of the two is enough to make a difference, also under a 29-bit identifier.
    let one = plan(&table("{ stream = 0x280, data_id = 0x4280 }"));
    assert_eq!(protected.checked(&one).1.refused, 1);
}
