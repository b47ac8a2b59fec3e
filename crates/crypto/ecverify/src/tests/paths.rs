//! Every way of verifying, on the same jobs, against outside arithmetic: one by one, many at once,
//! with tables of senders and issuers, by the rebuilt key, in eight lanes.
//!
//! 6,000 jobs, or `WAYWARDEN_JOBS`: half of them ordinary, the others damaged or made to hurt.

use std::collections::BTreeMap;
use std::format;
use std::println;
use std::string::String;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::vec::Vec;

use num_bigint::BigUint;
use waywarden_testkit::Random;

use super::agreement::{agree, damage};
use super::edges::{collision, key_at_infinity, not_wrapped, wrapping};
use super::outside::{self, Outside, OwnedJob, OwnedKey, OwnedPoint};
use super::vectors;
use super::verifier::{Holder, holders, message};
use crate::backend::Verifiable;
use crate::curves::{BrainpoolP256r1, P256};
use crate::lanes::LaneTabulated;
use crate::{Curve, Job, JobKey, SenderId, SignatureRefusal, SignatureVerifier, Verdict};
use crate::{lanes, rebuild, verify, verify_many};

/// Jobs of one set of senders, verified by one set of verifiers.
const CHUNK: usize = 1000;
/// Number of jobs of which one goes through the vector in plain Rust, which is slow.
const MODELLED: usize = 8;
/// Senders on each curve.
const SENDERS: u64 = 10;

/// Number of jobs by kind and verdict.
type Counts = BTreeMap<(&'static str, String), usize>;

/// Makes jobs on one curve.
struct Maker {
    theirs: Outside,
    holders: Vec<Holder>,
    wrapping: Vec<OwnedJob>,
}

struct Made {
    kind: &'static str,
    owned: OwnedJob,
    sender: Option<SenderId>,
}

impl Made {
    fn job(&self) -> Job<'_> {
        Job {
            sender: self.sender,
            ..self.owned.job()
        }
    }
}

impl Maker {
    fn new(theirs: Outside, random: &mut Random) -> Self {
        Self {
            holders: holders(&theirs, SENDERS, random),
            wrapping: wrapping(&theirs, 2, random),
            theirs,
        }
    }

    fn make(&self, random: &mut Random) -> Made {
        let holder = &self.holders[random.index(self.holders.len())];
        let (mut owned, own_name) = message(&self.theirs, holder, random);
        let (kind, named) = match random.index(16) {
            0..8 => ("ordinary", true),
            8..11 => {
                damage(&mut owned, random);
                ("damaged", true)
            }
            11 => {
                owned = self.theirs.valid(random);
                ("unnamed", false)
            }
            12 => {
                let implicit = random.index(2) == 1;
                if let Some((made, _)) = collision(&self.theirs, random, implicit) {
                    owned = made;
                }
                ("equal or opposite points", random.index(2) == 1)
            }
            13 => {
                owned = key_at_infinity(&self.theirs, random);
                ("key at infinity", random.index(2) == 1)
            }
            14 => {
                self.stretch(&mut owned, random);
                ("ends of ranges", true)
            }
            _ => {
                owned = self.wrapping[random.index(self.wrapping.len())].clone();
                if random.index(3) == 0 {
                    owned = not_wrapped(&self.theirs, owned);
                }
                ("wrapped abscissa", false)
            }
        };
        // A name that is another's, too: the key decides.
        let sender = named.then_some(match random.index(16) {
            0 => SenderId(random.u64() % SENDERS),
            _ => own_name,
        });
        Made {
            kind,
            owned,
            sender,
        }
    }

    /// Puts r, s or a coordinate of a key at an end of its range or beyond it, or s to n - s.
    fn stretch(&self, owned: &mut OwnedJob, random: &mut Random) {
        let Outside { order, prime, .. } = &self.theirs;
        let bytes = |value: &BigUint| self.theirs.bytes(value);
        let ends = [
            BigUint::ZERO,
            BigUint::from(1_u8),
            order - 1_u8,
            order.clone(),
            order + 1_u8,
            prime - 1_u8,
            prime.clone(),
            (BigUint::from(1_u8) << (8 * self.theirs.length())) - 1_u8,
        ];
        let end = bytes(&ends[random.index(ends.len())]);
        match random.index(5) {
            0 => owned.r = OwnedPoint::XOnly(end),
            1 => owned.r = OwnedPoint::Compressed(end, random.index(2) == 1),
            2 => owned.s = end,
            3 => owned.s = bytes(&(order - BigUint::from_bytes_be(&owned.s))),
            _ => {
                let bad = OwnedPoint::Compressed(end, random.index(2) == 1);
                match &mut owned.key {
                    OwnedKey::Explicit(point) => *point = bad,
                    OwnedKey::Implicit(_, point, _) if random.index(2) == 0 => *point = bad,
                    OwnedKey::Implicit(_, _, ca) => *ca = bad,
                }
            }
        }
    }
}

/// Everything that verifies and remembers.
struct Verifiers([SignatureVerifier; 2]);

impl Verifiers {
    /// One with room for everything, one that drops and builds all the time.
    fn new() -> Self {
        Self([1 << 20, 40_000].map(SignatureVerifier::with_table_bytes))
    }

