//! Sealed messages between an ECU and the security module, and the two forms that they have.
//!
//! `hardened`: a counter in clear, ciphertext, tag; a key and a counter for each direction, and
//! nothing is taken twice or out of order. `as-published`: the form of the testbed's confirmations,
//! ciphertext, associated data, a random nonce, tag, one key for both directions
//! \[LASAN, testbed\]; it is taken as often as it comes.

#[cfg(test)]
mod tests;

use waywarden_work::{Duration, Instant};
use zeroize::Zeroizing;

use super::identifier::LasanHeader;
use super::length::TAG_LENGTH;
use super::name::NAME_LENGTH;
use super::name::Name;
use super::transcript::{Half, Keys};
use waywarden_key_suites::symmetric::{open_gcm, seal_gcm};
use waywarden_key_suites::{Meter, Secret};

/// Length of the longest sealed message, in bytes.
pub(super) const SEALED_MAX: usize = 88;

/// A short message in its place.
pub(super) type Sealed = ([u8; SEALED_MAX], usize);

/// The place in which a short message is opened, wiped on drop: there may be a key in it.
pub(super) type Opened = Zeroizing<[u8; SEALED_MAX]>;

/// Reason for refusing a sealed message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OpenError {
    /// It was taken before, or a later one was.
    Replay,
    /// It is not the other's, or has another length.
    Tag,
}

/// The keys of a session, as one side uses them.
pub(super) enum Session {
    /// The testbed's: one key to seal with and one to open with, which are the same with
    /// Diffie-Hellman; names of the ECU and the security module as associated data.
    Published {
        seals: Secret,
        opens: Secret,
        names: [u8; 12],
    },
    Hardened {
        /// Time of the registration that began it: its start at the ECU, its reception at the
        /// module.
        since: Instant,
        seals: Channel,
        opens: Channel,
        exporter: Secret,
    },
}

/// One direction.
pub(super) struct Channel {
    half: Half,
    /// Of the last message sealed or opened; the first has 1.
    counter: u32,
}

impl Channel {
    const fn new(half: Half) -> Self {
        Channel { half, counter: 0 }
    }

    fn nonce(&self, counter: u32) -> [u8; 12] {
        let mut nonce = *self.half.initial;
        for (byte, of_counter) in nonce[8..].iter_mut().zip(counter.to_be_bytes()) {
            *byte ^= of_counter;
        }
        nonce
    }
}

impl Session {
    /// The session as the security module has it; `since` is when the registration had come.
    pub(super) fn of_module(keys: Keys, since: Instant) -> Self {
        Session::Hardened {
            since,
            seals: Channel::new(keys.module),
            opens: Channel::new(keys.ecu),
            exporter: keys.exporter,
        }
    }

    /// The session as the ECU has it; `since` is when it began to send the registration.
    pub(super) fn of_ecu(keys: Keys, since: Instant) -> Self {
        Session::Hardened {
            since,
            seals: Channel::new(keys.ecu),
            opens: Channel::new(keys.module),
            exporter: keys.exporter,
        }
    }

    /// The testbed's session.
    pub(super) fn published(seals: Secret, opens: Secret, ecu: Name, module: Name) -> Self {
        Session::Published {
            seals,
            opens,
            names: names(ecu, module),
        }
    }

    /// Returns how long after the registration something is; none as published. The ECU's beginning
    /// is never after the security module's, so what ends so long after it ends there first.
    pub(super) fn offset(&self, at: Instant) -> Option<Duration> {
        match self {
            Session::Published { .. } => None,
            Session::Hardened { since, .. } => Some(at.since(*since)),
        }
    }

    /// Returns what is so long after the registration; none as published.
    pub(super) fn at(&self, offset: Duration) -> Option<Instant> {
        match self {
            Session::Published { .. } => None,
            Session::Hardened { since, .. } => Some(*since + offset),
        }
    }

