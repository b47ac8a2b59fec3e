//! Certificates that stations ask each other for, in the service's own messages \[1609.2 §8\].
//!
//! The threads that verify take note of what others ask and lack; the thread that signs puts
//! requests and answers into its messages. There is one note for all of the service's certificates.
//! It is locked for look-ups alone: messages are read before, and certificates are verified after.
//! The thread that signs never waits here: a message that is signed while the note is in use goes
//! out without requests and answers, and the next one has them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::{Accepted, CertificateStore, ResultCode, Verified};
use waywarden_v2x_signing::{
    CertificateDistribution, MessageAdditions, MessageSigner, Observation, OfferOutcome,
    OfferedCertificate, OwnCertificates, Seed, SendingOptions, SignError, Statement,
};
use waywarden_v2x_wire::ieee1609dot2::Time64;

/// Requests and answers that go with the service's own certificates.
#[derive(Default)]
pub(super) struct Exchange(Mutex<CertificateDistribution>);

/// Returns true if an accepted message asks for certificates, gives one, or is the first of its
/// signer, whose certificate is then asked for no longer.
pub(super) fn is_concerned(accepted: &Accepted<'_>) -> bool {
    let header = &accepted.data.tbs_data.header_info;
    accepted.signer_is_new
        || header.inline_p2pcd_request.is_some()
        || header.requested_certificate.is_some()
        || header.p2pcd_learning_request.is_some()
}

/// Returns true if a message was refused for want of a certificate.
pub(super) fn lacks_certificate(code: ResultCode) -> bool {
    matches!(
        code,
        ResultCode::ParsingCertificateNotFound
            | ResultCode::ChainNotEnoughInformationToConstructChain
    )
}

impl Exchange {
    fn distribution(&self) -> MutexGuard<'_, CertificateDistribution> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `None` if it is in use.
    fn distribution_now(&self) -> Option<MutexGuard<'_, CertificateDistribution>> {
        match self.0.try_lock() {
            Ok(distribution) => Some(distribution),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Asks and answers with these certificates from now on.
    pub(super) fn replace<'c>(&self, certificates: impl Iterator<Item = &'c Arc<Verified>>) {
        // Collected before the lock, and dropped after it: this grows with the certificates.
        let own: OwnCertificates = certificates.collect();
        let mut distribution = self.distribution();
        distribution.forget_attempts();
        let before = distribution.set_own(own);
        drop(distribution);
        drop(before);
    }

    /// Takes note of a message; see [`CertificateDistribution::hear`].
    pub(super) fn hear<'o, 'm>(
        &self,
        known: &CertificateStore,
        observation: &'o Observation<'m>,
        now: (Time64, &Seed),
    ) -> Option<&'o OfferedCertificate<'m>> {
        self.distribution().hear(known, observation, now)
    }

    /// Takes what became of a certificate that was offered.
    pub(super) fn conclude(&self, offered: &OfferedCertificate<'_>, outcome: OfferOutcome) {
        self.distribution().conclude(offered, outcome);
    }

    /// Signs with what is to be asked and answered.
    pub(super) fn sign(
        &self,
        (sender, store): (&mut MessageSigner, &mut dyn KeyStore),
        statement: &Statement<'_>,
        options: SendingOptions,
        made: (Time64, &Seed),
    ) -> Result<Vec<u8>, SignError> {
        let own = sender.credential().id();
        sender.send_sharing(
            store,
            statement,
            options,
            made,
            |now, exchange, is_due| match self.distribution_now() {
                Some(mut distribution) => distribution.take(own, now, exchange, is_due),
                None => MessageAdditions {
                    with_own_certificate: is_due,
                    ..MessageAdditions::default()
                },
            },
        )
    }
}
