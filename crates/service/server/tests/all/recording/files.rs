//! Files of a recording: rotation, removal, and files that are never touched.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use tokio::sync::broadcast;
use waywarden_v2x_recording::{RecordFormat, Recording, RecordingSettings, Verdicts};
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

use super::events::{accepted, files, lines, names, record, refused, settings, wait_until};

fn events(count: u64) -> Vec<VerdictEvent> {
    let one = |sequence| match sequence % 2 {
        0 => accepted(sequence),
        _ => refused(sequence),
    };
    (0..count).map(one).collect()
}

#[test]
fn a_full_file_is_followed_by_the_next() {
    for format in [RecordFormat::JsonLines, RecordFormat::Mcap] {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = RecordingSettings {
            file_bytes_max: 64 << 10,
            ..settings(folder.path(), format)
        };
        let counts = record(settings, &events(2_000));
        assert_eq!(
            (counts.recorded, counts.unwritten, counts.lagged),
            (2_000, 0, 0)
        );
        let files = files(folder.path());
        assert_eq!(counts.files, files.len() as u64);
        assert!(files.len() > 3, "{files:?}");
        let mut read = 0;
        for path in files {
            let meta = path.metadata().expect("a file");
            assert_eq!(meta.permissions().mode() & 0o777, 0o640);
            match format {
                RecordFormat::JsonLines => {
                    assert!(meta.len() < (64 << 10) + 1_000);
                    read += lines(&path).len();
                }
                RecordFormat::Mcap => {
                    let bytes = fs::read(&path).expect("a file");
                    let messages = mcap::MessageStream::new(&bytes).expect("MCAP");
                    read += messages
                        .collect::<Result<Vec<_>, _>>()
                        .expect("messages")
                        .len();
                }
            }
        }
        assert_eq!(read, 2_000);
    }
}

#[test]
fn an_old_file_is_followed_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = RecordingSettings {
        file_age_max: Duration::from_secs(1),
        ..settings(folder.path(), RecordFormat::JsonLines)
    };
    let (sender, receiver) = broadcast::channel(16);
    let recording = Recording::start(settings, receiver).expect("a recording");
    let mut sequence = 0;
    wait_until("a second file", || {
        let _ = sender.send(accepted(sequence));
        sequence += 1;
        recording.counts().files >= 2
    });
    let counts = recording.stop();
    assert_eq!(counts.recorded + counts.lagged, sequence);
}

#[test]
fn the_oldest_recordings_go_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let line = "{\"sequence\":0}\n";
    for number in 1..=9 {
        fs::write(at(&format!("verdicts-{number:06}.jsonl")), line).expect("a file");
    }
    // Names of the series with something else in them, and names of something else.
    fs::write(at("verdicts-000002.jsonl"), "my notes\n").expect("a file");
    fs::remove_file(at("verdicts-000003.jsonl")).expect("a file");
    symlink(at("verdicts-000004.jsonl"), at("verdicts-000003.jsonl")).expect("a link");
    fs::write(at("verdicts-000005.jsonl"), "").expect("a file");
    fs::write(at("verdicts-00001.jsonl"), line).expect("a file");
    fs::write(at("verdicts-000001.jsonl.bak"), line).expect("a file");
    fs::write(at("other-000001.jsonl"), line).expect("a file");
    let locked = fs::File::open(at("verdicts-000006.jsonl")).expect("a file");
    locked.lock().expect("a lock");

    let settings = RecordingSettings {
        files_max: 3,
        ..settings(folder.path(), RecordFormat::JsonLines)
    };
    let counts = record(settings, &[accepted(0)]);
    assert_eq!(counts.removed, 4);
    let expected = [
        "other-000001.jsonl",
        "verdicts-000001.jsonl.bak",
        "verdicts-000002.jsonl",
        "verdicts-000003.jsonl",
        "verdicts-000006.jsonl",
        "verdicts-000008.jsonl",
        "verdicts-000009.jsonl",
        "verdicts-00001.jsonl",
        "verdicts-000010.jsonl",
    ];
    assert_eq!(names(folder.path()), expected);
}

#[test]
fn recordings_beyond_their_bytes_go() {
    for format in [RecordFormat::JsonLines, RecordFormat::Mcap] {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = RecordingSettings {
            file_bytes_max: 64 << 10,
            total_bytes_max: 200 << 10,
            ..settings(folder.path(), format)
        };
        let counts = record(settings, &events(3_000));
        assert!(counts.removed > 0);
        let files = files(folder.path());
        assert_eq!(counts.files - counts.removed, files.len() as u64);
        let bytes: u64 = files
            .iter()
            .map(|path| path.metadata().expect("one").len())
            .sum();
        assert!((100 << 10..200 << 10).contains(&bytes), "{bytes} bytes");
    }
}

#[test]
fn no_file_is_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let outside = tempfile::tempdir().expect("a folder");
    let settings = settings(folder.path(), RecordFormat::JsonLines);
    record(settings.clone(), &[accepted(0)]);
    // A number that is taken by a link that leads nowhere, and one by a folder.
    let at = |name: &str| folder.path().join(name);
    symlink(outside.path().join("target"), at("verdicts-000002.jsonl")).expect("a link");
    fs::create_dir(at("verdicts-000003.jsonl")).expect("a folder");
    record(settings, &[accepted(1)]);
    assert_eq!(lines(&at("verdicts-000001.jsonl"))[0]["sequence"], 0);
    assert_eq!(lines(&at("verdicts-000004.jsonl"))[0]["sequence"], 1);
    assert_eq!(names(outside.path()), [""; 0]);
}

