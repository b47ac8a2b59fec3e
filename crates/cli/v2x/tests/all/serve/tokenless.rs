//! A client that sends no token: the published request of jpo-ode's client.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::service::Service;
use super::{change, configured};

/// Without an override: the CAM that the certificate of this test permits may have no expiry time.
const BODY: &str = r#"{"message":"aGVsbG8=","sigValidityOverride":0}"#;

/// Sends a request as `RestTemplate` writes it.
pub(super) fn ask(service: &Service, path: &str, body: &str) -> (String, Value) {
    let address = service.addresses()[0].strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    let request = format!(
        "POST {path} HTTP/1.1\r\nAccept: application/json, application/*+json\r\n\
         Content-Type: application/json\r\nUser-Agent: Java/21.0.5\r\nHost: {address}\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), serde_json::from_str(body).unwrap())
}

#[test]
fn a_client_without_a_token_gets_a_message_that_verifies() {
    let world = configured("");
    let open = "127.0.0.1:0\"\nsign_psid = \"CAM\"\nsign_without_token = [\"CAM\"]\n";
    change(&world, "127.0.0.1:0\"\n", open);
    world.works("serve s.toml --check-config");
    let mut service = Service::start(&world);
    let (head, signed) = ask(&service, "/sign", BODY);
    assert!(head.starts_with("HTTP/1.1 200"), "{head} {signed}");
    let mut fields: Vec<_> = signed.as_object().unwrap().keys().collect();
    fields.sort();
    let expected = [
        "message-expiry",
        "message-signed",
        "messageExpiry",
        "messageSigned",
    ];
    assert_eq!(fields, expected);
    // Of messages from before its start the service remembers none, by as much as clocks differ,
    // and once in a second a message has its certificate.
    let mut verified = Value::Null;
    for _ in 0..100 {
        let (_, signed) = ask(&service, "/sign", BODY);
        let message = json!({ "message": signed["messageSigned"] }).to_string();
        verified = ask(&service, "/verify", &message).1;
        if verified["verification"]["result"] == "success" {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(verified["verification"]["result"], "success", "{verified}");
    assert_eq!(verified["payload"], "aGVsbG8=");
    assert_eq!(service.end(), Some(0));
    let log = super::log_of(&world);
    assert!(log.contains("without a token"), "{log}");
    change(&world, "127.0.0.1:0", "0.0.0.0:0\"\nremote = true # \"");
    let (said, remedy) = (
        "other computers could have messages signed",
        "loopback address",
    );
    world.refused("serve s.toml --check-config", &[said, remedy]);
}
