//! Urgency of messages, by application.

use waywarden_v2x_wire::etsi103097::its_aid;
use waywarden_v2x_wire::ieee1609dot2::Psid;

/// The application of basic safety messages.
pub(super) const BASIC_SAFETY_MESSAGE: Psid = Psid(32);

/// Urgency of an application's messages, the most urgent first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageClass {
    /// Warnings of an event: DENM.
    Warning,
    /// Awareness of other road users: CAM, BSM.
    Awareness,
    /// Everything else.
    #[default]
    Other,
}

impl MessageClass {
    /// Number of classes.
    pub(super) const COUNT: usize = 3;

    /// Returns the class of an application.
    #[must_use]
    pub fn of(psid: Psid) -> Self {
        match psid {
            its_aid::DENM => Self::Warning,
            its_aid::CAM | BASIC_SAFETY_MESSAGE => Self::Awareness,
            _ => Self::Other,
        }
    }
}
