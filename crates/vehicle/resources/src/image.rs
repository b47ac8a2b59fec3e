//! ECU images: programs for a microcontroller that take part in a run, as the caller runs them.

use std::fmt;

/// An ECU image that can be started, once at each boot of its ECU.
pub trait FirmwareImage: fmt::Debug + Send + Sync {
    /// Returns the note of its file; none of an image that has none, which is judged at its first
    /// boot.
    fn note(&self) -> Option<&ImageNote> {
        None
    }

    /// Starts it.
    ///
    /// # Errors
    /// [`ImageFault`].
    fn start(&self) -> Result<Box<dyn RunningImage>, ImageFault>;
}

/// The note of an image: what it is, without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageNote {
    /// Version of the messages of `waywarden-firmware-link`; none of an image that sends none.
    pub link: Option<u16>,
    /// The machine that it is built for.
    pub machine: String,
    /// Its part in a vehicle.
    pub role: ImageRole,
}

/// The part of an image in a vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageRole {
    /// The software of an ECU.
    Ecu {
        /// The kind of its record.
        record: u8,
        /// Its suite, as a vehicle file has it; none of a kind without suites.
        suite: Option<String>,
    },
    /// None, as its purpose is this one.
    NoEcu(String),
}

/// A started image, which sends one request at a time and blocks until the answer. Dropping it
/// ends it.
pub trait RunningImage: Send {
    /// Sends an answer, and waits for the next request. Both are messages of
    /// `waywarden-firmware-link`, without the two bytes of their length. Without an answer it only
    /// waits: for the first request.
    ///
    /// # Errors
    /// [`ImageFault`]; the image is then of no use.
    fn exchange(&mut self, answer: Option<&[u8]>) -> Result<&[u8], ImageFault>;
}

/// Reason that an image takes part no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageFault {
    /// It could not be started: the reason, with its remedy.
    NotStarted(String),
    /// It ended of itself: its exit and the last of what it wrote on the error stream.
    Ended(String),
    /// It sent nothing for this many seconds of real time.
    Silent(u64),
    /// It sent something that is no request.
    Malformed(String),
    /// It panicked, or a fault of its processor or its watchdog stopped it, with this message.
    Panicked(String),
    /// It made this many requests within a millisecond of its time.
    Flood(u32),
}

impl fmt::Display for ImageFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImageFault::NotStarted(why) => f.write_str(why),
            ImageFault::Ended(why) => write!(f, "the image ended: {why}"),
            ImageFault::Silent(seconds) => {
                write!(f, "the image made no request for {seconds} s")
            }
            ImageFault::Malformed(why) => write!(f, "the image sent no request: {why}"),
            ImageFault::Panicked(message) => write!(f, "the image stopped: {message}"),
            ImageFault::Flood(requests) => {
                write!(f, "the image made {requests} requests within 1 ms")
            }
        }
    }
}

impl std::error::Error for ImageFault {}
