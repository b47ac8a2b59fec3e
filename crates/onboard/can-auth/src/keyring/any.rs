//! A keyring whose code is chosen at run time.

use waywarden_work::{Algorithm, Meter};

use super::Keyring;
use crate::key_store::{Claim, KeyId, KeyStoreError, MacKeyStore, Usage};
use crate::mac::{AesCmac, HmacSha256, MacKey, SipHash, SpongentMac, Tag};

/// Up to `N` keys of one code, whichever it is.
///
/// It has the size of the largest one; a device that has one code uses its [`Keyring`].
#[non_exhaustive]
pub enum AnyKeyring<const N: usize> {
    /// AES-CMAC.
    AesCmac(Keyring<AesCmac, N>),
    /// HMAC-SHA-256.
    HmacSha256(Keyring<HmacSha256, N>),
    /// SipHash.
    SipHash(Keyring<SipHash, N>),
    /// spongent-based MAC.
    Spongent(Keyring<SpongentMac, N>),
}

/// Evaluates one expression on the keyring, whichever its code.
macro_rules! with_keyring {
    ($keys:expr, $ring:ident => $does:expr) => {
        match $keys {
            AnyKeyring::AesCmac($ring) => $does,
            AnyKeyring::HmacSha256($ring) => $does,
            AnyKeyring::SipHash($ring) => $does,
            AnyKeyring::Spongent($ring) => $does,
        }
    };
}

impl<const N: usize> AnyKeyring<N> {
    /// Makes an empty keyring of a code; `None` for an algorithm that is no code of messages.
    #[must_use]
    pub fn of(code: Algorithm) -> Option<Self> {
        Some(match code {
            Algorithm::Aes128Cmac => AnyKeyring::AesCmac(Keyring::new()),
            Algorithm::HmacSha256 => AnyKeyring::HmacSha256(Keyring::new()),
            Algorithm::SipHash => AnyKeyring::SipHash(Keyring::new()),
            Algorithm::SpongentMac => AnyKeyring::Spongent(Keyring::new()),
            _ => return None,
        })
    }

    /// Adds a key, or puts it in the place of the one of this name.
    ///
    /// # Errors
    /// [`KeyStoreError::Full`] with `N` keys of other names.
    pub fn insert(&mut self, id: KeyId, usage: Usage, key: &MacKey) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.insert(id, usage, key))
    }
}

impl<const N: usize> MacKeyStore for AnyKeyring<N> {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        with_keyring!(self, ring => ring.tag(key, message, meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        with_keyring!(self, ring => ring.check(key, message, received, bits, meter))
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.derive(from, into, context, meter))
    }

    fn tag_batch<M: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        messages: impl Iterator<Item = M>,
        each: impl FnMut(usize, &M, &Tag),
    ) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.tag_batch(key, messages, each))
    }

    fn foresee<M: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        claims: impl Iterator<Item = Claim<M>>,
        bits: usize,
        right: impl FnMut(usize),
    ) -> Result<(), KeyStoreError> {
        with_keyring!(self, ring => ring.foresee(key, claims, bits, right))
    }
}

#[cfg(test)]
mod tests {
    use waywarden_work::NoMeter;

    use super::*;
    use crate::mac::Mac;

    const ID: KeyId = KeyId(1);

    #[test]
    fn each_code_is_that_of_its_own_keyring() {
        let key = MacKey::from_bytes([7; 16]);
        let tags = [
            (
                Algorithm::Aes128Cmac,
                AesCmac::new(&key).compute(&[b"message"]),
            ),
            (
                Algorithm::HmacSha256,
                HmacSha256::new(&key).compute(&[b"message"]),
            ),
            (
                Algorithm::SipHash,
                SipHash::new(&key).compute(&[b"message"]),
            ),
            (
                Algorithm::SpongentMac,
                SpongentMac::new(&key).compute(&[b"message"]),
            ),
        ];
        for (code, tag) in tags {
            let mut ring = AnyKeyring::<1>::of(code).unwrap();
            ring.insert(ID, Usage::Both, &key).unwrap();
            let own = ring.tag(ID, &[b"message"], &mut NoMeter).unwrap();
            assert_eq!(own.leading::<8>(), tag.leading::<8>(), "{code:?}");
            let received = tag.leading::<8>();
            let is_right = ring.check(ID, &[b"message"], &received, 64, &mut NoMeter);
            assert_eq!(is_right, Ok(true));
            let full = ring.insert(KeyId(2), Usage::Check, &key);
            assert_eq!(full, Err(KeyStoreError::Full));
        }
        assert!(AnyKeyring::<1>::of(Algorithm::Ed25519).is_none());
    }
}
