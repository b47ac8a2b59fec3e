//! The protected module: the keys, the counters, and the use that each stream allows.
//!
//! A key of a stream that is checked is a key that could protect it, too. It is for checking alone
//! here: a verdict comes out, and never a tag.

use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_firmware_gateway::{OTHER_STREAM, OWN_STREAM, Seal, Status};
use waywarden_work::NoMeter;

use crate::keys;

/// Bits of a tag: all of them are sent and checked.
const TAG_BITS: usize = 128;

/// A stream, and its last counter. Counters start at zero with each start of this half: a product
/// has them in secure flash, as the `store` of a port.
struct Stream {
    id: u32,
    counter: u64,
}

/// The module. There is one, made at the start.
pub(crate) struct ProtectedModule {
    keys: Keyring<AesCmac, 2>,
    streams: [Stream; 2],
}

impl ProtectedModule {
    /// Makes the module, with its keys.
    pub(crate) fn new() -> Result<Self, KeyStoreError> {
        let mut keys = Keyring::new();
        let (own, other) = (name(OWN_STREAM), name(OTHER_STREAM));
        keys.insert(own, Usage::Protect, &MacKey::from_bytes(keys::OWN))?;
        keys.insert(other, Usage::Check, &MacKey::from_bytes(keys::OTHER))?;
        let streams = [OWN_STREAM, OTHER_STREAM].map(|id| Stream { id, counter: 0 });
        Ok(ProtectedModule { keys, streams })
    }

    /// Protects a message. The counter is used up before there is a tag.
    pub(crate) fn protect(&mut self, stream: u32, payload: &[u8]) -> Result<Seal, Status> {
        let stream = find(&mut self.streams, stream)?;
        let counter = stream.counter.checked_add(1).ok_or(Status::Exhausted)?;
        let (id, place) = prefix(stream.id, counter);
        let message = [&id[..], &place, payload];
        let tag = self.keys.tag(name(stream.id), &message, &mut NoMeter);
        let tag = tag.map_err(|_| Status::Stream)?;
        stream.counter = counter;
        Ok(Seal {
            counter: counter.to_le_bytes(),
            tag: tag.leading(),
        })
    }

    /// Checks a message. Only one that is authentic counts as received.
    pub(crate) fn check(&mut self, stream: u32, payload: &[u8], seal: &Seal) -> Result<(), Status> {
        let stream = find(&mut self.streams, stream)?;
        let counter = u64::from_le_bytes(seal.counter);
        let (id, place) = prefix(stream.id, counter);
        let message = [&id[..], &place, payload];
        let (key, keys) = (name(stream.id), &mut self.keys);
        let is_right = keys.check(key, &message, &seal.tag, TAG_BITS, &mut NoMeter);
        if !is_right.map_err(|_| Status::Stream)? {
            return Err(Status::Tag);
        }
        if counter <= stream.counter {
            return Err(Status::Replay);
        }
        stream.counter = counter;
        Ok(())
    }
}

fn find(streams: &mut [Stream], id: u32) -> Result<&mut Stream, Status> {
    let found = streams.iter_mut().find(|stream| stream.id == id);
    found.ok_or(Status::Stream)
}

/// The name of a stream's key. Streams have numbers of 16 bits.
const fn name(stream: u32) -> KeyId {
    KeyId(stream as u16)
}

/// The first bytes of what a tag is over.
fn prefix(stream: u32, counter: u64) -> ([u8; 2], [u8; 8]) {
    ((stream as u16).to_be_bytes(), counter.to_be_bytes())
}
