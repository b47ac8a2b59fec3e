//! Certificates that stations ask each other for, in the service's own messages \[1609.2 §8\].
//!
//! The threads that verify take note of what others ask and lack; the thread that signs puts
//! requests and answers into its messages. That thread never waits here: a message that is signed
//! while the notes are in use goes out without them, and the next one has them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use waywarden_v2x_security::{Accepted, Refusal, ResultCode, Verified, Verifier};
use waywarden_v2x_signing::{CertificateDistribution, Seed, Sender};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

/// What is asked and answered with each of the service's own certificates.
#[derive(Default)]
pub(super) struct Exchange(Mutex<Vec<Own>>);

/// A certificate of the service.
struct Own {
    certificate: Arc<Verified>,
    /// `None` while a message is signed. What is observed meanwhile is lost; others ask again.
    distribution: Option<CertificateDistribution>,
}

/// Returns true if an accepted message asks for certificates, gives one, or is the first of its
/// signer, whose certificate is then asked for no longer.
pub(super) fn is_concerned(accepted: &Accepted<'_>) -> bool {
    let header = &accepted.data.tbs_data.header_info;
    accepted.signer_is_new
        || header.inline_p2pcd_request.is_some()
        || header.requested_certificate.is_some()
        || header.p2pcd_learning_request.is_some()
}

/// Whether a message was refused for want of a certificate.
pub(super) fn lacks_certificate(code: ResultCode) -> bool {
    matches!(
        code,
        ResultCode::ParsingCertificateNotFound
            | ResultCode::ChainNotEnoughInformationToConstructChain
    )
}

impl Exchange {
    fn owns(&self) -> MutexGuard<'_, Vec<Own>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if they are in use.
    fn owns_now(&self) -> Option<MutexGuard<'_, Vec<Own>>> {
        match self.0.try_lock() {
            Ok(owns) => Some(owns),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Asks and answers with these certificates from now on.
    pub(super) fn replace<'c>(&self, certificates: impl Iterator<Item = &'c Arc<Verified>>) {
        let owns = certificates.map(|certificate| Own {
            certificate: Arc::clone(certificate),
            distribution: Some(CertificateDistribution::default()),
        });
        *self.owns() = owns.collect();
    }

    /// Takes note of a message. At most one signature for each of the service's certificates.
    pub(super) fn observe(
        &self,
        verifier: &mut Verifier,
        message: &[u8],
        verdict: Result<&Accepted<'_>, &Refusal>,
        now: Time64,
    ) {
        let mut random = [0; 32];
        if getrandom::fill(&mut random).is_err() {
            return;
        }
        let seed = Seed::new(random);
        for own in self.owns().iter_mut() {
            if let Some(distribution) = &mut own.distribution {
                let own = &own.certificate;
                distribution.observe(verifier, own, message, verdict, (now, &seed));
            }
        }
    }

    /// Signs with what is to be asked and answered.
    pub(super) fn sign<T>(&self, sender: &mut Sender, sign: impl FnOnce(&mut Sender) -> T) -> T {
        let id = sender.credential().certificate().id();
        if let Some(distribution) = self.slot(id, Option::take) {
            *sender.distribution() = distribution;
        }
        let signed = sign(sender);
        self.slot(id, |slot| {
            // It is there if it could not be taken before.
            slot.get_or_insert_with(|| std::mem::take(sender.distribution()));
            None::<()>
        });
        signed
    }

    fn slot<T>(
        &self,
        id: HashedId8,
        run: impl FnOnce(&mut Option<CertificateDistribution>) -> Option<T>,
    ) -> Option<T> {
        let mut owns = self.owns_now()?;
        let own = owns.iter_mut().find(|own| own.certificate.id() == id)?;
        run(&mut own.distribution)
    }
}
