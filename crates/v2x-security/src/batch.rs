//! Messages that came together: all their signatures at once.

use alloc::vec::Vec;

use waywarden_ecverify::Job;

use crate::circumstances::Circumstances;
use crate::prepare::Prepared;
use crate::result::{Refusal, ResultCode};
use crate::verifier::{Accepted, Verifier};

/// A message that came, and what was known around it.
#[derive(Clone, Debug)]
pub struct Received<'m, 'c> {
    /// Its bytes.
    pub message: &'m [u8],
    /// When and where it came.
    pub circumstances: Circumstances<'c>,
}

impl Verifier {
    /// Verifies messages that came together, all their signatures at once: what
    /// [`verify`](Self::verify) says of them one after the other. A message whose signer's
    /// certificate comes with another of them is verified after that.
    ///
    /// # Errors
    /// As in [`verify`](Self::verify), each its own.
    pub fn verify_many<'m>(
        &mut self,
        received: &[Received<'m, '_>],
    ) -> Vec<Result<Accepted<'m>, Refusal>> {
        let prepare = |one: &Received<'m, '_>| self.prepare(one.message, &one.circumstances);
        let prepared: Vec<_> = received.iter().map(prepare).collect();
        let jobs: Vec<Job<'_>> = prepared.iter().flatten().flat_map(Prepared::jobs).collect();
        let counts: Vec<usize> = prepared
            .iter()
            .map(|one| one.as_ref().map_or(0, |one| one.jobs().count()))
            .collect();
        let verdicts = self.verdicts(&jobs);
        drop(jobs);
        let mut verdicts = &verdicts[..];
        let parts = prepared.into_iter().zip(counts).zip(received);
        parts
            .map(|((prepared, count), one)| {
                let (own, rest) = verdicts.split_at(count);
                verdicts = rest;
                match prepared {
                    Ok(prepared) => self.commit(prepared, own),
                    // Known by now, maybe.
                    Err(refusal) if refusal.code == ResultCode::ParsingCertificateNotFound => {
                        self.verify(one.message, &one.circumstances)
                    }
                    Err(refusal) => Err(refusal),
                }
            })
            .collect()
    }
}
