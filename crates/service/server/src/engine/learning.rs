//! Certificates that messages bring: looked up, verified with no lock held, then learnt.

use waywarden_ecverify::{Job, Verdict};
use waywarden_v2x_security::{
    Accepted, PreparedCertificate, Refusal, SignatureJobs, verify_in_rounds,
};
use waywarden_v2x_signing::{Observation, OfferOutcome, OfferedCertificate};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::exchange::{self, Exchange};
use super::known::Known;
use super::signing::seed;

/// A message of a batch that concerns the exchange of certificates.
pub(super) struct Observed<'b> {
    /// Its place in the batch.
    at: usize,
    received: Time64,
    observation: Observation<'b>,
}

impl<'b> Observed<'b> {
    /// Reads a message that was judged; `None` if it asks for no certificate, brings none and lacks
    /// none.
    pub(super) fn of(
        at: usize,
        (message, received): (&'b [u8], Time64),
        outcome: &Result<Accepted<'_>, Refusal>,
    ) -> Option<Self> {
        let is_concerned = match outcome {
            Ok(accepted) => exchange::is_concerned(accepted),
            Err(refusal) => exchange::lacks_certificate(refusal.code),
        };
        is_concerned.then_some(())?;
        Some(Self {
            at,
            received,
            observation: Observation::of(message, outcome.as_ref())?,
        })
    }
}

/// A certificate that was asked for, whose signature is left to verify.
pub(super) struct Candidate<'o, 'b> {
    /// The place of its message in the batch.
    pub(super) at: usize,
    offered: &'o OfferedCertificate<'b>,
    prepared: PreparedCertificate<'b>,
}

impl SignatureJobs for Candidate<'_, '_> {
    fn job(&self) -> Option<Job<'_>> {
        self.prepared.job()
    }

    fn record(&mut self, verdict: Verdict) {
        self.prepared.record(verdict);
    }
}

/// Takes note of what messages ask and lack. Returns the certificates that are worth verifying: at
/// most one for each message, and none that was tried before. Verifies nothing; holds no lock
/// exclusively but that of the exchange, for look-ups.
pub(super) fn hear<'o, 'b>(
    known: &Known,
    exchange: &Exchange,
    observed: &'o [Observed<'b>],
) -> Vec<Candidate<'o, 'b>> {
    if observed.is_empty() {
        return Vec::new();
    }
    known.read(|verifier, _| {
        let hear = |one: &'o Observed<'b>| {
            let seed = seed().ok()?;
            let now = (one.received, &seed);
            let offered = exchange.hear(verifier.store(), &one.observation, now)?;
            let prepared = offered.prepare(verifier);
            if prepared.is_err() {
                exchange.conclude(offered, OfferOutcome::from(&prepared));
            }
            Some(Candidate {
                at: one.at,
                offered,
                prepared: prepared.ok()?,
            })
        };
        observed.iter().filter_map(hear).collect()
    })
}

/// Verifies certificates with no lock held, and learns those whose signature is valid.
pub(super) fn learn(
    known: &Known,
    exchange: &Exchange,
    mut candidates: Vec<Candidate<'_, '_>>,
    verify: impl FnMut(&[Job<'_>], &mut [Verdict]),
) {
    verify_in_rounds(&mut candidates, verify);
    for Candidate {
        offered, prepared, ..
    } in candidates
    {
        let outcome = match prepared.is_verified() {
            false => OfferOutcome::Wrong,
            true => known.write(|verifier, _| {
                let learnt = verifier.learn_prepared(prepared);
                OfferOutcome::from(&learnt)
            }),
        };
        exchange.conclude(offered, outcome);
    }
}
