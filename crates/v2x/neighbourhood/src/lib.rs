//! V2X stations that hear each other: honest ones and hostile ones, in virtual time or on threads.
//!
//! ```text
//! PositionAndTime --Fix--> Actor::step --Frame--> every other Actor::hear -> Actor::work
//!                            |  SecurityServices::sign         SecurityServices::verify  |
//!                            +--------------------- Event -> the caller <----------------+
//! ```
//!
//! An [`Actor`] is a [`Participant`], which keeps the rules of `waywarden-v2x-station`, or an
//! [`HostileStation`], which breaks them. Neither has a clock or a socket: [`virtual_time::run`]
//! moves all of them through the same seconds each time, and [`real_time::Running`] gives each a
//! thread and a [`real_time::StationLink`]. [`SecurityServices`] sign and verify, in the process
//! ([`InProcess`]) or behind a socket. [`Laboratory`] issues certificates for stations that need no
//! PKI.
#![forbid(unsafe_code)]

mod actor;
mod attack;
mod attacker;
mod channel_summary;
mod command;
mod event;
mod frame;
mod in_process;
mod laboratory;
mod participant;
pub mod real_time;
mod ring_road;
mod security;
mod seeds;
mod summary;
pub mod virtual_time;
mod waiting;

pub use actor::{Actor, STEP};
pub use attack::{LATE_AFTER, StationAttack};
pub use attacker::{AttackerSettings, HostileStation};
pub use channel_summary::ChannelSummary;
pub use command::Command;
pub use event::{NeighbourhoodEvent, NotSentCause, Reception};
pub use frame::{EthernetFrame, PositionAndTime, SenderOrigin, StationFix, StationMoment};
pub use in_process::{CertificateUse, InProcess};
pub use laboratory::{AUTHORITIES_MAX, CertificateForm, Laboratory, Tickets};
pub use participant::{Participant, ParticipantSettings};
pub use ring_road::RingRoad;
pub use security::{
    IdentitySource, NoCertificate, NotSigned, ReceptionVerdict, SecurityServices, StationIdentity,
    Timings,
};
pub use summary::{IN_TIME, Proportion, ResultCounts, Summary, drop_name};
