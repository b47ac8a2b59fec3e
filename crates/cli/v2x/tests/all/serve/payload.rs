//! A payload that the certificate of its signer does not permit, through the served HTTP.

use serde_json::{Value, json};

use super::service::Service;
use super::tokenless::ask;
use super::{change, configured};

/// A CAM with a container of emergency vehicles, in base64: the SSP of the certificate has no bit.
const EMERGENCY: &str = "AgIAAAAHAAAg+ggwDg45mvoAAAAAAAAAAIoA";

/// Signs until a message is judged: for the first second it is from before the service's start.
fn judged(service: &Service, payload: &str) -> Value {
    let body = json!({ "message": payload, "sigValidityOverride": 0 }).to_string();
    for _ in 0..100 {
        let (_, signed) = ask(service, "/sign", &body);
        let message = json!({ "message": signed["messageSigned"], "payloadCheck": true });
        let (_, verified) = ask(service, "/verify", &message.to_string());
        if verified["verification"]["result"] == "success" {
            return verified;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("no message was judged");
}

#[test]
fn payload_without_permission_is_refused_and_what_was_compared_is_reported() {
    let world = configured("");
    let open = "127.0.0.1:0\"\nsign_psid = \"CAM\"\nsign_without_token = [\"CAM\"]\n";
    change(&world, "127.0.0.1:0\"\n", open);
    let mut service = Service::start(&world);
    let refused = judged(&service, EMERGENCY);
    let check = &refused["verification"]["payloadCheck"];
    assert_eq!(check["result"], "failed", "{refused}");
    let text = check["resultText"].as_str().unwrap();
    assert!(
        text.starts_with("the SSP does not permit emergency; "),
        "{text}"
    );
    assert_eq!(refused["verification"]["report"], "INVALID_CERTIFICATE");
    assert_eq!(refused["payload"], Value::Null);
    let other = judged(&service, "aGVsbG8=");
    assert_eq!(
        other["verification"]["payloadCheck"]["result"],
        "notChecked"
    );
    assert_eq!(other["payload"], "aGVsbG8=");
    assert_eq!(service.end(), Some(0));
}
