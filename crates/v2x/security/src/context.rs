//! When and where a message came.

use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};

/// When and where a message came, and what its receiver knows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceptionContext<'c> {
    /// The receiver's time.
    pub now: Time64,
    /// The receiver's place, if it is known.
    pub place: Option<TwoDLocation>,
    /// The application that the message is for; `None`: any.
    pub psid: Option<Psid>,
    /// Data that was signed and is not in the message, if the receiver has it.
    pub external_data: Option<&'c [u8]>,
    /// What brought the message, which decides which [`Limits`](crate::Limits) hold.
    pub source: Source,
}

/// What brought a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// A radio: anybody in reach can send as much as the channel carries.
    #[default]
    Radio,
    /// A file that the receiver's owner has chosen.
    File,
}

impl ReceptionContext<'_> {
    /// At this time, nothing else known.
    #[must_use]
    pub fn at(now: Time64) -> Self {
        Self {
            now,
            place: None,
            psid: None,
            external_data: None,
            source: Source::Radio,
        }
    }
}
