//! The example that publishes verdicts to an MQTT broker.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::{Value, json};
use waywarden_testkit::{python_with, workspace};
use waywarden_v2x_service::recording::VerdictFields;

use super::events::{accepted, refused};

/// A module in place of the real one: it prints what it is asked to do.
const PAHO: &str = r#"
class CallbackAPIVersion:
    VERSION2 = 2

class Client:
    def __init__(self, version):
        assert version == CallbackAPIVersion.VERSION2
    def connect(self, host, port):
        print("connect", host, port)
    def loop_start(self):
        print("loop_start")
    def publish(self, topic, text):
        print(topic, text)
    def disconnect(self):
        print("disconnect")
    def loop_stop(self):
        print("loop_stop")
"#;

fn events() -> Vec<Value> {
    let of = |event| serde_json::to_value(VerdictFields::of(&event)).expect("JSON");
    vec![of(accepted(0)), of(refused(5))]
}

/// Runs the example beside a service that gives these answers and ends. `None` without Python.
fn publish(folder: &Path, answers: Vec<Value>, options: &[&str]) -> Option<Output> {
    let python = python_with("json")?;
    let path = folder.join("service.sock");
    let listener = UnixListener::bind(&path).expect("a socket");
    let service = thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut request = String::new();
        BufReader::new(&stream)
            .read_line(&mut request)
            .expect("a request");
        for answer in answers {
            writeln!(stream, "{answer}").expect("a client");
        }
        request
    });
    let output = Command::new(python)
        .arg(workspace().join("examples/mqtt/publish.py"))
        .arg("--socket")
        .arg(path)
        .args(options)
        .env("PYTHONPATH", folder)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python");
    let request = service.join().expect("a service");
    let request: Value = serde_json::from_str(&request).expect("JSON");
    assert_eq!(request, json!({"id": 1, "operation": "subscribe"}));
    Some(output)
}

fn answers() -> Vec<Value> {
    let [first, second] = &events()[..] else {
        panic!("two events");
    };
    vec![
        json!({"id": 1, "status": "ok"}),
        json!({"id": 1, "event": first, "lost": 0}),
        json!({"id": 1, "event": second, "lost": 4}),
    ]
}

/// Parts a line of topic and object.
fn published(line: &str) -> (&str, Value) {
    let (topic, object) = line.split_once(' ').expect("two words");
    (topic, serde_json::from_str(object).expect("JSON"))
}

#[test]
fn the_example_publishes_each_verdict() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join("paho/mqtt")).expect("a folder");
    for (file, text) in [
        ("paho/__init__.py", ""),
        ("paho/mqtt/__init__.py", ""),
        ("paho/mqtt/client.py", PAHO),
    ] {
        fs::write(folder.path().join(file), text).expect("a file");
    }
    let options = [
        "--broker",
        "broker.example",
        "--port",
        "1884",
        "--topic",
        "t",
    ];
    let Some(output) = publish(folder.path(), answers(), &options) else {
        return;
    };
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{errors}");
    let [connect, start, first, second, disconnect, stop] = &text.lines().collect::<Vec<_>>()[..]
    else {
        panic!("{text}");
    };
    assert_eq!(*connect, "connect broker.example 1884");
    assert_eq!(
        [*start, *disconnect, *stop],
        ["loop_start", "disconnect", "loop_stop"]
    );
    assert_eq!(published(first), ("t/accepted", events()[0].clone()));
    assert_eq!(published(second), ("t/refused", events()[1].clone()));
    assert!(errors.starts_with("4 verdicts lost"), "{errors}");
}

#[test]
fn the_example_prints_instead_with_dry_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(output) = publish(folder.path(), answers(), &["--dry-run"]) else {
        return;
    };
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let topics: Vec<&str> = text.lines().map(|line| published(line).0).collect();
    assert_eq!(topics, ["v2x/verdicts/accepted", "v2x/verdicts/refused"]);
}

#[test]
fn the_example_says_when_the_service_refuses() {
    let folder = tempfile::tempdir().expect("a folder");
    let refusal = json!({"id": 1, "status": "tooManyConnections", "reason": "64 are open"});
    let Some(output) = publish(folder.path(), vec![refusal], &["--dry-run"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(errors.contains("tooManyConnections"), "{errors}");
}
