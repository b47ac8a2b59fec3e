//! Bus logs in the formats of the trade, read into one [`Record`] type and written from it.
//!
//! Bytes come in through readers the caller opened and go out through writers the caller made;
//! nothing here opens a file. Every reader streams in bounded memory, never panics, and tells of
//! each fault the place, what is wrong and what would be right. Nothing here knows bit times or a
//! bus: see `waywarden-can` and `waywarden-can-sim`. Read `docs/log-formats.md` first.
#![forbid(unsafe_code)]

pub mod asc;
pub mod blf;
pub mod candump;
mod error;
mod input;
mod numbered;
mod open;
pub mod pcapng;
mod record;
mod text;

pub use error::{BlfCause, Cause, InputCause, LineCause, LogError, Part, Place, Quote};
pub use input::{Input, LINE_MAX};
pub use open::{LogFormat, LogReader, detect, open, open_as};
pub use record::{
    CHANNEL_NAME_MAX, CHANNELS_MAX, Channel, ChannelError, Channels, Direction, Entry, ErrorFrame,
    Record,
};
