//! The client refuses answers that are late, long or wrong, and says which.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient, PkiClientError};
use waywarden_v2x_pki_service::server::Endpoint;

const LIMITS: ClientLimits = ClientLimits {
    connect: Duration::from_secs(5),
    answer: Duration::from_millis(500),
    total: Duration::from_secs(10),
    body_bytes: 1_000,
};

/// Posts to a server that answers with these bytes, and returns what the server read.
fn answered(answer: &[u8]) -> (Result<Vec<u8>, PkiClientError>, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/ea", listener.local_addr().unwrap());
    let client = PkiClient::new(&url, LIMITS).unwrap();
    std::thread::scope(|scope| {
        let server = scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut read = Vec::new();
            let mut buffer = [0; 1_024];
            while !read.ends_with(b"request") {
                let length = stream.read(&mut buffer).unwrap();
                read.extend_from_slice(&buffer[..length]);
            }
            // The client may have gone.
            let _ = stream.write_all(answer);
            if answer.is_empty() {
                std::thread::sleep(Duration::from_millis(700));
            }
            String::from_utf8(read).unwrap()
        });
        let done = client.post(Endpoint::Enrolment, b"request");
        (done, server.join().unwrap())
    })
}

fn head(more: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: application/x-its-response\r\n{more}\r\n")
}

#[test]
fn a_request_goes_to_the_path_below_the_url() {
    let (answer, request) = answered((head("Content-Length: 2\r\n") + "ok").as_bytes());
    assert_eq!(answer.unwrap(), b"ok");
    let request = request.to_ascii_lowercase();
    assert!(
        request.starts_with("post /ea/enrolment http/1.1\r\n"),
        "{request}"
    );
    for line in [
        "content-type: application/x-its-request",
        "content-length: 7",
        "host: 127.0.0.1:",
    ] {
        assert!(request.contains(line), "{line}: {request}");
    }
}

#[test]
fn wrong_answers_are_refused_by_what_is_wrong() {
    let error = |answer: String| answered(answer.as_bytes()).0.unwrap_err();
    assert!(matches!(error(String::new()), PkiClientError::Time(..)));
    let status = error("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n".to_owned());
    assert!(
        status.to_string().contains("503 (Service Unavailable)"),
        "{status}"
    );
    let kind = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nok";
    assert!(matches!(error(kind.to_owned()), PkiClientError::Type(_)));
    let long = head("Content-Length: 1001\r\n") + &"x".repeat(1_001);
    assert!(matches!(error(long), PkiClientError::Length(_, 1_000)));
    let endless = head("Transfer-Encoding: chunked\r\n")
        + "3e8\r\n"
        + &"x".repeat(1_000)
        + "\r\n3e8\r\n"
        + &"x".repeat(1_000)
        + "\r\n0\r\n\r\n";
    assert!(matches!(error(endless), PkiClientError::Length(_, 1_000)));
    assert!(matches!(
        error("SSH-2.0-x\r\n".to_owned()),
        PkiClientError::Http(..)
    ));
    let cut = head("Content-Length: 9\r\n") + "cut";
    assert!(matches!(error(cut), PkiClientError::Http(..)));
    let headers = format!("{}{}", head("").trim_end(), "\r\nX: y".repeat(500));
    assert!(matches!(
        error(headers + "\r\n\r\n"),
        PkiClientError::Http(..)
    ));
    let redirect = "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n\r\n";
    assert!(matches!(
        error(redirect.to_owned()),
        PkiClientError::Status(_, 302)
    ));
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = PkiClient::new(&url, LIMITS).unwrap();
    let error = client.get("/certificates").unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("{url}/certificates: cannot be reached")),
        "{error}"
    );
}

#[test]
fn only_plain_urls_are_taken() {
    for url in [
        "http://localhost",
        "http://localhost:80/a/b/",
        "http://[::1]:8080",
        "http://10.0.0.1",
    ] {
        assert!(PkiClient::new(url, LIMITS).is_ok(), "{url}");
    }
    for url in [
        "",
        "localhost",
        "localhost:80",
        "https://localhost",
        "ftp://localhost",
        "http://",
        "http://user:secret@localhost",
        "http://localhost/?a=b",
        "http://local host",
        "http://localhost:99999",
        "/enrolment",
    ] {
        let refused = PkiClient::new(url, LIMITS);
        assert!(matches!(refused, Err(PkiClientError::Url(_))), "{url}");
    }
}
