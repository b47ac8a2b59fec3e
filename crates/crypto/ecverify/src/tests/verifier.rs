//! The verifier with a memory: the verdicts of the one without, whatever is kept, and its bounds.

use std::println;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::agreement::damage;
use super::outside::{self, Outside, OwnedJob, OwnedKey, OwnedPoint};
use crate::{Curve, Job, JobKey, Point, SenderId, SignatureRefusal, SignatureVerifier, Verdict};
use crate::{rebuild, verify};

/// Room for everything.
const AMPLE: usize = 1 << 22;

/// A key that signs several messages, and its name.
pub(super) struct Holder {
    pub(super) key: OwnedKey,
    secret: BigUint,
    sender: SenderId,
}

/// Explicit and implicit keys in turn, the implicit ones of one issuer.
pub(super) fn holders(theirs: &Outside, count: u64, random: &mut Random) -> Vec<Holder> {
    let ca = theirs.pair(theirs.scalar(random));
    let holder = |number| {
        let (key, secret) = if number % 2 == 0 {
            let own = theirs.pair(theirs.scalar(random));
            let point = OwnedPoint::of(&own.public, random.index(2));
            (OwnedKey::Explicit(point), own.secret)
        } else {
            theirs.implicit(&ca, random)
        };
        Holder {
            key,
            secret,
            sender: SenderId(number),
        }
    };
    (0..count).map(holder).collect()
}

pub(super) fn message(
    theirs: &Outside,
    holder: &Holder,
    random: &mut Random,
) -> (OwnedJob, SenderId) {
    let owned = theirs.signed(&holder.key, &holder.secret, random);
    (owned, holder.sender)
}

fn named((owned, sender): &(OwnedJob, SenderId)) -> Job<'_> {
    Job {
        sender: Some(*sender),
        ..owned.job()
    }
}

#[test]
fn the_verdicts_are_those_without_memory() {
    let mut random = Random::of_test("verifier");
    let curves = outside::all();
    // One with room for everything, one that drops and builds all the time, one without memory.
    let mut verifiers = [AMPLE, 40_000, 0].map(SignatureVerifier::with_table_bytes);
    let holders: Vec<_> = curves
        .iter()
        .map(|curve| holders(curve, 6, &mut random))
        .collect();
    let (mut count, mut rounds) = (0, 0);
    // Tables are paid for by verifications, so that it takes long until every sender has one.
    while rounds < cases(200) / 20 || verifiers[0].memory().senders < 24 {
        rounds += 1;
        assert!(rounds < 1000, "{:?}", verifiers[0].memory());
        let mut messages = Vec::new();
        for (theirs, holders) in curves.iter().zip(&holders) {
            for holder in holders.iter().chain(holders) {
                let mut one = message(theirs, holder, &mut random);
                if random.index(4) == 0 {
                    damage(&mut one.0, &mut random);
                }
                messages.push(one);
            }
        }
        let jobs: Vec<_> = messages.iter().map(named).collect();
        let expected: Vec<_> = jobs.iter().map(|job| Verdict::from(verify(job))).collect();
        for verifier in &mut verifiers {
            let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
            verifier.verify_many(&jobs, &mut verdicts);
            assert_eq!(verdicts, expected);
            let memory = verifier.memory();
            assert!(memory.used <= memory.limit, "{memory:?}");
        }
        for (job, expected) in jobs.iter().zip(&expected).step_by(5) {
            for verifier in &mut verifiers {
                assert_eq!(Verdict::from(verifier.verify(job)), *expected);
            }
        }
        count += jobs.len();
    }
    let [ample, scarce, none] = verifiers.each_ref().map(SignatureVerifier::memory);
    println!("{count} jobs in {rounds} rounds; {ample:?}; {scarce:?}");
    assert_eq!((ample.senders, ample.evicted), (24, 0));
    // Each issuer is named in up to two forms.
    assert!((4..=8).contains(&ample.issuers));
    assert!(scarce.evicted > 0 && scarce.senders > 0);
    assert_eq!((none.built, none.used), (0, 0));
}

