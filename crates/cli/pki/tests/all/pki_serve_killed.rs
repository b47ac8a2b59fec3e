//! A server that is killed while stations enrol: after restart nothing was issued twice, nothing
//! that was issued is forgotten, and the database opens.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::time::Duration as Pause;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::KeyStore as _;
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::enrolment::{EnrolmentLimits, TicketRequest, request_authorization};
use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient};
use waywarden_v2x_pki_service::database::{CertificatePurpose, DATABASE, Database};
use waywarden_v2x_pki_service::server::Endpoint;
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::its_aid::CAM;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, Duration, HashedId8, VerificationKeyIndicator,
};

use crate::pki_serve::Server;
use crate::station::{Station, now, start};
use crate::support::World;

/// Number of times that the server is killed.
const KILLS: usize = 100;

/// The latest that it is killed after a request was sent.
const LATEST_MICROSECONDS: u64 = 12_000;

/// The server, which is killed while it answers.
struct Killed<'w> {
    world: &'w World,
    server: Option<Server>,
    random: Random,
    kills: usize,
}

impl Killed<'_> {
    /// Sends a request again and again, kills the server meanwhile the first time, and returns the
    /// answer. An answer that comes before and after the kill is the same.
    fn post(&mut self, endpoint: Endpoint, request: &[u8]) -> Vec<u8> {
        let mut server = self
            .server
            .take()
            .unwrap_or_else(|| Server::start(self.world, "p"));
        let url = server.url.clone();
        let send = move || {
            let client = PkiClient::new(&url, ClientLimits::default()).unwrap();
            client.post(endpoint, request).ok()
        };
        let pause = Pause::from_micros(self.random.below(LATEST_MICROSECONDS));
        let first = std::thread::scope(|scope| {
            let sending = scope.spawn(send);
            std::thread::sleep(pause);
            server.kill();
            sending.join().unwrap()
        });
        self.kills += 1;
        server = Server::start(self.world, "p");
        let client = PkiClient::new(&server.url, ClientLimits::default()).unwrap();
        let second = client.post(endpoint, request).unwrap();
        if let Some(first) = first {
            assert_eq!(first, second, "a request has one answer");
        }
        self.server = Some(server);
        second
    }
}

#[test]
fn a_killed_server_issues_nothing_twice_and_forgets_nothing() {
    let test = "a_killed_server_issues_nothing_twice_and_forgets_nothing";
    let mut random = Random::of_test(test);
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let mut station = Station::new(&world, &mut random);
    let mut server = Killed {
        world: &world,
        server: None,
        random,
        kills: 0,
    };
    let (mut known, mut keys, mut refused) = (BTreeSet::new(), BTreeSet::new(), 0);
    while server.kills < cases(KILLS).min(1_000) {
        let credential = enrol(&mut station, &mut server);
        known.insert(credential.id());
        for _ in 0..3 {
            match ticket(&mut station, &mut server, &credential) {
                Some(ticket) => assert!(known.insert(ticket)),
                None => refused += 1,
            }
        }
        let key = credential.key();
        station.store.retire(key).unwrap();
    }
    let kills = server.kills;
    drop(server);
    let database = Database::open(&world.path("p").join(DATABASE)).unwrap();
    database.check().unwrap();
    let mut issued = BTreeSet::new();
    for id in database.issued_ids().unwrap() {
        let one = database.issued(id).unwrap().unwrap();
        if one.kind != CertificatePurpose::Authority {
            issued.insert(id);
            let view: Certificate<'_> = parse(&one.certificate).unwrap();
            let VerificationKeyIndicator::VerificationKey(key) =
                view.to_be_signed.verify_key_indicator
            else {
                panic!("an explicit certificate");
            };
            assert!(keys.insert(format!("{key:?}")), "a key has one certificate");
        }
    }
    println!(
        "{kills} kills: {} issued, {} known, {refused} refused",
        issued.len(),
        known.len()
    );
    assert!(known.is_subset(&issued), "what was issued is recorded");
    // Every request was answered in the end, so nothing is recorded that no station has.
    assert_eq!(issued, known);
}

fn enrol(station: &mut Station, server: &mut Killed<'_>) -> Credential {
    let key = station.key();
    let ea = station.ea.clone();
    let (request, pending) = station.ask(&ea, key, now());
    let response = server.post(Endpoint::Enrolment, &request);
    let limits = EnrolmentLimits::DEFAULT;
    let Station {
        store, verifier, ..
    } = station;
    let opened = pending.open(store, verifier, &response, now(), &limits);
    Credential::new(store, key, opened.unwrap()).unwrap()
}

/// Gets a ticket. A request whose consent was recorded when the server ended is refused: the
/// enrolment authority consents once.
fn ticket(
    station: &mut Station,
    server: &mut Killed<'_>,
    credential: &Credential,
) -> Option<HashedId8> {
    let key = station.key();
    let contents =
        Contents::new(start(&station.aa), Duration::Hours(1)).permitting(CAM, &[1, 0, 0]);
    let request = TicketRequest {
        credential,
        key,
        contents: &contents,
        enrolment_authority: &station.ea,
        authorization_authority: &station.aa,
        is_private: true,
        proves_possession: true,
    };
    let Station { store, seeds, .. } = station;
    let (request, pending) = request_authorization(store, &request, now(), seeds).unwrap();
    let response = server.post(Endpoint::Authorization, &request);
    let limits = EnrolmentLimits::DEFAULT;
    let opened = pending.open(store, &station.verifier, &response, now(), &limits);
    store.retire(key).unwrap();
    opened.ok().map(|ticket| ticket.id())
}
