//! One signature that may be over the canonical form of what is signed, or over its bytes as they
//! came.

use waywarden_ecverify::{Curve, EncodedSignature, Job, JobKey, SignatureRefusal, Verdict};

use crate::holder::SignedDigest;

/// A signature that is verified over the canonical form and, where that is not signed and the bytes
/// came in another form, over those bytes: at most two jobs.
#[derive(Debug)]
pub(crate) struct FormCheck<'m> {
    pub(crate) digest: SignedDigest,
    pub(crate) signature: EncodedSignature<'m>,
    /// The verdict on the canonical form, while the bytes as they came are still to be tried.
    canonical: Option<SignatureRefusal>,
    decided: Option<Result<(), SignatureRefusal>>,
}

impl<'m> FormCheck<'m> {
    pub(crate) fn new(digest: SignedDigest, signature: EncodedSignature<'m>) -> Self {
        Self {
            digest,
            signature,
            canonical: None,
            decided: None,
        }
    }

    /// Returns the largest number of jobs that the check may take.
    pub(crate) fn attempts(&self) -> u32 {
        1 + u32::from(self.digest.as_is.is_some())
    }

    /// The next job under this key; `None` once it is decided.
    pub(crate) fn job<'j>(
        &'j self,
        curve: Curve,
        key: JobKey<'j>,
        sender: Option<waywarden_ecverify::SenderId>,
    ) -> Option<Job<'j>> {
        if self.decided.is_some() {
            return None;
        }
        let as_is = self.canonical.and(self.digest.as_is.as_ref());
        Some(Job {
            curve,
            digest: as_is.unwrap_or(&self.digest.canonical).as_bytes(),
            signature: self.signature,
            key,
            sender,
        })
    }

    /// Takes the verdict on the [`job`](Self::job).
    pub(crate) fn record(&mut self, verdict: Verdict) {
        self.decided = match (verdict, self.canonical) {
            (Verdict::Valid, _) => Some(Ok(())),
            // What is wrong with the canonical form, which the standard asks for.
            (Verdict::Refused(_), Some(canonical)) => Some(Err(canonical)),
            (Verdict::Refused(refusal), None) => match self.digest.as_is {
                Some(_) => {
                    self.canonical = Some(refusal);
                    None
                }
                None => Some(Err(refusal)),
            },
        };
    }

    /// Returns the verdict on the signature; `None` until it is known.
    pub(crate) fn decided(&self) -> Option<Result<(), SignatureRefusal>> {
        self.decided
    }

    /// Verifies it alone.
    pub(crate) fn verify(mut self, curve: Curve, key: JobKey<'_>) -> Result<(), SignatureRefusal> {
        loop {
            let verdict = match self.job(curve, key, None) {
                Some(job) => waywarden_ecverify::verify(&job).into(),
                None => return self.decided.unwrap_or(Err(SignatureRefusal::Equation)),
            };
            self.record(verdict);
        }
    }
}
