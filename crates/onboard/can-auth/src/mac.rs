//! Message authentication codes with 128-bit keys behind one trait, so that every protocol can use
//! each of them as a type parameter.
//!
//! All run in constant time. Only [`Mac::tag`] records its work in a [`Meter`].

mod aes;
mod hmac;
mod siphash;
mod spongent;
#[cfg(test)]
mod tests;

use subtle::ConstantTimeEq;
use waywarden_work::{Algorithm, Meter, Operation, OperationKind};
use zeroize::{Zeroize, ZeroizeOnDrop};

pub use self::aes::AesCmac;
pub use self::hmac::HmacSha256;
pub use self::siphash::SipHash;
pub use self::spongent::SpongentMac;

/// Length of a key, in bytes.
pub const KEY_LENGTH: usize = 16;
/// Length of a complete tag, in bytes.
pub const TAG_LENGTH: usize = 16;

/// A key of 128 bits. Wiped on drop; no `Debug`, no `Clone`, compared in constant time.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct MacKey([u8; KEY_LENGTH]);

/// A 128-bit tag, with the index of the byte that a truncated tag starts with.
///
/// It depends on a secret and on a message that may be known: the transmitted bytes are public, the
/// others are secret. [`Tag::matches`] compares in constant time.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Tag {
    bytes: [u8; TAG_LENGTH],
    #[zeroize(skip)]
    leading: usize,
}

/// A message authentication code under one key. Implementations wipe the key material that they
/// hold.
pub trait Mac: Sized {
    /// Algorithm that [`Mac::tag`] records.
    const ALGORITHM: Algorithm;
    /// Index of the byte that a truncated tag starts with; the byte before it comes last.
    const LEADING: usize = 0;

    /// Creates a code from a key.
    fn new(key: &MacKey) -> Self;

    /// Computes the tag of the concatenated parts of a message, unmetered; [`Mac::tag`] meters it.
    fn compute(&self, message: &[&[u8]]) -> Tag;

    /// Computes the tags of many messages and calls `each` with index, message and tag, in any
    /// order. It may take later messages from the iterator before the tags of earlier ones are
    /// ready. Not metered: it is meant for a caller that processes a whole log, not for an ECU
    /// whose computing time counts. The caller groups messages under several keys by key first.
    ///
    /// The number of messages is unlimited; [`AesCmac`] holds at most 64 at a time, on the stack.
    fn compute_batch<M: AsRef<[u8]>>(
        &self,
        messages: impl Iterator<Item = M>,
        mut each: impl FnMut(usize, &M, &Tag),
    ) {
        for (index, message) in messages.enumerate() {
            each(index, &message, &self.compute(&[message.as_ref()]));
        }
    }

    /// Computes the tag of the concatenated parts of a message, metered as `Tag` over their bytes.
    /// The caller keeps the concatenation unambiguous: parts have a fixed length, or follow their
    /// length.
    fn tag(&self, message: &[&[u8]], meter: &mut impl Meter) -> Tag {
        let length = message.iter().map(|part| part.len()).sum::<usize>();
        meter.record(Operation::new(
            OperationKind::Tag,
            Self::ALGORITHM,
            u32::try_from(length).unwrap_or(u32::MAX),
        ));
        self.compute(message)
    }
}

impl MacKey {
    /// Creates a key from its bytes. The caller wipes its own copy of them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; KEY_LENGTH]) -> Self {
        MacKey(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; KEY_LENGTH] {
        &self.0
    }

    /// Copies the key, for a holder that outlives this one.
    #[must_use]
    pub const fn duplicate(&self) -> Self {
        MacKey(self.0)
    }
}

impl PartialEq for MacKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for MacKey {}

impl Tag {
    /// Takes the bytes of a tag in transmission order, as a key store outside this crate computes
    /// them.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; TAG_LENGTH]) -> Self {
        Tag { bytes, leading: 0 }
    }

    /// Creates a tag that `M` computed.
    fn of<M: Mac>(bytes: [u8; TAG_LENGTH]) -> Self {
        Tag {
            bytes,
            leading: M::LEADING,
        }
    }

    /// Returns all bytes in the algorithm's order.
    #[must_use]
    pub const fn whole(&self) -> &[u8; TAG_LENGTH] {
        &self.bytes
    }

    /// Returns the first `LENGTH` bytes in transmission order; more than 16 do not compile.
    #[must_use]
    pub fn leading<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        const { assert!(LENGTH <= TAG_LENGTH) }
        core::array::from_fn(|index| self.bytes[(self.leading + index) % TAG_LENGTH])
    }

    /// Returns true if the first `bits` bits, at most 128, are the first bits of `received`. False
    /// if `received` has fewer, or if `bits` is zero. The time does not depend on where they
    /// differ.
    #[must_use]
    pub fn matches(&self, received: &[u8], bits: usize) -> bool {
        if bits == 0 || bits > 8 * TAG_LENGTH || received.len() < bits.div_ceil(8) {
            return false;
        }
        let own: [u8; TAG_LENGTH] = self.leading();
        let (whole, rest) = (bits / 8, bits % 8);
        let mut equal = own[..whole].ct_eq(&received[..whole]);
        if rest > 0 {
            let mask = !(0xFF >> rest);
            equal &= (own[whole] & mask).ct_eq(&(received[whole] & mask));
        }
        equal.into()
    }
}
