//! A recorded log in a vehicle file: its frames go over the bus again, at either speed.

use std::fs;
use std::path::Path;

use crate::support::{corpus, waywarden};

const LOG: &str = "can/logs/css-94c49784.log.gz";

/// Length of the part of the log that is played, in seconds.
const SECONDS: f64 = 2.0;

/// Start of the replay in the run, in seconds.
const FROM: f64 = 0.5;

/// A frame of a log in candump's form: seconds, channel, frame.
type Logged = (f64, String, String);

fn read(log: &Path) -> Vec<Logged> {
    let text = fs::read_to_string(log).unwrap();
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let at = words[0].trim_matches(['(', ')']).parse().unwrap();
        (at, words[1].to_owned(), words[2].to_owned())
    };
    text.lines().map(line).collect()
}

/// Plays the log onto two buses and returns what was recorded and what went over the buses.
fn replay(log: &Path, pace: &str) -> (Vec<Logged>, Vec<Logged>) {
    let folder = tempfile::tempdir().unwrap();
    let (plain, car) = (folder.path().join("in.log"), folder.path().join("car.toml"));
    let mut convert = waywarden();
    convert.args(["bus", "convert"]).arg(log).arg(&plain);
    convert.assert().success();
    // The path is taken relative to the vehicle file.
    let text = format!(
        r#"
[vehicle]
name = "replay"
duration = "{}s"

[[bus]]
name = "one"
bitrate = "500k"

[[bus]]
name = "two"
bitrate = "500k"

[[ecu]]
name = "listener"
ports = ["one", "two"]

[[replay]]
name = "drive"
log = "in.log"
channels = {{ can1 = "one", can2 = "two" }}
pace = "{pace}"
from = "{FROM}s"
"#,
        FROM + SECONDS
    );
    fs::write(&car, text).unwrap();
    let out = folder.path().join("out.log");
    let mut run = waywarden();
    run.arg("run").arg(&car).arg("--log").arg(&out);
    run.assert().success();
    (read(&plain), read(&out))
}

/// The frames of one channel: when, what.
fn channel(frames: &[Logged], name: &str) -> Vec<(f64, String)> {
    let of_channel = frames.iter().filter(|(_, channel, _)| channel == name);
    of_channel
        .map(|(at, _, frame)| (*at, frame.clone()))
        .collect()
}

#[test]
fn at_the_recorded_pace_each_frame_goes_out_when_it_was_recorded() {
    let Some(log) = corpus(LOG) else { return };
    let (recorded, played) = replay(&log, "recorded");
    let first = recorded[0].0;
    for (from, to) in [("can1", "one"), ("can2", "two")] {
        let (recorded, played) = (channel(&recorded, from), channel(&played, to));
        let due = recorded
            .iter()
            .take_while(|(at, _)| at - first < SECONDS)
            .count();
        // What is due in the last moments may not have got through.
        assert!(
            played.len() > 200 && (played.len()..played.len() + 10).contains(&due),
            "{from}: {} of {due} played",
            played.len()
        );
        for ((was, frame), (at, shown)) in recorded.iter().zip(&played) {
            assert_eq!(frame, shown, "{from}");
            let late = (at - FROM) - (was - first);
            // The end of the frame, which follows its request and waits for those before it.
            assert!(
                (0.0..0.003).contains(&late),
                "{from}: {frame} {late} s late"
            );
        }
    }
}

#[test]
fn at_the_fast_pace_the_same_frames_go_out_one_behind_the_other() {
    let Some(log) = corpus(LOG) else { return };
    let (recorded, played) = replay(&log, "fast");
    for (from, to) in [("can1", "one"), ("can2", "two")] {
        let (recorded, played) = (channel(&recorded, from), channel(&played, to));
        // An extended frame of 8 bytes takes at most 160 bits of 2 us, intermission included.
        let full = (SECONDS / (160.0 * 2e-6)) as usize;
        assert!(
            played.len() == recorded.len() || played.len() >= full,
            "{from}: {} frames, a full bus takes {full} and more",
            played.len()
        );
        for ((_, frame), (_, shown)) in recorded.iter().zip(&played) {
            assert_eq!(frame, shown, "{from}");
        }
        let gaps = played.windows(2).map(|pair| pair[1].0 - pair[0].0);
        let longest = gaps.fold(0.0, f64::max);
        assert!(
            longest < 0.000_33,
            "{from}: the bus was idle for {longest} s"
        );
    }
}
