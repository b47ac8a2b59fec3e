//! The attestation server, for one module: what the module must be, and what it may have.

use waywarden_work::Meter;

use super::{AttestationQuote, Challenge, Delivery, Session, module_key, with_pad};
use crate::key_store::{KeyId, Usage};
use crate::mac::{KEY_LENGTH, Mac, MacKey};

/// Attests one module and seals keys for it; a vehicle's server has one for each.
pub struct AttestationServer<M> {
    key: M,
    stage: Stage,
}

enum Stage {
    Idle,
    Asked(Challenge),
    Attested(Session, u32),
}

/// Reason for refusing an attestation or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AttestError {
    /// It was not asked, or has answered.
    NotAsked,
    /// It is not the module it should be, not on this ECU, or not this question's answer.
    Quote,
    /// It has not been attested.
    NotAttested,
    /// As many keys as can be counted were sealed for this attestation.
    Exhausted,
}

impl<M: Mac> AttestationServer<M> {
    /// Expects the module with this identity, of this vendor, on the ECU with this node key.
    pub fn new(node: &MacKey, vendor: u16, identity: &[&[u8]], meter: &mut impl Meter) -> Self {
        AttestationServer {
            key: module_key(&M::new(node), vendor, identity, meter),
            stage: Stage::Idle,
        }
    }

    /// Asks; the caller draws a new number each time. What was attested before counts no more.
    pub const fn ask(&mut self, challenge: [u8; 16]) -> Challenge {
        self.stage = Stage::Asked(Challenge(challenge));
        Challenge(challenge)
    }

    /// Hears the answer.
    ///
    /// # Errors [`AttestError::NotAsked`], [`AttestError::Quote`]; a wrong answer leaves room for a
    /// right one.
    pub fn receive(
        &mut self,
        quote: &AttestationQuote,
        meter: &mut impl Meter,
    ) -> Result<(), AttestError> {
        let Stage::Asked(Challenge(challenge)) = self.stage else {
            return Err(AttestError::NotAsked);
        };
        let session = Session {
            challenge,
            fresh: quote.fresh,
        };
        if !session.quote(&self.key, meter).matches(&quote.tag, 128) {
            return Err(AttestError::Quote);
        }
        self.stage = Stage::Attested(session, 0);
        Ok(())
    }

    /// Seals a key for the module.
    ///
    /// # Errors
    /// [`AttestError::NotAttested`], [`AttestError::Exhausted`].
    pub fn deliver(
        &mut self,
        id: KeyId,
        usage: Usage,
        key: &MacKey,
        meter: &mut impl Meter,
    ) -> Result<Delivery, AttestError> {
        let Stage::Attested(session, last) = &mut self.stage else {
            return Err(AttestError::NotAttested);
        };
        *last = last.checked_add(1).ok_or(AttestError::Exhausted)?;
        let mut delivery = Delivery {
            count: *last,
            id,
            usage,
            sealed: [0; KEY_LENGTH],
            tag: [0; 16],
        };
        let pad = session.pad(&self.key, &delivery, meter);
        delivery.sealed = with_pad(key.as_bytes(), &pad);
        delivery.tag = session.seal(&self.key, &delivery, meter).leading();
        Ok(delivery)
    }
}

impl core::fmt::Display for AttestError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            AttestError::NotAsked => "the module was not asked",
            AttestError::Quote => "not the module that was expected",
            AttestError::NotAttested => "the module has not been attested",
            AttestError::Exhausted => "too many keys for one attestation",
        })
    }
}

impl core::error::Error for AttestError {}
