//! No certificate is used outside of its rules: when the program is killed in the middle of a
//! change, and when the clock steps.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use waywarden_testkit::{Random, bytes_of, hex_of};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::time::{CivilTime, from_unix};
use waywarden_v2x_wire::detect::detect;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, SignerIdentifier};

use crate::support::{pki, waywarden};

const PATIENCE: Duration = Duration::from_secs(60);

/// `waywarden station` with certificates of a PKI, and its events.
struct Station {
    child: Child,
    input: ChildStdin,
    events: Receiver<Value>,
}

impl Station {
    fn start(folder: &Path, options: &str) -> Self {
        let mut child = Command::new(crate::support::PROGRAM)
            .current_dir(folder)
            .args(["station", "--format", "json", "--pki", "pki", "--as", "car"])
            .args(options.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, events) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // The last line of a program that was killed may be half a line.
                let _ = serde_json::from_str(&line).map(|event| sender.send(event));
            }
        });
        let input = child.stdin.take().unwrap();
        Self {
            child,
            input,
            events,
        }
    }

    /// Waits for an event; returns those before it and itself, the last one.
    fn wait(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let event = self.events.recv_timeout(PATIENCE);
            let event = event.unwrap_or_else(|error| panic!("{what}: {error}; {all:?}"));
            let is_last = is_it(&event);
            all.push(event);
            if is_last {
                return all;
            }
        }
    }

    /// SIGKILL. Returns the events that had not been read.
    fn kill(mut self) -> Vec<Value> {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.events.iter().collect()
    }
}

/// The hashes of the certificates that signed the messages which were sent.
fn signers(events: &[Value]) -> BTreeSet<String> {
    let sent = events.iter().filter(|event| event["event"] == "sent");
    let ids = sent.map(|event| {
        let bytes = bytes_of(event["frame"].as_str().unwrap());
        let found = detect(&bytes).unwrap();
        let Ieee1609Dot2Content::Signed(signed) = &found.data.content else {
            panic!("not signed");
        };
        let id = match &signed.signer {
            SignerIdentifier::Digest(id) => *id,
            SignerIdentifier::Certificate(all) => {
                let own = all.iter().next().unwrap().unwrap();
                certificate_digest(&own).unwrap().id_8()
            }
            SignerIdentifier::OwnKey(_) => panic!("signed by no certificate"),
        };
        hex_of(&id.0)
    });
    ids.collect()
}

fn is_sent(event: &Value) -> bool {
    event["event"] == "sent"
}

fn is_changed(event: &Value) -> bool {
    event["event"] == "pseudonym-changed"
}

/// A station is killed at moments around a change, again and again: no certificate ever signs in
/// two runs, nor again after it was given up.
#[test]
fn station_that_is_killed_in_a_change_never_uses_a_certificate_again() {
    const RUNS: usize = 4;
    let mut random = Random::of_test("station_that_is_killed");
    let folder = tempfile::tempdir().unwrap();
    pki(folder.path(), "pki init @pki --us --no-passphrase");
    // Two for each run.
    pki(
        folder.path(),
        "pki pseudonyms @pki --for car --weeks 1 --per-week 8",
    );
    let port = 20_000 + std::process::id() % 20_000;
    let options = format!("--message bsm --silence 60ms --group 239.118.50.92:{port}");
    let mut used: BTreeSet<String> = BTreeSet::new();
    for _ in 0..RUNS {
        let mut station = Station::start(folder.path(), &options);
        let mut events = station.wait("a message", is_sent);
        station.input.write_all(b"change\n").unwrap();
        if random.below(2) == 0 {
            events.extend(station.wait("a change", is_changed));
        }
        std::thread::sleep(Duration::from_millis(random.below(200)));
        events.extend(station.kill());
        let change = events.iter().position(is_changed).unwrap_or(events.len());
        let (before, after) = events.split_at(change);
        let (before, after) = (signers(before), signers(after));
        assert_eq!(before.len(), 1);
        assert!(after.len() <= 1, "{after:?}");
        for id in before.iter().chain(&after) {
            assert!(used.insert(id.clone()), "{id} signs again; {used:?}");
        }
    }
    // A second station with the same certificates is refused while one runs.
    let first = Station::start(folder.path(), &options);
    first.wait("a message", is_sent);
    let mut second = waywarden();
    let second = second.current_dir(folder.path());
    let refused = second
        .args(["station", "--pki", "pki", "--as", "car"])
        .output();
    let refused = refused.unwrap();
    let complaint = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(2), "{complaint}");
    assert!(complaint.contains("another station uses"), "{complaint}");
    first.kill();
}

