//! Message authentication of recorded CAN traffic: protect a log, check one message by message.
//!
//! An [`AuthenticationPlan`] says which messages are protected how and under which keys. It is made
//! from tables that stand alone or, as a [`VehiclePlan`], from a vehicle file. [`LogProtector`]
//! turns a log into the one that the same bus would have if its messages were authenticated.
//! [`LogChecker`] gives a [`FrameVerdict`] on each frame of such a log, the messages as they were,
//! and a [`CheckSummary`]. Memory grows with the streams, not with the log.
//!
//! Protocols are those of `waywarden-can-auth`: SecOC, vatiCAN, LeiA. Records come in and go out as
//! values of `waywarden-can-log`; files, key files among them, are for the caller to read. Read
//! docs/auth.md first.
//!
//! ```
//! use std::num::NonZeroU32;
//! use std::sync::Arc;
//!
//! use waywarden_can::{Frame, Id};
//! use waywarden_can_auth::mac::MacKey;
//! use waywarden_can_auth_log::{AuthenticationPlan, FrameVerdict, LogChecker, LogProtector};
//! use waywarden_can_log::{Channels, LogEntry, Record};
//! use waywarden_vehicle_file::{AuthenticationFile, KeySource};
//!
//! let file = AuthenticationFile::parse("auth.toml", r#"
//!     [[authentication]]
//!     scheme = "vatican"
//!     protect = [0x280]
//!     key = "00112233445566778899aabbccddeeff"
//! "#, None)?;
//! let mut plan = AuthenticationPlan::new(NonZeroU32::MIN);
//! for table in &file.tables {
//!     let KeySource::Bytes(key) = table.key else {
//!         continue; // in a file of its own, which the caller reads
//!     };
//!     plan.add_table(&file, table, MacKey::from_bytes(key), false)?;
//! }
//! let plan = Arc::new(plan);
//!
//! // Three messages, 10 ms apart.
//! let mut channels = Channels::default();
//! let channel = channels.intern(b"can0")?;
//! let record = |n: u8| -> Result<Record, waywarden_can::FrameError> {
//!     let frame = Frame::classic(Id::standard(0x280).unwrap(), &[n; 8])?;
//!     let (at_ns, direction) = (u64::from(n) * 10_000_000, None);
//!     let entry = LogEntry::Frame { frame, direction };
//!     Ok(Record { at_ns, channel, entry })
//! };
//! let (mut protector, mut log) = (LogProtector::new(plan.clone()), Vec::new());
//! for n in 0..3 {
//!     protector.protect(&record(n)?, &channels, &mut log)?;
//! }
//! assert_eq!(log.len(), 6, "a tag follows each message");
//!
//! let (mut checker, mut checked) = (LogChecker::new(plan), Vec::new());
//! for record in &log {
//!     checker.check(record, &channels, &mut checked)?;
//! }
//! let summary = checker.finish(&mut checked);
//! assert_eq!((summary.frames, summary.refused), (6, 0));
//! assert!(checked.iter().all(|one| one.verdict == FrameVerdict::Authentic));
//! assert_eq!(checked.iter().filter_map(|one| one.plain).nth(2), Some(record(2)?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod checker;
mod error;
mod judging;
mod plan;
mod protector;
mod records;
mod secured_frame;
mod stream_keys;
mod stream_state;
mod summary;
mod verdict;
mod verdict_row;

pub use checker::{CheckedRecord, FreshnessReport, Hindsight, LogChecker, LogSurvey};
pub use error::{
    AnnouncementError, CheckLogError, InsertedFrames, LOG_STREAMS_MAX, ProtectLogError,
    ProtectStreamError,
};
pub use judging::Judging;
pub use plan::{
    AuthenticationPlan, BusAssignmentError, UnknownBusError, VehicleKeys, VehiclePlan,
    VehiclePlanError,
};
pub use protector::LogProtector;
pub use stream_state::StreamSetupError;
pub use summary::{CheckSummary, DOCUMENT, StreamCounts};
pub use verdict::FrameVerdict;
pub use verdict_row::VerdictRow;
