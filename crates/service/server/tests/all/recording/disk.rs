//! Disks that are full, and paths that cannot be written.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tokio::sync::broadcast;
use waywarden_testkit::output_of;
use waywarden_v2x_recording::{
    Encoder, JsonLines, Mcap, RecordFormat, Recording, RecordingSettings,
};

use super::events::{accepted, files, lines, names, settings, wait_until};
use super::mcap::messages;

/// Environment variable with the folder of a child process's recording.
const FOLDER: &str = "WAYWARDEN_TEST_RECORDING_FOLDER";

#[test]
fn a_full_device_is_an_error() {
    let full = || {
        OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("/dev/full")
    };
    let mcap = Mcap::new(full()).expect("nothing is written yet");
    let encoders: [Box<dyn Encoder>; 2] = [Box::new(JsonLines::new(full())), Box::new(mcap)];
    for mut encoder in encoders {
        encoder.push(&accepted(0)).expect("it is buffered");
        let error = encoder.flush().expect_err("the device is full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        encoder.finish().expect_err("the device is full");
    }
}

#[test]
fn a_missing_folder_loses_verdicts_until_it_is_there() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("recordings");
    let (sender, receiver) = broadcast::channel(16);
    let recording =
        Recording::start(settings(&folder, RecordFormat::Mcap), receiver).expect("it starts");
    sender.send(accepted(0)).expect("a receiver");
    wait_until("a loss", || recording.counts().unwritten == 1);
    assert!(recording.counts().is_failing);
    fs::create_dir(&folder).expect("a folder");
    let mut sequence = 1;
    wait_until("a verdict", || {
        sender.send(accepted(sequence)).expect("a receiver");
        sequence += 1;
        recording.counts().recorded > 0
    });
    let counts = recording.stop();
    assert!(!counts.is_failing);
    assert_eq!(counts.recorded + counts.unwritten + counts.lagged, sequence);
    let bytes = fs::read(&files(&folder)[0]).expect("a file");
    assert_eq!(messages(&bytes).len() as u64, counts.recorded);
}

#[test]
fn a_failure_waits_before_the_next_try() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("recordings");
    let (sender, receiver) = broadcast::channel(16);
    let settings = RecordingSettings {
        retry: Duration::from_secs(3_600),
        ..settings(&folder, RecordFormat::JsonLines)
    };
    let recording = Recording::start(settings, receiver).expect("it starts");
    sender.send(accepted(0)).expect("a receiver");
    wait_until("a loss", || recording.counts().unwritten == 1);
    fs::create_dir(&folder).expect("a folder");
    sender.send(accepted(1)).expect("a receiver");
    let counts = recording.stop();
    assert_eq!((counts.recorded, counts.unwritten), (0, 2));
    assert_eq!(names(&folder), [""; 0]);
}

/// However often it tries again, the log has a line when it stops and one when it goes on.
#[test]
fn a_failure_is_logged_once_with_file_and_cause() {
    let outer = tempfile::tempdir().expect("a folder");
    let folder = outer.path().join("recordings");
    let mut command = child(&[], "disk::child_with_a_log", &folder);
    let output = output_of(&mut command);
    let lines = |part: &str| {
        output
            .lines()
            .filter(|line| line.contains(part))
            .collect::<Vec<_>>()
    };
    let [stopped] = lines("the recording stopped")[..] else {
        panic!("{output}");
    };
    assert!(stopped.contains("ERROR"), "{stopped}");
    let file = format!("file={} ", folder.display());
    assert!(stopped.contains(&file), "{stopped}");
    assert!(
        stopped.contains("cause=No such file or directory"),
        "{stopped}"
    );
    let [goes_on] = lines("the recording goes on")[..] else {
        panic!("{output}");
    };
    assert!(
        goes_on.contains("recordings/verdicts-000001.jsonl lost=3"),
        "{goes_on}"
    );
}

#[test]
#[ignore = "a child process of a_failure_is_logged_once_with_file_and_cause"]
fn child_with_a_log() {
    let Some(folder) = folder_of_child() else {
        return;
    };
    tracing_subscriber::fmt().with_ansi(false).init();
    let (sender, receiver) = broadcast::channel(16);
    let settings = settings(&folder, RecordFormat::JsonLines);
    let retry = settings.retry;
    let recording = Recording::start(settings, receiver).expect("it starts");
    for sequence in 0..3 {
        sender.send(accepted(sequence)).expect("a receiver");
        wait_until("a loss", || recording.counts().unwritten == sequence + 1);
        std::thread::sleep(2 * retry);
    }
    fs::create_dir(&folder).expect("a folder");
    sender.send(accepted(3)).expect("a receiver");
    assert_eq!(recording.stop().recorded, 1);
}

