//! Faults of the machine, in namespaces of the test's own: the interface goes down, the disk is
//! full. Nothing stops silently, and everything goes on.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::waywarden;

/// A program in namespaces of its own, and its lines.
struct Isolated {
    child: Child,
    input: Option<ChildStdin>,
    events: Receiver<Value>,
    errors: Receiver<String>,
}

/// Starts `waywarden station` in a network and a mount namespace, after a preparation by the
/// shell. `None` where that is not allowed.
fn isolated(prepare: &str, arguments: &[&str]) -> Option<Isolated> {
    let namespaces = ["--net", "--mount"];
    let allowed = Command::new("unshare")
        .args(namespaces)
        .arg("true")
        .output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no right to make namespaces (root, or CAP_SYS_ADMIN)");
        return None;
    }
    let script = format!("set -e; ip link set lo up; {prepare}; exec \"$@\"");
    let mut child = Command::new("unshare")
        .args(namespaces)
        .args(["sh", "-c", &script, "sh"])
        .arg(crate::support::PROGRAM)
        .args(["station", "--format", "json", "--speed", "45"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (sender, events) = channel();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let _ = sender.send(serde_json::from_str(&line).unwrap());
        }
    });
    let (sender, errors) = channel();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    Some(Isolated {
        input: child.stdin.take(),
        child,
        events,
        errors,
    })
}

impl Isolated {
    /// Runs a command in the program's namespaces.
    fn run(&self, command: &[&str]) {
        let pid = self.child.id().to_string();
        let entered = Command::new("nsenter")
            .args(["--net", "--mount", "--target", &pid])
            .args(command)
            .status();
        assert!(entered.unwrap().success(), "{command:?}");
    }

    /// Waits for an event.
    fn wait(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            match self.events.recv_timeout(Duration::from_secs(1)) {
                Ok(event) if is_it(&event) => return event,
                _ => {}
            }
        }
        panic!("no event in 30 s: {what}");
    }

    fn wait_for_error(&self, what: &str) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if let Ok(line) = self.errors.recv_timeout(Duration::from_secs(1))
                && line.contains(what)
            {
                return;
            }
        }
        panic!("not on standard error in 30 s: {what}");
    }

    /// Ends the program; returns its summary.
    fn quit(mut self) -> Value {
        self.input.take().unwrap().write_all(b"quit\n").unwrap();
        let summary = self.wait("the summary", |event| event["event"] == "summary");
        assert!(self.child.wait().unwrap().success());
        summary
    }
}

fn is_heard(event: &Value) -> bool {
    event["event"] == "heard" && event["result"] == "success"
}

#[test]
fn interface_that_goes_down_is_reported_and_used_again() {
    let Some(stations) = isolated(":", &["--stations", "2"]) else {
        return;
    };
    stations.wait("a message", is_heard);
    stations.run(&["ip", "link", "set", "lo", "down"]);
    let impaired = stations.wait("a report", |event| event["event"] == "impaired");
    assert!(
        impaired["reason"]
            .as_str()
            .unwrap()
            .contains("the link does not work")
    );
    stations.run(&["ip", "link", "set", "lo", "up"]);
    stations.wait("a recovery", |event| event["event"] == "recovered");
    stations.wait("a message after it", is_heard);
    stations.quit();
}

#[test]
fn full_disk_is_reported_and_the_recording_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let file = format!("{path}/stations.pcapng");
    let filler = format!("{path}/filler");
    let prepare =
        format!("mount -t tmpfs -o size=128k tmpfs {path}; head -c 122880 /dev/zero > {filler}");
    let options = ["--stations", "4", "--link", "memory", "--record", &file];
    let Some(stations) = isolated(&prepare, &options) else {
        return;
    };
    stations.wait_for_error("frames wait until there is room");
    stations.run(&["rm", &filler]);
    stations.wait_for_error("it can be written again; 0 frames were lost");
    // The file system is the program's own.
    let copy = folder.path().join("copy.pcapng");
    let pid = stations.child.id();
    let inside = format!("/proc/{pid}/root{file}");
    std::fs::copy(inside, &copy).unwrap();
    let summary = stations.quit();
    assert_eq!(summary["unrecorded_frames"], 0);
    assert!(summary["recorded_frames"].as_u64() > Some(10), "{summary}");
    every_block_is_whole(&copy);
}

#[test]
fn stations_hear_each_other_over_raw_ethernet() {
    let options = ["--link", "ethernet:lo", "--stations", "2"];
    let Some(stations) = isolated(":", &options) else {
        return;
    };
    stations.wait("a message", is_heard);
    let summary = stations.quit();
    assert!(summary["messages"]["unknown"]["accepted"].as_u64() > Some(0));
}

fn every_block_is_whole(path: &Path) {
    let replay = ["--replay-speed", "max", "--format", "json", "--replay"];
    let replayed = waywarden().arg("station").args(replay).arg(path).output();
    let replayed = replayed.unwrap();
    assert_eq!(String::from_utf8(replayed.stderr).unwrap(), "");
    assert!(replayed.status.success());
}
