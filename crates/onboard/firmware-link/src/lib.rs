//! Messages between an ECU image on an emulated microcontroller and the simulation that drives it.
//!
//! An image sends one [`Request`] at a time and blocks until the [`Answer`]. Both go over a pipe as
//! a length of two bytes, little endian, and then that many bytes, at most [`MESSAGE_MAX`]. A
//! request begins with the number of instructions that the image has executed since its start:
//! the simulation turns them into the time of the request. Numbers are little endian.
//!
//! An image meets the bus in its requests only. What arrives while it computes waits in a receive
//! mailbox on the other side.
#![no_std]
#![forbid(unsafe_code)]

mod answer;
mod can_fields;
mod ecu_record;
mod fields;
mod group_fields;
mod group_record;
mod kind;
mod lasan_parties;
mod lasan_record;
mod lasan_report;
mod link;
mod paired_record;
mod record;
mod request;
mod signed;

pub use answer::{Answer, RetainedSlots, Status};
pub use ecu_record::{
    Announcements, ENDS_MAX, EcuRecord, FreshnessRecord, KEYS_MAX, KeyRecord, STREAMS_MAX,
};
pub use fields::{Field, MessageError, Reader, TEXT_MAX, Writer};
pub use group_record::{
    FollowedRecord, FollowingRecord, GroupRecord, NETWORKS_MAX, ORDERS_MAX, PARTIES_MAX, PlanRecord,
};
pub use kind::{GROUP_KEYS, KINDS, LASAN, PAIRED, RecordKind, SECOC};
pub use lasan_parties::{KNOWN_MAX, LASAN_PARTIES_MAX, LasanParties, PERMISSIONS_MAX};
pub use lasan_record::{GrantedKeyRecord, LasanPart, LasanRecord};
pub use lasan_report::LasanReport;
pub use link::Link;
pub use paired_record::PairedRecord;
pub use record::Record;
pub use request::{Request, TimedRequest};
pub use signed::{SignedItem, SignedKind, Verdict};

/// The version of these messages, which an image sends first.
pub const VERSION: u16 = 2;

/// A list of at most `N` entries.
pub type List<T, const N: usize> = heapless::Vec<T, N>;

/// Maximum length of a message, in bytes, without the two that say so.
pub const MESSAGE_MAX: usize = 4_096;

/// Number of slots whose content an image keeps over a reset.
pub const SLOTS_MAX: usize = 16;
