//! Jobs made to be special, on all paths of one call: how much work they take, and their verdicts.

use std::println;
use std::vec::Vec;

use waywarden_testkit::{Random, cases};

use crate::backend::{AGAIN, Answer, Known, PATHS, Request, Turn, Verifiable, portable};
use crate::verify::{Verifying, verify_many_by};
use crate::{
    Curve, Job, JobSample, Multiples, SampleCertificate, SignatureRefusal, SignatureVerifier,
    Verdict, verify, verify_many,
};

/// Leaves all requests undecided at first, and counts what the next kernel computes. The sender's
/// number gives the path of a request.
#[derive(Default)]
struct Counting {
    /// Vectors: one for each path among the requests that come together.
    vectors: usize,
}

fn path_of<const N: usize>(request: &Request<N>) -> usize {
    let sender = request.sender.expect("each sample has one");
    sender.0 as usize % PATHS
}

impl Verifying for Counting {
    fn path<C: Verifiable<N>, const N: usize>(&self, request: &Request<N>) -> usize {
        path_of(request)
    }

    fn answer<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        answers: &mut [Answer],
    ) {
        if turn == Turn::First {
            return;
        }
        assert!((1..=AGAIN).contains(&requests.len()));
        let mut taken = [false; PATHS];
        for request in requests {
            taken[path_of(request)] = true;
        }
        self.vectors += taken.iter().filter(|taken| **taken).count();
        let known = [Known::NOTHING; AGAIN];
        portable::verify::<C, N>(requests, &known[..requests.len()], answers).expect("everywhere");
    }
}

/// Vectors for the special cases of one call.
fn vectors(samples: &[JobSample]) -> usize {
    let jobs: Vec<_> = samples.iter().map(JobSample::job).collect();
    let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
    let mut counting = Counting::default();
    verify_many_by(&mut counting, &jobs, &mut verdicts);
    assert!(verdicts.iter().all(|verdict| verdict.is_valid()));
    counting.vectors
}

#[test]
fn special_cases_of_alternating_paths_fill_their_vectors() {
    let sample = |number| JobSample::explicit(Curve::P256, number, Multiples::Ordinary);
    let samples: Vec<_> = (0..128).map(sample).collect();
    assert_eq!(vectors(&samples), samples.len() / AGAIN);
}

#[test]
fn special_cases_in_any_order_take_at_most_one_vector_more_for_each_path() {
    let mut random = Random::of_test("special cases by path");
    let sample = |number| JobSample::explicit(Curve::P256, number, Multiples::Ordinary);
    let pool: Vec<_> = (0..64).map(sample).collect();
    for _ in 0..cases(200) / 20 {
        let count = random.index(200);
        // Few senders, so that paths differ in how many requests they have.
        let senders = 1 + random.index(pool.len());
        let samples: Vec<_> = (0..count)
            .map(|_| pool[random.index(senders)].clone())
            .collect();
        let most = count / AGAIN + PATHS;
        let found = vectors(&samples);
        assert!(found <= most, "{found} vectors for {count} requests");
    }
}

/// A sample of any path: whether it names its sender decides whether a table is found.
fn sample(curve: Curve, random: &mut Random) -> (JobSample, bool) {
    let (issuer, number) = (random.u64() % 3, random.u64() % 12);
    let multiples = [Multiples::Ordinary, Multiples::Equal, Multiples::Opposite][random.index(3)];
    let sample = match random.index(2) {
        0 => JobSample::explicit(curve, number, multiples),
        // Other numbers: a sender has one key.
        _ => JobSample::implicit(
            curve,
            SampleCertificate {
                issuer,
                number: 100 + 12 * issuer + number,
            },
            multiples,
        ),
    };
    (sample, random.index(2) == 0)
}

#[test]
fn special_jobs_of_all_paths_have_the_verdicts_of_single_ones() {
    let mut random = Random::of_test("special jobs of all paths");
    // One with room for everything, one that drops and builds all the time.
    let mut verifiers = [1 << 20, 40_000].map(SignatureVerifier::with_table_bytes);
    for _ in 0..cases(200) / 10 {
        let made: Vec<_> = (0..random.index(200))
            .map(|_| sample(Curve::ALL[[0, 0, 2, 2, 1, 3][random.index(6)]], &mut random))
            .collect();
        let jobs: Vec<Job<'_>> = made
            .iter()
            .map(|(sample, named)| {
                let job = sample.job();
                let sender = job.sender.filter(|_| *named);
                Job { sender, ..job }
            })
            .collect();
        let expected: Vec<_> = jobs.iter().map(|job| Verdict::from(verify(job))).collect();
        let mut verdicts = std::vec![Verdict::Refused(SignatureRefusal::Equation); jobs.len()];
        verify_many(&jobs, &mut verdicts);
        assert_eq!(verdicts, expected);
        for verifier in &mut verifiers {
            verdicts.fill(Verdict::Refused(SignatureRefusal::DigestLength));
            verifier.verify_many(&jobs, &mut verdicts);
            assert_eq!(verdicts, expected);
        }
    }
    let [ample, scarce] = verifiers.each_ref().map(SignatureVerifier::memory);
    println!("{ample:?}; {scarce:?}");
    assert!(ample.senders > 0 && ample.issuers > 0, "{ample:?}");
    assert!(scarce.evicted > 0, "{scarce:?}");
}
