//! The HTTP face: what it answers, what it refuses, and that hostile clients do not hold it up.

mod connections;
mod requests;
mod tokens;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;
use waywarden_v2x_service::server::ServerStatistics;
use waywarden_v2x_service::server::http::{HttpSettings, TokenGrants, serve_http};
use waywarden_v2x_wire::ieee1609dot2::Psid;

use crate::stub::{Stub, grant};

/// A served stub; the token `sesame` may sign for 131.
struct Running {
    address: SocketAddr,
    stub: Arc<Stub>,
    statistics: Arc<ServerStatistics>,
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
        let statistics = Arc::new(ServerStatistics::default());
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
