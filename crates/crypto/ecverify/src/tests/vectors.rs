//! The kernel of eight lanes against the portable one: by the vector in plain Rust everywhere, and
//! by the processor's where there is one.

use std::marker::PhantomData;
use std::println;
use std::vec::Vec;

use waywarden_testkit::{Random, cases};

use super::agreement::damage;
use super::edges::{collision, key_at_infinity, not_wrapped, wrapping};
use super::outside::{self, Outside, OwnedJob};
use super::wycheproof;
use crate::Curve;
use crate::backend::{Answer, BATCH, Known, Request, RequestKey, Verifiable, portable};
use crate::curves::{BrainpoolP256r1, P256};
use crate::ecqv::reconstruct;
use crate::lanes::model::Model;
use crate::lanes::{Batch, LaneTabulated, Work};
use crate::multiply::{FixedBase, Form, Shape};
use crate::verify::read;

/// Answers by the kernel, special cases included or not.
fn lanes<C: LaneTabulated, const CHECKED: bool>(
    requests: &[Request<4>],
    known: &[Known<'_>],
) -> Vec<Answer>
where
    for<'a> Batch<'a, C, CHECKED>: Work<Output = ()>,
{
    let mut answers = std::vec![Answer::Undecided; requests.len()];
    let batch = |answers| Batch::<C, CHECKED> {
        requests,
        known,
        answers,
        curve: PhantomData,
    };
    batch(&mut answers).run::<Model>();
    #[cfg(target_arch = "x86_64")]
    {
        let mut here = std::vec![Answer::Undecided; requests.len()];
        if crate::backend::ifma::run(batch(&mut here)).is_ok() {
            assert_eq!(here, answers, "the processor's vector, and the model's");
        }
    }
    answers
}

fn expected<C: Verifiable<4>>(requests: &[Request<4>]) -> Vec<Answer> {
    let mut answers = std::vec![Answer::Undecided; requests.len()];
    let known = std::vec![Known::NOTHING; requests.len()];
    portable::verify::<C, 4>(requests, &known, &mut answers).expect("everywhere");
    answers
}

/// The words of tables of a request's key and its issuer's, where those are points.
pub(super) fn tables<C: Verifiable<4>>(request: &Request<4>) -> [Option<Vec<u64>>; 2] {
    let build = |point: Option<_>, shape: Shape| {
        let mut words = std::vec![0; shape.words::<4>()];
        FixedBase::build::<C, 4>(&point?, shape, Form::Lanes, &mut words);
        Some(words)
    };
    match &request.key {
        RequestKey::Explicit(key) => [build(key.point(), Shape::SENDER), None],
        RequestKey::Implicit {
            e,
            reconstruction,
            ca,
        } => {
            let ca = ca.point::<C>();
            let key = reconstruction
                .point()
                .zip(ca)
                .and_then(|(point, ca)| reconstruct(e, point, &ca));
            [build(key, Shape::SENDER), build(ca, Shape::ISSUER)]
        }
    }
}

/// Random jobs, a third of them damaged.
fn ordinary(theirs: &Outside, random: &mut Random) -> Vec<OwnedJob> {
    let job = |_| {
        let mut owned = theirs.valid(random);
        if random.index(3) == 0 {
            damage(&mut owned, random);
        }
        owned
    };
    (0..cases(200)).map(job).collect()
}

/// Jobs made to hurt.
fn hard(theirs: &Outside, random: &mut Random) -> Vec<OwnedJob> {
    let mut jobs = Vec::new();
    for i in 0..cases(200) {
        jobs.extend(collision(theirs, random, i % 2 == 1).map(|(owned, _)| owned));
        if i % 8 == 0 {
            jobs.push(key_at_infinity(theirs, random));
        }
    }
    for owned in wrapping(theirs, cases(200) / 40, random) {
        jobs.push(not_wrapped(theirs, owned.clone()));
        jobs.push(owned);
    }
    jobs
}

pub(super) fn requests<C: Verifiable<4>>(jobs: &[OwnedJob]) -> Vec<Request<4>> {
    jobs.iter()
        .filter_map(|owned| read::<C, 4>(&owned.job()).ok())
        .collect()
}

/// Checks that decisions of both kernels equal the portable one's. Returns how many requests the
/// fast and the checked one leave undecided.
pub(super) fn agree<C: LaneTabulated + Verifiable<4>>(
    requests: &[Request<4>],
    known: &[Known<'_>],
) -> [usize; 2] {
    let right = expected::<C>(requests);
    let found = [
        lanes::<C, false>(requests, known),
        lanes::<C, true>(requests, known),
    ];
    found.map(|found| {
        let undecided = found.iter().filter(|answer| **answer == Answer::Undecided);
        let undecided = undecided.count();
        for (found, (right, request)) in found.iter().zip(right.iter().zip(requests)) {
            let key = &request.key;
            assert!(
                *found == Answer::Undecided || found == right,
                "{found:?} {right:?} {key:?}"
            );
        }
        undecided
    })
}

/// Some requests with tables and some without.
pub(super) fn with_tables<'a>(
    words: &'a [[Option<Vec<u64>>; 2]],
    random: &mut Random,
) -> Vec<Known<'a>> {
    let mut table = |words: &'a Option<Vec<u64>>, shape| {
        let words = words.as_ref().filter(|_| random.index(2) == 0)?;
        Some(FixedBase::new::<4>(words, shape, Form::Lanes))
    };
    words
        .iter()
        .map(|[key, issuer]| Known {
            key: table(key, Shape::SENDER),
            issuer: table(issuer, Shape::ISSUER),
        })
        .collect()
}

