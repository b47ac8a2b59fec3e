//! Requests that are tampered with, replayed, expired or encrypted to another authority: the server
//! refuses each, and its log names the reason.
#![cfg(unix)]

use waywarden_testkit::{Random, cases};
use waywarden_v2x_pki::enrolment::{EnrolmentLimits, ResponseRefusal};
use waywarden_v2x_pki_service::client::{ClientLimits, PkiClient, PkiClientError};
use waywarden_v2x_pki_service::database::{DATABASE, Database};
use waywarden_v2x_pki_service::server::Endpoint;
use waywarden_v2x_wire::etsi102941::EnrolmentResponseCode;
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::pki_serve::{Server, log_of};
use crate::station::{Station, now};
use crate::support::World;

/// Returns the result of `run`, and the lines that are logged meanwhile.
fn logged<T>(world: &World, run: impl FnOnce() -> T) -> (T, String) {
    let before = log_of(world).len();
    let done = run();
    (done, log_of(world)[before..].to_owned())
}

fn is_status(answer: &Result<Vec<u8>, PkiClientError>, expected: u16) -> bool {
    matches!(answer, Err(PkiClientError::Status(_, status)) if *status == expected)
}

#[test]
fn hostile_requests_are_refused_and_issue_nothing() {
    let mut random = Random::of_test("hostile_requests_are_refused_and_issue_nothing");
    let world = World::new();
    world.works("pki init p --no-passphrase");
    let mut station = Station::new(&world, &mut random);
    let server = Server::start(&world, "p --rate 100000");
    let client = PkiClient::new(&server.url, ClientLimits::default()).unwrap();
    let post = |request: &[u8]| client.post(Endpoint::Enrolment, request);
    let (ea, aa) = (station.ea.clone(), station.aa.clone());
    let limits = EnrolmentLimits::DEFAULT;
    let count = || {
        let database = Database::open(&world.path("p").join(DATABASE)).unwrap();
        database.issued_ids().unwrap().len()
    };
    let before = count();

    // Encrypted to another authority.
    let key = station.key();
    let (request, _) = station.ask(&aa, key, now());
    let (answer, log) = logged(&world, || post(&request));
    assert!(is_status(&answer, 400), "{answer:?}");
    assert!(log.contains("enrolment: refused"), "{log}");

    // Made eleven minutes ago, and made in the future.
    for (seconds, reason) in [(-660_i64, "too long ago"), (60, "in the future")] {
        let at = Time64(now().0.saturating_add_signed(seconds * 1_000_000));
        let (request, pending) = station.ask(&ea, key, at);
        let (answer, log) = logged(&world, || post(&request).unwrap());
        assert!(log.contains(&format!("generationTime: {reason}")), "{log}");
        let Station {
            store, verifier, ..
        } = &mut station;
        let opened = pending.open(store, verifier, &answer, now(), &limits);
        let denied = ResponseRefusal::Denied(EnrolmentResponseCode::DeniedRequest);
        assert_eq!(opened.err(), Some(denied));
    }

    // Tampered with: one bit at any place.
    let (request, pending) = station.ask(&ea, key, now());
    for _ in 0..cases(60).min(5_000) {
        let mut changed = request.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.index(8);
        if let Ok(response) = post(&changed) {
            let Station {
                store, verifier, ..
            } = &mut station;
            let opened = pending.open(store, verifier, &response, now(), &limits);
            assert!(opened.is_err(), "byte {at}");
        }
    }
    assert_eq!(count(), before);

    // Answered once; replayed, the same answer and no second credential.
    let answer = post(&request).unwrap();
    let Station {
        store, verifier, ..
    } = &mut station;
    pending
        .open(store, verifier, &answer, now(), &limits)
        .unwrap();
    let (again, log) = logged(&world, || post(&request).unwrap());
    assert_eq!(again, answer);
    assert!(log.contains("answered before"), "{log}");
    assert_eq!(count(), before + 1);

    // To the wrong authority, too long, or nothing.
    let (answer, _) = logged(&world, || client.post(Endpoint::Authorization, &request));
    assert!(is_status(&answer, 400), "{answer:?}");
    assert!(is_status(&post(&vec![3; 20_000]), 413));
    assert!(is_status(&post(&[]), 400));
    assert_eq!(count(), before + 1);
}