#[test]
fn a_name_does_not_lend_its_key() {
    let mut random = Random::of_test("names");
    let theirs = &outside::all()[0];
    let [mut alice, mallory] =
        <[Holder; 2]>::try_from(holders(theirs, 2, &mut random)).unwrap_or_else(|_| panic!("two"));
    let mut verifier = SignatureVerifier::with_table_bytes(AMPLE);
    for _ in 0..3 {
        assert_eq!(
            verifier.verify(&named(&message(theirs, &alice, &mut random))),
            Ok(())
        );
    }
    assert_eq!(verifier.memory().senders, 1);
    // Another key under her name: its own signatures are valid, hers are not by it.
    let lent = Holder {
        sender: alice.sender,
        ..mallory
    };
    let owned = message(theirs, &lent, &mut random);
    assert_eq!(verifier.verify(&named(&owned)), Ok(()));
    alice.key = lent.key.clone();
    let forged = message(theirs, &alice, &mut random);
    assert_eq!(
        verifier.verify(&named(&forged)),
        Err(SignatureRefusal::Equation)
    );
    verifier.forget(alice.sender);
    assert_eq!(verifier.memory().senders, 0);
}

/// Returns the key of a job, rebuilt if it is implicit.
fn in_full(job: &Job<'_>) -> Point {
    match &job.key {
        JobKey::Explicit(key) => Point::decode(job.curve, key).expect("a key"),
        JobKey::Implicit {
            e,
            reconstruction,
            ca,
        } => rebuild(job.curve, e, reconstruction, ca).expect("a key"),
    }
}

/// A certificate's key comes compressed with the first message, and whole from the store with the
/// next; that of an implicit one is rebuilt in between.
#[test]
fn a_table_serves_every_form_of_its_key() {
    let mut random = Random::of_test("forms");
    for theirs in &outside::all() {
        let holders = holders(theirs, 2, &mut random);
        // One each, since not every curve has two tables for what is saved up at first.
        let mut verifiers = [AMPLE; 2].map(SignatureVerifier::with_table_bytes);
        for (holder, verifier) in holders.iter().zip(&mut verifiers) {
            for number in 0..8 {
                let owned = message(theirs, holder, &mut random);
                let job = named(&owned);
                let point = in_full(&job);
                let key = match number {
                    0 | 1 => job.key,
                    _ if number % 2 == 0 => JobKey::Explicit(point.uncompressed()),
                    _ => JobKey::Explicit(point.compressed()),
                };
                let mut requested = Job { key, ..job };
                assert!(number < 2 || verifier.knows(&requested));
                assert_eq!(verifier.verify(&requested), Ok(()));
                requested.digest = &[7; 32];
                let refused = Err(SignatureRefusal::Equation);
                assert_eq!(verifier.verify(&requested), refused);
            }
            assert!(verifier.knows(&named(&message(theirs, holder, &mut random))));
        }
        let verifier = &mut verifiers[0];
        let other = Holder {
            sender: holders[0].sender,
            key: holders[1].key.clone(),
            secret: holders[1].secret.clone(),
        };
        let owned = message(theirs, &other, &mut random);
        assert!(!verifier.knows(&named(&owned)));
        // In the end it comes in place of the first one's.
        for tries in 0.. {
            assert_eq!(verifier.verify(&named(&owned)), Ok(()));
            assert!(tries < 100);
            if verifier.knows(&named(&owned)) {
                break;
            }
        }
        let forged = Job {
            digest: &[7; 32],
            ..named(&owned)
        };
        assert_eq!(verifier.verify(&forged), Err(SignatureRefusal::Equation));
    }
}

/// Without vectors a batch takes the table of a sender that repeats in it, as single jobs do.
#[test]
fn a_table_serves_the_call_in_which_it_is_built() {
    let mut random = Random::of_test("within");
    // A curve for which there are no vectors anywhere.
    let theirs = &outside::all()[1];
    let holders = holders(theirs, 1, &mut random);
    let owned: Vec<_> = (0..6)
        .map(|_| message(theirs, &holders[0], &mut random))
        .collect();
    let jobs: Vec<_> = owned.iter().map(named).collect();
    let mut alone = SignatureVerifier::with_table_bytes(AMPLE);
    jobs.iter()
        .for_each(|job| assert_eq!(alone.verify(job), Ok(())));
    let mut together = SignatureVerifier::with_table_bytes(AMPLE);
    let mut verdicts = [Verdict::Refused(SignatureRefusal::Equation); 6];
    together.verify_many(&jobs, &mut verdicts);
    assert_eq!(verdicts, [Verdict::Valid; 6]);
    assert_eq!(together.memory(), alone.memory());
    assert_eq!(together.saved(), alone.saved());
}

