//! From jobs in bytes to requests in range, to the kernels that answer them, to verdicts.
//!
//! No allocation: jobs are gathered by curve into batches of at most 32 on the stack.

use crate::backend::{AGAIN, PATHS, Turn, Verifiable, run};
use crate::curves::{Curve, Scalar, on_curve};
use crate::ecqv::is_hash;
use crate::encoding::{Coordinates, EncodedPoint, PointError};
use crate::job::{Job, JobKey, SignatureRefusal, Verdict};
use crate::limbs::{from_bytes, is_zero, less, sub};
use crate::request::{Answer, BATCH, Known, Request, RequestKey};
use crate::residue::{Prime, Residue};

/// Verifies one signature.
///
/// # Errors
/// The reason of the refusal: every [`SignatureRefusal`].
pub fn verify(job: &Job<'_>) -> Result<(), SignatureRefusal> {
    verify_by(&mut Forgetful, job)
}

/// Verifies any number of signatures, of any mix of curves and keys: `verdicts[i]` answers
/// `jobs[i]`, and is what [`verify`] says of that job alone.
///
/// Takes less than 60 KiB of stack (x86-64, optimised), and less than 160 KiB where [`lanes`] says
/// 8, whatever the number of jobs.
///
/// # Panics
/// If the slices differ in length.
pub fn verify_many(jobs: &[Job<'_>], verdicts: &mut [Verdict]) {
    verify_many_by(&mut Forgetful, jobs, verdicts);
}

/// Returns how many signatures on a curve this processor verifies at once, if [`verify_many`] is
/// given as many: 8 where there is a vector for it, else 1.
#[must_use]
pub fn lanes(curve: Curve) -> u32 {
    on_curve!(curve, lanes_on())
}

/// Has this process verify with the vectors of its processor, as it does from the start, or without
/// them: to measure what machines do that have none. No verdict depends on it.
pub fn use_vectors(enabled: bool) {
    crate::backend::enable_vectors(enabled);
}

fn lanes_on<C: Verifiable<N>, const N: usize>() -> u32 {
    C::lanes()
}

/// A set of kernels that answers requests.
pub(crate) trait Verifying {
    /// The path, below [`PATHS`], that a request takes now.
    fn path<C: Verifiable<N>, const N: usize>(&self, request: &Request<N>) -> usize;

    /// Answers as many requests as this turn allows.
    fn answer<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        answers: &mut [Answer],
    );
}

/// Kernels without memory of earlier jobs.
struct Forgetful;

impl Verifying for Forgetful {
    fn path<C: Verifiable<N>, const N: usize>(&self, request: &Request<N>) -> usize {
        C::path(request, &Known::NOTHING)
    }

    fn answer<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        answers: &mut [Answer],
    ) {
        let known = &[Known::NOTHING; BATCH][..requests.len()];
        run(turn, C::KERNELS, requests, known, answers);
    }
}

/// [`verify`] by anybody.
pub(crate) fn verify_by(
    verifying: &mut impl Verifying,
    job: &Job<'_>,
) -> Result<(), SignatureRefusal> {
    on_curve!(job.curve, verify_on(verifying, job))
}

