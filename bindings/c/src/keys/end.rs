//! The key of an end under its code.

use core::ffi::c_void;

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::mac::{AesCmac, TAG_LENGTH, Tag};
#[cfg(feature = "all-codes")]
use waywarden_can_auth::mac::{HmacSha256, SipHash, SpongentMac};
use waywarden_can_auth::single_key::SingleKey;
use waywarden_work::Meter;

use super::{CheckFunction, CodeFunction, Key, WAYWARDEN_AES_CMAC, key_of};
#[cfg(feature = "all-codes")]
use super::{WAYWARDEN_HMAC_SHA256, WAYWARDEN_SIPHASH, WAYWARDEN_SPONGENT};
use crate::memory::read;
use crate::status::Status;

/// Name of the one key of an end.
pub(crate) const KEY: KeyId = KeyId(0);

/// The longest message that a code is computed over: the data id, 64 bytes, the freshness.
const MESSAGE_MAX: usize = 80;

/// The key of an end under its code.
pub(crate) enum EndKey {
    AesCmac(SingleKey<AesCmac>),
    #[cfg(feature = "all-codes")]
    HmacSha256(SingleKey<HmacSha256>),
    #[cfg(feature = "all-codes")]
    SipHash(SingleKey<SipHash>),
    #[cfg(feature = "all-codes")]
    Spongent(SingleKey<SpongentMac>),
    /// Elsewhere.
    Elsewhere(Elsewhere),
}

/// A key behind a call-back, with the direction in which it may be used.
pub(crate) struct Elsewhere {
    compute: CodeFunction,
    check: CheckFunction,
    context: *mut c_void,
    usage: Usage,
}

/// A message in one piece, for a call-back.
struct Whole {
    bytes: [u8; MESSAGE_MAX],
    length: usize,
}

impl EndKey {
    /// Takes the key of an end.
    ///
    /// # Safety
    /// See [the rules on pointers](crate#pointers).
    pub(crate) unsafe fn new(key: *const Key, usage: Usage) -> Result<Self, Status> {
        // SAFETY: by the caller.
        let key = unsafe { read(key) }?;
        if key.compute.is_some() || key.check.is_some() {
            let serves = key.compute.is_some() || !usage.protects();
            return match key.bytes.is_null() && serves {
                true => Ok(EndKey::Elsewhere(Elsewhere {
                    compute: key.compute,
                    check: key.check,
                    context: key.context,
                    usage,
                })),
                false => Err(Status::Argument),
            };
        }
        // SAFETY: by the caller.
        let own = unsafe { key_of(key.bytes) }?;
        Ok(match key.algorithm {
            WAYWARDEN_AES_CMAC => EndKey::AesCmac(SingleKey::new(KEY, usage, own)),
            #[cfg(feature = "all-codes")]
            WAYWARDEN_HMAC_SHA256 => EndKey::HmacSha256(SingleKey::new(KEY, usage, own)),
            #[cfg(feature = "all-codes")]
            WAYWARDEN_SIPHASH => EndKey::SipHash(SingleKey::new(KEY, usage, own)),
            #[cfg(feature = "all-codes")]
            WAYWARDEN_SPONGENT => EndKey::Spongent(SingleKey::new(KEY, usage, own)),
            _ => return Err(Status::Argument),
        })
    }

    /// Rolls the key over.
    ///
    /// # Safety
    /// See [the rules on pointers](crate#pointers).
    pub(crate) unsafe fn roll_over(&mut self, key: *const u8) -> Result<(), Status> {
        // SAFETY: by the caller.
        let key = unsafe { key_of(key) }?;
        match self {
            EndKey::AesCmac(own) => own.roll_over(key),
            #[cfg(feature = "all-codes")]
            EndKey::HmacSha256(own) => own.roll_over(key),
            #[cfg(feature = "all-codes")]
            EndKey::SipHash(own) => own.roll_over(key),
            #[cfg(feature = "all-codes")]
            EndKey::Spongent(own) => own.roll_over(key),
            EndKey::Elsewhere(_) => return Err(Status::Key),
        }
        Ok(())
    }
}

/// Does the same with the key under each code.
macro_rules! each_code {
    ($key:expr, $own:ident => $does:expr) => {
        match $key {
            EndKey::AesCmac($own) => $does,
            #[cfg(feature = "all-codes")]
            EndKey::HmacSha256($own) => $does,
            #[cfg(feature = "all-codes")]
            EndKey::SipHash($own) => $does,
            #[cfg(feature = "all-codes")]
            EndKey::Spongent($own) => $does,
            EndKey::Elsewhere($own) => $does,
        }
    };
}

impl MacKeyStore for EndKey {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        each_code!(self, own => own.tag(key, message, meter))
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        each_code!(self, own => own.check(key, message, received, bits, meter))
    }

    fn derive(
        &mut self,
        from: KeyId,
        _into: KeyId,
        _context: &[&[u8]],
        _meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        Err(KeyStoreError::UnknownKey(from))
    }
}

impl Whole {
    fn new(message: &[&[u8]]) -> Result<Self, KeyStoreError> {
        let (mut bytes, mut length) = ([0; MESSAGE_MAX], 0);
        for part in message {
            let place = bytes.get_mut(length..length + part.len());
            place.ok_or(KeyStoreError::Access)?.copy_from_slice(part);
            length += part.len();
        }
        Ok(Whole { bytes, length })
    }
}

impl Elsewhere {
    fn computed(&self, message: &[&[u8]]) -> Result<Tag, KeyStoreError> {
        let compute = self.compute.ok_or(KeyStoreError::Access)?;
        let Whole { bytes, length } = Whole::new(message)?;
        let mut code = [0; TAG_LENGTH];
        // SAFETY: a function of this type, with its own context, by the rules on pointers.
        match unsafe { compute(self.context, bytes.as_ptr(), length, code.as_mut_ptr()) } {
            0 => Ok(Tag::from_bytes(code)),
            _ => Err(KeyStoreError::Access),
        }
    }

    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        _: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        match self.usage.protects() {
            true => self.computed(message),
            false => Err(KeyStoreError::Usage(key)),
        }
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        _: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        if !self.usage.checks() {
            return Err(KeyStoreError::Usage(key));
        }
        let Some(check) = self.check else {
            return Ok(self.computed(message)?.matches(received, bits));
        };
        if bits == 0 || received.len() < bits.div_ceil(8) {
            return Ok(false);
        }
        let Whole { bytes, length } = Whole::new(message)?;
        // SAFETY: a function of this type, with its own context, by the rules on pointers; there
        // are as many bits as are to be compared.
        match unsafe {
            check(
                self.context,
                bytes.as_ptr(),
                length,
                received.as_ptr(),
                bits,
            )
        } {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(KeyStoreError::Access),
        }
    }
}
