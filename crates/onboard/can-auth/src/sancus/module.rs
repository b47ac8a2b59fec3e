//! A protected module: its own key, the keys it was given, and what it does with them.

use waywarden_work::{Algorithm, Meter, Operation, OperationKind};
use zeroize::Zeroizing;

use super::{AttestationQuote, Challenge, Delivery, Session, with_pad};
use crate::key_store::{KeyId, KeyStoreError, MacKeyStore};
use crate::keyring::Keyring;
use crate::mac::{Mac, MacKey, SipHash, Tag};

/// A module with room for `N` keys. Its code reaches the keys through [`MacKeyStore`] alone.
pub struct Module<M, const N: usize> {
    key: M,
    keys: Keyring<M, N>,
    numbers: SipHash,
    drawn: u64,
    /// The attestation that was answered last, and the last delivery of it.
    session: Option<(Session, u32)>,
}

/// Reason for refusing a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveryError {
    /// No server asked what this module is, or one asked again since.
    NotAttested,
    /// Not sealed by the server for the attestation answered last.
    Seal,
    /// It was taken before, or a later one was.
    Replay,
    /// There is no room for it.
    Full,
}

impl<M: Mac, const N: usize> Module<M, N> {
    pub(super) fn new(key: M, seed: &[u8; 16]) -> Self {
        Module {
            key,
            keys: Keyring::new(),
            numbers: SipHash::new(&MacKey::from_bytes(*seed)),
            drawn: 0,
            session: None,
        }
    }

    /// Proves what this module is. Deliveries of attestations before this one are refused from now
    /// on; the keys that were taken stay.
    pub fn attest(&mut self, challenge: Challenge, meter: &mut impl Meter) -> AttestationQuote {
        self.drawn += 1;
        let fresh = self.numbers.compute(&[&self.drawn.to_le_bytes()]);
        let session = Session {
            challenge: challenge.0,
            fresh: fresh.leading(),
        };
        self.session = Some((session, 0));
        AttestationQuote {
            fresh: session.fresh,
            tag: session.quote(&self.key, meter).leading(),
        }
    }

    /// Takes a key that the server sealed for this module.
    ///
    /// # Errors
    /// [`DeliveryError`]; then nothing changed.
    pub fn take(
        &mut self,
        delivery: &Delivery,
        meter: &mut impl Meter,
    ) -> Result<(), DeliveryError> {
        let (session, last) = self.session.ok_or(DeliveryError::NotAttested)?;
        let seal = session.seal(&self.key, delivery, meter);
        if !seal.matches(&delivery.tag, 128) {
            return Err(DeliveryError::Seal);
        }
        if delivery.count <= last {
            return Err(DeliveryError::Replay);
        }
        let pad = session.pad(&self.key, delivery, meter);
        let key = Zeroizing::new(with_pad(&delivery.sealed, &pad));
        let key = MacKey::from_bytes(*key);
        let taken = self.keys.insert(delivery.id, delivery.usage, &key);
        taken.map_err(|_| DeliveryError::Full)?;
        self.session = Some((session, delivery.count));
        Ok(())
    }
}

/// A call for a tag is metered as one, besides the tag. What a check takes more than outside of a
/// module is not known apart: \[VULCAN\] measures messages sent, and whole round trips.
impl<M: Mac, const N: usize> MacKeyStore for Module<M, N> {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        mut meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        let call = (OperationKind::ModuleCall, Algorithm::ProtectedModule);
        meter.record(Operation::new(call.0, call.1, 0));
        self.keys.tag(key, message, &mut meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        mut meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        self.keys.check(key, message, received, bits, &mut meter)
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        mut meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.keys.derive(from, into, context, &mut meter)
    }
}

impl core::fmt::Display for DeliveryError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            DeliveryError::NotAttested => "the module has not been attested",
            DeliveryError::Seal => "not sealed for the attestation answered last",
            DeliveryError::Replay => "it was taken before, or a later one was",
            DeliveryError::Full => "there is no room for another key",
        })
    }
}

impl core::error::Error for DeliveryError {}
