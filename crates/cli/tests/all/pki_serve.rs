//! `waywarden pki serve` and `pki enrol --from`: a station gets its certificates over HTTP.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use assert_cmd::cargo::cargo_bin;
use waywarden_v2x_pki_service::database::{DATABASE, Database, Kind};

use crate::pki::World;

/// A server that runs. It is killed when it is dropped.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) url: String,
}

impl Server {
    /// Starts `pki serve` with these words, and waits until it listens.
    pub(crate) fn start(world: &World, words: &str) -> Self {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(world.path("log"));
        let mut child = Command::new(cargo_bin("waywarden"))
            .current_dir(world.path(""))
            .args(["pki", "serve"])
            .args(words.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(log.unwrap())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let url = line.trim().strip_prefix("listening on ");
        let url = url
            .unwrap_or_else(|| panic!("{line}{}", log_of(world)))
            .to_owned();
        Self { child, out, url }
    }

    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.unwrap().success());
    }

    /// Sends SIGHUP, and waits for what the log says of it.
    fn reload(&self, world: &World, expected: &str) {
        let before = log_of(world).len();
        self.signal("HUP");
        let begun = Instant::now();
        while !log_of(world)[before..].contains("reloaded: ") {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(20));
        }
        let log = log_of(world);
        let said = &log[before..];
        assert!(said.contains(expected), "{expected}: {said}");
    }

    /// Sends SIGTERM; returns the exit code and what else was printed.
    fn terminate(mut self) -> (Option<i32>, String) {
        self.signal("TERM");
        let status = self.child.wait().unwrap();
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).unwrap();
        (status.code(), rest)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn log_of(world: &World) -> String {
    fs::read_to_string(world.path("log")).unwrap_or_default()
}

/// A PKI without passphrase and a station that is registered as CAR-1.
pub(crate) fn registered() -> World {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki keygen car.p8 --public car.der --no-passphrase");
    world.works("pki register p --id CAR-1 --public-key car.der");
    world
}

const STATION: &str = "--id CAR-1 --key car.p8 --trust p/trust --no-passphrase";

fn enrol(server: &Server, folder: &str, more: &str) -> String {
    let url = &server.url;
    format!("pki enrol {folder} --name car --from {url} {STATION} {more}")
}

#[test]
fn a_station_enrols_signs_and_is_accepted() {
    let world = registered();
    let server = Server::start(&world, "p");
    let out = world.works(&enrol(&server, "car", "--tickets 3"));
    assert_eq!(out.matches("authorisation ticket").count(), 3, "{out}");
    assert_eq!(out.matches("enrolment credential").count(), 1, "{out}");
    // The credential is used again.
    let out = world.works(&enrol(&server, "car", "--tickets 1 --psid CAM:01FFFC"));
    assert_eq!(out.matches("HashedId8").count(), 1, "{out}");
    let out = world.works(&enrol(&server, "car", "--renew"));
    assert_eq!(out.matches("enrolment credential").count(), 1, "{out}");
    assert_eq!(server.terminate(), (Some(0), "ended\n".to_owned()));
    world.write("payloads", "0a0b\n0c0d\n");
    world.works("sign payloads --lines --pki car --as car --psid CAM -o signed");
    let out = world.works("verify signed --trust p/trust --at generation");
    assert!(
        out.contains("2 of 2 read, 2 with valid signatures, 2 accepted"),
        "{out}"
    );
    let database = Database::open(&world.path("p").join(DATABASE)).unwrap();
    let ids = database.issued_ids().unwrap();
    let kinds = ids.iter().map(|id| database.issued(*id).unwrap().unwrap());
    let (credentials, others): (Vec<_>, Vec<_>) =
        kinds.partition(|one| one.kind == Kind::EnrolmentCredential);
    assert_eq!(credentials.len(), 2);
    assert!(
        credentials
            .iter()
            .all(|one| one.station.as_deref() == Some(b"CAR-1"))
    );
    // The database does not say whose a ticket is.
    let tickets = others
        .iter()
        .filter(|one| one.kind == Kind::AuthorizationTicket);
    assert_eq!(tickets.filter(|one| one.station.is_none()).count(), 4);
    let log = log_of(&world);
    for line in [
        "POST /enrolment 200",
        "credential for \"CAR-1\"",
        "authorization: ticket",
    ] {
        assert!(log.contains(line), "{line}: {log}");
    }
}

