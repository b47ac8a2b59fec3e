//! The contract of kernels: what is unavailable or undecided goes to the next in line.

use std::vec::Vec;

use super::Random;
use super::outside::{self, Outside, OwnedJob};
use crate::backend::{Answer, BATCH, Kernel, Known, Request};
use crate::backend::{Unavailable, Verifiable, portable, run};
use crate::curves::{BrainpoolP256r1, P256, P384};
use crate::verify::read;
use crate::{Refusal, Verdict};

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

fn lines<C: Verifiable<N>, const N: usize>(theirs: &Outside) {
    let mut random = Random::new("kernels");
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
                Verdict::Refused(Refusal::Equation)
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
            run(kernels, requests, known, &mut answers);
            assert_eq!(answers, expected);
        }
        // Nobody there: nothing is accepted.
        let mut answers = std::vec![Answer::Decided(Verdict::Valid); length];
        run(&[nowhere], requests, known, &mut answers);
        assert!(answers.iter().all(|answer| *answer == Answer::Undecided));
    }
    let mut answers = [Answer::Undecided];
    run(
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
