//! Keys of streams, and the data that they protect.
//!
//! A protected payload is the low byte of the key's generation, the low two bytes of a counter, the
//! ciphertext and a tag of 8 bytes: 11 bytes more than in clear, in one frame. `Choice:` \[LASAN\]
//! and its authors encrypt stream data and leave their form open. On classic CAN there is no room
//! for it; there the key feeds a message authentication of its own.

mod protect_error;
#[cfg(test)]
mod tests;

pub use protect_error::StreamProtectError;

use core::cmp::Ordering;

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::node::Port;
use waywarden_can::{FdFlags, Format, Frame, Id};
use waywarden_work::{Duration, Instant};

use super::access::StreamId;
use super::length::TAG_LENGTH;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_suites::symmetric::{open_gcm, seal_gcm};
use waywarden_key_suites::{Meter, Secret};

/// Bytes that the protection adds to a payload.
pub const PROTECTION_LENGTH: usize = 3 + TAG_LENGTH;

/// Maximum number of protected frames that wait for the processor; further ones are lost.
const RECEIVED_MAX: usize = 4;

/// The outcome of a protected frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProtectedOutcome {
    /// It is the sender's, and newer than all before it; the payload in clear.
    Authentic {
        /// The stream.
        stream: StreamId,
        /// The payload, zero beyond `length`.
        payload: [u8; 64],
        /// Its length: it may have been filled with zeros up to one that a frame can have.
        length: usize,
    },
    /// Its tag is wrong.
    WrongTag(StreamId),
    /// It is not newer than the last one.
    Replay(StreamId),
    /// It is under a key that this ECU does not have.
    UnknownKey(StreamId),
}

/// A key and how far it is used.
struct StreamKey {
    key: Secret,
    generation: u32,
    expires: Instant,
    /// Of the last frame that was protected or found authentic; the first has 1.
    counter: u32,
}

/// A stream whose key this ECU has.
pub(super) struct Held {
    stream: StreamId,
    sender: Address,
    current: StreamKey,
    /// The one before it, for frames that were sent before the sender had the new one.
    previous: Option<StreamKey>,
    /// A frame in clear that waits to be protected.
    waiting: Option<(Port, Frame)>,
}

/// The stream keys of one ECU.
pub(super) struct Streams<'a> {
    held: Storage<'a, Option<Held>>,
    received: [Option<(StreamId, Frame)>; RECEIVED_MAX],
    lost: u32,
}

/// The content of a grant.
pub(super) struct Granted {
    pub(super) stream: StreamId,
    pub(super) sender: Address,
    pub(super) generation: u32,
    /// The end of the key's time.
    pub(super) expires: Instant,
    /// The time in which the key before it stays good for frames that were sent under it.
    pub(super) overlap: Duration,
    pub(super) key: Secret,
}

impl StreamId {
    /// The stream that is sent under a CAN identifier; 29-bit ones have the highest bit set.
    #[must_use]
    pub const fn of(id: Id) -> Self {
        match id {
            Id::Standard(_) => StreamId(id.raw()),
            Id::Extended(_) => StreamId(id.raw() | 1 << 31),
        }
    }
}

impl<'a> Streams<'a> {
    /// `held` has a place for each stream that the ECU sends or receives.
    pub(super) fn new(mut held: Storage<'a, Option<Held>>) -> Self {
        held.clear();
        Streams {
            held,
            received: [None; RECEIVED_MAX],
            lost: 0,
        }
    }

    /// Takes a key into use; false if there is no room for another stream. One of a generation
    /// before is not taken, nor the one in use, granted again: its counter goes on. As published
    /// nothing is said of generations, and all have the same: any other key is taken.
    pub(super) fn hold(&mut self, now: Instant, granted: Granted) -> bool {
        let is_it = |held: &Held| held.stream == granted.stream;
        let mut places = self.held.iter();
        let known = places.position(|place| place.as_ref().is_some_and(is_it));
        let place = known.or_else(|| self.held.iter().position(Option::is_none));
        let Some(place) = place else {
            return false;
        };
        let fresh = StreamKey {
            key: granted.key,
            generation: granted.generation,
            expires: granted.expires,
            counter: 0,
        };
        match &mut self.held[place] {
            Some(held) if held.sender == granted.sender => {
                let current = &held.current;
                let is_new = match fresh.generation.cmp(&current.generation) {
                    Ordering::Less => false,
                    Ordering::Equal => fresh.key != current.key,
                    Ordering::Greater => true,
                };
                if is_new {
                    let mut old = core::mem::replace(&mut held.current, fresh);
                    old.expires = old.expires.min(now + granted.overlap);
                    // The sender may still be using the one before a key that it never used: who
                    // is given two in a row keeps that, for no longer than it was to.
                    let used = |key: &StreamKey| key.counter > 0 && key.expires > now;
                    if old.counter > 0 || !held.previous.as_ref().is_some_and(used) {
                        held.previous = Some(old);
                    }
                }
            }
            other => {
                *other = Some(Held {
                    stream: granted.stream,
                    sender: granted.sender,
                    current: fresh,
                    previous: None,
                    waiting: None,
                });
            }
        }
        true
    }

