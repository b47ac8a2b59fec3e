//! The server answers what its roles answer, refuses the rest by status, and is not held up.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient, PkiClientError};
use waywarden_v2x_pki_service::server::{
    Endpoint, NoResponse, PkiServer, PkiServerLimits, PkiService, PublicDocument, RateLimit,
    RequestEvent, Stop,
};

/// Answers with the request reversed; some requests say otherwise.
#[derive(Default)]
struct Mirror {
    is_released: AtomicBool,
    held: AtomicUsize,
    events: Mutex<Vec<String>>,
}

impl PkiService for Mirror {
    fn answer(&self, endpoint: Endpoint, request: &[u8]) -> Result<Vec<u8>, NoResponse> {
        match (endpoint, request) {
            (Endpoint::Validation, _) => Err(NoResponse::NoRole),
            (_, b"malformed") => Err(NoResponse::Malformed),
            (_, b"unavailable") => Err(NoResponse::Unavailable),
            (_, b"failed") => Err(NoResponse::Failed),
            (_, b"panic") => panic!("a role panics"),
            (_, b"hang") => {
                self.held.fetch_add(1, Ordering::SeqCst);
                while !self.is_released.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(b"released".to_vec())
            }
            (_, other) => Ok(other.iter().rev().copied().collect()),
        }
    }

    fn document(&self, document: PublicDocument) -> Option<Vec<u8>> {
        (document == PublicDocument::Certificates).then(|| b"certificates".to_vec())
    }

    fn log(&self, event: &RequestEvent<'_>) {
        self.events.lock().unwrap().push(event.to_string());
    }
}

struct Running {
    address: SocketAddr,
    mirror: Arc<Mirror>,
    stop: Option<Stop>,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn with(limits: PkiServerLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = Stop::new();
        let mirror = Arc::new(Mirror::default());
        let service = mirror.clone();
        let thread = std::thread::spawn(move || {
            let server = PkiServer::new(listener, service, limits).unwrap();
            server.serve(stopped).unwrap();
        });
        Self {
            address,
            mirror,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn new() -> Self {
        Self::with(limits())
    }

    fn client(&self) -> PkiClient {
        let limits = ClientLimits {
            answer: Duration::from_secs(20),
            ..ClientLimits::default()
        };
        PkiClient::new(&format!("http://{}/", self.address), limits).unwrap()
    }

    fn status(&self, endpoint: Endpoint, body: &[u8]) -> u16 {
        match self.client().post(endpoint, body) {
            Ok(_) => 200,
            Err(PkiClientError::Status(_, status)) => status,
            Err(error) => panic!("{error}"),
        }
    }

    /// Sends bytes, and returns the first line of the answer; empty if there is none.
    fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        // The server may close the connection before it has read all.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let mut buffer = [0; 1_024];
        while !answer.contains(&b'\n') {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(length) => answer.extend_from_slice(&buffer[..length]),
            }
        }
        let text = String::from_utf8_lossy(&answer).into_owned();
        text.lines().next().unwrap_or_default().to_owned()
    }