#[test]
fn authorities_in_two_processes_work_together() {
    let world = registered();
    let ea = Server::start(&world, "p --role ea");
    let aa = Server::start(&world, &format!("p --role aa --ea {}", ea.url));
    world.works(&enrol(&ea, "car", ""));
    world.refused(
        &enrol(&ea, "car", "--tickets 1"),
        &["/authorization", "404"],
    );
    world.works(&enrol(&aa, "car", "--tickets 2"));
    world.refused("pki serve p --role aa", &["--ea URL"]);
    let both = format!("pki serve p --role ea --ea {}", ea.url);
    world.refused(&both, &["--ea: the enrolment authority asks no other one"]);
    // Without the enrolment authority the other one answers, and issues nothing.
    ea.kill();
    let refused = enrol(&aa, "car", "--tickets 1");
    let reasons = [
        "authorization",
        "AaEaCantReachEa",
        "--ea of `waywarden pki serve",
    ];
    world.refused(&refused, &reasons);
    assert!(log_of(&world).contains("cannot be reached"));
    let car = |name: &str| world.indexed("car", name, "id").len();
    assert_eq!((car("car"), car("car-credential")), (2, 1));
}

#[test]
fn stations_are_refused_by_name() {
    let world = registered();
    let server = Server::start(&world, "p");
    let refused = |words: &str, code: &str, logged: &str| {
        let before = log_of(&world).len();
        world.refused(words, &[code]);
        let log = log_of(&world);
        assert!(
            log[before..].contains(logged),
            "{logged}: {}",
            &log[before..]
        );
    };
    let stranger = enrol(&server, "new", "").replace("CAR-1", "CAR-2");
    refused(&stranger, "UnknownIts", "not registered");
    world.works("pki keygen other.p8 --public other.der --no-passphrase");
    let other_key = enrol(&server, "new", "").replace("car.p8", "other.p8");
    refused(&other_key, "InvalidSignature", "refused");
    let long = enrol(&server, "new", "--validity 4y");
    refused(&long, "DeniedPermissions", "validityPeriod");
    assert!(!world.path("new").exists());
    world.works(&enrol(&server, "car", ""));
    let foreign = enrol(&server, "car", "--tickets 1 --psid SPATEM");
    refused(&foreign, "DeniedPermissions", "appPermissions");
    let blocked = "pki register p --id CAR-1";
    world.works(&format!("{blocked} --block"));
    refused(&enrol(&server, "car", "--renew"), "BadItsStatus", "refused");
    refused(
        &enrol(&server, "car", "--tickets 1"),
        "responseCode",
        "refused",
    );
    world.works(&format!("{blocked} --unblock"));
    world.works(&enrol(&server, "car", "--tickets 1"));
    // A root that the station does not trust.
    world.works("pki init q --no-passphrase");
    let other_root = enrol(&server, "new", "").replace("p/trust", "q/trust");
    world.refused(
        &other_root,
        &["no enrolment authority below a root of q/trust"],
    );
}

#[test]
fn renewed_authorities_go_on_after_a_restart() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", "--tickets 1"));
    server.kill();
    world.works("pki renew p ea");
    let server = Server::start(&world, "p");
    // A credential of the one before is not taken, so the station gets another one.
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 1, "{out}");
    server.kill();
    world.works("pki renew p aa");
    let server = Server::start(&world, "p");
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 0, "{out}");
    assert_eq!(out.matches("authorisation authority").count(), 1, "{out}");
    world.write("payloads", "0a0b\n");
    world.works("sign payloads --lines --pki car --as car --psid CAM -o signed");
    let out = world.works("verify signed --trust p/trust --at generation");
    assert!(out.contains("1 accepted"), "{out}");
}

