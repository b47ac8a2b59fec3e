//! Nonces that are computed before there is anything to sign: what is left of a signature then is
//! two multiplications modulo n.

use core::ops::Range;

use waywarden_ecverify::Curve;
use zeroize::Zeroizing;

use crate::arithmetic::{ReadyNonce, prepare_nonce, scalar_of_seed, sign_with};
use crate::error::KeyError;
use crate::signature::{NonceForm, Signature};

/// Up to `N` nonces of one curve, each with its point. A nonce is used once and wiped.
///
/// A nonce that was used twice, on two digests, gives the private key away. Unlike the nonces of
/// RFC 6979 these do not depend on the digest, so a device that is reset, or whose memory is
/// restored, must not compute them again. Two things see to that, and either is enough: the seed is
/// fresh at each start, and each nonce has a number that the device has reserved in memory that
/// lasts, before it was computed. Only a copy of a device, its persistent memory and its random
/// generator makes the same nonces: sign with [`Nonce::Hedged`](crate::Nonce) where that may be.
pub struct PrecomputedNonces<const N: usize> {
    curve: Curve,
    seed: Zeroizing<[u8; 32]>,
    numbers: Range<u64>,
    /// All numbers below have been reserved.
    reserved: u64,
    ready: [Option<ReadyNonce>; N],
}

impl<const N: usize> PrecomputedNonces<N> {
    /// Makes room for nonces of a curve. `seed` is 32 bytes of a random generator, fresh at each
    /// start.
    #[must_use]
    pub fn new(curve: Curve, seed: &[u8; 32]) -> Self {
        Self {
            curve,
            seed: Zeroizing::new(*seed),
            numbers: 0..0,
            reserved: 0,
            ready: core::array::from_fn(|_| None),
        }
    }

    /// Returns the curve.
    #[must_use]
    pub fn curve(&self) -> Curve {
        self.curve
    }

    /// Takes numbers that have never been reserved on this device before. The caller has written
    /// `numbers.end` to memory that survives a reset, and read it back at the start, before it
    /// calls this.
    ///
    /// # Errors
    /// [`KeyError::NumbersUsed`] for numbers below the end of any that were reserved before.
    pub fn reserve(&mut self, numbers: Range<u64>) -> Result<(), KeyError> {
        if numbers.start < self.reserved {
            return Err(KeyError::NumbersUsed);
        }
        // An empty range may end below its start, and gives no number back.
        self.reserved = self.reserved.max(numbers.end);
        self.numbers = numbers;
        Ok(())
    }

    /// Computes one nonce, if one of the `N` places is free: one multiplication of the generator.
    /// Returns whether there was a free place.
    ///
    /// # Errors
    /// [`KeyError::NoNumbers`], [`KeyError::Unsupported`] for a curve that was not built in.
    pub fn precompute(&mut self) -> Result<bool, KeyError> {
        let Some(place) = self.ready.iter_mut().find(|place| place.is_none()) else {
            return Ok(false);
        };
        let number = self.numbers.next().ok_or(KeyError::NoNumbers)?;
        let k = scalar_of_seed(self.curve, &self.seed, b"nonce", number)?;
        let nonce = prepare_nonce(self.curve, &k[..self.curve.field_bytes()])?;
        *place = Some(nonce);
        Ok(true)
    }

    /// Returns how many nonces are ready.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.ready.iter().flatten().count()
    }

    /// Signs with a nonce, which is gone then, whatever comes of it.
    pub(crate) fn sign(
        &mut self,
        private: &[u8],
        digest: &[u8],
        form: NonceForm,
    ) -> Result<Signature, KeyError> {
        let ready = self.ready.iter_mut().find(|place| place.is_some());
        let place = ready.ok_or(KeyError::NoNonce)?;
        let nonce = place.as_ref().ok_or(KeyError::NoNonce)?;
        let signature = sign_with(private, digest, nonce, form);
        // Dropped where it is, which wipes it: `take` would leave the bytes behind.
        *place = None;
        signature
    }
}
