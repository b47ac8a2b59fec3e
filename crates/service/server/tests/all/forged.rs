//! Work that unsigned messages cause, counted: signatures, and locks for which verification waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use waywarden_testkit::{Random, each_seed};
use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_security::ResultCode;
use waywarden_v2x_service::engine::{Engine, EngineSettings, Observer};
use waywarden_v2x_service::materials::{Materials, SigningIdentity};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_time::TimeSource;
use waywarden_v2x_wire::ieee1609dot2::Duration;

use crate::forgery::Forgery;
use crate::support::{NOW, TestTime, World, verified};

/// Counts what messages cost.
#[derive(Default)]
pub(crate) struct Costs {
    signatures: AtomicUsize,
    locks: AtomicUsize,
}

impl Observer for Costs {
    fn signatures(&self, count: usize) {
        self.signatures.fetch_add(count, Ordering::Relaxed);
    }

    fn locked(&self) {
        self.locks.fetch_add(1, Ordering::Relaxed);
    }
}

impl Costs {
    /// Signatures and locks since this was called last.
    fn take(&self) -> (usize, usize) {
        let take = |count: &AtomicUsize| count.swap(0, Ordering::Relaxed);
        (take(&self.signatures), take(&self.locks))
    }
}

/// Pseudonyms that are never asked to sign.
fn pseudonyms(credentials: &[Credential]) -> Vec<SigningIdentity> {
    let each = credentials.iter().map(|credential| SigningIdentity {
        name: "car".to_owned(),
        credential: credential.clone(),
        store: Box::new(SoftwareStore::<1>::new()),
        psids: None,
        is_pseudonym: true,
    });
    each.collect()
}

fn counted(materials: Materials) -> (Engine, Arc<Costs>) {
    let time: Arc<dyn TimeSource> = TestTime::new(NOW);
    let costs = Arc::new(Costs::default());
    let observer = Arc::<Costs>::clone(&costs);
    let engine = Engine::start(materials, EngineSettings::default(), time, observer).unwrap();
    (engine, costs)
}

#[test]
fn forged_certificate_costs_one_signature_with_any_number_of_pseudonyms() {
    let mut world = World::new(&mut Random::new(91));
    let mut forgery = Forgery::new(&mut world, NOW);
    let credentials: Vec<Credential> = (0..1_000)
        .map(|_| world.vehicle(Duration::Years(1)).0.credential)
        .collect();
    for own in [1, 40, 200, 1_000] {
        let materials = Materials {
            signers: pseudonyms(&credentials[..own]),
            ..world.materials(Duration::Years(1))
        };
        let (engine, costs) = counted(materials);
        for number in 0..20 {
            let message = forgery.message(1_000_000 * own as u64 + number);
            let verdict = verified(&engine, &message);
            assert_eq!(verdict.result, ResultCode::ParsingCertificateNotFound);
            assert_eq!(costs.take(), (1, 0), "{own} pseudonyms, message {number}");
            // It is remembered that this certificate is forged.
            verified(&engine, &message);
            assert_eq!(
                costs.take(),
                (0, 0),
                "{own} pseudonyms, message {number} again"
            );
        }
    }
}

#[test]
fn message_without_certificate_costs_nothing_with_any_number_of_pseudonyms() {
    let mut world = World::new(&mut Random::new(92));
    let (holder, _) = world.vehicle(Duration::Years(1));
    let own = vec![holder.credential; 50];
    let materials = Materials {
        signers: pseudonyms(&own),
        ..world.materials(Duration::Years(1))
    };
    let (engine, costs) = counted(materials);
    let mut random = Random::new(93);
    let mut message = Forgery::new(&mut world, NOW).message(1);
    for _ in 0..200 {
        // Damaged anywhere: unreadable, of an unknown signer, with another certificate.
        let place = random.index(message.len());
        message[place] ^= 1 << random.index(8);
        let verdict = verified(&engine, &message);
        assert!(!verdict.is_accepted());
        let (signatures, locks) = costs.take();
        assert!(
            signatures <= 4 && locks == 0,
            "{signatures} signatures, {locks} locks"
        );
    }
}

/// Forged, repeated and damaged messages in any order: no message costs more than the limits of
/// one, no lock is taken for any, and genuine ones are accepted in between.
fn unsigned_messages_are_cheap(seed: u64) {
    let mut random = Random::new(seed);
    let mut world = World::new(&mut random);
    let mut forgery = Forgery::new(&mut world, NOW);
    let (holder, _) = world.vehicle(Duration::Years(1));
    let credentials = vec![holder.credential; 1 + random.index(30)];
    let materials = Materials {
        signers: pseudonyms(&credentials),
        ..world.materials(Duration::Years(1))
    };
    let (engine, costs) = counted(materials);
    for _ in 0..40 {
        let mut message = forgery.message(random.below(30));
        if random.once_in(3) {
            let place = random.index(message.len());
            message[place] = random.below(256) as u8;
        }
        assert!(!verified(&engine, &message).is_accepted(), "seed {seed}");
        let (signatures, locks) = costs.take();
        assert!(signatures <= 4, "seed {seed}: {signatures} signatures");
        assert_eq!(locks, 0, "seed {seed}");
    }
}

#[test]
fn unsigned_messages_cost_at_most_four_signatures_and_no_lock() {
    each_seed(40, unsigned_messages_are_cheap);
}
