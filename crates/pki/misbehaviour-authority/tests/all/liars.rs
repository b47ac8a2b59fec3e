//! Lying reporters: fewer than the rule demands revoke no innocent vehicle, in 1,000 seeds. Symbols
//! stand for pseudonyms; `reports.rs` has the same with certificates.

use waywarden_misbehaviour_authority::{Accusation, Cases, Counted, Policy};
use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_wire::ieee1609dot2::Time64;

const NOW: Time64 = Time64(700_000_000_000_000);
const HOUR: u64 = 3_600_000_000;
const VEHICLES: u32 = 20;
const PSEUDONYMS: u32 = 20;
const REPORTERS: u8 = 3;

/// A pseudonym: its vehicle is a secret of the registration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pseudonym(u32);

/// The vehicle of a pseudonym, as linkage resolves it.
fn vehicle(pseudonym: Pseudonym) -> u32 {
    pseudonym.0 / PSEUDONYMS
}

fn pseudonym(random: &mut Random, vehicle: u32) -> Pseudonym {
    Pseudonym(vehicle * PSEUDONYMS + random.below(PSEUDONYMS.into()) as u32)
}

/// Liars, with all their pseudonyms, report genuine messages of innocents in random order. Returns
/// the vehicles that are revoked, where reporters count as `identity` has them.
fn revoked(
    random: &mut Random,
    liars: u32,
    victims: u32,
    identity: impl Fn(Pseudonym) -> u32,
) -> Vec<u32> {
    let policy = Policy {
        reporters: REPORTERS,
        ..Policy::default()
    };
    let mut cases = Cases::new(policy).unwrap();
    let mut revoked = Vec::new();
    for _ in 0..400 {
        let liar = random.below(liars.into()) as u32;
        let victim = liars + random.below(victims.into()) as u32;
        let reporter = pseudonym(random, liar);
        let accused = pseudonym(random, victim);
        // One of the messages that the victim really sent.
        let number = random.below(50) as u8;
        let counted = cases.record(
            &Accusation {
                accused: vehicle(accused),
                reporter: 1_000 + identity(reporter),
                made: Time64(NOW.0 - u64::from(number) * HOUR / 10),
                message: [number; 32],
            },
            NOW,
        );
        if let Ok(Counted::Decided(decision)) = counted {
            revoked.push(decision.accused);
        }
    }
    revoked
}

#[test]
fn fewer_liars_than_the_rule_demands_revoke_no_innocent() {
    let found = each_seed(1_000, |seed| {
        let mut random = Random::new(seed);
        let liars = 1 + random.below(u64::from(REPORTERS) - 1) as u32;
        let victims = 1 + random.below(u64::from(VEHICLES - liars)) as u32;
        let revoked = revoked(&mut random, liars, victims, vehicle);
        assert!(revoked.is_empty(), "{liars} liars had {revoked:?} revoked");
    });
    println!("{} seeds", found.len());
}

/// The rule rests on honest reporters: as many liars as it demands get their way.
#[test]
fn as_many_liars_as_the_rule_demands_have_an_innocent_revoked() {
    let mut found = 0;
    let seeds = each_seed(100, |seed| {
        let mut random = Random::new(seed);
        revoked(&mut random, REPORTERS.into(), 1, vehicle)
    });
    for revoked in &seeds {
        found += usize::from(!revoked.is_empty());
    }
    assert_eq!(found, seeds.len());
}

/// Without linkage one liar is enough: each pseudonym would be a reporter.
#[test]
fn pseudonyms_that_are_not_resolved_would_let_one_liar_revoke() {
    let mut random = Random::new(1);
    let revoked = revoked(&mut random, 1, 1, |pseudonym| pseudonym.0);
    assert_eq!(revoked, [1]);
}
