//! Certificates that `waywarden pki issue` and `renew` give to vehicles: no field beside keys and
//! identifiers tells one vehicle's from another's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use waywarden_testkit::{Random, cases};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, ToBeSignedCertificate};

use crate::support::World;

/// A Thursday, on which a week of the grid begins, but for the leap seconds since 2004.
const FIRST: &str = "2026-03-05T00:00:00Z";
const SECONDS: u64 = 1_000_000;

/// Issues certificates at many times of four weeks, and returns what they say beside keys and
/// identifiers, by when they begin.
fn overheard(world: &World, vehicles: usize) -> BTreeMap<u32, BTreeSet<String>> {
    let mut random = Random::of_test("overheard");
    let first = waywarden_v2x_input::time::parse_time(FIRST).unwrap().0;
    let mut heard: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for vehicle in 0..vehicles {
        // Microseconds of TAI since 2004 are a time, too.
        let mut now = first + random.below(4 * 7 * 86_400) * SECONDS;
        world.works(&format!(
            "pki issue p --name car{vehicle} --start {now} --count 2"
        ));
        for _ in 0..2 {
            now += 7 * 86_400 * SECONDS + random.below(7 * 86_400) * SECONDS;
            world.works(&format!("pki renew p car{vehicle} --start {now}"));
        }
        for path in world.indexed("p", &format!("car{vehicle}"), "certificate") {
            let bytes = fs::read(world.path(&path)).unwrap();
            let view: Certificate<'_> = parse(&bytes).unwrap();
            let own: &ToBeSignedCertificate<'_> = &view.to_be_signed;
            let start = own.validity_period.start.0;
            // All fields, those that no test has heard of, too; the key alone is cut out.
            let key = format!("{:?}", own.verify_key_indicator);
            let said = format!("{:?} {:?} {own:?}", view.kind, view.issuer).replace(&key, "key");
            heard.entry(start).or_default().insert(said);
        }
    }
    heard
}

#[test]
fn issued_certificates_differ_in_keys_and_identifiers_alone() {
    for (options, cell) in [
        ("", 7 * 86_400),
        ("--us", 7 * 86_400),
        ("--validity-grid 1d", 86_400),
    ] {
        let world = World::new();
        world.works(&format!(
            "pki init p --no-passphrase --start 2026-01-01T00:00:00Z {options}"
        ));
        let heard = overheard(&world, cases(5));
        for (start, said) in heard {
            assert_eq!(start % cell, 0, "{options}: begins at {start}");
            assert_eq!(said.len(), 1, "{options}: at {start}: {said:#?}");
        }
    }
}

/// Also in the week in which the PKI is made: certificates begin with it at the earliest, and those
/// that renew them are whole again.
#[test]
fn certificates_of_the_first_week_begin_with_their_issuer() {
    let world = World::new();
    world.works("pki init p --no-passphrase --start 2026-03-07T12:34:56Z");
    let start = |second: u32| format!("--start 2026-03-08T01:02:{second:02}Z");
    let mut said = BTreeSet::new();
    for vehicle in 0..3 {
        let begin = start(vehicle * 17);
        world.works(&format!("pki issue p --name car{vehicle} {begin}"));
        let path = world.newest("p", &format!("car{vehicle}"), "certificate");
        let bytes = fs::read(world.path(&path)).unwrap();
        let view: Certificate<'_> = parse(&bytes).unwrap();
        said.insert(format!("{:?}", view.to_be_signed.validity_period));
    }
    assert_eq!(said.len(), 1, "{said:?}");
    world.works("pki renew p car0 --start 2026-03-20T00:00:00Z");
    world.works("pki issue p --name late --start 2026-03-21T00:00:00Z");
    let periods = ["car0", "late"].map(|name| {
        let bytes = fs::read(world.path(&world.newest("p", name, "certificate"))).unwrap();
        let view: Certificate<'_> = parse(&bytes).unwrap();
        view.to_be_signed.validity_period
    });
    assert_eq!(periods[0], periods[1]);
}

/// Two weeks: a week of use is left, whenever they are issued.
#[test]
fn certificates_of_now_are_valid_for_a_week_at_least() {
    let world = World::new();
    world.works("pki init p --no-passphrase");
    world.works("pki issue p --name car");
    let bytes = fs::read(world.path(&world.newest("p", "car", "certificate"))).unwrap();
    let view: Certificate<'_> = parse(&bytes).unwrap();
    let period = view.to_be_signed.validity_period;
    let now = waywarden_v2x_input::time::now().0;
    assert!(period.start().0 <= now && now + 7 * 86_400 * SECONDS <= period.end().0);
}
