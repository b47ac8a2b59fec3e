//! `waywarden pki serve` and `pki enrol --from`: a station gets its certificates over HTTP.
#![cfg(unix)]

mod registrations;
mod renewal;
mod unreachable;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use waywarden_v2x_pki_service::database::{CertificatePurpose, DATABASE, Database};

use crate::support::World;

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
        let mut child = Command::new(crate::support::PROGRAM)
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
    assert_eq!(out.matches("authorization ticket").count(), 3, "{out}");
    assert_eq!(out.matches("enrolment credential").count(), 1, "{out}");
    // The credential is used again.
    let out = world.works(&enrol(&server, "car", "--tickets 1 --psid CAM:01FFFC"));
    assert_eq!(out.matches("HashedId8").count(), 1, "{out}");
    let out = world.works(&enrol(&server, "car", "--renew"));
    assert_eq!(out.matches("enrolment credential").count(), 1, "{out}");
    assert_eq!(server.terminate(), (Some(0), "ended\n".to_owned()));
    world.write("payloads", "0a0b\n0c0d\n");
    world.works("sign @payloads --lines --pki @car --as car --psid CAM -o @signed");
    let out = world.works("verify @signed --trust @p/trust --at generation");
    assert!(
        out.contains("2 of 2 read, 2 with valid signatures, 2 accepted"),
        "{out}"
    );
    let database = Database::open(&world.path("p").join(DATABASE)).unwrap();
    let ids = database.issued_ids().unwrap();
    let kinds = ids.iter().map(|id| database.issued(*id).unwrap().unwrap());
    let (credentials, others): (Vec<_>, Vec<_>) =
        kinds.partition(|one| one.kind == CertificatePurpose::EnrolmentCredential);
    assert_eq!(credentials.len(), 2);
    assert!(
        credentials
            .iter()
            .all(|one| one.station.as_deref() == Some(b"CAR-1"))
    );
    // The database does not say whose a ticket is.
    let tickets = others
        .iter()
        .filter(|one| one.kind == CertificatePurpose::AuthorizationTicket);
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
        use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient};
        let client = PkiClient::new(&server.url, ClientLimits::default()).unwrap();
        client.get(path)
    };
    assert!(get("/getcrl/00112233AABBCCDD").is_err());
    world.write("p/trust/00112233aabbccdd.crl", "a list");
    assert_eq!(get("/getcrl/00112233AABBCCDD").unwrap(), b"a list");
    assert!(get("/getctl/00112233AABBCCDD").is_err());
}
