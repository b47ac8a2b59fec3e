//! A verifier with a memory: known senders are verified with tables of their keys.
//!
//! A vehicle signs ten messages a second under one certificate. Three quarters of the doublings of
//! a verification are saved by multiples of the key, which are computed once. Also the keys of
//! issuers, under which many implicit certificates stand, get tables.
//!
//! No attacker can make this slow or large: a table is built after the second valid signature only,
//! and only if what [`PRICE`] full verifications take has been spent on any since the last; it is
//! kept only if a verification with it succeeds; tables are bounded in bytes, and the one that has
//! not been used for longest goes first.

mod names;
mod recent;
mod repeated;

use alloc::boxed::Box;
use alloc::vec;

use crate::backend::{Turn, Verifiable, run};
use crate::curves::Curve;
use crate::ecqv::reconstruct;
use crate::group::Affine;
use crate::job::{Job, SenderId, SignatureRefusal, Verdict};
use crate::multiply::{FixedBase, Form, Shape};
use crate::request::{Answer, BATCH, Known, Request, RequestKey};
use crate::verify::{Verifying, verify_by, verify_many_by};
use names::{Name, Seen, TableKey};
use recent::Recent;
use repeated::verify_once;

/// Full verifications that pay for a table of their curve, none of them in lanes. It costs as much
/// as one of them, and trying it more than half: all tables together take less than a tenth of the
/// time.
const PRICE: u32 = 24;
/// Limit on the savings: eight tables of P-256 at once, one of brainpoolP384r1.
const CREDIT_MOST: u32 = 8 * PRICE * effort(Curve::P256);

/// Returns the time of a verification by plain arithmetic, in sixteenths of P-256's. A rough
/// figure: only the rate at which tables are built depends on it.
const fn effort(curve: Curve) -> u32 {
    match curve {
        Curve::P256 => 16,
        Curve::BrainpoolP256r1 => 32,
        Curve::P384 => 56,
        Curve::BrainpoolP384r1 => 80,
    }
}

/// Returns the effort spent on a batch: none on jobs refused before any multiple was computed, half
/// where there was a table of the key.
fn spent<C: Verifiable<N>, const N: usize>(known: &[Known<'_>], answers: &[Answer]) -> u32 {
    let full = effort(C::CURVE) / C::lanes();
    let each = known
        .iter()
        .zip(answers)
        .map(|(known, answer)| match answer {
            Answer::Decided(
                Verdict::Valid
                | Verdict::Refused(
                    SignatureRefusal::Equation
                    | SignatureRefusal::NoncePoint
                    | SignatureRefusal::KeyAtInfinity,
                ),
            ) => full >> u32::from(known.key.is_some()),
            _ => 0,
        });
    each.sum()
}

/// Verifies as [`crate::verify()`] and [`crate::verify_many`] do, with the same verdicts, and
/// faster where a job names its [`SenderId`] or many implicit certificates have one issuer.
///
/// For public data only. One verifier belongs to one thread; several threads have one each, and
/// do best if a sender's messages always go to the same.
pub struct SignatureVerifier {
    tables: Recent<Name, Table>,
    seen: Seen,
    /// Effort spent on verifications and not yet on tables, in units of [`effort`].
    credit: u32,
    built: u64,
}

/// A table and its key.
struct Table {
    words: Box<[u64]>,
    shape: Shape,
    form: Form,
    /// The key of a sender: another under the same name is not answered for.
    key: Option<Box<TableKey>>,
}

/// Memory use of a verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Memory {
    /// Bytes that tables may take.
    pub limit: usize,
    /// Bytes that they take, with the index to find them.
    pub used: usize,
    /// Senders with a table.
    pub senders: usize,
    /// Issuers with a table.
    pub issuers: usize,
    /// Tables built since the beginning.
    pub built: u64,
    /// Tables dropped for others since the beginning.
    pub evicted: u64,
}

impl SignatureVerifier {
    /// Creates a verifier whose tables take at most `bytes` bytes: about 4.6 KiB for a sender on
    /// a curve of 256 bits, 6.6 KiB on one of 384. With 0 it verifies as [`crate::verify_many`]
    /// does.
    #[must_use]
    pub fn with_table_bytes(bytes: usize) -> Self {
        Self {
            tables: Recent::new(bytes),
            seen: Seen::new(),
            credit: CREDIT_MOST,
            built: 0,
        }
    }

    /// Verifies one signature.
    ///
    /// # Errors
    /// The reason of the refusal: every [`SignatureRefusal`].
    pub fn verify(&mut self, job: &Job<'_>) -> Result<(), SignatureRefusal> {
        verify_by(self, job)
    }