    /// Forgets the key of a stream; true if there was one.
    pub(super) fn forget(&mut self, stream: StreamId) -> bool {
        let mut places = self.held.iter_mut();
        let place = places.find(|place| place.as_ref().is_some_and(|held| held.stream == stream));
        place.and_then(Option::take).is_some()
    }

    /// Forgets a key whose time is over, and says of which stream.
    pub(super) fn expire(&mut self, now: Instant) -> Option<StreamId> {
        for place in self.held.iter_mut() {
            let Some(held) = place else {
                continue;
            };
            held.previous = held.previous.take().filter(|key| key.expires > now);
            if held.current.expires <= now {
                let stream = held.stream;
                *place = None;
                return Some(stream);
            }
        }
        None
    }

    /// Brings all keys to their end.
    pub(super) fn end(&mut self, now: Instant) {
        for held in self.held.iter_mut().flatten() {
            held.current.expires = held.current.expires.min(now);
        }
    }

    /// Returns the time at which the next key ends.
    pub(super) fn next_expiry(&self) -> Option<Instant> {
        self.held
            .iter()
            .flatten()
            .map(|held| held.current.expires)
            .min()
    }

    /// Returns the key of a stream in use, its generation and its end.
    pub(super) fn key(&self, stream: StreamId) -> Option<(u32, Instant, &Secret)> {
        let mut held = self.held.iter().flatten();
        let held = held.find(|held| held.stream == stream)?;
        let StreamKey {
            key,
            generation,
            expires,
            ..
        } = &held.current;
        Some((*generation, *expires, key))
    }

    /// Returns true if there is a key of any stream.
    pub(super) fn has_any(&self) -> bool {
        self.held.iter().any(Option::is_some)
    }

    /// Returns who sends a stream whose key is held.
    pub(super) fn sender(&self, stream: StreamId) -> Option<Address> {
        let mut held = self.held.iter().flatten();
        let held = held.find(|held| held.stream == stream)?;
        Some(held.sender)
    }

    /// Takes a frame in clear, to be protected when the processor is free.
    pub(super) fn send(
        &mut self,
        me: Address,
        port: Port,
        frame: &Frame,
    ) -> Result<(), StreamProtectError> {
        let held = self.of_mut(StreamId::of(frame.id()));
        let held = held.ok_or(StreamProtectError::NoKey)?;
        if held.sender != me {
            return Err(StreamProtectError::NotSender);
        }
        if protected_length(frame).is_none() {
            return Err(StreamProtectError::TooLong);
        }
        if held.waiting.is_some() {
            return Err(StreamProtectError::Busy);
        }
        held.waiting = Some((port, *frame));
        Ok(())
    }

    fn of_mut(&mut self, stream: StreamId) -> Option<&mut Held> {
        let mut held = self.held.iter_mut().flatten();
        held.find(|held| held.stream == stream)
    }