/// The HashedId8 of who issued the newest ticket of the car.
fn issuer(world: &World) -> String {
    world.newest("car", "car", "issuer").replace("car/", "p/")
}

#[test]
fn renewed_authorities_are_taken_on_sighup() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", "--tickets 1"));
    let first = world.newest("p", "aa", "id");
    for name in ["ea", "aa"] {
        world.works(&format!("pki renew p {name}"));
    }
    // Not before it is told to.
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), first);
    let second = world.newest("p", "aa", "id");
    server.reload(&world, second.trim_start_matches("p/"));
    let out = world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(out.matches("car-credential: ").count(), 1, "{out}");
    assert_eq!(issuer(&world), second);
    // A file that cannot be read is named, and what was there before is served.
    world.works("pki renew p aa");
    let broken = world.newest("p", "aa", "certificate");
    let bytes = fs::read(world.path(&broken)).unwrap();
    world.write(&broken, "no certificate");
    server.reload(&world, &format!("not reloaded: {broken}: "));
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), second);
    world.write(&broken, bytes);
    let key = world.newest("p", "aa", "key");
    let bytes = fs::read(world.path(&key)).unwrap();
    world.write(&key, "no key");
    server.reload(&world, &format!("not reloaded: {key}: "));
    world.write(&key, bytes);
    server.reload(&world, " reloaded: ");
    world.works(&enrol(&server, "car", "--tickets 1"));
    assert_eq!(issuer(&world), world.newest("p", "aa", "id"));
    assert_eq!(server.terminate(), (Some(0), "ended\n".to_owned()));
}

#[test]
fn stations_that_ask_while_authorities_are_renewed_are_all_answered() {
    let world = registered();
    let server = Server::start(&world, "p");
    world.works(&enrol(&server, "car", ""));
    let words = enrol(&server, "car", "--renew --tickets 3");
    std::thread::scope(|scope| {
        let station = scope.spawn(|| {
            for _ in 0..4 {
                world.works(&words);
            }
        });
        for name in ["ea", "aa", "ea"] {
            world.works(&format!("pki renew p {name}"));
            server.reload(&world, " reloaded: ");
        }
        station.join().unwrap();
    });
    assert_eq!(world.indexed("car", "car", "id").len(), 12);
}

#[test]
fn the_passphrase_is_kept_for_a_reload() {
    let world = World::new();
    world.write("secret", "open sesame\n");
    world.works("pki init p --passphrase-file secret");
    let server = Server::start(&world, "p --passphrase-file secret");
    world.works("pki renew p ea --passphrase-file secret");
    fs::remove_file(world.path("secret")).unwrap();
    let newest = world.newest("p", "ea", "id");
    server.reload(&world, newest.trim_start_matches("p/"));
    assert!(!log_of(&world).contains("sesame"));
}

