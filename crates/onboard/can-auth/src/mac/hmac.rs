//! HMAC-SHA-256 [RFC 2104], of which the first 128 bits count, by the crates `hmac` and `sha2`.

use ::hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;
use waywarden_work::Algorithm;

use super::{Mac, MacKey, TAG_LENGTH, Tag};

/// HMAC-SHA-256 under one key, with both pads absorbed. Wiped on drop.
#[derive(Clone)]
pub struct HmacSha256(Hmac<Sha256>);

impl Mac for HmacSha256 {
    const ALGORITHM: Algorithm = Algorithm::HmacSha256;

    fn new(key: &MacKey) -> Self {
        HmacSha256(Hmac::new_from_slice(key.as_bytes()).expect("HMAC takes keys of any length"))
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        let mut mac = self.0.clone();
        for part in message {
            mac.update(part);
        }
        let whole = mac.finalize().into_bytes();
        let mut bytes = [0; TAG_LENGTH];
        bytes.copy_from_slice(&whole[..TAG_LENGTH]);
        Tag::of::<Self>(bytes)
    }
}