    /// Returns a secret that both sides have and nothing else uses; none as published.
    pub(super) const fn exporter(&self) -> Option<&Secret> {
        match self {
            Session::Published { .. } => None,
            Session::Hardened { exporter, .. } => Some(exporter),
        }
    }

    /// Seals a short message; `random` is for the nonce of the published form. None after 2^32
    /// messages, or if it is too long.
    pub(super) fn seal(
        &mut self,
        meter: &mut impl Meter,
        header: &LasanHeader,
        plaintext: &[u8],
        random: &Secret,
    ) -> Option<Sealed> {
        let mut out = [0; SEALED_MAX];
        let length = plaintext.len();
        match self {
            Session::Hardened { seals, .. } => {
                seals.counter = seals.counter.checked_add(1)?;
                let counter = seals.counter.to_be_bytes();
                let (front, rest) = out.split_at_mut(4);
                front.copy_from_slice(&counter);
                let body = rest.get_mut(..length)?;
                body.copy_from_slice(plaintext);
                let nonce = seals.nonce(seals.counter);
                let bound = bound(header);
                let tag = seal_gcm(meter, seals.half.key.as_bytes(), &nonce, &bound, body);
                rest.get_mut(length..length + TAG_LENGTH)?
                    .copy_from_slice(&tag);
                Some((out, 4 + length + TAG_LENGTH))
            }
            Session::Published { seals, names, .. } => {
                let body = out.get_mut(..length)?;
                body.copy_from_slice(plaintext);
                let mut nonce = [0; 12];
                nonce.copy_from_slice(&random.as_bytes()[..12]);
                let tag = seal_gcm(meter, seals.as_bytes(), &nonce, &*names, body);
                let rest = out.get_mut(length..length + 24 + TAG_LENGTH)?;
                rest[..12].copy_from_slice(&*names);
                rest[12..24].copy_from_slice(&nonce);
                rest[24..].copy_from_slice(&tag);
                Some((out, length + 24 + TAG_LENGTH))
            }
        }
    }

    /// Opens a sealed message in place and returns the plaintext.
    pub(super) fn open<'a>(
        &mut self,
        meter: &mut impl Meter,
        header: &LasanHeader,
        message: &'a mut [u8],
    ) -> Result<&'a [u8], OpenError> {
        match self {
            Session::Hardened { opens, .. } => {
                let (counter, rest) = message.split_first_chunk_mut().ok_or(OpenError::Tag)?;
                let counter = u32::from_be_bytes(*counter);
                if counter <= opens.counter {
                    return Err(OpenError::Replay);
                }
                let (body, tag) = rest.split_last_chunk_mut().ok_or(OpenError::Tag)?;
                let nonce = opens.nonce(counter);
                let key = opens.half.key.as_bytes();
                let opened = open_gcm(meter, key, &nonce, &bound(header), body, tag);
                opened.map_err(|_| OpenError::Tag)?;
                opens.counter = counter;
                Ok(body)
            }
            Session::Published { opens, names, .. } => {
                let (rest, tag) = message.split_last_chunk_mut().ok_or(OpenError::Tag)?;
                let (rest, nonce) = rest.split_last_chunk_mut().ok_or(OpenError::Tag)?;
                let (body, _) = rest.split_last_chunk_mut::<12>().ok_or(OpenError::Tag)?;
                let opened = open_gcm(meter, opens.as_bytes(), nonce, &*names, body, tag);
                opened.map_err(|_| OpenError::Tag)?;
                Ok(body)
            }
        }
    }
}

/// The associated data of the published form, which is the plaintext of a confirmation as well.
pub(super) fn names(ecu: Name, module: Name) -> [u8; 2 * NAME_LENGTH] {
    let mut names = [0; 2 * NAME_LENGTH];
    names[..NAME_LENGTH].copy_from_slice(&ecu.0);
    names[NAME_LENGTH..].copy_from_slice(&module.0);
    names
}

/// Returns the part of the header that a sealed message is bound to: kind, source and target.
fn bound(header: &LasanHeader) -> [u8; 4] {
    header.identifier(0).raw().to_be_bytes()
}