    /// Verifies any number of signatures, of any mix of curves, keys and senders: `verdicts[i]`
    /// answers `jobs[i]`, and is what [`crate::verify()`] says of that job alone.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn verify_many(&mut self, jobs: &[Job<'_>], verdicts: &mut [Verdict]) {
        verify_once(jobs, verdicts, |jobs, verdicts| {
            verify_many_by(self, jobs, verdicts);
        });
    }

    /// Drops what is kept of a sender, whose certificate has expired or is revoked.
    pub fn forget(&mut self, sender: SenderId) {
        for name in Name::of_sender(sender) {
            self.tables.remove(&name);
        }
    }

    /// Returns the memory that is used at present.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let senders = self.tables.names().filter(|name| name.is_sender()).count();
        Memory {
            limit: self.tables.limit(),
            used: self.tables.used(),
            senders,
            issuers: self.tables.names().count() - senders,
            built: self.built,
            evicted: self.tables.evicted(),
        }
    }

    /// Returns true if there is a table of the key of a job.
    #[cfg(test)]
    pub(crate) fn knows(&self, job: &Job<'_>) -> bool {
        fn knows<C: Verifiable<N>, const N: usize>(by: &SignatureVerifier, job: &Job<'_>) -> bool {
            let request = crate::verify::read::<C, N>(job).expect("in range");
            by.known(&request, &Names::new::<C, N>(&request))
                .key
                .is_some()
        }
        crate::curves::on_curve!(job.curve, knows(self, job))
    }

    /// Returns the effort that is saved up for tables.
    #[cfg(test)]
    pub(crate) fn saved(&self) -> u32 {
        self.credit
    }

    /// The tables that fit a request.
    fn known<const N: usize>(&self, request: &Request<N>, names: &Names) -> Known<'_> {
        let table = |name: &Option<Name>| {
            let table = self.tables.peek(name.as_ref()?)?;
            // An issuer's name is its key.
            let key = table.key.as_ref();
            let fits = key.is_none_or(|key| key.is(&request.key.widen()));
            fits.then(|| FixedBase::new::<N>(&table.words, table.shape, table.form))
        };
        Known {
            key: table(&names.sender),
            issuer: table(&names.issuer),
        }
    }

    /// After a valid signature: builds the tables that are due, and keeps those that work.
    fn learn<C: Verifiable<N>, const N: usize>(&mut self, request: &Request<N>, names: &Names) {
        let known = self.known(request, names);
        let (key, issuer) = (known.key.is_some(), known.issuer.is_some());
        let sender = names.sender.as_ref();
        let sender = sender.filter(|name| !key && self.is_due::<C, N>(name));
        if let Some(name) = sender
            && let Some(key) = public_key::<C, N>(&request.key)
        {
            self.build(request, name, &key);
        }
        let name = names.issuer.as_ref();
        let issuer = name.filter(|name| !issuer && self.is_due::<C, N>(name));
        if let Some(name) = issuer
            && let RequestKey::Implicit { ca, .. } = &request.key
            && let Some(key) = ca.point::<C>()
        {
            self.build(request, name, &key);
        }
    }

    /// Returns true if a table of that name is to be built now: the name has been seen before, and
    /// tables are not built too often.
    fn is_due<C: Verifiable<N>, const N: usize>(&mut self, name: &Name) -> bool {
        if !(self.seen.again(name) && self.can_build::<C, N>(name)) {
            return false;
        }
        self.credit -= PRICE * effort(C::CURVE);
        true
    }

    /// Returns true if there is room for a table of that name, and enough has been saved up.
    fn can_build<C: Verifiable<N>, const N: usize>(&self, name: &Name) -> bool {
        let fits = self.tables.fits(bytes::<N>(name.shape(C::form())));
        fits && self.credit >= PRICE * effort(C::CURVE)
    }

    /// Returns how many requests go together: without vectors only up to a second one under a name
    /// that can have a table by then.
    fn together<C: Verifiable<N>, const N: usize>(
        &self,
        requests: &[Request<N>],
        names: &[Names],
    ) -> usize {
        if C::lanes() > 1 {
            return requests.len();
        }
        let repeats = |at: usize| {
            let (own, known) = (&names[at], self.known(&requests[at], &names[at]));
            let is_again = |name: &Option<Name>, of: fn(&Names) -> &Option<Name>| {
                name.as_ref().is_some_and(|one| {
                    names[..at].iter().any(|earlier| of(earlier) == name)
                        && self.can_build::<C, N>(one)
                })
            };
            let key = known.key.is_none() && is_again(&own.sender, |names| &names.sender);
            // With a table of the key the issuer's is of no use.
            key || known.key.is_none()
                && known.issuer.is_none()
                && is_again(&own.issuer, |names| &names.issuer)
        };
        (1..requests.len())
            .find(|at| repeats(*at))
            .unwrap_or(requests.len())
    }

    /// Builds a table, and keeps it if the request is valid by it, too.
    fn build<C: Verifiable<N>, const N: usize>(
        &mut self,
        request: &Request<N>,
        name: &Name,
        point: &Affine<C, N>,
    ) {
        let form = C::form();
        let shape = name.shape(form);
        let mut words = vec![0; shape.words::<N>()].into_boxed_slice();
        FixedBase::build(point, shape, form, &mut words);
        let table = Some(FixedBase::new::<N>(&words, shape, form));
        let known = match name.is_sender() {
            true => Known {
                key: table,
                issuer: None,
            },
            false => Known {
                key: None,
                issuer: table,
            },
        };
        let mut answers = [Answer::Undecided];
        run(Turn::First, C::KERNELS, &[*request], &[known], &mut answers);
        self.built += 1;
        if answers == [Answer::Decided(Verdict::Valid)] {
            let key = name
                .is_sender()
                .then(|| Box::new(TableKey::new(request, point)));
            let table = Table {
                words,
                shape,
                form,
                key,
            };
            self.tables.insert(name.clone(), table, bytes::<N>(shape));
        }
    }
}

