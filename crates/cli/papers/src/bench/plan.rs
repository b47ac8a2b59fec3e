//! Plan of the measurement: every path of a verification on every curve, each with its worst jobs.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_ecverify::{
    Curve, Job, JobKey, JobSample, Multiples, SampleCertificate, SignatureRefusal,
    SignatureVerifier, Verdict, rebuild, verify_many,
};

use super::stopwatch::Timed;

/// Messages that wait to be verified where many are.
pub(crate) const FLIGHT: usize = 128;
/// Senders that are heard in turn, as around a crossroads.
const SENDERS: u64 = 256;
/// Senders on a crowded motorway.
const CROWD: u64 = 2000;
/// Bytes of tables where certificates come as a flood: those of about 220 senders.
const SMALL_MEMORY: usize = 1 << 20;
/// Bytes of tables that hold all senders of [`SENDERS`] and their issuers.
const LARGE_MEMORY: usize = 16 << 20;
/// Rounds through all jobs without a new table after which no more are expected: one is paid for by
/// at most 384 verifications.
const IDLE_ROUNDS: usize = 16;

/// All paths in one flight, which a sender who makes jobs slow can choose.
const MIXED: &str = "explicit key, known sender, known issuer in turn";
/// Jobs of all paths in turn.
const MIXED_JOBS: u64 = 3 * FLIGHT as u64;

/// One line of the result.
pub(crate) struct Line {
    pub(crate) curve: Curve,
    pub(crate) path: String,
    /// Messages that are put to the verifier at once.
    pub(crate) in_flight: usize,
    pub(crate) ordinary: Timed,
    /// The same with jobs made to be slow.
    pub(crate) worst: Vec<Timed>,
    /// Bytes that tables take.
    pub(crate) memory: Option<usize>,
}

/// Keys that the messages are signed by.
#[derive(Clone, Copy)]
enum Signers {
    /// Explicit keys.
    Explicit,
    /// Implicit certificates of so many issuers in turn.
    Implicit(u64),
    /// In turn a new explicit key, a sender's that is known, and an implicit key of one issuer.
    Mixed,
}

/// Knowledge of the verifier.
#[derive(Clone, Copy)]
enum By {
    /// No sender is known.
    Forgetful,
    /// Issuers, and senders that are named, have tables in so many bytes.
    Known(usize),
    /// Senders come and go faster than tables of them pay.
    Flooded,
}

/// A pool of samples, all of which have the same answer.
#[derive(Clone)]
struct Pool {
    samples: Rc<[JobSample]>,
    signers: Signers,
    expected: Verdict,
    named: bool,
}

impl Pool {
    fn new(curve: Curve, signers: Signers, count: u64, multiples: Multiples, named: bool) -> Self {
        let sample = |number| match signers {
            Signers::Explicit => JobSample::explicit(curve, number, multiples),
            Signers::Implicit(issuers) => JobSample::implicit(
                curve,
                SampleCertificate {
                    issuer: number % issuers,
                    number,
                },
                multiples,
            ),
            Signers::Mixed if number % 3 == 2 => {
                JobSample::implicit(curve, SampleCertificate { issuer: 0, number }, multiples)
            }
            Signers::Mixed => JobSample::explicit(curve, number, multiples),
        };
        Self {
            samples: (0..count).map(sample).collect(),
            signers,
            expected: match multiples {
                Multiples::Opposite => Verdict::Refused(SignatureRefusal::Equation),
                Multiples::Ordinary | Multiples::Equal => Verdict::Valid,
            },
            named,
        }
    }

    /// Returns true if the sample at this place names its sender.
    fn names(&self, at: usize) -> bool {
        match self.signers {
            Signers::Mixed => at % 3 == 1,
            Signers::Explicit | Signers::Implicit(_) => self.named,
        }
    }

    /// Tables that all of its jobs can use.
    fn tables(&self) -> usize {
        let senders = (0..self.samples.len()).filter(|&at| self.names(at));
        let issuers = match self.signers {
            Signers::Explicit => 0,
            Signers::Implicit(issuers) => issuers as usize,
            Signers::Mixed => 1,
        };
        senders.count() + issuers
    }

