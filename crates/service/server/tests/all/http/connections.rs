//! Long, slow, silent and pipelined connections, random bytes, and shutdown.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use waywarden_testkit::Random;
use waywarden_v2x_service::server::http::HttpSettings;

use super::{Running, answer_of, settings};

#[test]
fn long_requests_are_refused_unread() {
    let running = Running::new(settings());
    let mut stream = running.connect();
    let head = "POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut start = [0; 12];
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
    // The same without a length: it is read up to the bound.
    let mut stream = running.connect();
    let head = "POST /verify HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let chunk = [&b"8000\r\n"[..], &[b'A'; 0x8000], b"\r\n"].concat();
    for _ in 0..4 {
        // The server may have closed the connection already.
        let _ = stream.write_all(&chunk);
    }
    stream.read_exact(&mut start).unwrap();
    assert_eq!(&start, b"HTTP/1.1 413");
}

#[test]
fn slow_and_silent_clients_are_left() {
    let running = Running::new(HttpSettings {
        head: Duration::from_secs(2),
        body: Duration::from_secs(2),
        connections: 3,
        ..settings()
    });
    let slow_head = running.connect();
    (&slow_head).write_all(b"POST /sign HTT").unwrap();
    let silent = running.connect();
    let slow_body = running.connect();
    let head = "POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{";
    (&slow_body).write_all(head.as_bytes()).unwrap();
    // All places are taken, until the slow ones have lost theirs.
    let (status, _) = running.post("/verify", &json!({"message": "AA=="}));
    assert_eq!(status, 200);
    let mut rest = Vec::new();
    (&slow_body).read_to_end(&mut rest).unwrap();
    assert_eq!(answer_of(&rest).0, 408);
    let mut nothing = Vec::new();
    let _ = (&silent).read_to_end(&mut nothing);
}

#[test]
fn a_service_that_does_not_answer_is_not_waited_for() {
    let running = Running::new(HttpSettings {
        answer: Duration::from_millis(100),
        ..settings()
    });
    // "hang"
    let (status, answer) = running.post("/sign", &json!({"message": "aGFuZw=="}));
    assert_eq!(
        (status, &answer["status"]),
        (504, &json!("deadlineExceeded"))
    );
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let running = Running::new(settings());
    let mut stream = running.connect();
    let one = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n";
    let last = "GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    let all = one.repeat(50) + last;
    stream.write_all(all.as_bytes()).unwrap();
    let mut answers = String::new();
    stream.read_to_string(&mut answers).unwrap();
    assert_eq!(answers.matches("{\"works\":true}").count(), 50);
    assert!(answers.ends_with("# EOF\n"));
}

#[test]
fn random_bytes_do_not_end_the_server() {
    let mut random = Random::of_test("random_bytes_do_not_end_the_server");
    let running = Running::new(settings());
    for case in 0..20 {
        let mut stream = running.connect();
        let mut bytes = random.bytes_up_to(400);
        if case % 2 == 0 {
            let head = b"POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";
            bytes.splice(..0, *head);
        }
        let _ = stream.write_all(&bytes);
    }
    assert_eq!(running.ask("GET /health HTTP/1.1\r\n", b"").0, 200);
}

#[test]
fn a_request_under_way_is_answered_when_the_server_ends() {
    let running = Running::new(settings());
    let mut stream = running.connect();
    let head = "POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 18\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    // The server is in the request once it has answered another one.
    assert_eq!(running.ask("GET /health HTTP/1.1\r\n", b"").0, 200);
    running.stop.send(true).unwrap();
    stream.write_all(br#"{"message":"AA=="}"#).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert_eq!(answer_of(&answer).0, 200);
}

#[test]
fn bodies_that_never_come_do_not_hold_up_others() {
    let running = Running::new(HttpSettings {
        connections: 2,
        body: Duration::from_secs(600),
        connection: Duration::from_secs(600),
        ..settings()
    });
    let head = b"POST /verify HTTP/1.1\r\nHost: a\r\nContent-Length: 50\r\n\r\n{";
    let slow: Vec<TcpStream> = (0..4).map(|_| running.connect()).collect();
    for mut stream in &slow {
        stream.write_all(head).unwrap();
    }
    assert_eq!(running.ask("GET /metrics HTTP/1.1\r\n", b"").0, 200);
    // The first that came has lost its place.
    let mut nothing = Vec::new();
    let _ = (&slow[0]).read_to_end(&mut nothing);
    assert!(nothing.is_empty());
}
