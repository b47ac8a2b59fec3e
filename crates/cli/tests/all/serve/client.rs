//! A client of the service at the socket `s.sock`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;

use crate::pki::World;

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

    /// Has a message signed and verified. Returns the verdict.
    pub(super) fn sign_and_verify(&mut self) -> serde_json::Value {
        let signed = self.sign(36);
        assert_eq!(signed["status"], "ok", "{signed}");
        let message = signed["message"].as_str().unwrap();
        let request = format!("{{\"operation\":\"verify\",\"message\":\"{message}\"}}");
        let mut verified = self.ask(&request);
        verified["verification"].take()
    }
}