/// Each different job is verified once, whatever differs, and every copy has its verdict.
#[test]
fn copies_have_the_verdict_of_the_first() {
    let mut random = Random::of_test("copies");
    let mut jobs = Vec::new();
    let owned: Vec<_> = outside::all()
        .iter()
        .flat_map(|theirs| {
            holders(theirs, 3, &mut random)
                .iter()
                .map(|holder| message(theirs, holder, &mut random))
                .collect::<Vec<_>>()
        })
        .collect();
    for _ in 0..cases(120) {
        let mut job = named(&owned[random.index(owned.len())]);
        let other = named(&owned[random.index(owned.len())]);
        match random.index(6) {
            0 => job.key = other.key,
            1 => job.signature = other.signature,
            2 => job.signature.r = other.signature.r,
            3 => job.digest = other.digest,
            4 => job.curve = other.curve,
            _ => {}
        }
        jobs.push(job);
    }
    let expected: Vec<_> = jobs.iter().map(|job| Verdict::from(verify(job))).collect();
    let mut verifier = SignatureVerifier::with_table_bytes(AMPLE);
    let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::SignatureForm); jobs.len()];
    verifier.verify_many(&jobs, &mut verdicts);
    assert_eq!(verdicts, expected);
}

#[test]
fn what_is_refused_leaves_no_table() {
    let mut random = Random::of_test("refused");
    let theirs = &outside::all()[0];
    let holders = holders(theirs, 2, &mut random);
    let mut verifier = SignatureVerifier::with_table_bytes(AMPLE);
    for _ in 0..20 {
        for holder in &holders {
            let mut message = message(theirs, holder, &mut random);
            message.0.digest[0] ^= 1;
            assert_eq!(
                verifier.verify(&named(&message)),
                Err(SignatureRefusal::Equation)
            );
        }
    }
    assert_eq!((verifier.memory().built, verifier.memory().used), (0, 0));
    for holder in &holders {
        assert_eq!(
            verifier.verify(&named(&message(theirs, holder, &mut random))),
            Ok(())
        );
    }
    assert_eq!(verifier.memory().built, 0, "seen once");
}

#[test]
fn a_flood_of_certificates_builds_little_and_keeps_within_bounds() {
    let mut random = Random::of_test("flood");
    let theirs = &outside::all()[0];
    let limit = 20_000;
    let mut verifier = SignatureVerifier::with_table_bytes(limit);
    let count = cases(400) as u64;
    for holder in holders(theirs, count, &mut random) {
        let twice = [(); 2].map(|()| message(theirs, &holder, &mut random));
        let mut verdicts = [Verdict::Refused(SignatureRefusal::Equation); 2];
        verifier.verify_many(&twice.each_ref().map(named), &mut verdicts);
        assert_eq!(verdicts, [Verdict::Valid; 2]);
        assert!(verifier.memory().used <= limit);
    }
    let memory = verifier.memory();
    println!("{} signatures by {count} senders: {memory:?}", 2 * count);
    // One for 24 verifications, more in lanes, and eight that were saved up.
    let price = 24 * u64::from(crate::lanes(Curve::P256));
    assert!(memory.built > 8 && memory.built <= 2 * count / price + 8);
    assert!(memory.evicted > 0);
}

#[test]
fn the_oldest_goes_first() {
    let mut random = Random::of_test("oldest");
    let theirs = &outside::all()[0];
    let holders = holders(theirs, 9, &mut random);
    let explicit: Vec<&Holder> = holders.iter().step_by(2).collect();
    let mut verifier = SignatureVerifier::with_table_bytes(20_000);
    let mut hear = |verifier: &mut SignatureVerifier, holder: &Holder| {
        for _ in 0..3 {
            let message = message(theirs, holder, &mut random);
            assert_eq!(verifier.verify(&named(&message)), Ok(()));
        }
        verifier.memory().built
    };
    for (i, holder) in explicit[..4].iter().enumerate() {
        assert_eq!(hear(&mut verifier, holder), i as u64 + 1);
    }
    assert_eq!(
        (verifier.memory().senders, verifier.memory().evicted),
        (4, 0)
    );
    // The first is heard again, so the second is the oldest when the fifth comes.
    assert_eq!(hear(&mut verifier, explicit[0]), 4);
    assert_eq!(hear(&mut verifier, explicit[4]), 5);
    assert_eq!(hear(&mut verifier, explicit[0]), 5, "still there");
    assert_eq!(verifier.memory().evicted, 1);
    assert_eq!(hear(&mut verifier, explicit[1]), 6, "was dropped");
}