/// [`verify_many`] by anybody.
pub(crate) fn verify_many_by(
    verifying: &mut impl Verifying,
    jobs: &[Job<'_>],
    verdicts: &mut [Verdict],
) {
    assert_eq!(jobs.len(), verdicts.len(), "a verdict for each job");
    if let ([job], [verdict]) = (jobs, &mut *verdicts) {
        *verdict = verify_by(verifying, job).into();
        return;
    }
    for curve in Curve::ALL {
        // Room for a batch costs a twentieth of a verification.
        if jobs.iter().any(|job| job.curve == curve) {
            on_curve!(curve, verify_all_on(verifying, jobs, verdicts));
        }
    }
}

fn verify_on<C: Verifiable<N>, const N: usize>(
    verifying: &mut impl Verifying,
    job: &Job<'_>,
) -> Result<(), SignatureRefusal> {
    let request = read::<C, N>(job)?;
    let mut answers = [Answer::Undecided];
    for turn in [Turn::First, Turn::Again] {
        if answers == [Answer::Undecided] {
            verifying.answer::<C, N>(turn, &[request], &mut answers);
        }
    }
    match verdict(answers[0]) {
        Verdict::Valid => Ok(()),
        Verdict::Refused(refusal) => Err(refusal),
    }
}

/// Verifies the jobs that are on this curve.
fn verify_all_on<C: Verifiable<N>, const N: usize>(
    verifying: &mut impl Verifying,
    jobs: &[Job<'_>],
    verdicts: &mut [Verdict],
) {
    let mut fresh = Fresh::EMPTY;
    let mut special = Special::EMPTY;
    for (i, job) in jobs.iter().enumerate() {
        if job.curve != C::CURVE {
            continue;
        }
        match read::<C, N>(job) {
            Err(refusal) => verdicts[i] = Verdict::Refused(refusal),
            Ok(request) => fresh.push(&request, i),
        }
        if fresh.count == BATCH {
            first::<C, N>(verifying, &mut fresh, &mut special, jobs, verdicts);
        }
    }
    first::<C, N>(verifying, &mut fresh, &mut special, jobs, verdicts);
    special.finish(|origins| again::<C, N>(verifying, origins, jobs, verdicts));
}

/// Requests that wait until a batch is full, with the places of their jobs.
struct Fresh<const N: usize> {
    requests: [Request<N>; BATCH],
    origins: [usize; BATCH],
    count: usize,
}

impl<const N: usize> Fresh<N> {
    const EMPTY: Self = Self {
        requests: [Request::PADDING; BATCH],
        origins: [0; BATCH],
        count: 0,
    };

    /// One more, unless it is full.
    fn push(&mut self, request: &Request<N>, origin: usize) {
        if self.count < BATCH {
            self.requests[self.count] = *request;
            self.origins[self.count] = origin;
            self.count += 1;
        }
    }
}

/// Jobs that were left undecided, by path: they wait for others of their path, also of later
/// batches, since a vector takes as long for one of them as for eight. At most [`AGAIN`] a path.
struct Special {
    origins: [[usize; AGAIN]; PATHS],
    counts: [usize; PATHS],
}

impl Special {
    const EMPTY: Self = Self {
        origins: [[0; AGAIN]; PATHS],
        counts: [0; PATHS],
    };

    /// One more; those of its path, if they fill a vector now, which then wait no longer.
    fn push(&mut self, path: usize, origin: usize) -> Option<[usize; AGAIN]> {
        let count = &mut self.counts[path];
        self.origins[path][*count] = origin;
        *count = (*count + 1) % AGAIN;
        (*count == 0).then_some(self.origins[path])
    }

    /// Hands out all that wait, those of as many paths together as [`AGAIN`] allows.
    fn finish(self, mut run: impl FnMut(&[usize])) {
        let (mut together, mut count) = ([0; AGAIN], 0);
        for (origins, &own) in self.origins.iter().zip(&self.counts) {
            if count + own > AGAIN {
                run(&together[..count]);
                count = 0;
            }
            together[count..count + own].copy_from_slice(&origins[..own]);
            count += own;
        }
        run(&together[..count]);
    }
}

/// Verifies a batch and puts the verdicts where they belong, or special cases where they wait.
fn first<C: Verifiable<N>, const N: usize>(
    verifying: &mut impl Verifying,
    fresh: &mut Fresh<N>,
    special: &mut Special,
    jobs: &[Job<'_>],
    verdicts: &mut [Verdict],
) {
    let count = core::mem::take(&mut fresh.count);
    if count == 0 {
        return;
    }
    let mut answers = [Answer::Undecided; BATCH];
    let requests = &fresh.requests[..count];
    verifying.answer::<C, N>(Turn::First, requests, &mut answers[..count]);
    for ((answer, request), &origin) in answers.iter().zip(requests).zip(&fresh.origins) {
        match answer {
            Answer::Decided(verdict) => verdicts[origin] = *verdict,
            Answer::Undecided => {
                let path = verifying.path::<C, N>(request);
                if let Some(origins) = special.push(path, origin) {
                    again::<C, N>(verifying, &origins, jobs, verdicts);
                }
            }
        }
    }
}

/// Verifies special cases. They are read again: kept until now, they would take more room on the
/// stack than a batch.
#[cold]
fn again<C: Verifiable<N>, const N: usize>(
    verifying: &mut impl Verifying,
    origins: &[usize],
    jobs: &[Job<'_>],
    verdicts: &mut [Verdict],
) {
    let mut requests = [Request::PADDING; AGAIN];
    let mut answers = [Answer::Undecided; AGAIN];
    for (request, &origin) in requests.iter_mut().zip(origins) {
        // Always: it was in range the first time.
        if let Ok(read) = read::<C, N>(&jobs[origin]) {
            *request = read;
        }
    }
    let count = origins.len();
    if count > 0 {
        verifying.answer::<C, N>(Turn::Again, &requests[..count], &mut answers[..count]);
    }
    for (answer, &origin) in answers.iter().zip(origins) {
        verdicts[origin] = verdict(*answer);
    }
}

/// The last kernel decides everything; should one ever not, nothing is accepted.
fn verdict(answer: Answer) -> Verdict {
    match answer {
        Answer::Decided(verdict) => verdict,
        Answer::Undecided => {
            debug_assert!(false, "no kernel decided");
            Verdict::Refused(SignatureRefusal::Equation)
        }
    }
}

/// Checks lengths and ranges.
pub(crate) fn read<C: Verifiable<N>, const N: usize>(
    job: &Job<'_>,
) -> Result<Request<N>, SignatureRefusal> {
    if !is_hash(job.digest) {
        return Err(SignatureRefusal::DigestLength);
    }
    // The leftmost bits of the order's length, a whole number of bytes.
    let digest = &job.digest[..job.digest.len().min(8 * N)];
    let z: Scalar<C, N> = Residue::from_bytes_reduced(digest);
    let (r, nonce) = read_r::<C, N>(&job.signature.r)?;
    Ok(Request {
        r,
        s: integer::<C, N>(job.signature.s, SignatureRefusal::SOutOfRange)?,
        z: z.to_integer(),
        nonce,
        key: read_key::<C, N>(&job.key)?,
        sender: job.sender,
    })
}

/// An integer in 1..n.
fn integer<C: Verifiable<N>, const N: usize>(
    bytes: &[u8],
    out_of_range: SignatureRefusal,
) -> Result<[u64; N], SignatureRefusal> {
    if bytes.len() != 8 * N {
        return Err(SignatureRefusal::SignatureLength);
    }
    match from_bytes(bytes) {
        Some(limbs) if !is_zero(&limbs) && less(&limbs, &C::Order::MODULUS) => Ok(limbs),
        _ => Err(out_of_range),
    }
}

/// r, and R where it was sent.
fn read_r<C: Verifiable<N>, const N: usize>(
    encoded: &EncodedPoint<'_>,
) -> Result<([u64; N], Option<Coordinates<N>>), SignatureRefusal> {
    if let EncodedPoint::XOnly(bytes) = encoded {
        return Ok((integer::<C, N>(bytes, SignatureRefusal::ROutOfRange)?, None));
    }
    let nonce = match Coordinates::read::<C::Field>(encoded) {
        Ok(nonce) => nonce,
        Err(PointError::Length) => return Err(SignatureRefusal::SignatureLength),
        Err(PointError::NotCanonical) => return Err(SignatureRefusal::ROutOfRange),
        Err(_) => return Err(SignatureRefusal::SignatureForm),
    };
    // x < p < 2 n.
    let (above, borrow) = sub(&nonce.x, &C::Order::MODULUS);
    let r = if borrow { nonce.x } else { above };
    if is_zero(&r) {
        return Err(SignatureRefusal::ROutOfRange);
    }
    Ok((r, Some(nonce)))
}

fn read_key<C: Verifiable<N>, const N: usize>(
    key: &JobKey<'_>,
) -> Result<RequestKey<N>, SignatureRefusal> {
    match key {
        JobKey::Explicit(point) => Coordinates::read::<C::Field>(point)
            .map(RequestKey::Explicit)
            .map_err(SignatureRefusal::Key),
        JobKey::Implicit {
            e,
            reconstruction,
            ca,
        } => {
            if !is_hash(e) {
                return Err(SignatureRefusal::HashLength);
            }
            let e: Scalar<C, N> = Residue::from_bytes_reduced(e);
            Ok(RequestKey::Implicit {
                e: e.to_integer(),
                reconstruction: Coordinates::read::<C::Field>(reconstruction)
                    .map_err(SignatureRefusal::Reconstruction)?,
                ca: Coordinates::read::<C::Field>(ca).map_err(SignatureRefusal::Ca)?,
            })
        }
    }
}
