//! SipHash-2-4 with 128 bits \[SIPHASH\], by the crate
//! `siphasher`: a few additions, rotations and exclusive-ors a byte, for boards without AES.

use core::hash::Hasher as _;

use siphasher::sip128::{Hasher128 as _, SipHasher24};
use waywarden_work::Algorithm;
use zeroize::ZeroizeOnDrop;

use super::{Mac, MacKey, Tag};

/// SipHash-2-4-128 under one key. Wiped on drop; the state of a computation is not, as the crate
/// has no such thing, but the key does not follow from what is left of it without a search.
#[derive(ZeroizeOnDrop)]
pub struct SipHash(MacKey);

impl Mac for SipHash {
    const ALGORITHM: Algorithm = Algorithm::SipHash;

    fn new(key: &MacKey) -> Self {
        SipHash(key.duplicate())
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        let mut hasher = SipHasher24::new_with_key(self.0.as_bytes());
        for part in message {
            hasher.write(part);
        }
        Tag::of::<Self>(hasher.finish128().as_bytes())
    }
}
