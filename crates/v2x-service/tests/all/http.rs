//! The HTTP face: what it answers, what it refuses, and that hostile clients do not hold it up.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::watch;
use waywarden_testkit::Random;
use waywarden_v2x_service::server::Statistics;
use waywarden_v2x_service::server::http::{HttpSettings, TokenGrants, serve_http};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::stub::{Stub, grant};

/// A served stub; the token `sesame` may sign for 131.
struct Running {
    address: SocketAddr,
    stub: Arc<Stub>,
    statistics: Arc<Statistics>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn new(settings: HttpSettings) -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = watch::channel(false);
        let stub = Arc::new(Stub::new());
        let service = stub.clone();
        let statistics = Arc::new(Statistics::default());
        let counted = statistics.clone();
        let tokens = TokenGrants::new(|token| (token == b"sesame").then(|| grant(131)));
        let thread = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                serve_http(listener, service, tokens, settings, counted, stopped).await;
            });
        });
        Self {
            address,
            stub,
            statistics,
            stop,
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).unwrap();
        stream.set_write_timeout(patience).unwrap();
        stream
    }

    /// Sends a request of which the connection is the only one; returns status, head and body.
    fn ask(&self, head: &str, body: &[u8]) -> (u16, String, Vec<u8>) {
        let mut stream = self.connect();
        let length = body.len();
        let head =
            format!("{head}Host: a\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer_of(&answer)
    }

    fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let head = format!(
            "POST {path} HTTP/1.1\r\nAuthorization: Bearer sesame\r\n\
             Content-Type: application/json; charset=utf-8\r\n"
        );
        let (status, _, body) = self.ask(&head, body.to_string().as_bytes());
        (status, serde_json::from_slice(&body).unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.stop.send(true);
        let ended = self.thread.take().map(JoinHandle::join);
        if !std::thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

fn answer_of(answer: &[u8]) -> (u16, String, Vec<u8>) {
    let end = answer
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), answer[end + 4..].to_vec())
}

fn settings() -> HttpSettings {
    HttpSettings {
        sign_psid: Some(Psid(131)),
        ..HttpSettings::default()
    }
}

#[test]
fn sign_answers_as_us_signing_services_do() {
    let running = Running::new(settings());
    // "payload"; what jpo-ode sends, and what jpo-security-svcs sends on.
    for validity in [json!(3600), json!("3600")] {
        let body = json!({"message": "cGF5bG9hZA==", "sigValidityOverride": validity});
        let (status, answer) = running.post("/sign", &body);
        assert_eq!(status, 200);
        let expected = json!({
            "message-signed": "A4EAcGF5bG9hZA==",
            "message-expiry": 1_795_415_195,
            "messageSigned": "A4EAcGF5bG9hZA==",
            "messageExpiry": "1795415195",
        });
        assert_eq!(answer, expected);
        let signed = running.stub.last.lock().unwrap().take().unwrap();
        assert_eq!(signed.payload, b"payload");
        assert_eq!(signed.lifetime, Some(Duration::from_secs(3600)));
    }
    for default in [
        json!({"message": ""}),
        json!({"message": "", "sigValidityOverride": 0}),
    ] {
        assert_eq!(running.post("/sign", &default).0, 200);
        let signed = running.stub.last.lock().unwrap().take().unwrap();
        assert_eq!((signed.psid, signed.lifetime), (Psid(131), None));
    }
}

#[test]
fn sign_needs_a_token_and_an_application() {
    let running = Running::new(HttpSettings::default());
    let body = json!({"message": "AA=="});
    for token in [
        "",
        "Authorization: Bearer other\r\n",
        "Authorization: Basic sesame\r\n",
    ] {
        let head = format!("POST /sign HTTP/1.1\r\n{token}");
        let (status, head, _) = running.ask(&head, body.to_string().as_bytes());
        assert_eq!(status, 401);
        assert!(head.contains("www-authenticate: bearer"), "{head}");
    }
    let (status, answer) = running.post("/sign", &body);
    assert_eq!(status, 400);
    assert!(
        answer["reason"].as_str().unwrap().contains("psid"),
        "{answer}"
    );
    let granted = json!({"message": "AA==", "psid": 131});
    assert_eq!(running.post("/sign", &granted).0, 200);
    let (status, answer) = running.post("/sign", &json!({"message": "AA==", "psid": 32}));
    assert_eq!(
        (status, &answer["status"]),
        (403, &json!("psidNotAuthorized"))
    );
}

