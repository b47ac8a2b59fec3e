//! Keys of an end: in its memory, or behind a call-back.

use core::ffi::c_void;

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::mac::{AesCmac, KEY_LENGTH, Mac, MacKey, TAG_LENGTH, Tag};
#[cfg(feature = "all-codes")]
use waywarden_can_auth::mac::{HmacSha256, SipHash, SpongentMac};
use waywarden_can_auth::single_key::SingleKey;
use waywarden_work::{Meter, NoMeter};
use zeroize::Zeroize;

use crate::memory::{bytes, read, writable};
use crate::status::{Status, answer};

/// AES-128-CMAC (RFC 4493).
pub const WAYWARDEN_AES_CMAC: u8 = 0;
/// HMAC-SHA-256, its first 128 bits.
pub const WAYWARDEN_HMAC_SHA256: u8 = 1;
/// SipHash-2-4 with 128 bits.
pub const WAYWARDEN_SIPHASH: u8 = 2;
/// SpongentMac.
pub const WAYWARDEN_SPONGENT: u8 = 3;

/// Computes the code of a message: 16 bytes into `code`, its first bit first. Returns 0 if it did.
/// A hardware security module, or a job of a crypto service manager, may be behind it.
pub type CodeFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        message: *const u8,
        length: usize,
        code: *mut u8,
    ) -> i32,
>;

/// Compares the first `bits` bits of the code of a message with those of `code`, in constant time.
/// Returns 0 if they are equal, 1 if they are not, another number if it failed. For keys that may
/// check and not compute.
pub type CheckFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        message: *const u8,
        length: usize,
        code: *const u8,
        bits: usize,
    ) -> i32,
>;

/// The key of an end: `bytes`, or one or both of `compute` and `check`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key {
    /// The 16 bytes of the key, copied and wiped by `..._clear`; null where the key is elsewhere.
    pub bytes: *const u8,
    /// WAYWARDEN_AES_CMAC and others; not looked at where the key is elsewhere.
    pub algorithm: u8,
    /// Computes codes where the key is elsewhere: needed by a sender; a receiver uses it where
    /// there is no `check`.
    pub compute: CodeFunction,
    /// Checks codes where the key is elsewhere.
    pub check: CheckFunction,
    /// Handed to both as it is. Must live as long as the object.
    pub context: *mut c_void,
}

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

/// Copies the bytes of a key.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
unsafe fn key_of(from: *const u8) -> Result<MacKey, Status> {
    // SAFETY: by the caller.
    let mut own = unsafe { read(from.cast::<[u8; KEY_LENGTH]>()) }?;
    let key = MacKey::from_bytes(own);
    own.zeroize();
    Ok(key)
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

/// Computes the AES-128-CMAC of `length` bytes of `message` under the 16 bytes of `key`: 16 bytes
/// into `code`. In constant time. For programs that have their own protocol.
///
/// # Safety
/// See [the rules on pointers](crate#pointers).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn waywarden_aes_cmac(
    key: *const u8,
    message: *const u8,
    length: usize,
    code: *mut u8,
) -> Status {
    answer(|| {
        writable(code)?;
        // SAFETY: by the caller.
        let (key, message) = unsafe { (key_of(key)?, bytes(message, length)?) };
        let tag = AesCmac::new(&key).tag(&[message], &mut NoMeter);
        // SAFETY: 16 bytes by the caller.
        unsafe { crate::memory::write(code.cast(), *tag.whole()) }
    })
}