/// Returns a command for a test of this file that runs only as a child of another.
pub(super) fn child(before: &[&str], test: &str, folder: &Path) -> Command {
    let this = std::env::current_exe().expect("this program");
    let this = this.to_str().expect("UTF-8");
    let test = format!("recording::{test}");
    let words = [
        before,
        &[this, "--exact", &test, "--ignored", "--nocapture"],
    ]
    .concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env(FOLDER, folder);
    command
}

/// Returns the folder of this process's recording, if it is a child.
pub(super) fn folder_of_child() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Returns the number of whole verdicts in the files of a folder, and checks that none is torn.
fn whole(folder: &Path, format: RecordFormat) -> u64 {
    let mut count = 0;
    for path in files(folder) {
        let bytes = fs::read(&path).expect("a file");
        if path
            .extension()
            .is_none_or(|extension| extension != format.extension())
        {
            continue;
        }
        count += match format {
            RecordFormat::JsonLines => {
                assert_eq!(bytes.last(), Some(&b'\n'), "{}", path.display());
                lines(&path).len()
            }
            RecordFormat::Mcap => messages(&bytes).len(),
        } as u64;
    }
    count
}

/// The limit is per file: each file ends at it, and the next one is written.
#[test]
fn files_that_may_not_grow_are_cut_at_whole_records() {
    let folder = tempfile::tempdir().expect("a folder");
    // The signal is ignored, so that a write beyond the limit is an error. A block is 512 bytes.
    let limit = "trap '' XFSZ; ulimit -f 40; exec \"$@\"";
    let mut command = child(
        &["sh", "-c", limit, "sh"],
        "disk::child_with_files_that_may_not_grow",
        folder.path(),
    );
    assert!(output_of(&mut command).contains("1 passed"));
}

#[test]
#[ignore = "a child process of files_that_may_not_grow_are_cut_at_whole_records"]
fn child_with_files_that_may_not_grow() {
    let Some(folder) = folder_of_child() else {
        return;
    };
    for format in [RecordFormat::JsonLines, RecordFormat::Mcap] {
        let (sender, receiver) = broadcast::channel(1 << 14);
        let recording = Recording::start(settings(&folder, format), receiver).expect("it starts");
        let mut sequence = 0;
        wait_until("a second file", || {
            for _ in 0..10 {
                sender.send(accepted(sequence)).expect("a receiver");
                sequence += 1;
            }
            recording.counts().unwritten > 0 && recording.counts().files >= 2
        });
        let counts = recording.stop();
        let lost = counts.unwritten + counts.lagged;
        assert_eq!(counts.recorded + lost, sequence, "{counts:?}");
        assert_eq!(whole(&folder, format), counts.recorded);
    }
}

/// A file system of its own, in a name space of its own.
#[test]
fn a_full_disk_loses_verdicts_until_it_has_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let isolated = ["unshare", "--user", "--map-root-user", "--mount"];
    let possible = Command::new(isolated[0])
        .args(&isolated[1..])
        .args(["mount", "-t", "tmpfs", "none", "/mnt"])
        .output();
    if !possible.is_ok_and(|output| output.status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    let mount = "mount -t tmpfs -o size=128k none \"$0\" && exec \"$@\"";
    let place = folder.path().to_str().expect("UTF-8");
    let before = [&isolated[..], &["sh", "-c", mount, place]].concat();
    let mut command = child(&before, "disk::child_with_a_full_disk", folder.path());
    assert!(output_of(&mut command).contains("1 passed"));
}

#[test]
#[ignore = "a child process of a_full_disk_loses_verdicts_until_it_has_room"]
fn child_with_a_full_disk() {
    let Some(folder) = folder_of_child() else {
        return;
    };
    for format in [RecordFormat::JsonLines, RecordFormat::Mcap] {
        let filler = folder.join("filler");
        fs::write(&filler, [0; 64 << 10]).expect("room");
        let (sender, receiver) = broadcast::channel(1 << 14);
        let recording = Recording::start(settings(&folder, format), receiver).expect("it starts");
        let mut sequence = 0;
        let mut send = || {
            for _ in 0..10 {
                sender.send(accepted(sequence)).expect("a receiver");
                sequence += 1;
            }
            sequence
        };
        wait_until("a full disk", || {
            send();
            recording.counts().unwritten > 0
        });
        fs::remove_file(&filler).expect("a file");
        let before = recording.counts().recorded;
        wait_until("a disk with room", || {
            send();
            recording.counts().recorded > before
        });
        let sent = send();
        let counts = recording.stop();
        let lost = counts.unwritten + counts.lagged;
        assert_eq!(counts.recorded + lost, sent, "{counts:?}");
        assert_eq!(whole(&folder, format), counts.recorded);
        for path in files(&folder) {
            fs::remove_file(path).expect("a file");
        }
    }
}