/// Names under which the tables of a request are found.
struct Names {
    sender: Option<Name>,
    issuer: Option<Name>,
}

impl Names {
    const NONE: Self = Self {
        sender: None,
        issuer: None,
    };

    fn new<C: Verifiable<N>, const N: usize>(request: &Request<N>) -> Self {
        let issuer = match &request.key {
            RequestKey::Implicit { ca, .. } => Some(Name::issuer(C::CURVE, ca)),
            RequestKey::Explicit(_) => None,
        };
        let sender = request.sender.map(|sender| Name::sender(C::CURVE, sender));
        Self { sender, issuer }
    }
}

impl Verifying for SignatureVerifier {
    fn path<C: Verifiable<N>, const N: usize>(&self, request: &Request<N>) -> usize {
        C::path(request, &self.known(request, &Names::new::<C, N>(request)))
    }

    fn answer<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        answers: &mut [Answer],
    ) {
        let mut names = [const { Names::NONE }; BATCH];
        for (names, request) in names.iter_mut().zip(requests) {
            *names = Names::new::<C, N>(request);
            for name in [&names.sender, &names.issuer].into_iter().flatten() {
                self.tables.touch(name);
            }
        }
        let mut start = 0;
        while start < requests.len() {
            let left = &requests[start..];
            let names = &names[start..requests.len()];
            let count = self.together::<C, N>(left, names);
            let answers = &mut answers[start..start + count];
            self.answer_known::<C, N>(turn, &left[..count], &names[..count], answers);
            start += count;
        }
    }
}

impl SignatureVerifier {
    /// Answers with the tables that there are, and learns from valid signatures.
    fn answer_known<C: Verifiable<N>, const N: usize>(
        &mut self,
        turn: Turn,
        requests: &[Request<N>],
        names: &[Names],
        answers: &mut [Answer],
    ) {
        let mut known = [Known::NOTHING; BATCH];
        let known = &mut known[..requests.len()];
        for ((known, request), names) in known.iter_mut().zip(requests).zip(names) {
            *known = self.known(request, names);
        }
        run(turn, C::KERNELS, requests, known, answers);
        let spent = spent::<C, N>(known, answers);
        self.credit = (self.credit + spent).min(CREDIT_MOST);
        for ((request, names), answer) in requests.iter().zip(names).zip(answers.iter()) {
            if *answer == Answer::Decided(Verdict::Valid) {
                self.learn::<C, N>(request, names);
            }
        }
    }
}

/// The public key of a request that was found valid.
fn public_key<C: Verifiable<N>, const N: usize>(key: &RequestKey<N>) -> Option<Affine<C, N>> {
    match key {
        RequestKey::Explicit(key) => key.point(),
        RequestKey::Implicit {
            e,
            reconstruction,
            ca,
        } => reconstruct(e, reconstruction.point()?, &ca.point()?),
    }
}

/// Bytes that a table takes, with its two entries in trees whose nodes are half full at worst.
const fn bytes<const N: usize>(shape: Shape) -> usize {
    let entry = size_of::<Name>() + size_of::<Table>() + 4 * size_of::<u64>();
    8 * shape.words::<N>() + size_of::<TableKey>() + 2 * (entry + size_of::<Name>())
}
