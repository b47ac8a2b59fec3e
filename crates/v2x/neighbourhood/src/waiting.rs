//! Messages that wait for verification.

use std::ops::Range;
use std::time::Duration;

use waywarden_v2x_security::{IncomingMessage, MessageSource, ReceptionContext};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64, TwoDLocation};

use crate::frame::EthernetFrame;

/// A message that waits for verification.
pub(crate) struct Waiting {
    pub(crate) frame: EthernetFrame,
    pub(crate) spdu: Range<usize>,
    pub(crate) link: [u8; 6],
    pub(crate) psid: Option<Psid>,
    pub(crate) received: Time64,
    pub(crate) place: Option<TwoDLocation>,
    pub(crate) heard: Duration,
}

impl Waiting {
    /// The message with what is known around it.
    pub(crate) fn received(&self) -> IncomingMessage<'_, 'static> {
        IncomingMessage {
            message: self.frame.bytes.get(self.spdu.clone()).unwrap_or(&[]),
            context: ReceptionContext {
                now: self.received,
                place: self.place,
                psid: self.psid,
                external_data: None,
                data_hash: None,
                source: MessageSource::Radio,
            },
        }
    }
}
