//! Servers that do not answer or are not there.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::{STATION, Server, enrol, registered};

#[test]
fn a_server_without_an_answer_is_given_up_at_the_deadline() {
    let world = registered();
    let refused = |listener: &TcpListener| {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let words = format!("pki enrol car --name car --from {url} {STATION} --timeout 1");
        world.refused(&words, &[&url, "no answer within", "--timeout 1"]);
        words
    };
    // The system takes the connection, and no bytes come back.
    refused(&TcpListener::bind("127.0.0.1:0").unwrap());
    let dripping = TcpListener::bind("127.0.0.1:0").unwrap();
    let listener = dripping.try_clone().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            // An answer before the request would be a fault of HTTP.
            let _ = stream.read(&mut [0; 4096]);
            let head = b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n";
            let mut sent = stream.write_all(head);
            while sent.is_ok() {
                std::thread::sleep(Duration::from_millis(50));
                sent = stream.write_all(b"0");
            }
        }
    });
    let words = refused(&dripping);
    assert!(!world.path("car").exists());
    world.refused(&words.replace("--timeout 1", "--timeout 0"), &["1..=3600"]);
}

#[test]
fn a_server_that_is_not_there_is_reported_and_tried_again() {
    let world = registered();
    let server = Server::start(&world, "p");
    let words = enrol(&server, "car", "");
    server.kill();
    let begun = Instant::now();
    let reasons = [
        "cannot be reached",
        "trying again",
        "attempt 4 of 4",
        "pki serve",
    ];
    world.refused(&words, &reasons);
    assert!(begun.elapsed() > Duration::from_secs(2));
    world.refused(&words.replace("http:", "https:"), &["http://HOST"]);
    world.refused(
        "pki enrol car --name car --from http://localhost:1",
        &["--id"],
    );
    world.refused("pki enrol p --name x --no-passphrase", &["--no-passphrase"]);
}
