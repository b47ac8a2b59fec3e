//! The contract of kernels: what is unavailable or undecided goes to the next in line.

use std::vec::Vec;

use waywarden_testkit::Random;

use super::agreement::damage;
use super::outside::{self, Outside, OwnedJob};
use crate::backend::{AGAIN, PATHS, Turn, Unavailable, Verifiable, portable, run};
use crate::backend::{Answer, BATCH, Kernel, Known, Request};
use crate::curves::{BrainpoolP256r1, P256, P384};
use crate::verify::{Verifying, read, verify_by, verify_many_by};
use crate::{SignatureRefusal, Verdict, verify};

fn nowhere<const N: usize>(
    _: &[Request<N>],
    _: &[Known<'_>],
    _: &mut [Answer],
) -> Result<(), Unavailable> {
    Err(Unavailable)
}

/// Decides two of three, as the portable kernel does.
fn forgetful<C: Verifiable<N>, const N: usize>(
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) -> Result<(), Unavailable> {
    portable::verify::<C, N>(requests, known, answers)?;
    answers
        .iter_mut()
        .step_by(3)
        .for_each(|answer| *answer = Answer::Undecided);
    Ok(())
}

/// Puts requests to the first kernel, and what it leaves to the others, as `verify_many` does.
fn ask<const N: usize>(
    kernels: &[Kernel<N>],
    requests: &[Request<N>],
    known: &[Known<'_>],
    answers: &mut [Answer],
) {
    run(Turn::First, kernels, requests, known, answers);
    let left: Vec<usize> = (0..requests.len())
        .filter(|&i| answers[i] == Answer::Undecided)
        .collect();
    for some in left.chunks(AGAIN) {
        let requests: Vec<_> = some.iter().map(|&i| requests[i]).collect();
        let known: Vec<_> = some.iter().map(|&i| known[i]).collect();
        let mut found = std::vec![Answer::Decided(Verdict::Valid); some.len()];
        run(Turn::Again, kernels, &requests, &known, &mut found);
        for (&i, found) in some.iter().zip(found) {
            answers[i] = found;
        }
    }
}

fn lines<C: Verifiable<N>, const N: usize>(theirs: &Outside) {
    let mut random = Random::of_test("kernels");
    let owned: Vec<OwnedJob> = (0..BATCH)
        .map(|i| {
            let mut owned = theirs.valid(&mut random);
            if i % 4 == 0 {
                owned.digest[0] ^= 1;
            }
            owned
        })
        .collect();
    let requests: Vec<_> = owned
        .iter()
        .map(|owned| read::<C, N>(&owned.job()).expect("in range"))
        .collect();
    let portable: Kernel<N> = portable::verify::<C, N>;
    let (nowhere, forgetful): (Kernel<N>, Kernel<N>) = (nowhere, forgetful::<C, N>);
    for length in [0, 1, 2, 3, 8, BATCH] {
        let requests = &requests[..length];
        let known = [Known::NOTHING; BATCH];
        let known = &known[..length];
        let mut expected = std::vec![Answer::Undecided; length];
        portable(requests, known, &mut expected).expect("everywhere");
        for (i, answer) in expected.iter().enumerate() {
            let verdict = if i % 4 == 0 {
                Verdict::Refused(SignatureRefusal::Equation)
            } else {
                Verdict::Valid
            };
            assert_eq!(*answer, Answer::Decided(verdict));
        }
        for kernels in [
            &[portable][..],
            &[nowhere, portable],
            &[forgetful, portable],
            &[nowhere, forgetful, forgetful, nowhere, portable],
        ] {
            let mut answers = std::vec![Answer::Decided(Verdict::Valid); length];
            ask(kernels, requests, known, &mut answers);
            assert_eq!(answers, expected);
        }
        // No kernel runs here: nothing is accepted.
        let mut answers = std::vec![Answer::Decided(Verdict::Valid); length];
        ask(&[nowhere], requests, known, &mut answers);
        assert!(answers.iter().all(|answer| *answer == Answer::Undecided));
    }
    let mut answers = [Answer::Undecided];
    ask(
        C::KERNELS,
        &[Request::PADDING],
        &[Known::NOTHING],
        &mut answers,
    );
    let Answer::Decided(verdict) = answers[0] else {
        panic!("undecided")
    };
    assert!(!verdict.is_valid());
}

#[test]
fn undecided_requests_go_down_the_line() {
    let [p256, p384, b256, _] = outside::all();
    lines::<P256, 4>(&p256);
    lines::<P384, 6>(&p384);
    lines::<BrainpoolP256r1, 4>(&b256);
}

/// Kernels of which the first leaves every third request open.
struct Unsure;

impl Verifying for Unsure {
    /// Any: no verdict depends on it.
    fn path<C: Verifiable<N>, const N: usize>(&self, request: &Request<N>) -> usize {
        request.z[0] as usize % PATHS
    }

    fn answer<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        answers: &mut [Answer],
    ) {
        let most = if turn == Turn::First { BATCH } else { AGAIN };
        assert!((1..=most).contains(&requests.len()));
        let kernels: [Kernel<N>; 2] = [forgetful::<C, N>, portable::verify::<C, N>];
        let known = [Known::NOTHING; BATCH];
        run(turn, &kernels, requests, &known[..requests.len()], answers);
    }
}

/// Requests left open wait for those of other batches, and each verdict finds its job.
#[test]
fn special_cases_wait_for_others() {
    let mut random = Random::of_test("waiting");
    let curves = outside::all();
    let owned: Vec<OwnedJob> = (0..400)
        .map(|_| {
            let mut owned = curves[[0, 0, 0, 1, 2, 3][random.index(6)]].valid(&mut random);
            if random.index(3) == 0 {
                damage(&mut owned, &mut random);
            }
            owned
        })
        .collect();
    let jobs: Vec<_> = owned.iter().map(OwnedJob::job).collect();
    let expected: Vec<_> = jobs.iter().map(|job| Verdict::from(verify(job))).collect();
    for length in [0, 1, 3, 40, 131, jobs.len()] {
        let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); length];
        verify_many_by(&mut Unsure, &jobs[..length], &mut verdicts);
        assert_eq!(verdicts, expected[..length]);
    }
    assert_eq!(Verdict::from(verify_by(&mut Unsure, &jobs[0])), expected[0]);
}