#[test]
fn a_file_that_is_removed_is_followed_by_the_next() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, receiver) = broadcast::channel(16);
    let settings = settings(folder.path(), RecordFormat::JsonLines);
    let recording = Recording::start(settings, receiver).expect("a recording");
    sender.send(accepted(0)).expect("a receiver");
    wait_until("a verdict", || recording.counts().recorded == 1);
    fs::remove_file(&files(folder.path())[0]).expect("a file");
    let mut sequence = 1;
    wait_until("a second file", || {
        let _ = sender.send(accepted(sequence));
        sequence += 1;
        recording.counts().files == 2
    });
    recording.stop();
    assert_eq!(names(folder.path()), ["verdicts-000001.jsonl"]);
}

#[test]
fn only_the_verdicts_that_are_asked_for_are_recorded() {
    for (verdicts, expected) in [
        (Verdicts::All, &[0, 1, 2, 3, 4][..]),
        (Verdicts::Accepted, &[0, 2, 4]),
        (Verdicts::Refused, &[1, 3]),
        (Verdicts::Spdus, &[0, 2, 4]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = RecordingSettings {
            verdicts,
            ..settings(folder.path(), RecordFormat::JsonLines)
        };
        record(settings, &events(5));
        let read = lines(&files(folder.path())[0]);
        let sequences: Vec<_> = read.iter().map(|line| line["sequence"].as_u64()).collect();
        assert_eq!(
            sequences,
            expected.iter().map(|one| Some(*one)).collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_refused_spdu_is_recorded_where_bytes_without_one_are_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = RecordingSettings {
        verdicts: Verdicts::Spdus,
        ..settings(folder.path(), RecordFormat::JsonLines)
    };
    let text = include_str!("../../../../../../examples/v2x/messages.hex");
    let mut words = text.lines().filter(|line| !line.starts_with('#'));
    let digits = words.find_map(|line| line.split_whitespace().last());
    let digits = digits.expect("a message");
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits");
    let message: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
    let spdu = VerdictEvent {
        message: message.into(),
        ..refused(1)
    };
    record(settings, &[refused(0), spdu, refused(2)]);
    let read = lines(&files(folder.path())[0]);
    let sequences: Vec<_> = read.iter().map(|line| line["sequence"].as_u64()).collect();
    assert_eq!(sequences, [Some(1)]);
}

#[test]
fn a_recording_without_verdicts_makes_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    record(settings(folder.path(), RecordFormat::Mcap), &[]);
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn verdicts_that_come_too_fast_are_lost_and_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, receiver) = broadcast::channel(4);
    for event in events(100) {
        sender.send(event).expect("a receiver");
    }
    let settings = settings(folder.path(), RecordFormat::JsonLines);
    let recording = Recording::start(settings, receiver).expect("a recording");
    drop(sender);
    wait_until("the end", || recording.counts().recorded == 4);
    let counts = recording.stop();
    assert_eq!(
        (counts.recorded, counts.lagged, counts.unwritten),
        (4, 96, 0)
    );
    let read = lines(&files(folder.path())[0]);
    assert_eq!(read[0]["sequence"], 96);
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let good = RecordingSettings::default();
    assert_eq!(good.check(), Ok(()));
    let zero = Duration::ZERO;
    let bad = [
        (
            "prefix",
            RecordingSettings {
                prefix: "../x".into(),
                ..good.clone()
            },
        ),
        (
            "prefix",
            RecordingSettings {
                prefix: String::new(),
                ..good.clone()
            },
        ),
        (
            "file_bytes_max",
            RecordingSettings {
                file_bytes_max: 1,
                ..good.clone()
            },
        ),
        (
            "file_age_max",
            RecordingSettings {
                file_age_max: zero,
                ..good.clone()
            },
        ),
        (
            "files_max",
            RecordingSettings {
                files_max: 0,
                ..good.clone()
            },
        ),
        (
            "total_bytes_max",
            RecordingSettings {
                total_bytes_max: 1 << 20,
                ..good.clone()
            },
        ),
        (
            "flush",
            RecordingSettings {
                flush: zero,
                ..good.clone()
            },
        ),
        (
            "retry",
            RecordingSettings {
                retry: zero,
                ..good
            },
        ),
    ];
    for (setting, settings) in bad {
        let (_sender, receiver) = broadcast::channel(1);
        assert_eq!(settings.check().expect_err(setting).setting, setting);
        let error = Recording::start(settings, receiver).expect_err(setting);
        assert!(error.to_string().starts_with(setting), "{error}");
    }
}

/// Numbers end at 2^64 - 1: what comes after it is no verdict lost in a loop.
#[test]
fn a_series_without_a_number_left_is_an_error_and_ends() {
    for (number, recorded) in [(u64::MAX, 0), (u64::MAX - 1, 1)] {
        let folder = tempfile::tempdir().expect("a folder");
        let name = format!("verdicts-{number}.jsonl");
        fs::write(folder.path().join(name), "").expect("a file");
        let settings = settings(folder.path(), RecordFormat::JsonLines);
        let counts = record(settings.clone(), &events(1));
        assert_eq!(
            (counts.recorded, counts.unwritten),
            (recorded, 1 - recorded)
        );
        // Now the last number is taken in any case.
        let counts = record(settings, &events(1));
        assert_eq!((counts.recorded, counts.unwritten), (0, 1));
        assert!(counts.is_failing);
    }
}
