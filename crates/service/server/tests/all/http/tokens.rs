//! Bearer tokens: what they permit, and what a wrong one costs.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use serde_json::json;
use waywarden_v2x_service::server::http::HttpSettings;

use super::{Running, settings};

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

/// The request of jpo-ode's client, as `RestTemplate` writes it: two fields, no token.
const CLIENT_REQUEST: &str = "POST /sign HTTP/1.1\r\nAccept: application/json, \
    application/*+json\r\nContent-Type: application/json\r\nUser-Agent: Java/21.0.5\r\n\
    Host: localhost:8090\r\nConnection: keep-alive\r\nContent-Length: 49\r\n\r\n\
    {\"message\":\"aGVsbG8=\",\"sigValidityOverride\":3600}";

fn without_token() -> HttpSettings {
    HttpSettings {
        without_token: crate::stub::grant(131),
        ..settings()
    }
}

#[test]
fn a_client_without_a_token_signs_what_is_set_and_nothing_else() {
    let running = Running::new(without_token());
    let ask = |header: &str, body: &str| {
        let head = format!("POST /sign HTTP/1.1\r\n{header}");
        running.ask(&head, body.as_bytes()).0
    };
    let (json, body) = (
        "Content-Type: application/json\r\n",
        r#"{"message":"AA=="}"#,
    );
    assert_eq!(ask(json, body), 200);
    assert_eq!(ask(json, r#"{"message":"AA==","psid":32}"#), 403);
    // A page in a browser can send these.
    assert_eq!(ask("Content-Type: text/plain\r\n", body), 401);
    assert_eq!(ask("", body), 401);
    assert_eq!(ask(&format!("{json}Origin: http://a\r\n"), body), 401);
    // A wrong token stays wrong.
    assert_eq!(
        ask(&format!("{json}Authorization: Bearer other\r\n"), body),
        401
    );
    assert_eq!(
        ask(&format!("{json}Authorization: Basic c2VzYW1l\r\n"), body),
        401
    );
    let usual = Running::new(settings());
    let head = format!("POST /sign HTTP/1.1\r\n{json}");
    assert_eq!(usual.ask(&head, body.as_bytes()).0, 401);
}

#[test]
fn the_request_of_jpo_ode_is_answered_with_its_fields() {
    let running = Running::new(without_token());
    let mut stream = running.connect();
    stream
        .write_all(CLIENT_REQUEST.replace("keep-alive", "close").as_bytes())
        .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let (status, head, body) = super::answer_of(&answer);
    assert_eq!(status, 200, "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
    // Fields of the client: a text in base64, and a number that it reads from a text, too.
    assert_eq!(body["messageSigned"], body["message-signed"]);
    assert!(body["messageSigned"].is_string(), "{body}");
    let expiry = body["messageExpiry"].as_str().unwrap();
    assert!(expiry.parse::<u64>().is_ok(), "{body}");
}