    fn wait_for_held(&self, count: usize) {
        let begun = Instant::now();
        while self.mirror.held.load(Ordering::SeqCst) < count {
            assert!(begun.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.mirror.is_released.store(true, Ordering::SeqCst);
        self.stop = None;
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

/// Those of the tests: as usual, and no rate.
fn limits() -> PkiServerLimits {
    PkiServerLimits {
        rate: RateLimit {
            burst: 1_000_000,
            per_second: 1_000_000,
        },
        ..PkiServerLimits::default()
    }
}

#[test]
fn requests_and_documents_are_answered() {
    let server = Running::new();
    let client = server.client();
    for endpoint in [Endpoint::Enrolment, Endpoint::Authorization] {
        assert_eq!(client.post(endpoint, b"abc").unwrap(), b"cba");
        assert_eq!(client.post(endpoint, b"").unwrap(), b"");
    }
    assert_eq!(client.get("/certificates").unwrap(), b"certificates");
    let largest = vec![7; limits().body_bytes];
    assert_eq!(client.post(Endpoint::Enrolment, &largest).unwrap(), largest);
    let events = server.mirror.events.lock().unwrap();
    assert!(
        events[0].contains(" POST /enrolment 200 3 bytes "),
        "{events:?}"
    );
}

#[test]
fn what_is_not_answered_is_refused_by_status() {
    let server = Running::new();
    for (body, status) in [
        (&b"malformed"[..], 400),
        (b"unavailable", 503),
        (b"failed", 500),
        (b"panic", 500),
        (&vec![0; limits().body_bytes + 1], 413),
        (b"go on", 200),
    ] {
        assert_eq!(server.status(Endpoint::Enrolment, body), status, "{body:?}");
    }
    assert_eq!(server.status(Endpoint::Validation, b"x"), 404);
    let head = "Host: x\r\nContent-Type: application/x-its-request\r\n";
    let chunked = format!("{:x}\r\n{}\r\n0\r\n\r\n", 20_000, "x".repeat(20_000));
    for (request, expected) in [
        (format!("GET /enrolment HTTP/1.1\r\n{head}\r\n"), "405"),
        (
            format!("DELETE /certificates HTTP/1.1\r\n{head}\r\n"),
            "405",
        ),
        (format!("GET / HTTP/1.1\r\n{head}\r\n"), "404"),
        (
            format!("GET /getcrl/0011223344556677 HTTP/1.1\r\n{head}\r\n"),
            "404",
        ),
        (format!("GET /../pki.toml HTTP/1.1\r\n{head}\r\n"), "404"),
        (
            "POST /enrolment HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx".to_owned(),
            "415",
        ),
        (
            format!("POST /enrolment HTTP/1.1\r\n{head}Content-Length: 99999999\r\n\r\n"),
            "413",
        ),
        (
            format!(
                "POST /enrolment HTTP/1.1\r\n{head}Transfer-Encoding: chunked\r\n\r\n{chunked}"
            ),
            "413",
        ),
        (
            format!("GET / HTTP/1.1\r\n{head}X: {}\r\n\r\n", "x".repeat(10_000)),
            "431",
        ),
        ("no HTTP at all\r\n\r\n".to_owned(), "400"),
    ] {
        let answer = server.raw(request.as_bytes());
        let line = request.lines().next().unwrap();
        assert!(answer.contains(expected), "{line}: {answer}");
    }
}

#[test]
fn slow_requests_end_and_hold_up_no_others() {
    let server = Running::with(PkiServerLimits {
        head: Duration::from_millis(300),
        body: Duration::from_millis(300),
        ..limits()
    });
    let connect = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    };
    let slow: Vec<_> = (0..20).map(|_| connect(b"POST /enrolment HT")).collect();
    assert_eq!(
        server.client().post(Endpoint::Enrolment, b"ab").unwrap(),
        b"ba"
    );
    for mut stream in slow {
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut rest = Vec::new();
        // The server closes it, or this would time out.
        match stream.read_to_end(&mut rest) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset),
        }
    }
    let body = "POST /enrolment HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-its-request\r\n\
                Content-Length: 10\r\n\r\nabc";
    assert!(server.raw(body.as_bytes()).contains("408"));
}

#[test]
fn a_role_that_hangs_holds_up_its_own_kind_alone() {
    let server = Running::with(PkiServerLimits {
        at_once: 2,
        answer: Duration::from_millis(400),
        ..limits()
    });
    std::thread::scope(|scope| {
        let hung = || server.status(Endpoint::Authorization, b"hang");
        let two = [scope.spawn(hung), scope.spawn(hung)];
        server.wait_for_held(2);
        // The third waits for its turn, which does not come.
        assert_eq!(server.status(Endpoint::Authorization, b"abc"), 503);
        assert_eq!(
            server.client().post(Endpoint::Enrolment, b"abc").unwrap(),
            b"cba"
        );
        assert_eq!(
            server.client().get("/certificates").unwrap(),
            b"certificates"
        );
        for one in two {
            assert_eq!(one.join().unwrap(), 503);
        }
        assert_eq!(server.mirror.held.load(Ordering::SeqCst), 2);
        server.mirror.is_released.store(true, Ordering::SeqCst);
    });
    let begun = Instant::now();
    while server.status(Endpoint::Authorization, b"abc") != 200 {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_peer_that_asks_too_often_has_to_wait() {
    let server = Running::with(PkiServerLimits {
        rate: RateLimit {
            burst: 3,
            per_second: 0,
        },
        ..limits()
    });
    let statuses = [(); 5].map(|()| server.status(Endpoint::Enrolment, b"x"));
    assert_eq!(statuses, [200, 200, 200, 429, 429]);
    let answer = server.raw(b"GET /certificates HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.contains("429"), "{answer}");
}

#[test]
fn connections_of_one_peer_have_a_bound() {
    let server = Running::with(PkiServerLimits {
        connections_of_peer: 4,
        head: Duration::from_millis(500),
        ..limits()
    });
    let connect = |_| TcpStream::connect(server.address).unwrap();
    let mut open: Vec<_> = (0..8).map(connect).collect();
    let mut closed_at_once = 0;
    let begun = Instant::now();
    for stream in open.iter_mut().rev() {
        stream
            .set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        closed_at_once += usize::from(matches!(stream.read(&mut [0]), Ok(0)));
        if begun.elapsed() > Duration::from_millis(300) {
            break;
        }
    }
    assert!((1..=4).contains(&closed_at_once), "{closed_at_once}");
    drop(open);
    // Their places are free again.
    let begun = Instant::now();
    while server.client().post(Endpoint::Enrolment, b"x").is_err() {
        assert!(begun.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_stopped_server_answers_what_is_under_way() {
    let mut server = Running::new();
    let client = server.client();
    let waiting = std::thread::spawn(move || client.post(Endpoint::Enrolment, b"hang"));
    server.wait_for_held(1);
    server.stop.take().unwrap().stop();
    std::thread::sleep(Duration::from_millis(50));
    assert!(matches!(
        server.client().post(Endpoint::Enrolment, b"x"),
        Err(PkiClientError::Connect(..))
    ));
    server.mirror.is_released.store(true, Ordering::SeqCst);
    assert_eq!(waiting.join().unwrap().unwrap(), b"released");
}

#[test]
fn random_bytes_never_end_the_server() {
    let mut random = Random::of_test("random_bytes_never_end_the_server");
    let server = Running::with(PkiServerLimits {
        head: Duration::from_millis(50),
        body: Duration::from_millis(50),
        ..limits()
    });
    let whole = "POST /enrolment HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-its-request\r\n\
                 Content-Length: 3\r\n\r\nabc";
    for _ in 0..cases(100).min(2_000) {
        let mut bytes = whole.as_bytes().to_vec();
        for _ in 0..=random.index(4) {
            let at = random.index(bytes.len());
            match random.index(3) {
                0 => bytes[at] = random.u64() as u8,
                1 => bytes.insert(at, random.u64() as u8),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let _ = server.raw(&bytes);
    }
    assert_eq!(
        server.client().post(Endpoint::Enrolment, b"ab").unwrap(),
        b"ba"
    );
}