/// A gpsd whose receiver reports a place, and the time of this machine with a difference that can
/// be set, in microseconds.
fn receiver() -> (u16, Arc<AtomicI64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let difference = Arc::new(AtomicI64::new(0));
    let of_thread = Arc::clone(&difference);
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 64]);
        loop {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            let unix = since.as_micros() as i64 + of_thread.load(Ordering::Relaxed);
            let time = CivilTime::of(from_unix(unix / 1_000 * 1_000).unwrap()).unwrap();
            let report = format!(
                "{{\"class\":\"TPV\",\"device\":\"/dev/x\",\"mode\":3,\"time\":\"{time}\",\
                 \"lat\":48.1,\"lon\":11.5,\"altHAE\":592.3,\"track\":84.4,\"speed\":0.0,\
                 \"eph\":5.0}}\r\n"
            );
            if stream.write_all(report.as_bytes()).is_err() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    });
    (port, difference)
}

fn is_impaired(event: &Value, why: &str) -> bool {
    event["event"] == "impaired" && event["reason"].as_str().unwrap().contains(why)
}

#[test]
fn clock_that_steps_ends_nothing_silently_and_no_certificate_signs_after_its_end() {
    const SECOND: i64 = 1_000_000;
    let folder = tempfile::tempdir().unwrap();
    pki(folder.path(), "pki init @pki --no-passphrase");
    pki(folder.path(), "pki issue @pki --name car --validity 2h");
    let (receiver, difference) = receiver();
    let port = 20_000 + std::process::id() % 20_000;
    let station = Station::start(
        folder.path(),
        &format!("--position gpsd:127.0.0.1:{receiver} --group 239.118.50.93:{port}"),
    );
    let mut events = station.wait("a message", is_sent);
    let time = |event: &Value| event["time_us"].as_i64().unwrap();
    let begun = time(events.last().unwrap());
    // Back: nothing is sent until the time is beyond that of the last message again.
    difference.store(-4 * SECOND, Ordering::Relaxed);
    events.extend(station.wait("a report", |one| is_impaired(one, "time is not trusted")));
    let last = events.iter().rfind(|one| is_sent(one)).map(time).unwrap();
    let after = station.wait("a message after it", is_sent);
    assert!(after.iter().any(|one| one["event"] == "recovered"));
    assert!(time(after.last().unwrap()) > last);
    // Forward, beyond the end of the only certificate.
    difference.store(3 * 3_600 * SECOND, Ordering::Relaxed);
    let after = station.wait("a report", |one| is_impaired(one, "no other certificate"));
    std::thread::sleep(Duration::from_millis(1_500));
    let after: Vec<Value> = after.into_iter().chain(station.kill()).collect();
    let expired = |one: &&Value| is_sent(one) && time(one) >= begun + 2 * 3_600 * SECOND;
    assert_eq!(after.iter().find(expired), None);
}

#[test]
fn time_that_is_leap_seconds_off_the_systems_is_warned_of() {
    let folder = tempfile::tempdir().unwrap();
    pki(folder.path(), "pki init @pki --no-passphrase");
    pki(folder.path(), "pki issue @pki --name car");
    let (receiver, difference) = receiver();
    difference.store(18_000_000, Ordering::Relaxed);
    let port = 20_000 + std::process::id() % 20_000;
    let station = Station::start(
        folder.path(),
        &format!("--position gpsd:127.0.0.1:{receiver} --group 239.118.50.94:{port}"),
    );
    let is_warning = |one: &Value| one["event"] == "clock-warning";
    let is_leap = |one: &Value| is_warning(one) && one["code"] == "leapSecondsDiffer";
    let events = station.wait("a warning", is_leap);
    let reason = events.last().unwrap()["reason"].as_str().unwrap();
    assert!(reason.contains("as GPS time is of UTC"), "{reason}");
    station.kill();
}
