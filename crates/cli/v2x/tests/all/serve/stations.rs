//! A station whose messages the service signs and verifies.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

use serde_json::Value;

use super::service::{PATIENCE, Service, command};
use crate::support::World;

/// A station, and its events.
struct Station {
    child: Child,
    events: Receiver<Value>,
}

/// Signers that were heard, each with the address that it had.
#[derive(Debug, Default)]
struct Heard(BTreeMap<String, String>);

impl Station {
    fn start(world: &World, group: &str, more: &[&str]) -> Self {
        let mut child = Command::new(crate::support::PROGRAM)
            .current_dir(world.path(""))
            .args(["station", "--format", "json", "--speed", "45"])
            .args(["--group", group])
            .args(more)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, events) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        Self { child, events }
    }

    /// Types a line.
    fn order(&mut self, line: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
    }

    /// Waits for a message that is accepted of a signer that was not heard before.
    fn wait_for_signer(&self, heard: &mut Heard) {
        let text = |event: &Value, name: &str| event[name].as_str().unwrap().to_owned();
        let event = self.wait("a new signer", |event| {
            is_accepted(event) && {
                let (signer, link) = (text(event, "signer"), text(event, "link"));
                let known = heard.0.get(&signer);
                assert!(known.is_none_or(|known| *known == link), "{event}");
                known.is_none()
            }
        });
        heard.0.insert(text(&event, "signer"), text(&event, "link"));
    }

    fn wait(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            match self.events.recv_timeout(PATIENCE) {
                Ok(event) if is_it(&event) => return event,
                Ok(_) => {}
                Err(error) => panic!("{what}: {error}"),
            }
        }
        panic!("{what}");
    }
}

impl Drop for Station {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn is_accepted(event: &Value) -> bool {
    event["event"] == "heard" && event["result"] == "success"
}

#[test]
fn station_goes_on_after_its_service_was_away() {
    let world = World::new();
    world.works("pki init @p --no-passphrase");
    world.works("pki issue @p --name car");
    world.works("pki issue @p --name bus");
    let uid = rustix::process::getuid().as_raw();
    world.write(
        "s.toml",
        format!(
            "[sockets]\nstream = \"s.sock\"\n[trust]\nfolder = \"p/trust\"\n\
             [[signer]]\nname = \"car\"\npki = \"p\"\nas = \"car\"\n\
             [[access]]\nuid = {uid}\nsign = [\"CAM\"]\n"
        ),
    );
    let service = Service::start(&world);
    let group = format!("239.118.50.91:{}", 20_000 + std::process::id() % 20_000);
    let car = Station::start(&world, &group, &["--service", "unix:s.sock"]);
    let bus = Station::start(&world, &group, &["--pki", "p", "--as", "bus"]);
    bus.wait("a message that the service signed", is_accepted);
    car.wait("a message that the service verified", is_accepted);
    drop(service);
    car.wait("a report that nothing is signed", |event| {
        let reason = event["reason"].as_str().unwrap_or_default();
        event["event"] == "not-signed" && reason.contains("the security service")
    });
    car.wait("a report that nothing is verified", |event| {
        event["event"] == "heard" && event["result"] == "unanswered"
    });
    let _service = Service::run(&world, &mut command(&world), 1);
    car.wait("a message after the service came back", is_accepted);
    while bus.events.try_recv().is_ok() {}
    bus.wait("a message of the station after it", is_accepted);
}

/// Each change, and each start of station and service, shows another pseudonym to who listens.
#[test]
fn pseudonyms_of_the_service_change_with_the_station() {
    let world = World::new();
    world.works("pki init @p --no-passphrase --us");
    world.works("pki pseudonyms @p --for car --weeks 1 --per-week 6");
    world.works("pki pseudonyms @p --for bus --weeks 1 --per-week 1");
    let uid = rustix::process::getuid().as_raw();
    world.write(
        "s.toml",
        format!(
            "[sockets]\nstream = \"s.sock\"\n[trust]\nfolder = \"p/trust\"\n\
             [pseudonyms]\nused = \"used.json\"\n\
             [[signer]]\nname = \"car\"\npki = \"p\"\nas = \"car\"\npseudonyms = true\n\
             [[access]]\nuid = {uid}\nsign = [\"BSM\"]\n"
        ),
    );
    let service = Service::start(&world);
    let group = format!("239.118.50.92:{}", 20_000 + std::process::id() % 20_000);
    let options = ["--message", "bsm", "--silence", "50ms"];
    let bus = Station::start(
        &world,
        &group,
        &[&options[..], &["--pki", "p", "--as", "bus"]].concat(),
    );
    let served = [&options[..], &["--service", "unix:s.sock"]].concat();
    let mut car = Station::start(&world, &group, &served);
    let mut heard = Heard::default();
    bus.wait_for_signer(&mut heard);
    for _ in 0..2 {
        car.order("change");
        bus.wait_for_signer(&mut heard);
    }
    drop(car);
    let car = Station::start(&world, &group, &served);
    bus.wait_for_signer(&mut heard);
    drop(service);
    let used = std::fs::read_to_string(world.path("used.json")).unwrap();
    assert!(
        heard.0.keys().all(|one| used.contains(one)),
        "{used} {heard:?}"
    );
    car.wait("a report that nothing is signed", |event| {
        event["event"] == "impaired" || event["event"] == "not-signed"
    });
    // The station goes on, as another one.
    let _service = Service::run(&world, &mut command(&world), 1);
    bus.wait_for_signer(&mut heard);
    drop(car);
    assert_eq!(heard.0.len(), 5);
    let links: BTreeSet<_> = heard.0.values().collect();
    assert_eq!(links.len(), 5, "{heard:?}");
}
