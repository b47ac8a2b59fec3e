//! An attacker that records tickets on the air cannot tell two of one vehicle: vehicles enrol on
//! any day of four weeks and renew their tickets twice, each at its own second.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{KeyHandle, KeyStore as _};
use waywarden_v2x_pki::enrolment::{
    EnrolmentLimits, MemoryRegistry, RegisteredStation, Requester, StationProfile, StationStatus,
    TicketRequest, request_authorization, request_enrolment, ssp,
};
use waywarden_v2x_pki::{Contents, PermissionRange};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::etsi103097::its_aid::{CAM, CERTIFICATE_REQUEST, DENM};
use waywarden_v2x_wire::ieee1609dot2::{Certificate, Duration, Time32, Time64};

use super::world::{World, authorization_authority, enrolment_authority};
use crate::support::without_keys_and_identifiers;

const VEHICLES: usize = 100;
const WEEK: u64 = 7 * 24 * 3_600;
/// A week after the certificates of the authorities begin, in seconds.
const FIRST: u64 = 700_000_000 + WEEK;

fn at(seconds: u64) -> Time64 {
    Time64(seconds * 1_000_000)
}

/// A vehicle's request: from a minute ago, with its permissions in any order.
fn contents(now: u64, hours: u16, random: &mut Random) -> Contents {
    let start = Time32(u32::try_from(now - 60).unwrap());
    let contents = Contents::new(start, Duration::Hours(hours));
    match random.once_in(2) {
        true => contents
            .permitting(CAM, &[1, 0, 0])
            .permitting(DENM, &[1, 0, 0, 0]),
        false => contents
            .permitting(DENM, &[1, 0, 0, 0])
            .permitting(CAM, &[1, 0, 0]),
    }
}

fn profile() -> StationProfile {
    let cam = PermissionRange::Bitmap {
        value: vec![1, 0, 0],
        mask: vec![0xFF, 0, 0],
    };
    StationProfile::new(vec![(CAM, cam), (DENM, PermissionRange::All)])
}

/// Registers a vehicle, which gets its credential.
fn enrolled(world: &mut World, vehicle: usize, now: u64) -> (KeyHandle, KeyHandle, Credential) {
    let canonical = world.key();
    let name = format!("VEHICLE-{vehicle}");
    world.registry.register(RegisteredStation {
        canonical_id: name.clone().into_bytes(),
        key: world.store.public_key(canonical).unwrap(),
        profile: profile(),
        status: StationStatus::Active,
    });
    let key = world.key();
    let requester = Requester::Registered {
        canonical_id: name.as_bytes(),
        key: canonical,
    };
    let start = Time32(u32::try_from(now - 60).unwrap());
    let contents = Contents::new(start, Duration::Years(3))
        .permitting(CERTIFICATE_REQUEST, &ssp::ENROLMENT_CREDENTIAL);
    let ea = world.ea_certificate();
    let World { store, seeds, .. } = world;
    let (request, pending) =
        request_enrolment(store, requester, key, &contents, &ea, at(now), seeds).unwrap();
    let response = world.answer_enrolment(&request, at(now)).response.unwrap();
    let (verifier, limits) = (&world.verifier, EnrolmentLimits::DEFAULT);
    let opened = pending.open(&mut world.store, verifier, &response, at(now), &limits);
    let credential = Credential::new(&world.store, key, opened.unwrap()).unwrap();
    (canonical, key, credential)
}

fn ticket(world: &mut World, credential: &Credential, contents: &Contents, now: u64) -> Vec<u8> {
    let key = world.key();
    let (ea, aa) = (world.ea_certificate(), world.aa_certificate());
    let asked = TicketRequest {
        credential,
        key,
        contents,
        enrolment_authority: &ea,
        authorization_authority: &aa,
        is_private: true,
        proves_possession: true,
    };
    let World { store, seeds, .. } = world;
    let (request, _) = request_authorization(store, &asked, at(now), seeds).unwrap();
    // The store has room for the keys of a test.
    store.retire(key).unwrap();
    world
        .authorize(&request, at(now))
        .outcome
        .unwrap()
        .certificate
}

/// By the second of the beginning: what tickets say beside keys and identifiers.
type Heard = BTreeMap<u32, BTreeSet<Vec<u8>>>;

/// Enrols a fleet over four weeks, and renews each vehicle's tickets twice.
fn overheard(seed: u64, vehicles: usize, hours: u16, cell: u64) -> (Heard, usize) {
    let mut random = Random::new(seed);
    let (ea, aa) = (enrolment_authority(), authorization_authority());
    let mut world = World::with(Curve::P256, &mut random, ea, aa);
    world.registry = MemoryRegistry::new(100_000);
    world.answers = MemoryRegistry::new(100_000);
    let (mut heard, mut count) = (Heard::new(), 0);
    for vehicle in 0..vehicles {
        let mut now = FIRST + random.below(4 * WEEK);
        if vehicle % 4 == 0 {
            // Within the minute by which a request is earlier.
            now = now / cell * cell + random.below(60);
        }
        let (canonical, key, credential) = enrolled(&mut world, vehicle, now);
        for _ in 0..3 {
            let contents = contents(now, hours, &mut random);
            let ticket = ticket(&mut world, &credential, &contents, now);
            let view: Certificate<'_> = parse(&ticket).unwrap();
            let start = view.to_be_signed.validity_period.start;
            let end = view.to_be_signed.validity_period.end();
            assert!(u64::from(start.0) <= now, "is valid now");
            assert!(at(now).0 < end.0, "is valid now");
            heard
                .entry(start.0)
                .or_default()
                .insert(without_keys_and_identifiers(&ticket));
            count += 1;
            now += WEEK + random.below(WEEK);
        }
        for handle in [canonical, key] {
            world.store.retire(handle).unwrap();
        }
    }
    (heard, count)
}

fn check(seed: u64, vehicles: usize, hours: u16, cell: u64) {
    let (heard, count) = overheard(seed, vehicles, hours, cell);
    for (start, said) in &heard {
        assert_eq!(
            u64::from(*start) % cell,
            0,
            "begins at {start}, seed {seed}"
        );
        assert_eq!(
            said.len(),
            1,
            "tickets that begin at {start} differ in more than keys and identifiers, seed {seed}"
        );
    }
    println!(
        "{count} tickets of {vehicles} vehicles begin at {} times",
        heard.len()
    );
    assert!(
        heard.len() as u64 <= 8 * WEEK / cell + 1,
        "{} times",
        heard.len()
    );
}

#[test]
fn tickets_of_a_hundred_vehicles_differ_in_keys_and_identifiers_alone() {
    check(5, cases(VEHICLES), 168, WEEK);
}

/// Tickets of a day begin with the day, and those of six hours with the hour.
#[test]
fn shorter_tickets_differ_in_keys_and_identifiers_alone() {
    check(6, cases(8), 24, 24 * 3_600);
    check(7, cases(8), 6, 3_600);
}
