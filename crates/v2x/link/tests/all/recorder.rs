//! Captures by a thread: on a disk that is full, at the end, after a kill.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use waywarden_testkit::{bytes_of, has_tshark};
use waywarden_v2x_link::capture::{
    CaptureDirection, CaptureRecorder, CapturedPacket, RecorderReport, WAITING_BYTES_MAX,
};

use crate::capture::{read, tshark};
use crate::frames::CAM;
use crate::isolated::{is_isolated, shell};

const LONG: Duration = Duration::from_secs(20);

fn recorder(path: &Path) -> (CaptureRecorder, Receiver<RecorderReport>) {
    let (sender, reports) = channel();
    let report = move |report| sender.send(report).unwrap_or_default();
    (
        CaptureRecorder::create(path, "lo", report).unwrap(),
        reports,
    )
}

/// Records the `number`-th frame of a test.
fn record(recorder: &CaptureRecorder, number: u64, frame: &[u8]) {
    recorder.record(&CapturedPacket {
        time: Duration::from_nanos(number),
        direction: CaptureDirection::Inbound,
        frame,
        comment: "",
    });
}

/// The numbers of the frames in a file, whose blocks are all whole.
fn numbers(path: &Path) -> Vec<u64> {
    let (packets, left) = read(&fs::read(path).unwrap());
    assert_eq!(left, 0);
    packets.iter().map(|packet| packet.nanoseconds).collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LONG, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn all_frames_are_in_the_file_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcapng");
    let (recorder, reports) = recorder(&path);
    let frame = bytes_of(CAM);
    for number in 0..5_000 {
        record(&recorder, number, &frame);
    }
    let counts = recorder.finish(LONG).unwrap();
    assert_eq!((counts.written, counts.lost), (5_000, 0));
    assert_eq!((counts.waiting_bytes, counts.failing), (0, None));
    assert_eq!(numbers(&path), (0..5_000).collect::<Vec<_>>());
    assert!(reports.iter().next().is_none());
}

#[test]
fn a_frame_is_in_the_file_soon() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcapng");
    let (recorder, _reports) = recorder(&path);
    record(&recorder, 7, &bytes_of(CAM));
    wait_until("no frame", || numbers(&path) == [7]);
    assert_eq!(recorder.counts().written, 1);
}

#[test]
fn a_file_that_is_there_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcapng");
    fs::write(&path, "mine").unwrap();
    assert!(CaptureRecorder::create(&path, "lo", |_| {}).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"mine");
}

#[test]
fn a_file_that_is_removed_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frames.pcapng");
    let (recorder, reports) = recorder(&path);
    let frame = bytes_of(CAM);
    record(&recorder, 1, &frame);
    wait_until("no frame", || recorder.counts().written == 1);
    fs::remove_file(&path).unwrap();
    record(&recorder, 2, &frame);
    wait_until("no second frame", || recorder.counts().written == 2);
    assert_eq!(numbers(&path), [2]);
    // A name that is taken meanwhile is kept, and reported.
    fs::remove_file(&path).unwrap();
    fs::write(&path, "mine").unwrap();
    record(&recorder, 3, &frame);
    let report = reports.recv_timeout(LONG).unwrap();
    assert!(matches!(report, RecorderReport::Failing { .. }));
    assert_eq!(fs::read(&path).unwrap(), b"mine");
    let counts = recorder.finish(Duration::from_millis(200)).unwrap();
    assert_eq!((counts.written, counts.lost), (2, 1));
}

/// Mounts a small file system, which is full but for some KiB, and returns its folder.
fn small_disk(folder: &Path) -> (PathBuf, PathBuf) {
    let disk = folder.to_path_buf();
    let (name, filler) = (disk.display(), disk.join("filler"));
    shell(&format!(
        "mount -t tmpfs -o size=256k tmpfs {name}; head -c 200000 /dev/zero > {name}/filler"
    ));
    (disk.join("frames.pcapng"), filler)
}

