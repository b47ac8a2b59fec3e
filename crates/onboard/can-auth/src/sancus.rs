//! Protected modules in the manner of Sancus \[VULCAN\]: keys that follow from what a module is,
//! and an attestation server that hands the keys of connections to modules that prove it.
//!
//! An ECU's hardware has a node key; a vendor's key is the tag of the vendor under it; a module's
//! key the tag of its code and layout under that. So a changed module has another key. The node's
//! owner knows the node key, and no software on the ECU does. The owner can tell what the module's
//! key must be.
//!
//! What isolation there is, is that of Rust's types: code that holds a [`Module`] can have tags
//! computed and messages checked, and cannot read a key. A simulation can take that for hardware;
//! on a real ECU something must keep other code out of this memory, or it protects nothing.
//!
//! One exchange: the server sends a [`Challenge`]; the module answers with a number of its own and
//! a tag over both, [`AttestationQuote`]; the server, if it is the right one, seals keys for this
//! pair of numbers, [`Delivery`]. A recorded challenge gets a new number, so that nothing recorded
//! fits it.

mod module;
mod server;
#[cfg(test)]
mod tests;

use waywarden_work::Meter;

pub use self::module::{DeliveryError, Module};
pub use self::server::{AttestError, AttestationServer};
use crate::key_store::{KeyId, Usage};
use crate::mac::{KEY_LENGTH, Mac, MacKey, TAG_LENGTH};

/// A new number that the server draws for each attestation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge(pub [u8; 16]);

/// A module's proof of what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttestationQuote {
    /// A new number that the module draws for each answer.
    pub fresh: [u8; 16],
    /// Over both numbers, under the module's key.
    pub tag: [u8; TAG_LENGTH],
}

/// A key for one attested module, under its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The number of this delivery within its attestation, from 1.
    pub count: u32,
    /// The key's name.
    pub id: KeyId,
    /// The allowed usage of the key.
    pub usage: Usage,
    /// The key, with a pad that only the two can compute.
    pub sealed: [u8; KEY_LENGTH],
    /// Over everything, under the module's key.
    pub tag: [u8; TAG_LENGTH],
}

/// The hardware of one ECU, which alone holds the node key.
pub struct Hardware<M>(M);

impl<M: Mac> Hardware<M> {
    /// Burns in a node key.
    #[must_use]
    pub fn new(node: &MacKey) -> Self {
        Hardware(M::new(node))
    }

    /// Protects a module: `identity` is its code and its layout, in parts that the caller keeps
    /// unambiguous; `seed` makes its numbers and must be fresh at each boot. Metered.
    pub fn protect<const N: usize>(
        &self,
        vendor: u16,
        identity: &[&[u8]],
        seed: &[u8; 16],
        meter: &mut impl Meter,
    ) -> Module<M, N> {
        Module::new(module_key(&self.0, vendor, identity, meter), seed)
    }
}

/// The key of a module on the node with this key.
fn module_key<M: Mac>(node: &M, vendor: u16, identity: &[&[u8]], meter: &mut impl Meter) -> M {
    let vendor = node.tag(&[&vendor.to_le_bytes()], meter);
    let vendor = M::new(&MacKey::from_bytes(*vendor.whole()));
    M::new(&MacKey::from_bytes(*vendor.tag(identity, meter).whole()))
}

/// The two numbers of an attestation: what a delivery is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Session {
    challenge: [u8; 16],
    fresh: [u8; 16],
}

const QUOTE: u8 = 1;
const PAD: u8 = 2;
const SEAL: u8 = 3;

impl Session {
    fn quote<M: Mac>(&self, key: &M, meter: &mut impl Meter) -> crate::mac::Tag {
        key.tag(&[&[QUOTE], &self.challenge, &self.fresh], meter)
    }

    /// Returns the pad that seals a key; it differs for each delivery.
    fn pad<M: Mac>(&self, key: &M, delivery: &Delivery, meter: &mut impl Meter) -> crate::mac::Tag {
        let header = delivery.header();
        key.tag(&[&[PAD], &self.challenge, &self.fresh, &header], meter)
    }

    fn seal<M: Mac>(
        &self,
        key: &M,
        delivery: &Delivery,
        meter: &mut impl Meter,
    ) -> crate::mac::Tag {
        let header = delivery.header();
        let parts: [&[u8]; 5] = [
            &[SEAL],
            &self.challenge,
            &self.fresh,
            &header,
            &delivery.sealed,
        ];
        key.tag(&parts, meter)
    }
}

impl Delivery {
    fn header(&self) -> [u8; 7] {
        let mut bytes = [0; 7];
        bytes[..4].copy_from_slice(&self.count.to_le_bytes());
        bytes[4..6].copy_from_slice(&self.id.0.to_le_bytes());
        bytes[6] = match self.usage {
            Usage::Protect => 1,
            Usage::Check => 2,
            Usage::Both => 3,
        };
        bytes
    }
}

/// Adds a pad to a key, or takes it away.
fn with_pad(key: &[u8; KEY_LENGTH], pad: &crate::mac::Tag) -> [u8; KEY_LENGTH] {
    core::array::from_fn(|index| key[index] ^ pad.whole()[index])
}
