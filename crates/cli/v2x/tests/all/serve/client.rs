//! A client of the service at the socket `s.sock`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::service::PATIENCE;
use crate::support::World;

/// A client in the JSON form.
pub(super) struct Client(BufReader<UnixStream>);

impl Client {
    pub(super) fn connect(world: &World) -> Self {
        let socket = UnixStream::connect(world.path("s.sock")).unwrap();
        Self(BufReader::new(socket))
    }

    pub(super) fn ask(&mut self, request: &str) -> serde_json::Value {
        let stream = self.0.get_mut();
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    pub(super) fn sign(&mut self, psid: u64) -> serde_json::Value {
        let request = format!("{{\"operation\":\"sign\",\"psid\":{psid},\"payload\":\"00ff\"}}");
        self.ask(&request)
    }

    /// Has a message of the hexadecimal digits verified. Returns the verdict.
    pub(super) fn verify(&mut self, message: &str) -> serde_json::Value {
        let request = format!("{{\"operation\":\"verify\",\"message\":\"{message}\"}}");
        self.ask(&request)["verification"].take()
    }

    /// Has a message signed and verified. Returns the verdict.
    pub(super) fn sign_and_verify(&mut self) -> serde_json::Value {
        self.signed_and_verified().1
    }

    /// Has a message signed and verified that is accepted. Returns the message.
    pub(super) fn accepted(&mut self) -> String {
        let (message, verdict) = self.signed_and_verified();
        assert_eq!(verdict["result"], "success", "{verdict}");
        message
    }

    /// Has messages signed, each with its certificate, and verified until one is not taken for a
    /// replay of before the start, as all are in the first 2.25 s. Returns it, and the verdict.
    fn signed_and_verified(&mut self) -> (String, serde_json::Value) {
        let request = r#"{"operation":"sign","psid":36,"payload":"00ff","signer":"certificate"}"#;
        let begun = Instant::now();
        loop {
            let signed = self.ask(request);
            assert_eq!(signed["status"], "ok", "{signed}");
            let message = signed["message"].as_str().unwrap().to_owned();
            let verdict = self.verify(&message);
            let is_early = verdict["result"] == "spduRelevanceReplayedSpdu";
            if !is_early || begun.elapsed() > PATIENCE {
                return (message, verdict);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}
