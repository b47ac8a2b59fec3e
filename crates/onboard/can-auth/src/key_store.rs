//! The home of keys: [`MacKeyStore`] computes with them and never gives one out.
//!
//! The authenticators name a key by its [`KeyId`] and hand the message over, so that the same code
//! runs with keys in its own memory ([`crate::keyring::Keyring`]), in a protected module, or in a
//! hardware security module.

use waywarden_work::{Meter, NoMeter};

use crate::mac::{TAG_LENGTH, Tag};

/// Names a key of a key store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(pub u16);

/// The allowed usage of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usage {
    /// Computing tags of own messages.
    Protect,
    /// Checking tags of others' messages: a tag never comes out.
    Check,
    /// Both, as where a group shares one key.
    Both,
}

/// Reason that a key store refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyStoreError {
    /// It has no such key.
    UnknownKey(KeyId),
    /// The key may not be used for that.
    Usage(KeyId),
    /// There is no room for another key.
    Full,
    /// The caller may not use this key.
    Access,
}

/// A message with the tag that came with it, neither of them checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim<M> {
    /// The message over which the tag is to be computed.
    pub message: M,
    /// The tag as it came, from its first bit on.
    pub received: [u8; TAG_LENGTH],
}

/// Computes with keys that stay inside. Time depends on lengths alone.
///
/// Meters are trait objects here, so that a key store can be one, too: a board has its keys in
/// software or in hardware by configuration.
pub trait MacKeyStore {
    /// Computes the tag of the parts of a message in a row under `key`, metered.
    ///
    /// # Errors
    /// [`KeyStoreError::UnknownKey`]; [`KeyStoreError::Usage`] unless the key may protect.
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError>;

    /// Returns true if the first `bits` bits of `received` are those of the tag under `key`,
    /// metered. While keys are rolled over, it is checked with the one before, too.
    ///
    /// # Errors
    /// [`KeyStoreError::UnknownKey`]; [`KeyStoreError::Usage`] unless the key may check.
    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError>;

    /// Puts the tag of `context` under `from`, all 128 bits of it, into `into` as a key of the same
    /// usage, in place of what was there. Metered.
    ///
    /// # Errors
    /// [`KeyStoreError::UnknownKey`] without `from`; [`KeyStoreError::Full`] without room for
    /// `into`.
    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError>;

    /// Computes the tags of many messages under `key`, as [`crate::mac::Mac::compute_batch`] does:
    /// in any order, not metered.
    ///
    /// # Errors
    /// As [`MacKeyStore::tag`]; then `each` was not called for the messages that were left.
    fn tag_batch<M: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        messages: impl Iterator<Item = M>,
        mut each: impl FnMut(usize, &M, &Tag),
    ) -> Result<(), KeyStoreError>
    where
        Self: Sized,
    {
        for (index, message) in messages.enumerate() {
            let tag = self.tag(key, &[message.as_ref()], &mut NoMeter)?;
            each(index, &message, &tag);
        }
        Ok(())
    }

    /// Looks ahead: calls `right` for claims, by their place in the row and in any order, of which
    /// [`MacKeyStore::check`] would say that they are right and nothing else would change. It need
    /// not find them all, or any: of the others [`MacKeyStore::check`] decides. Changes nothing and
    /// is not metered.
    ///
    /// # Errors
    /// As [`MacKeyStore::check`].
    fn foresee<M: AsRef<[u8]>>(
        &mut self,
        key: KeyId,
        claims: impl Iterator<Item = Claim<M>>,
        bits: usize,
        right: impl FnMut(usize),
    ) -> Result<(), KeyStoreError>
    where
        Self: Sized,
    {
        let _ = (key, claims, bits, right);
        Ok(())
    }
}

/// A key store that another owns: on a microcontroller, in a place of its own.
impl<V: MacKeyStore + ?Sized> MacKeyStore for &mut V {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        (**self).tag(key, message, meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        (**self).check(key, message, received, bits, meter)
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        (**self).derive(from, into, context, meter)
    }
}

impl<M: AsRef<[u8]>> AsRef<[u8]> for Claim<M> {
    fn as_ref(&self) -> &[u8] {
        self.message.as_ref()
    }
}

impl Usage {
    /// Returns true if tags may come out.
    #[must_use]
    pub const fn protects(self) -> bool {
        matches!(self, Usage::Protect | Usage::Both)
    }

    /// Returns true if tags may be checked.
    #[must_use]
    pub const fn checks(self) -> bool {
        matches!(self, Usage::Check | Usage::Both)
    }
}

impl core::fmt::Display for KeyStoreError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            KeyStoreError::UnknownKey(key) => write!(f, "there is no key {}", key.0),
            KeyStoreError::Usage(key) => write!(f, "key {} may not be used for that", key.0),
            KeyStoreError::Full => f.write_str("there is no room for another key"),
            KeyStoreError::Access => f.write_str("the caller may not use this key"),
        }
    }
}

impl core::error::Error for KeyStoreError {}