    /// The jobs from `start` on, `count` of them, around the end.
    fn jobs(&self, start: usize, count: usize) -> Vec<Job<'_>> {
        let samples = self.samples.iter().enumerate().cycle();
        samples
            .skip(start)
            .take(count)
            .map(|(at, sample)| {
                let job = sample.job();
                let sender = job.sender.filter(|_| self.names(at));
                Job { sender, ..job }
            })
            .collect()
    }

    /// Has `count` of them verified at each call, one call after the other through the pool.
    fn timed(
        self,
        count: usize,
        mut verify: impl FnMut(&[Job<'_>], &mut [Verdict]) + 'static,
    ) -> Timed {
        let mut verdicts = vec![Verdict::Valid; count];
        let mut next = 0;
        Timed::new(count as u32, move || {
            let jobs = self.jobs(next, count);
            next = (next + count) % self.samples.len();
            verify(&jobs, &mut verdicts);
            // Also so that no compiler leaves the work out.
            assert!(verdicts.iter().all(|verdict| *verdict == self.expected));
        })
    }
}

/// A verifier that has tables of all that the pool's messages are signed under, or of as many as
/// its memory holds.
fn acquainted(pool: &Pool, by: By) -> SignatureVerifier {
    let mut verifier = SignatureVerifier::with_table_bytes(match by {
        By::Forgetful => 0,
        By::Flooded => SMALL_MEMORY,
        By::Known(memory) => memory,
    });
    if !matches!(by, By::Known(1..)) {
        return verifier;
    }
    let jobs = pool.jobs(0, pool.samples.len());
    let mut verdicts = vec![Verdict::Valid; jobs.len()];
    // Tables are not built at every opportunity, so that it takes several rounds.
    let mut idle = 0;
    while idle < IDLE_ROUNDS {
        let built = verifier.memory().built;
        verifier.verify_many(&jobs, &mut verdicts);
        let memory = verifier.memory();
        if memory.senders + memory.issuers >= pool.tables() || memory.evicted > 0 {
            break;
        }
        idle = if memory.built > built { 0 } else { idle + 1 };
    }
    verifier
}

/// A path with all that is needed to measure it.
struct Path {
    curve: Curve,
    name: String,
    by: By,
    /// Ordinary, equal, opposite.
    pools: [Pool; 3],
    verifier: Rc<RefCell<SignatureVerifier>>,
}

impl Path {
    fn new(curve: Curve, name: &str, signers: Signers, count: u64, by: By) -> Self {
        let named = matches!(signers, Signers::Explicit) && !matches!(by, By::Forgetful);
        let pools = [Multiples::Ordinary, Multiples::Equal, Multiples::Opposite]
            .map(|multiples| Pool::new(curve, signers, count, multiples, named));
        let verifier = acquainted(&pools[0], by);
        Self {
            curve,
            name: name.to_owned(),
            by,
            pools,
            verifier: Rc::new(RefCell::new(verifier)),
        }
    }

    fn timed(&self, pool: &Pool, in_flight: usize) -> Timed {
        let verifier = Rc::clone(&self.verifier);
        match self.by {
            By::Forgetful => pool.clone().timed(in_flight, verify_many),
            _ => pool.clone().timed(in_flight, move |jobs, verdicts| {
                verifier.borrow_mut().verify_many(jobs, verdicts);
            }),
        }
    }

    fn line(&self, in_flight: usize) -> Line {
        let [ordinary, worst @ ..] = &self.pools;
        let worst = match self.by {
            // What is refused is never learnt from: it costs less.
            By::Flooded => &[],
            _ => &worst[..],
        };
        Line {
            curve: self.curve,
            path: self.name.clone(),
            in_flight,
            ordinary: self.timed(ordinary, in_flight),
            worst: worst
                .iter()
                .map(|pool| self.timed(pool, in_flight))
                .collect(),
            memory: match self.by {
                By::Known(_) => Some(self.verifier.borrow().memory().used),
                By::Forgetful | By::Flooded => None,
            },
        }
    }
}

/// Rebuilding a key without verifying anything.
fn rebuilding(curve: Curve) -> Line {
    let count = FLIGHT as u64;
    let pool = Pool::new(
        curve,
        Signers::Implicit(1),
        count,
        Multiples::Ordinary,
        false,
    );
    let mut next = 0;
    let ordinary = Timed::new(1, move || {
        let jobs = pool.jobs(next, 1);
        next = (next + 1) % pool.samples.len();
        let JobKey::Implicit {
            e,
            reconstruction,
            ca,
        } = &jobs[0].key
        else {
            return;
        };
        assert!(rebuild(curve, e, reconstruction, ca).is_ok());
    });
    Line {
        curve,
        path: "rebuild a key, nothing else".to_owned(),
        in_flight: 1,
        ordinary,
        worst: Vec::new(),
        memory: None,
    }
}

/// All lines of a curve, with so many bytes for tables; `progress` is told of each path that is
/// ready.
pub(crate) fn lines(curve: Curve, memory: usize, progress: &dyn Fn()) -> Vec<Line> {
    let flight = FLIGHT as u64;
    let path = |name: &str, signers, count, by| {
        let path = Path::new(curve, name, signers, count, by);
        progress();
        path
    };
    let explicit = Signers::Explicit;
    let known = By::Known(memory);
    let fresh = path("explicit key", explicit, flight, By::Forgetful);
    let mut lines = vec![fresh.line(1)];
    if curve == Curve::P256 {
        lines.extend([2, 4, 8, 16, 32].map(|in_flight| fresh.line(in_flight)));
    }
    lines.push(fresh.line(FLIGHT));
    for (name, signers, count, by) in acquaintances(known) {
        let path = path(name, signers, count, by);
        lines.extend([1, FLIGHT].map(|in_flight| path.line(in_flight)));
    }
    lines.push(path(MIXED, Signers::Mixed, MIXED_JOBS, known).line(FLIGHT));
    if curve == Curve::P256 {
        for (name, signers, count, by) in [
            (
                "implicit key, one of 4 known issuers",
                Signers::Implicit(4),
                flight,
                known,
            ),
            (
                "implicit key, one of 16 known issuers",
                Signers::Implicit(16),
                flight,
                known,
            ),
            ("known sender, one of 2,000", explicit, CROWD, known),
            (
                "flood: 2,000 senders, room for 220",
                explicit,
                CROWD,
                By::Flooded,
            ),
        ] {
            lines.push(path(name, signers, count, by).line(FLIGHT));
        }
    }
    lines.push(rebuilding(curve));
    lines
}

/// The paths besides that of explicit keys that are new, where `known` has tables.
fn acquaintances(known: By) -> [(&'static str, Signers, u64, By); 3] {
    let (flight, implicit) = (FLIGHT as u64, Signers::Implicit(1));
    [
        ("implicit key, new issuer", implicit, flight, By::Forgetful),
        ("implicit key, known issuer", implicit, flight, known),
        (
            "known sender, one of 256",
            Signers::Explicit,
            SENDERS,
            known,
        ),
    ]
}

/// The paths on P-256 that a receiver takes, each with one message and with many that wait; nothing
/// is made to be slow.
pub(crate) fn fast_paths() -> Vec<Line> {
    let fresh = (
        "explicit key",
        Signers::Explicit,
        FLIGHT as u64,
        By::Forgetful,
    );
    let others = acquaintances(By::Known(LARGE_MEMORY));
    let paths = [fresh].into_iter().chain(others);
    let lines = paths.flat_map(|(name, signers, count, by)| {
        let path = Path::new(Curve::P256, name, signers, count, by);
        [1, FLIGHT].map(|in_flight| Line {
            worst: Vec::new(),
            ..path.line(in_flight)
        })
    });
    lines.collect()
}

/// Signatures that wait, verified without any table.
pub(crate) fn waiting_signatures() -> Timed {
    waiting(Signers::Explicit)
}

/// Messages that wait under implicit certificates of one issuer, likewise.
pub(crate) fn waiting_messages() -> Timed {
    waiting(Signers::Implicit(1))
}

fn waiting(signers: Signers) -> Timed {
    let count = FLIGHT as u64;
    let pool = Pool::new(Curve::P256, signers, count, Multiples::Ordinary, false);
    pool.timed(FLIGHT, verify_many)
}

/// Returns the number of paths that [`lines`] makes ready.
pub(crate) const fn count(curve: Curve) -> u64 {
    match curve {
        Curve::P256 => 9,
        _ => 5,
    }
}
