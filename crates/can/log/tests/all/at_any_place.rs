//! Formats whose parts refer to each other by their place: MF4 and SQLite, beside python-can (MF4
//! by `xtask/soak/mf4`, which installs asammdf for it), and with hostile bytes.

use std::io::Cursor;
use std::path::Path;

use crate::support::{Allow, PythonCan, assert_same_lines, lines, random_records};
use waywarden_can_log::{Channels, InputCause, LogFormat, Record};
use waywarden_can_log::{mf4, open, open_at_any_place};
use waywarden_testkit::{Random, cases};

const ALLOW: Allow = Allow {
    raw_length_codes: false,
    empty_fd: true,
    remote_lengths: true,
    error_details: false,
};

fn written(records: &[Record], channels: &Channels) -> Vec<u8> {
    let mut writer = mf4::Writer::new(Cursor::new(Vec::new()));
    for record in records {
        writer.write(record, channels).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn read(path: &Path, format: LogFormat) -> (Vec<Record>, Channels) {
    let file = std::fs::File::open(path).unwrap();
    let mut reader = open_at_any_place(file, |file| file).unwrap();
    assert_eq!(reader.format(), format);
    let records = reader.by_ref().map(Result::unwrap).collect();
    (records, reader.channels().clone())
}

/// The times of MF4 are floats to python-can, so that frames of one microsecond of different groups
/// may change places.
fn sorted(lines: &str) -> String {
    let mut lines: Vec<&str> = lines.lines().collect();
    let micros = |line: &&str| line.split(' ').next().and_then(|at| at.parse::<u64>().ok());
    lines.sort_by_key(|line| (micros(line), line.to_string()));
    lines.join("\n")
}

/// Compares what python-can writes in a format, as both read it.
fn compare_theirs(oracle: &PythonCan, format: LogFormat, name: &str, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    let (records, channels) = random_records(seed, 8_000, ALLOW);
    let file = folder.path().join(format!("theirs.{name}"));
    oracle.write(name, &file, &lines(&records, &channels));
    let (records, channels) = read(&file, format);
    let theirs = sorted(&oracle.read(name, &file));
    assert_same_lines(&sorted(&lines(&records, &channels)), &theirs, name);
}

#[test]
fn mf4_we_write_is_read_by_python_can() {
    let Some(oracle) = PythonCan::with_asammdf() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours.mf4");
    let (records, channels) = random_records(0x3F4, 8_000, ALLOW);
    std::fs::write(&file, written(&records, &channels)).unwrap();
    let theirs = sorted(&oracle.read("mf4", &file));
    assert_same_lines(&sorted(&lines(&records, &channels)), &theirs, "mf4");
}

#[test]
fn mf4_of_python_can_is_read_as_it_reads_it() {
    if let Some(oracle) = PythonCan::with_asammdf() {
        compare_theirs(&oracle, LogFormat::Mf4, "mf4", 0x4F4);
    }
}

#[test]
fn sqlite_of_python_can_is_read_as_it_reads_it() {
    if let Some(oracle) = PythonCan::find() {
        compare_theirs(&oracle, LogFormat::Sqlite, "sqlite", 0x507);
    }
}

/// Files of our own writer are read as they were, by the content alone.
#[test]
fn mf4_we_write_is_read_by_us() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ours");
    let (records, channels) = random_records(0x5F4, 2_000, ALLOW);
    std::fs::write(&file, written(&records, &channels)).unwrap();
    let (read, names) = read(&file, LogFormat::Mf4);
    let ours = sorted(&lines(&records, &channels));
    assert_same_lines(&sorted(&lines(&read, &names)), &ours, "mf4");
}

#[test]
fn pipe_is_refused_with_a_remedy() {
    let (records, channels) = random_records(1, 10, ALLOW);
    let bytes = written(&records, &channels);
    let error = open(bytes.as_slice()).unwrap_err();
    assert_eq!(error.cause, InputCause::NotSeekable("MF4").into());
    assert!(error.to_string().contains("give the unpacked file"));
}

/// A reader of a changed file ends, and takes no memory that the file does not have.
#[test]
fn changed_bytes_never_stop_the_readers() {
    let (records, channels) = random_records(7, 300, ALLOW);
    let mf4 = written(&records, &channels);
    let sqlite = include_bytes!("at_any_place/frames.sqlite");
    let mut random = Random::of_test("changed_bytes_never_stop_the_readers");
    let rounds = cases(1_000);
    for (name, whole) in [("mf4", mf4.as_slice()), ("sqlite", sqlite)] {
        let mut seen = 0;
        for round in 0..rounds {
            let mut bytes = whole.to_vec();
            for _ in 0..=random.below(3) {
                change(&mut random, &mut bytes);
            }
            let Ok(reader) = open_at_any_place(Cursor::new(bytes), |bytes| bytes) else {
                continue;
            };
            for (n, item) in reader.enumerate() {
                assert!(
                    n < 200_000,
                    "{name}, round {round}: the reader does not end"
                );
                seen += usize::from(item.is_ok());
            }
        }
        println!("{name}: {rounds} rounds, {seen} records");
        assert!(seen > rounds);
    }
}

/// Changes bits, numbers and links, or cuts the file.
fn change(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random
        .index(bytes.len().max(9) - 8)
        .min(bytes.len().saturating_sub(8));
    let length = bytes.len() as u64;
    let value = match random.below(6) {
        0 => u64::MAX >> random.below(64),
        1 => random.below(length + 1),
        2 => random.below(length + 1) & !7,
        3 => 1 << random.below(64),
        _ => random.u64(),
    };
    match random.below(8) {
        0 if length > 64 => bytes.truncate(at.max(32)),
        1..=3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        kind => {
            // Links and lengths are multiples of eight away from each other.
            let at = if kind < 6 { at & !7 } else { at };
            let count = if kind == 7 { 2 } else { 8 };
            if let Some(place) = bytes.get_mut(at..at + count) {
                place.copy_from_slice(&value.to_le_bytes()[..count]);
            }
        }
    }
}
