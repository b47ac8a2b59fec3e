//! Message authentication codes with keys of 128 bits, behind one trait, so that every protocol
//! takes each of them by type.
//!
//! All are constant time. [`Mac::tag`] reports what it did to a [`Meter`]; nothing else computes.

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
/// Bytes of a whole tag.
pub const TAG_LENGTH: usize = 16;

/// A key of 128 bits. Wiped on drop; no `Debug`, no `Clone`, compared in constant time.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Key([u8; KEY_LENGTH]);

/// A tag of 128 bits, and which of its bytes come first when it is cut short.
///
/// It is made of a secret and a message that may be known: what has been sent of it is public, the
/// rest is not. Compared by [`Tag::matches`] in constant time.
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Tag {
    bytes: [u8; TAG_LENGTH],
    #[zeroize(skip)]
    leading: usize,
}

/// A message authentication code under one key. Implementations wipe what they hold of it.
pub trait Mac: Sized {
    /// Its name, for the report of what was done.
    const ALGORITHM: Algorithm;
    /// Index of the byte of a tag that comes first when it is cut short; the byte before it comes
    /// last.
    const LEADING: usize = 0;

    /// Creates the state of a code with a key.
    fn new(key: &Key) -> Self;

    /// Computes the tag of the parts of a message in a row. For [`Mac::tag`], which reports it.
    fn compute(&self, message: &[&[u8]]) -> Tag;

    /// Computes the tags of many messages and hands each to `each`, with the message and which one
    /// in the row it was: in any order, and a later message may be asked for before the tag of an
    /// earlier one is there. Not metered: this is for a caller that works on a whole log, not for
    /// an ECU whose time counts. A caller that has messages under several keys sorts them first.
    ///
    /// Any number of messages; of [`AesCmac`] at most 64 are held at a time, on the stack.
    fn compute_batch<M: AsRef<[u8]>>(
        &self,
        messages: impl Iterator<Item = M>,
        mut each: impl FnMut(usize, &M, &Tag),
    ) {
        for (index, message) in messages.enumerate() {
            each(index, &message, &self.compute(&[message.as_ref()]));
        }
    }

    /// Computes the tag of the parts of a message in a row, metered as `Tag` over their bytes. The
    /// caller sees to it that no two messages have the same row: parts of fixed length, or with
    /// their length before them.
    fn tag(&self, message: &[&[u8]], meter: &mut Meter) -> Tag {
        let length = message.iter().map(|part| part.len()).sum::<usize>();
        meter.record(Operation::new(
            OperationKind::Tag,
            Self::ALGORITHM,
            u32::try_from(length).unwrap_or(u32::MAX),
        ));
        self.compute(message)
    }
}

impl Key {
    /// Takes the bytes. The caller's own copy of them is the caller's to wipe.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; KEY_LENGTH]) -> Self {
        Key(bytes)
    }

    /// Returns the bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; KEY_LENGTH] {
        &self.0
    }

    /// Makes a second copy, for a place that outlives this one.
    #[must_use]
    pub const fn duplicate(&self) -> Self {
        Key(self.0)
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for Key {}

impl Tag {
    /// Returns a tag by `M`.
    fn of<M: Mac>(bytes: [u8; TAG_LENGTH]) -> Self {
        Tag {
            bytes,
            leading: M::LEADING,
        }
    }

    /// All bytes, as the algorithm gives them.
    #[must_use]
    pub const fn whole(&self) -> &[u8; TAG_LENGTH] {
        &self.bytes
    }

    /// The first `LENGTH` bytes of what is sent of it; more than 16 do not compile.
    #[must_use]
    pub fn leading<const LENGTH: usize>(&self) -> [u8; LENGTH] {
        const { assert!(LENGTH <= TAG_LENGTH) }
        core::array::from_fn(|index| self.bytes[(self.leading + index) % TAG_LENGTH])
    }

    /// Returns true if the first `bits` bits, at most 128, are the first bits of `received`. False
    /// if `received` has fewer, or if `bits` is zero. Takes the same time wherever they differ.
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