    /// Asserts that each way of asking gives the `expected` verdicts.
    fn check(&mut self, jobs: &[Job<'_>], expected: &[Verdict]) {
        let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
        verify_many(jobs, &mut verdicts);
        assert_eq!(verdicts, expected);
        for verifier in &mut self.0 {
            verifier.verify_many(jobs, &mut verdicts);
            assert_eq!(verdicts, expected);
            for (job, expected) in jobs.iter().zip(expected).step_by(7) {
                assert_eq!(Verdict::from(verifier.verify(job)), *expected, "{job:?}");
            }
            assert!(verifier.memory().used <= verifier.memory().limit);
        }
    }
}

/// Asserts that the rebuilt key of an implicit job gives the same verdict.
fn check_rebuilt(job: &Job<'_>, expected: Verdict) {
    let JobKey::Implicit {
        e,
        reconstruction,
        ca,
    } = job.key
    else {
        return;
    };
    match rebuild(job.curve, e, &reconstruction, &ca) {
        Ok(point) => {
            let key = JobKey::Explicit(point.uncompressed());
            assert_eq!(Verdict::from(verify(&Job { key, ..*job })), expected);
        }
        Err(_) => assert!(!expected.is_valid(), "{job:?}"),
    }
}

/// Asserts that the lanes, with tables and without, say what the portable kernel says.
fn check_lanes<C: LaneTabulated + Verifiable<4>>(made: &[Made], random: &mut Random) {
    let jobs: Vec<OwnedJob> = made
        .iter()
        .filter(|made| made.owned.curve == C::CURVE)
        .step_by(MODELLED)
        .map(|made| made.owned.clone())
        .collect();
    let requests = vectors::requests::<C>(&jobs);
    let words: Vec<_> = requests.iter().map(vectors::tables::<C>).collect();
    vectors::agree::<C>(&requests, &vectors::with_tables(&words, random));
}

/// `count` jobs of a chunk's own senders, in flights of any length.
fn check_chunk(number: usize, count: usize) -> Counts {
    let mut random = Random::of_test(&format!("paths, part {number}"));
    let makers = outside::all().map(|theirs| Maker::new(theirs, &mut random));
    let mut verifiers = Verifiers::new();
    let mut counts = Counts::new();
    let mut left = count;
    while left > 0 {
        let flight = (1 + random.index(100)).min(left);
        left -= flight;
        let mut made = Vec::new();
        let mut expected = Vec::new();
        for _ in 0..flight {
            // Most of the traffic is on curves of 256 bits.
            let maker = &makers[[0, 0, 0, 2, 2, 2, 1, 3][random.index(8)]];
            let one = maker.make(&mut random);
            let verdict = agree(&maker.theirs, &one.owned);
            *counts
                .entry((one.kind, format!("{verdict:?}")))
                .or_default() += 1;
            made.push(one);
            expected.push(verdict);
        }
        let jobs: Vec<Job<'_>> = made.iter().map(Made::job).collect();
        verifiers.check(&jobs, &expected);
        for (job, expected) in jobs.iter().zip(&expected) {
            check_rebuilt(job, *expected);
        }
        check_lanes::<P256>(&made, &mut random);
        check_lanes::<BrainpoolP256r1>(&made, &mut random);
    }
    let [ample, scarce] = verifiers.0.each_ref().map(SignatureVerifier::memory);
    if count == CHUNK {
        // Fewer tables are paid for where most verifications are done in lanes.
        let (senders, issuers) = match lanes(Curve::P256) {
            1 => (20, 2),
            _ => (5, 0),
        };
        assert!(ample.senders > senders && ample.evicted == 0, "{ample:?}");
        assert!(ample.issuers > issuers && scarce.evicted > 0, "{scarce:?}");
    }
    counts
}

#[test]
fn every_path_says_the_same() {
    let count = std::env::var("WAYWARDEN_JOBS")
        .ok()
        .map_or(6_000_usize, |count| count.parse().expect("a number"));
    let next = AtomicUsize::new(0);
    let all = Mutex::new(Counts::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let left = count.saturating_sub(number * CHUNK);
                    if left == 0 {
                        return;
                    }
                    for (verdict, count) in check_chunk(number, left.min(CHUNK)) {
                        *all.lock().expect("alive").entry(verdict).or_default() += count;
                    }
                }
            });
        }
    });
    let counts = all.into_inner().expect("alive");
    for ((kind, verdict), count) in &counts {
        println!("{count:>8} {kind}: {verdict}");
    }
    assert_eq!(counts.values().sum::<usize>(), count);
    let of = |verdict: &str| {
        let found = counts
            .iter()
            .filter(|((_, name), _)| name.contains(verdict));
        found.map(|(_, count)| count).sum::<usize>()
    };
    assert!(2 * of("Valid") > count, "half of the jobs are valid");
    if count >= 5000 {
        for refusal in [
            "Equation",
            "NoncePoint",
            "KeyAtInfinity",
            "ROutOfRange",
            "SOutOfRange",
            "Key(NotOnCurve)",
            "Key(NotCanonical)",
            "Reconstruction(NotOnCurve)",
            "Ca(NotOnCurve)",
        ] {
            assert!(of(refusal) > 0, "no job was refused as {refusal}");
        }
    }
}
