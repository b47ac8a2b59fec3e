//! Time, place and medium of reception.

use waywarden_v2x_input::time::At;
use waywarden_v2x_security::MessageSource;
use waywarden_v2x_wire::ieee1609dot2::{Psid, TwoDLocation};

/// Time, place and medium of reception, where they are not the receiver's or the record's.
#[derive(Clone, Copy, Debug)]
pub struct Reception {
    /// Time at which the message is judged; `None`: as the receiver's settings say.
    pub at: Option<At>,
    /// Position of the receiver; `None` if it is not known.
    pub place: Option<TwoDLocation>,
    /// The application that the message is for; `None`: any.
    pub psid: Option<Psid>,
    /// Medium of a record that is no frame of a capture; those are of a radio.
    pub source: MessageSource,
}

impl Default for Reception {
    /// A file, at the receiver's time.
    fn default() -> Self {
        Self {
            at: None,
            place: None,
            psid: None,
            source: MessageSource::File,
        }
    }
}
