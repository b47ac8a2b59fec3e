//! The example that publishes verdicts to an MQTT broker.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output};
use std::thread;

use serde_json::{Value, json};
use waywarden_testkit::{python_with, workspace};
use waywarden_v2x_service_protocol::json::encode_response;
use waywarden_v2x_service_protocol::{RefusedRequest, Response, ResponseBody, Status};

use super::events::{accepted, event_line, refused};

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

/// Runs the example beside a service that gives these answers and ends. `None` without Python.
fn publish(folder: &Path, answers: Vec<String>, options: &[&str]) -> Option<Output> {
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
            stream.write_all(answer.as_bytes()).expect("a client");
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

/// Returns a response as the service writes it.
fn line(body: Result<ResponseBody, RefusedRequest>) -> String {
    let line = encode_response(&Response { id: 1, body }).expect("a line");
    String::from_utf8(line).expect("UTF-8")
}

fn answers() -> Vec<String> {
    vec![
        line(Ok(ResponseBody::Subscribed)),
        event_line(1, 0, &accepted(0)),
        event_line(1, 4, &refused(5)),
    ]
}

/// Returns the object under `event` of a line.
fn event(line: &str) -> Value {
    let mut line: Value = serde_json::from_str(line).expect("JSON");
    line["event"].take()
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
    assert_eq!(published(first), ("t/accepted", event(&answers()[1])));
    assert_eq!(published(second), ("t/refused", event(&answers()[2])));
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
    let refused = RefusedRequest::new(Status::TooManyConnections, "64 are open");
    let refusal = line(Err(refused));
    let Some(output) = publish(folder.path(), vec![refusal], &["--dry-run"]) else {
        return;
    };
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(errors.contains("tooManyConnections"), "{errors}");
}