fn all<C: LaneTabulated + Verifiable<4>>(theirs: &Outside) {
    let mut random = Random::of_test("vectors");
    for (name, jobs) in [
        ("ordinary", ordinary(theirs, &mut random)),
        ("hard", hard(theirs, &mut random)),
    ] {
        let requests = requests::<C>(&jobs);
        let words: Vec<_> = requests.iter().map(tables::<C>).collect();
        let nothing = std::vec![Known::NOTHING; requests.len()];
        let mut undecided = [0; 2];
        for known in [&nothing, &with_tables(&words, &mut random)] {
            let left = agree::<C>(&requests, known);
            undecided = [undecided[0] + left[0], undecided[1] + left[1]];
            for length in [0, 1, 2, 7, 8, 9, 17, 31, 32] {
                let start = random.index(requests.len() - length + 1);
                let part = start..start + length;
                agree::<C>(&requests[part.clone()], &known[part]);
            }
        }
        let [fast, checked] = undecided;
        println!(
            "{:?}, {name}: of twice {} requests {fast} were special, {checked} left over",
            theirs.curve,
            requests.len()
        );
        // Those that are alone on their path in a batch are left over.
        let alone = 4 * requests.len().div_ceil(BATCH) * 2;
        assert!(checked <= alone);
        assert_eq!(name == "hard", fast > alone);
    }
}

#[test]
fn eight_lanes_say_what_the_portable_kernel_says() {
    let [p256, _, brainpool, _] = outside::all();
    all::<P256>(&p256);
    all::<BrainpoolP256r1>(&brainpool);
}

/// All of Wycheproof that is in range, on both curves.
#[test]
fn eight_lanes_say_what_wycheproof_says() {
    for (curve, jobs) in wycheproof::jobs() {
        let [fast, checked] = match curve {
            Curve::P256 => {
                let requests = requests::<P256>(&jobs);
                agree::<P256>(&requests, &std::vec![Known::NOTHING; requests.len()])
            }
            Curve::BrainpoolP256r1 => {
                let requests = requests::<BrainpoolP256r1>(&jobs);
                agree::<BrainpoolP256r1>(&requests, &std::vec![Known::NOTHING; requests.len()])
            }
            _ => continue,
        };
        println!(
            "{curve:?}: {} cases, {fast} special, {checked} left over",
            jobs.len()
        );
    }
}
