//! Reception contexts: time, place and source of a received message.

use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};

use crate::hash::DataHash;

/// Time, place and source of a received message, and further knowledge of its receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceptionContext<'c> {
    /// Time of reception, by the receiver's clock.
    pub now: Time64,
    /// Position of the receiver; `None` if it is not known.
    pub place: Option<TwoDLocation>,
    /// The application that the message is for; `None`: any.
    pub psid: Option<Psid>,
    /// Data that was signed and is not in the message, if the receiver has it.
    pub external_data: Option<&'c [u8]>,
    /// Hash of the message's data, made before; one of other bytes is ignored.
    pub data_hash: Option<DataHash<'c>>,
    /// Medium that brought the message; it selects the [`Limits`](crate::Limits) that apply.
    pub source: MessageSource,
}

/// Medium that brought a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MessageSource {
    /// A radio: anybody in reach can send as much as the channel carries.
    #[default]
    Radio,
    /// A file that the receiver's owner has chosen.
    File,
}

impl ReceptionContext<'_> {
    /// Creates a context with this time and no further knowledge.
    #[must_use]
    pub fn at(now: Time64) -> Self {
        Self {
            now,
            place: None,
            psid: None,
            external_data: None,
            data_hash: None,
            source: MessageSource::Radio,
        }
    }
}
