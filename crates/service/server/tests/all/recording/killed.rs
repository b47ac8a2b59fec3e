//! A service that is killed: what it wrote is read up to the last whole record.

use std::fs;
use std::time::Duration;

use tokio::sync::broadcast;
use waywarden_v2x_recording::{RecordFormat, Recording};

use super::disk::{child, folder_of_child};
use super::events::{accepted, files, lines, names, record, settings, wait_until};
use super::mcap::messages;

#[test]
fn what_a_killed_service_wrote_is_read_and_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = child(&[], "killed::child_that_is_killed", folder.path());
    let mut process = command.spawn().expect("a process");
    wait_until("files that grow", || {
        let paths = files(folder.path());
        let is_grown = |path: &_| fs::metadata(path).is_ok_and(|meta| meta.len() > 20_000);
        paths.len() == 2 && paths.iter().all(is_grown)
    });
    process.kill().expect("it is killed");
    process.wait().expect("it ended");

    let path = |format: RecordFormat| {
        let name = format!("verdicts-000001.{}", format.extension());
        folder.path().join(name)
    };
    let read = lines(&path(RecordFormat::JsonLines));
    assert!(read.len() > 30);
    for (sequence, line) in read.iter().enumerate() {
        assert_eq!(line["sequence"], sequence);
    }
    let bytes = fs::read(path(RecordFormat::Mcap)).expect("a file");
    let read = messages(&bytes);
    assert!(read.len() > 30);
    for (sequence, message) in read.iter().enumerate() {
        assert_eq!(message["sequence"], sequence);
    }

    for format in [RecordFormat::JsonLines, RecordFormat::Mcap] {
        record(settings(folder.path(), format), &[accepted(7)]);
    }
    let expected = [
        "verdicts-000001.jsonl",
        "verdicts-000001.mcap",
        "verdicts-000002.jsonl",
        "verdicts-000002.mcap",
    ];
    assert_eq!(names(folder.path()), expected);
    assert_eq!(fs::read(path(RecordFormat::Mcap)).expect("a file"), bytes);
}

#[test]
#[ignore = "a child process of what_a_killed_service_wrote_is_read_and_kept"]
fn child_that_is_killed() {
    let Some(folder) = folder_of_child() else {
        return;
    };
    let (sender, receiver) = broadcast::channel(1 << 12);
    let start = |format, receiver| Recording::start(settings(&folder, format), receiver);
    let lines = start(RecordFormat::JsonLines, receiver).expect("it starts");
    let mcap = start(RecordFormat::Mcap, sender.subscribe()).expect("it starts");
    // The parent kills it long before.
    for sequence in 0..60_000 {
        sender.send(accepted(sequence)).expect("a receiver");
        std::thread::sleep(Duration::from_millis(1));
    }
    lines.stop();
    mcap.stop();
}

/// Whatever a file was cut to, its whole records are read.
#[test]
fn a_file_cut_anywhere_is_read_up_to_the_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let (sender, receiver) = broadcast::channel(16);
    let recording = Recording::start(settings(folder.path(), RecordFormat::Mcap), receiver);
    let recording = recording.expect("it starts");
    let mut chunk_ends = Vec::new();
    for sequence in 0..5 {
        sender.send(accepted(sequence)).expect("a receiver");
        wait_until("a chunk", || recording.counts().recorded == sequence + 1);
        chunk_ends.push(
            fs::metadata(&files(folder.path())[0])
                .expect("a file")
                .len() as usize,
        );
    }
    recording.stop();
    let bytes = fs::read(&files(folder.path())[0]).expect("a file");
    assert_eq!(messages(&bytes).len(), 5);
    for cut in mcap::MAGIC.len()..bytes.len() {
        let whole = chunk_ends.iter().filter(|end| **end <= cut).count();
        let read = messages(&bytes[..cut]).len();
        assert!(
            (whole..=whole + 1).contains(&read),
            "{cut}: {read} of {whole}"
        );
    }
}