#[test]
fn full_disk_is_reported_once_and_nothing_is_lost() {
    if !is_isolated("recorder::full_disk_is_reported_once_and_nothing_is_lost") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, filler) = small_disk(folder.path());
    let (recorder, reports) = recorder(&path);
    let frame = bytes_of(CAM);
    for number in 0..500 {
        record(&recorder, number, &frame);
    }
    let why = "No space left on device (os error 28)".to_owned();
    let failing = RecorderReport::Failing { why: why.clone() };
    assert_eq!(reports.recv_timeout(LONG).unwrap(), failing);
    assert_eq!(recorder.counts().failing, Some(why));
    // The file ends with a whole block while the disk is full, with all that found room.
    let there = numbers(&path);
    assert!((20..500).contains(&there.len()), "{}", there.len());
    assert_eq!(recorder.counts().written, there.len() as u64);
    std::thread::sleep(Duration::from_millis(2_500));
    fs::remove_file(filler).unwrap();
    let recovered = RecorderReport::Recovered { lost: 0 };
    assert_eq!(reports.recv_timeout(LONG).unwrap(), recovered);
    for number in 500..600 {
        record(&recorder, number, &frame);
    }
    let counts = recorder.finish(LONG).unwrap();
    assert_eq!((counts.written, counts.lost), (600, 0));
    assert_eq!(numbers(&path), (0..600).collect::<Vec<_>>());
}

#[test]
fn what_waits_is_bounded_and_the_end_does_not_wait_for_room() {
    let name = "recorder::what_waits_is_bounded_and_the_end_does_not_wait_for_room";
    if !is_isolated(name) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = small_disk(folder.path());
    let (recorder, reports) = recorder(&path);
    let frame = vec![0; 2_000];
    let sent = 2 * WAITING_BYTES_MAX as u64 / 2_000;
    for number in 0..sent {
        record(&recorder, number, &frame);
        assert!(recorder.counts().waiting_bytes <= WAITING_BYTES_MAX);
    }
    let report = reports.recv_timeout(LONG).unwrap();
    assert!(matches!(report, RecorderReport::Failing { .. }));
    assert!(recorder.counts().lost > sent / 3);
    let begun = Instant::now();
    let counts = recorder.finish(Duration::from_millis(300)).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert_eq!(counts.written + counts.lost, sent);
    assert_eq!(counts.waiting_bytes, 0);
    assert!(counts.failing.is_some());
    assert_eq!(numbers(&path).len() as u64, counts.written);
}

/// Not a test by itself: it records until it is killed.
#[test]
fn child_that_records() {
    let Some(path) = std::env::var_os("WAYWARDEN_RECORD_TO") else {
        return;
    };
    let (recorder, _reports) = recorder(Path::new(&path));
    let frame = bytes_of(CAM);
    for number in 0.. {
        record(&recorder, number, &frame);
        let written = recorder.counts().written;
        if number % 100 == 0 {
            println!("written {written}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn capture_of_a_killed_process_is_read_but_for_its_last_block() {
    for run in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("frames.pcapng");
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "recorder::child_that_records", "--nocapture"])
            .env("WAYWARDEN_RECORD_TO", &path)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let far = lines.map_while(Result::ok).find_map(|line| {
            let written: u64 = line.strip_prefix("written ")?.parse().ok()?;
            (written > 2_000 * (run + 1)).then_some(written)
        });
        // SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
        let bytes = fs::read(&path).unwrap();
        let (packets, left) = read(&bytes);
        assert!(packets.len() as u64 >= far.unwrap());
        let numbers = packets.iter().map(|packet| packet.nanoseconds);
        assert!(numbers.eq(0..packets.len() as u64));
        assert!(left < 400, "{left} bytes behind the last whole block");
        if has_tshark() {
            // Cut within a block, as a write that a kill ends may leave it.
            let cut = folder.path().join("cut.pcapng");
            fs::write(&cut, &bytes[..bytes.len() - left - 9]).unwrap();
            let whole = tshark(&path, &["frame.number"]);
            assert_eq!(whole, (lines_to(packets.len()), left == 0));
            let cut = tshark(&cut, &["frame.number"]);
            assert_eq!(cut, (lines_to(packets.len() - 1), false));
        }
    }
}

fn lines_to(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}