    /// Takes a frame from the bus, if it is of a stream whose key is held.
    pub(super) fn take(&mut self, frame: &Frame) {
        let stream = StreamId::of(frame.id());
        if self.of_mut(stream).is_none() {
            return;
        }
        match self.received.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some((stream, *frame)),
            None => self.lost = self.lost.saturating_add(1),
        }
    }

    /// Returns the number of protected frames that found no room.
    pub(super) const fn lost(&self) -> u32 {
        self.lost
    }

    /// Protects the next frame that waits.
    pub(super) fn protect(&mut self, meter: &mut impl Meter) -> Option<(Port, Frame)> {
        let mut held = self.held.iter_mut().flatten();
        let held = held.find(|held| held.waiting.is_some())?;
        let (port, frame) = held.waiting.take()?;
        let total = protected_length(&frame)?;
        let key = &mut held.current;
        key.counter = key.counter.checked_add(1)?;
        let mut data = [0; 64];
        let (front, rest) = data.get_mut(..total)?.split_first_chunk_mut()?;
        let (body, tag) = rest.split_last_chunk_mut()?;
        let [.., high, low] = key.counter.to_be_bytes();
        *front = [key.generation as u8, high, low];
        body.get_mut(..frame.data().len())?
            .copy_from_slice(frame.data());
        *tag = seal_gcm(
            meter,
            key.key.as_bytes(),
            &nonce(key.generation, key.counter),
            &bound(held.stream, held.sender),
            body,
        );
        let Format::Fd {
            bit_rate_switch,
            error_state_indicator,
        } = frame.format()
        else {
            return None;
        };
        let data = &data[..total];
        let sealed = Frame::fd_with(
            frame.id(),
            data,
            FdFlags {
                bit_rate_switch,
                error_state_indicator,
            },
        );
        Some((port, sealed.ok()?.with_message(frame.message())))
    }

    /// Opens the next protected frame that was received.
    pub(super) fn open(&mut self, meter: &mut impl Meter) -> Option<ProtectedOutcome> {
        let (stream, frame) = self.received[0].take()?;
        self.received.rotate_left(1);
        let Some(held) = self.of_mut(stream) else {
            return Some(ProtectedOutcome::UnknownKey(stream));
        };
        let opened = held.open(meter, frame.data());
        Some(opened.unwrap_or(ProtectedOutcome::WrongTag(stream)))
    }
}

impl Held {
    /// None if it is too short to be protected, or its tag is wrong.
    fn open(&mut self, meter: &mut impl Meter, data: &[u8]) -> Option<ProtectedOutcome> {
        let (stream, bound) = (self.stream, bound(self.stream, self.sender));
        let ([generation, high, low], rest) = data.split_first_chunk()?;
        let (sealed, tag) = rest.split_last_chunk()?;
        let mut keys = core::iter::once(&mut self.current).chain(&mut self.previous);
        let Some(key) = keys.find(|key| key.generation as u8 == *generation) else {
            return Some(ProtectedOutcome::UnknownKey(stream));
        };
        let Some(counter) = widened(key.counter, u16::from_be_bytes([*high, *low])) else {
            return Some(ProtectedOutcome::Replay(stream));
        };
        let (mut payload, length) = ([0; 64], sealed.len());
        let body = payload.get_mut(..length)?;
        body.copy_from_slice(sealed);
        let nonce = nonce(key.generation, counter);
        open_gcm(meter, key.key.as_bytes(), &nonce, &bound, body, tag).ok()?;
        key.counter = counter;
        if self.current.counter > 0 {
            // The sender has gone over: what comes under the key before is older.
            self.previous = None;
        }
        Some(ProtectedOutcome::Authentic {
            stream,
            payload,
            length,
        })
    }
}

/// Returns how long the data of a frame are when they are protected; none if they do not fit.
fn protected_length(frame: &Frame) -> Option<usize> {
    let wanted = frame.data().len() + PROTECTION_LENGTH;
    let mut lengths = FD_LENGTHS.iter().map(|&length| usize::from(length));
    lengths.find(|&length| frame.is_fd() && length >= wanted)
}

/// Returns the associated data of a stream's payload: the stream and its sender.
fn bound(stream: StreamId, sender: Address) -> [u8; 5] {
    let [a, b, c, d] = stream.0.to_be_bytes();
    [a, b, c, d, sender.0]
}

fn nonce(generation: u32, counter: u32) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..8].copy_from_slice(&generation.to_be_bytes());
    nonce[8..].copy_from_slice(&counter.to_be_bytes());
    nonce
}

/// Returns the next number after `last` that ends in these bits, if it is less than 2^15 ahead;
/// what seems to be further ahead is behind.
const fn widened(last: u32, low: u16) -> Option<u32> {
    let ahead = low.wrapping_sub(last as u16);
    match ahead {
        1..=0x7FFF => last.checked_add(ahead as u32),
        _ => None,
    }
}