#[test]
fn verify_answers_verdict_and_payload() {
    let running = Running::new(settings());
    let (status, answer) = running.post("/verify", &json!({"message": "A4EAcGF5bG9hZA=="}));
    let expected = json!({
        "verification": {"result": "success", "report": "SUCCESS", "psid": 32},
        "payload": "cGF5bG9hZA==",
    });
    assert_eq!((status, answer), (200, expected.clone()));

    let head = "POST /verify HTTP/1.1\r\nContent-Type: application/octet-stream\r\n";
    let (status, _, body) = running.ask(head, b"\x03\x81\x00payload");
    let answer: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((status, answer), (200, expected));

    let (status, _, body) = running.ask(head, b"payload");
    let answer: Value = serde_json::from_slice(&body).unwrap();
    let expected = json!({"verification": {
        "result": "inconsistentInputParameters",
        "report": "UNSIGNED_MESSAGE",
        "reason": "not signed data",
        "field": "content",
    }});
    assert_eq!((status, answer), (200, expected));
}

#[test]
fn metrics_and_health_are_served() {
    let running = Running::new(settings());
    let (status, head, body) = running.ask("GET /metrics HTTP/1.1\r\n", b"");
    assert_eq!(
        (status, &body[..]),
        (200, &b"waywarden_messages_total 1\n# EOF\n"[..])
    );
    assert!(
        head.contains("content-type: application/openmetrics-text"),
        "{head}"
    );
    let (status, _, body) = running.ask("GET /health HTTP/1.1\r\n", b"");
    assert_eq!((status, &body[..]), (200, &b"{\"works\":true}"[..]));
}

#[test]
fn what_is_wrong_is_refused_by_status_with_a_reason() {
    let running = Running::new(settings());
    for (line, expected) in [
        ("GET / HTTP/1.1", 404),
        ("GET /sign HTTP/1.1", 405),
        ("PUT /verify HTTP/1.1", 405),
        ("POST /metrics HTTP/1.1", 405),
        ("POST /verify HTTP/1.1", 400),
        ("POST /sign HTTP/1.1", 401),
    ] {
        let (status, _, body) = running.ask(&format!("{line}\r\n"), b"");
        assert_eq!(status, expected, "{line}");
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert!(!answer["reason"].as_str().unwrap().is_empty());
    }
    let counted: Vec<_> = running.statistics.http_refused().collect();
    let expected = [(400, 1), (401, 1), (404, 1), (405, 3), (408, 0), (413, 0)];
    assert_eq!(counted, expected);
    for (body, reason) in [
        (json!({"message": "AA=="  , "pisd": 1}), "`pisd`"),
        (json!({"message": "not base64"}), "base64"),
        (
            json!({"message": "AA==", "sigValidityOverride": "soon"}),
            "sigValidityOverride",
        ),
        (json!({}), "`message`"),
        (json!([]), "JSON object"),
    ] {
        let (status, answer) = running.post("/sign", &body);
        assert_eq!(status, 400, "{body}");
        let text = answer["reason"].as_str().unwrap();
        assert!(text.contains(reason), "{text}");
    }
}

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

#[test]
fn wrong_tokens_are_counted_and_end_the_connection() {
    let running = Running::new(HttpSettings {
        wrong_tokens: 3,
        wrong_token_delay: Duration::ZERO,
        ..settings()
    });
    let mut stream = running.connect();
    let body = r#"{"message":"AA=="}"#;
    let ask = |header: &str| {
        let length = body.len();
        format!("POST /sign HTTP/1.1\r\nHost: a\r\n{header}Content-Length: {length}\r\n\r\n{body}")
    };
    let missing = ask("");
    let wrong = ask("Authorization: Bearer mellon\r\n");
    stream
        .write_all((missing + &wrong.repeat(5)).as_bytes())
        .unwrap();
    let mut answers = Vec::new();
    let _ = stream.read_to_end(&mut answers);
    let answers = String::from_utf8(answers).unwrap().to_lowercase();
    assert_eq!(answers.matches("http/1.1 401").count(), 4, "{answers}");
    assert_eq!(answers.matches("connection: close").count(), 1, "{answers}");
    assert_eq!(running.statistics.wrong_tokens.read(), 3);
}

#[test]
fn a_wrong_token_is_answered_after_a_delay() {
    let delay = Duration::from_millis(200);
    let running = Running::new(HttpSettings {
        wrong_token_delay: delay,
        ..settings()
    });
    let began = std::time::Instant::now();
    let head = "POST /sign HTTP/1.1\r\nAuthorization: Bearer mellon\r\n";
    assert_eq!(running.ask(head, b"{}").0, 401);
    assert!(began.elapsed() >= delay);
}

#[test]
fn the_case_of_a_content_type_does_not_matter() {
    let running = Running::new(settings());
    let head = "POST /verify HTTP/1.1\r\nContent-Type: Application/Octet-Stream\r\n";
    assert_eq!(running.ask(head, &[3, 129]).0, 200);
}
