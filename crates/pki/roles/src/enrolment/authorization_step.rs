//! Steps after a station's request for a ticket.

use waywarden_ecverify::Point;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::message::{MessageKey, RequestHashes};
use super::respond::RequestAnswer;
use super::response::Awaited;

/// A ticket that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedTicket {
    /// Enrolment authority that consented.
    pub enrolment_authority: HashedId8,
    /// The ticket, encoded.
    pub certificate: Vec<u8>,
}

/// The next step after a station's request.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one at a time")]
pub enum AuthorizationStep {
    /// The enrolment authority is to be asked; its answer goes to
    /// [`AuthorizationAuthority::finish`](super::AuthorizationAuthority::finish).
    Ask {
        /// The enrolment authority to ask.
        enrolment_authority: HashedId8,
        /// The message to send.
        message: Vec<u8>,
        /// State of the request until the answer.
        pending: PendingValidation,
    },
    /// The station is to be answered.
    Done(RequestAnswer<IssuedTicket>),
}

/// A station's request whose validation was asked for.
pub struct PendingValidation {
    pub(super) awaited: Awaited,
    /// The key of the station's request.
    pub(super) key: MessageKey,
    pub(super) hashes: RequestHashes,
    /// Generation time of the request; none for one without a proof of possession.
    pub(super) generated: Option<Time64>,
    pub(super) public: Point,
    pub(super) encryption_key: Option<Point>,
}

impl core::fmt::Debug for PendingValidation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // The keys are nothing for a log.
        f.debug_struct("PendingValidation").finish_non_exhaustive()
    }
}
