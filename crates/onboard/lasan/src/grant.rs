//! Plaintexts of the sealed messages about streams.
//!
//! As published, sender and receiver are named and times given, as in the simulator of LASAN's
//! authors; sizes are parameters there, and these are a `Choice:`.

#[cfg(test)]
mod tests;

use zeroize::Zeroizing;

use super::access::StreamId;
use super::event::DenialReason;
use super::name::NAME_LENGTH;
use super::name::{Name, NetworkTime};
use super::profile::LasanProfile;
use waywarden_key_roles::Address;
use waywarden_key_suites::Secret;

/// Length of the longest plaintext, in bytes.
pub(super) const PLAIN_MAX: usize = 56;

/// A plaintext to be sealed, and its length. Wiped on drop: it may contain a key.
pub(super) type Plain = (Zeroizing<[u8; PLAIN_MAX]>, usize);

/// An ECU asks for the key of a stream.
pub(super) struct Request {
    pub(super) name: Name,
    pub(super) stream: StreamId,
    pub(super) time: NetworkTime,
}

/// The key of a stream.
pub(super) struct Grant {
    pub(super) stream: StreamId,
    pub(super) generation: u32,
    pub(super) sender: Address,
    /// The end of the key's time, in milliseconds since the receiver's registration: a time that
    /// does not move if the grant is held back.
    pub(super) end: u32,
    pub(super) key: Secret,
    /// As published only, with the two fields below.
    pub(super) receiver_name: Name,
    pub(super) sender_name: Name,
    pub(super) time: NetworkTime,
}

/// A stream is refused or taken away.
#[derive(Clone, Copy)]
pub(super) struct Denial {
    pub(super) stream: StreamId,
    pub(super) reason: DenialReason,
    pub(super) retry: RetryHint,
}

/// The time from which it is of use to ask once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RetryHint {
    /// Not in this session: no window will open.
    Never,
    /// In so many milliseconds, counted from when it is said; what is further off than can be
    /// said is asked for in between.
    In(u32),
    /// As published nothing is said of it.
    Unsaid,
}

/// The value on the bus for [`RetryHint::Never`].
const NEVER: u32 = u32::MAX;

/// The parts of a message in a row.
fn parts(parts: &[&[u8]]) -> Plain {
    let (mut bytes, mut length) = (Zeroizing::new([0; PLAIN_MAX]), 0);
    for part in parts {
        if let Some(place) = bytes.get_mut(length..length + part.len()) {
            place.copy_from_slice(part);
            length += part.len();
        }
    }
    (bytes, length)
}

/// Takes the next bytes off a message.
fn next<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*taken)
}

/// Takes a key off a message, without a copy that stays.
fn next_key(bytes: &mut &[u8]) -> Option<Secret> {
    let (taken, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(Secret::from_bytes(*taken))
}

impl Request {
    pub(super) fn write(&self, profile: LasanProfile) -> Plain {
        let stream = self.stream.0.to_be_bytes();
        match profile.is_as_published() {
            true => parts(&[&self.name.0, &stream, &self.time.0.to_be_bytes()]),
            false => parts(&[&stream]),
        }
    }

    pub(super) fn read(profile: LasanProfile, mut bytes: &[u8]) -> Option<Self> {
        let (mut name, mut time) = (Name([0; NAME_LENGTH]), NetworkTime(0));
        if profile.is_as_published() {
            name = Name(next(&mut bytes)?);
        }
        let stream = StreamId(u32::from_be_bytes(next(&mut bytes)?));
        if profile.is_as_published() {
            time = NetworkTime(u64::from_be_bytes(next(&mut bytes)?));
        }
        Some(Request { name, stream, time })
    }
}

impl Grant {
    pub(super) fn write(&self, profile: LasanProfile) -> Plain {
        let (stream, key) = (self.stream.0.to_be_bytes(), self.key.as_bytes());
        match profile.is_as_published() {
            true => parts(&[
                &self.receiver_name.0,
                &stream,
                key,
                &self.time.0.to_be_bytes(),
                &self.sender_name.0,
            ]),
            false => parts(&[
                &stream,
                &self.generation.to_be_bytes(),
                &[self.sender.0],
                &self.end.to_be_bytes(),
                key,
            ]),
        }
    }

    pub(super) fn read(profile: LasanProfile, mut bytes: &[u8]) -> Option<Self> {
        let unnamed = Name([0; NAME_LENGTH]);
        let mut grant = Grant {
            stream: StreamId(0),
            generation: 0,
            sender: Address::NONE,
            end: 0,
            key: Secret::from_bytes([0; 32]),
            receiver_name: unnamed,
            sender_name: unnamed,
            time: NetworkTime(0),
        };
        if profile.is_as_published() {
            grant.receiver_name = Name(next(&mut bytes)?);
            grant.stream = StreamId(u32::from_be_bytes(next(&mut bytes)?));
            grant.key = next_key(&mut bytes)?;
            grant.time = NetworkTime(u64::from_be_bytes(next(&mut bytes)?));
            grant.sender_name = Name(next(&mut bytes)?);
            return Some(grant);
        }
        grant.stream = StreamId(u32::from_be_bytes(next(&mut bytes)?));
        grant.generation = u32::from_be_bytes(next(&mut bytes)?);
        grant.sender = Address(next::<1>(&mut bytes)?[0]);
        grant.end = u32::from_be_bytes(next(&mut bytes)?);
        grant.key = next_key(&mut bytes)?;
        Some(grant)
    }
}

impl Denial {
    pub(super) fn write(&self, profile: LasanProfile, receiver: Name, time: NetworkTime) -> Plain {
        let stream = self.stream.0.to_be_bytes();
        if profile.is_as_published() {
            parts(&[&receiver.0, &stream, &time.0.to_be_bytes()])
        } else {
            let retry = match self.retry {
                RetryHint::In(millis) => millis.min(NEVER - 1),
                RetryHint::Never | RetryHint::Unsaid => NEVER,
            };
            parts(&[&stream, &[self.reason as u8], &retry.to_be_bytes()])
        }
    }

    pub(super) fn read(profile: LasanProfile, mut bytes: &[u8]) -> Option<Self> {
        if profile.is_as_published() {
            next::<NAME_LENGTH>(&mut bytes)?;
        }
        let stream = StreamId(u32::from_be_bytes(next(&mut bytes)?));
        // A denial gives no reason there.
        let (mut reason, mut retry) = (DenialReason::NotAllowed, RetryHint::Unsaid);
        if !profile.is_as_published() {
            reason = DenialReason::from_code(next::<1>(&mut bytes)?[0])?;
            retry = match u32::from_be_bytes(next(&mut bytes)?) {
                NEVER => RetryHint::Never,
                millis => RetryHint::In(millis),
            };
        }
        Some(Denial {
            stream,
            reason,
            retry,
        })
    }
}
