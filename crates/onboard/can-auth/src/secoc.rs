//! Secure onboard communication as AUTOSAR has it \[AUTOSAR-SECOC\]: freshness and code travel in
//! the frame of the message itself.
//!
//! [`SecocProfile`] says how freshness is counted and how much of it and of the code travels, with
//! the standard's three profiles and one of a large maker as constants; [`Layout`] where they are
//! in the frame; [`SecocStream`] is both under an identifier and a key. A [`SecocSender`] protects,
//! a
//! [`SecocReceiver`] checks. Where freshness is synchronised one [`FreshnessMaster`] counts trips
//! and resets and announces them, each other ECU has a [`FreshnessFollower`], and both hand their
//! streams a [`FreshnessState`]. Whole logs are protected and checked in batches, with the same
//! outcome.
//! `docs/protocols/secoc.md` in the repository has the bytes and the reasons.
//!
//! What is held here against an attacker who has the bus but not the key:
//! - Nothing advances before a code verified: no stream and no announcement.
//! - A message is taken once, and never behind a later one, **over resets of either side too**:
//!   what is in use is retained before it is used, at each end.
//! - Each frame costs at most [`ATTEMPTS_MAX`] codes; one that cannot be right costs none.
//! - Counters that are at their end stay there; none begins again.
//!
//! A code of 24 or 28 bits is guessed by one frame in 2^24 or 2^28, times the attempts: an attacker
//! with the whole bus needs hours or days, not years. Frames held back and let through later, in
//! order, are accepted until an announcement says that their epoch is over.

mod batch;
mod bits;
mod carrier;
mod follower;
mod freshness;
mod layout;
mod master;
mod profile;
mod receiver;
mod recorded;
mod reserve;
mod sender;
mod separate;
mod stream;
mod synchronisation;

pub use self::carrier::SecocCarrier;
pub use self::follower::FreshnessFollower;
pub use self::freshness::{Epoch, FreshnessState, FreshnessValue};
pub use self::layout::Layout;
pub use self::master::{FreshnessMaster, TripsExhaustedError};
pub use self::profile::{FreshnessWidths, ProfileError, ProfileParameters, SecocProfile};
pub use self::receiver::SecocReceiver;
pub use self::sender::SecocSender;
pub use self::separate::{SeparateMessage, SeparateReceiver, SeparateSender, SeparateStream};
pub use self::stream::{SecocStream, StreamError, Trailer};
pub use self::synchronisation::{
    AnnouncementFrame, PRODUCTION_ID, Synchronisation, SynchronisationError,
};
pub use crate::error::ProtectError;

/// The most values a receiver may try for one frame.
pub const ATTEMPTS_MAX: usize = 8;
/// The shortest beginning of a code, in bits.
pub const MAC_BITS_MIN: usize = 24;
/// The shortest beginning of a code of a system that is judged as it is, in bits.
pub const MAC_BITS_FOUND_MIN: usize = 8;
/// Number of values of an unsynchronised counter that are marked as used in advance: the messages
/// that a reset may cost. A value is retained after every half as many messages.
pub const RESERVE: u64 = 32;
