//! AES-128-CMAC [RFC 4493], by the crate `cmac`.

use ::aes::Aes128;
use cmac::{Cmac, KeyInit, Mac as _};
use waywarden_work::Algorithm;

use super::{Key, Mac, Tag};

/// AES-128-CMAC under one key, with its round keys and subkeys. Wiped on drop.
#[derive(Clone)]
pub struct AesCmac(Cmac<Aes128>);

impl Mac for AesCmac {
    const ALGORITHM: Algorithm = Algorithm::Aes128Cmac;

    fn new(key: &Key) -> Self {
        AesCmac(Cmac::new(key.as_bytes().into()))
    }

    fn compute(&self, message: &[&[u8]]) -> Tag {
        let mut mac = self.0.clone();
        for part in message {
            mac.update(part);
        }
        Tag::of::<Self>(mac.finalize().into_bytes().into())
    }
}