#[test]
fn registrations_are_checked() {
    let world = registered();
    let register = "pki register p --public-key car.der --id";
    world.refused(
        &format!("{register} CAR-1"),
        &["\"CAR-1\" is registered already"],
    );
    world.refused(
        "pki register p --id CAR-9 --block",
        &["no station \"CAR-9\"", "pki register"],
    );
    world.write("profile", "permissions = ['CAMM']");
    world.refused(
        &format!("{register} B --profile profile"),
        &["profile", "CAMM"],
    );
    world.refused(&format!("{register} B --profile missing"), &["missing"]);
    world.refused(
        "pki register p --id B --public-key p/pki.toml",
        &["no public key"],
    );
    world.refused(
        &format!("{register} {}", "x".repeat(65)),
        &["1 to 64 bytes"],
    );
    world.write(
        "profile",
        "permissions = ['CAM']\ntickets = 1\nvalidity = '1h'",
    );
    // Whose a request is would not be told by its signature.
    world.refused(
        &format!("{register} B --profile profile"),
        &[
            "the station \"CAR-1\" is registered with this public key",
            "pki keygen",
        ],
    );
    world.works("pki keygen b.p8 --public b.der --no-passphrase");
    world.works("pki register p --public-key b.der --id B --profile profile");
    let server = Server::start(&world, "p");
    let enrol = |more: &str| {
        let words = enrol(&server, "b", more).replace("CAR-1", "B");
        words.replace("car.p8", "b.p8")
    };
    world.refused(&enrol("--tickets 1 --psid CAM"), &["authorization"]);
    let hour = "--tickets 1 --psid CAM --ticket-validity 1h";
    world.works(&enrol(hour));
    world.refused(&enrol(hour), &["authorization"]);
    assert!(log_of(&world).contains("tickets"), "{}", log_of(&world));
}

#[test]
fn keys_under_a_passphrase_are_served_and_kept() {
    let world = World::new();
    world.write("secret", "open sesame\n");
    world.write("wrong", "close sesame\n");
    world.works("pki init p --passphrase-file secret");
    world.works("pki keygen car.p8 --public car.der --passphrase-file secret");
    world.works("pki register p --id CAR-1 --public-key car.der");
    world.refused(
        "pki serve p --passphrase-file wrong",
        &["the passphrase is wrong"],
    );
    let server = Server::start(&world, "p --passphrase-file secret");
    let enrol = |file: &str, more: &str| {
        let words = enrol(&server, "car", more);
        words.replace("--no-passphrase", &format!("--passphrase-file {file}"))
    };
    world.works(&enrol("secret", "--tickets 1"));
    world.refused(&enrol("wrong", "--tickets 1"), &["the passphrase is wrong"]);
    world.works(&enrol("secret", "--tickets 1"));
    let keys = world.indexed("car", "car", "key");
    assert_eq!(keys.len(), 2);
    for key in keys {
        let out = world.works(&format!("pki show {key}"));
        assert!(out.contains("encrypted (scrypt"), "{out}");
    }
    assert!(!log_of(&world).contains("sesame"));
}

#[test]
fn a_pki_that_cannot_be_served_is_refused() {
    let world = registered();
    world.works("pki init us --us --no-passphrase");
    world.refused("pki serve us", &["--us", "European"]);
    world.refused("pki serve nowhere", &["no PKI"]);
    let server = Server::start(&world, "p");
    let address = server.url.strip_prefix("http://").unwrap();
    world.refused(
        &format!("pki serve p --listen {address}"),
        &[address, "port 0 for any free one"],
    );
    let key = world.indexed("p", "ea", "encryption_key").pop().unwrap();
    fs::remove_file(world.path(&key)).unwrap();
    world.refused("pki serve p", &[&key]);
    // While it is served nothing replaces the database, and others may issue.
    world.works("pki backup p -o backup");
    world.refused("pki restore p backup", &["another process has it open"]);
    world.works("pki issue p --name van");
}

#[test]
fn lists_are_served_from_the_folder() {
    let world = registered();
    let server = Server::start(&world, "p");
    let get = |path: &str| {
        use waywarden_v2x_pki_service::client::{Client, ClientLimits};
        let client = Client::new(&server.url, ClientLimits::default()).unwrap();
        client.get(path)
    };
    assert!(get("/getcrl/00112233AABBCCDD").is_err());
    world.write("p/trust/00112233aabbccdd.crl", "a list");
    assert_eq!(get("/getcrl/00112233AABBCCDD").unwrap(), b"a list");
    assert!(get("/getctl/00112233AABBCCDD").is_err());
}

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
fn a_server_that_is_not_there_is_told_and_tried_again() {
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
