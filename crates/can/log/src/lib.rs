//! Bus logs in the formats of the trade, read into one [`Record`] type and written from it.
//!
//! Bytes come in through readers the caller opened and go out through writers the caller made;
//! nothing here opens a file. Every reader streams in bounded memory, never panics, and tells of
//! each fault the place, what is wrong and what would be right. Nothing here knows bit times or a
//! bus: see `waywarden-can` and `waywarden-can-sim`. Read `docs/log-formats.md` first.
#![forbid(unsafe_code)]
// An error that is made ahead is dropped for each line without one: a tenth of the time of reading.
#![allow(clippy::unnecessary_lazy_evaluations)]

pub mod asc;
pub mod blf;
mod busmaster;
mod bytes;
pub mod candump;
mod capture;
mod crtd;
pub mod damage;
mod digits;
mod error;
mod float_seconds;
mod gvret;
mod input;
mod losses;
mod measurement;
mod message;
pub mod mf4;
mod numbered;
mod open;
pub mod pcapng;
mod periods;
pub mod python_can_csv;
mod record;
mod recording;
mod row;
mod seekable;
pub mod sqlite;
#[cfg(test)]
mod test_support;
mod text;
pub mod trc;
mod words;
mod writer;

pub use error::{
    BlfCause, CaptureCause, InputCause, LineCause, LogCause, LogError, LogLocation, Mf4Cause,
    MissingPart, Quote, RowCause, SqliteCause,
};
pub use input::{LINE_MAX, LogInput};
pub use losses::Losses;
pub use open::{LogFormat, LogReader, detect, open, open_as, open_at_any_place};
pub use periods::observed_periods;
pub use record::{
    CHANNEL_NAME_MAX, CHANNELS_MAX, Channel, ChannelError, Channels, Direction, ErrorFrame,
    LogEntry, Record,
};
pub use recording::{BusChoice, BusChoiceError, RecordedMessages, Recording};
pub use seekable::ReadSeek;
pub use writer::{LogWriter, WrittenFormat, WrittenLog};
