//! Streams of a whole log at once: many codes side by side, and the same outcome as one by one.
//!
//! A sender knows where each of its messages stands. A receiver can only guess which messages will
//! turn out right, so it looks ahead: it supposes that each frame is from the first position that
//! it may be from and is right, has those codes checked together, and then goes through the frames
//! in order. Whatever came as supposed is taken; at the first that did not
//! [`SecocReceiver::accept`] decides, and the look ahead begins again behind it. So what is taken
//! does not depend on what was supposed.
//!
//! This is for tools that work on logs: nothing is metered. Counters that both ends retain go on
//! only as far as was retained before the batch.

use waywarden_can::Frame;
use waywarden_work::NoMeter;

use super::ProtectError;
use super::freshness::{FreshnessState, Position};
use super::receiver::SecocReceiver;
use super::sender::SecocSender;
use super::stream::Authenticated;
use crate::event::{CanPayload, FrameOutcome};
use crate::key_store::{Claim, KeyStoreError, MacKeyStore};

/// Maximum number of frames that a receiver looks ahead: as many as the widest AES has lanes, and
/// bits of a `u64`.
const AHEAD_MAX: usize = 64;

/// A message of a sender, with its position.
struct Positioned {
    bytes: Authenticated,
    at: Position,
}

/// The assumption of a receiver about a frame.
#[derive(Clone, Copy)]
struct Supposed {
    /// The position of the message taken before it.
    last: Option<Position>,
    at: Position,
    /// Length of its payload, in bytes.
    length: u8,
    /// Its index among the frames with an assumption.
    claim: u8,
}

/// The assumptions of a receiver about the frames ahead.
struct Ahead {
    /// None for frames that are not this stream's, or cannot be right.
    supposed: [Option<Supposed>; AHEAD_MAX],
    /// The claims that have the right code, as bits.
    right: u64,
}

impl Ahead {
    fn is_right(&self, supposed: &Supposed) -> bool {
        self.right & 1 << supposed.claim != 0
    }
}

impl AsRef<[u8]> for Positioned {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_bytes()
    }
}

impl SecocSender {
    /// Protects messages in a row as [`SecocSender::protect`] does, with their codes side by side.
    /// Each frame is handed to `each` with the place of its payload, in any order if lengths
    /// differ.
    ///
    /// # Errors
    /// [`ProtectError`] of the first message that is refused; those before it are protected. Those
    /// that the key store refuses may have used up their freshness if it did not refuse them all.
    pub fn protect_batch<P: AsRef<[u8]>>(
        &mut self,
        payloads: &[P],
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        mut each: impl FnMut(usize, Frame),
    ) -> Result<(), ProtectError> {
        let Some(first) = payloads.first() else {
            return Ok(());
        };
        self.next(first.as_ref().len(), freshness_state)?;
        let stream = self.stream;
        let (mut next, mut refused, mut left) = (self.clone(), Ok(()), 0);
        let messages = payloads.iter().map_while(|payload| {
            let payload = payload.as_ref();
            let at = match next.next(payload.len(), freshness_state) {
                Ok(at) => at,
                Err(error) => {
                    refused = Err(error);
                    return None;
                }
            };
            next.use_up(at);
            let bytes = stream.authenticated(payload, at);
            Some(Positioned { bytes, at })
        });
        let done = key_store.tag_batch(stream.key, messages, |index, message, tag| {
            // There is a frame for each payload that the stream carries.
            if let Some(frame) = stream.frame(payloads[index].as_ref(), message.at, tag) {
                left += 1;
                each(index, frame);
            }
        });
        if done.is_ok() || left > 0 {
            *self = next;
        }
        done?;
        refused
    }
}

impl SecocReceiver {
    /// Takes frames in a row as [`SecocReceiver::accept`] does, with most codes side by side. What
    /// each brings is handed to `each` with its place, in order. `freshness_state` is that of all
    /// of them: behind an announcement another batch begins.
    ///
    /// Besides those that [`SecocReceiver::accept`] computes there are at most as many codes as
    /// frames, and 64.
    ///
    /// # Errors
    /// [`KeyStoreError`] at the first frame that the key store refuses; those before it are taken.
    pub fn accept_batch(
        &mut self,
        frames: &[Frame],
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
        mut each: impl FnMut(usize, Option<FrameOutcome>),
    ) -> Result<(), KeyStoreError> {
        let (mut begin, mut reach) = (0, AHEAD_MAX);
        while begin < frames.len() {
            let chunk = &frames[begin..frames.len().min(begin + reach)];
            let ahead = self.look_ahead(chunk, freshness_state, key_store);
            // Where little comes as supposed, little is supposed.
            reach = AHEAD_MAX.min(2 * reach);
            for (frame, supposed) in chunk.iter().zip(&ahead.supposed) {
                let confirmed = supposed.filter(|it| ahead.is_right(it) && it.last == self.last);
                let event = match confirmed {
                    Some(it) => {
                        let payload = CanPayload::new(&frame.data()[..it.length.into()]);
                        Some(self.take(it.at, payload.with_message(frame.message())))
                    }
                    None => self.accept(frame, freshness_state, key_store, &mut NoMeter)?,
                };
                each(begin, event);
                begin += 1;
                if supposed.is_some() && confirmed.is_none() {
                    reach = 1;
                    break;
                }
            }
        }
        Ok(())
    }

    /// Supposes that all of at most [`AHEAD_MAX`] frames are right, and has their codes checked.
    fn look_ahead(
        &self,
        frames: &[Frame],
        freshness_state: &FreshnessState,
        key_store: &mut impl MacKeyStore,
    ) -> Ahead {
        let (mut supposed, mut right) = ([None; AHEAD_MAX], 0);
        // A single frame is checked as quickly where it is taken.
        if let Some(freshness_state) = self
            .freshness_state(freshness_state)
            .filter(|_| frames.len() > 1)
        {
            let (stream, mut last, mut claims) = (&self.stream, self.last, 0..);
            let claims = frames
                .iter()
                .zip(&mut supposed)
                .filter_map(|(frame, supposed)| {
                    let secured = stream.knows(frame).then(|| stream.parse(frame))??;
                    let mut candidates =
                        stream
                            .profile
                            .candidates(last, freshness_state, secured.truncated);
                    let at = candidates.next()?;
                    *supposed = Some(Supposed {
                        last,
                        at,
                        length: secured.payload.len() as u8,
                        claim: claims.next()?,
                    });
                    if stream.profile.freshness.message > 0 {
                        last = Some(at);
                    }
                    Some(Claim {
                        message: stream.authenticated(secured.payload, at),
                        received: secured.mac,
                    })
                });
            let bits = stream.profile.mac.into();
            // What the key store refuses it refuses again where the frame is taken.
            let _ = key_store.foresee(stream.key, claims, bits, |claim| right |= 1 << claim);
        }
        Ahead { supposed, right }
    }
}
