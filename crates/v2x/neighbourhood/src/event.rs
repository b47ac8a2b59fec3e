//! Events of a station, for a caller that observes it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_schedule::DropCause;
use waywarden_v2x_station::content::MessageContent;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

use crate::frame::{EthernetFrame, SenderOrigin};
use crate::security::ReceptionVerdict;

/// A received message with its verdict.
#[derive(Clone, Debug)]
pub struct Reception {
    /// The frame that carries it.
    pub frame: EthernetFrame,
    /// The address of the link that it came from.
    pub link: [u8; 6],
    /// Verdict of the verification.
    pub verdict: ReceptionVerdict,
    /// Content of an accepted message.
    pub content: Option<MessageContent>,
    /// True if it is the first accepted message of its signer.
    pub is_new: bool,
    /// Time of reception.
    pub received: Time64,
    /// Time from reception to verdict: waiting and verification; zero in virtual time.
    pub latency: Duration,
}

/// Reason why a station does not send, or a link does not carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotSentCause {
    /// The time is not trusted, for this reason.
    Time(String),
    /// The clock went back behind the last message that was sent.
    ClockBehind,
    /// The position is not known.
    Position,
    /// The last position is so old that nothing follows from it for now; its age when it was first
    /// too old.
    StalePosition(Duration),
    /// There is no certificate to change to, for this reason.
    Certificate(String),
    /// Messages of an application are not signed, for this reason.
    Signing(Psid, String),
    /// The link cannot send or receive, for this reason.
    Link(String),
}

impl NotSentCause {
    /// Returns its name for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Time(_) => "timeNotTrusted",
            Self::ClockBehind => "clockBehind",
            Self::Position => "positionUnknown",
            Self::StalePosition(_) => "positionStale",
            Self::Certificate(_) => "noCertificate",
            Self::Signing(..) => "notSigned",
            Self::Link(_) => "linkFailed",
        }
    }
}

impl fmt::Display for NotSentCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(why) => write!(f, "the time is not trusted: {why}"),
            Self::ClockBehind => f.write_str("the clock went back behind the last message"),
            Self::Position => f.write_str("the position is not known"),
            Self::StalePosition(age) => write!(
                f,
                "the last position is {:.1} s old, too old to say where the vehicle is now",
                age.as_secs_f64()
            ),
            Self::Certificate(why) => write!(f, "there is no other certificate: {why}"),
            Self::Signing(psid, why) => {
                write!(f, "messages of PSID {} are not signed: {why}", psid.0)
            }
            Self::Link(why) => write!(f, "the link does not work: {why}"),
        }
    }
}

/// Event of a station.
#[derive(Clone, Debug)]
pub enum NeighbourhoodEvent {
    /// It sent a message.
    Sent {
        /// Application of the message.
        psid: Psid,
        /// Frame that carries it.
        frame: EthernetFrame,
    },
    /// It heard a message.
    Heard(Box<Reception>),
    /// It heard a message that it does not verify, because there are too many.
    Dropped {
        /// True kind of the sender.
        origin: SenderOrigin,
        /// Reason of the drop.
        cause: DropCause,
        /// Bytes of the frame.
        bytes: Arc<[u8]>,
    },
    /// It heard a frame in which there is no secured message.
    Unreadable {
        /// True kind of the sender.
        origin: SenderOrigin,
        /// Human-readable reason.
        reason: String,
    },
    /// It heard a frame from its own address: its own frame, or one sent again. It is not verified.
    OwnAddress {
        /// True kind of the sender.
        origin: SenderOrigin,
    },
    /// It became another station, and is silent for a while.
    PseudonymChanged {
        /// HashedId8 of its new certificate.
        certificate: HashedId8,
        /// Time at which it sends again.
        silent_until: Time64,
    },
    /// A message that was due could not be signed.
    NotSigned {
        /// Application of the message.
        psid: Psid,
        /// Human-readable reason.
        reason: String,
    },
    /// It does not do what a user asked for.
    CommandRefused {
        /// Human-readable reason.
        reason: String,
    },
    /// Its source of time and position reports a fault that does not stop it.
    ClockWarning {
        /// Name of the fault for programs.
        code: &'static str,
        /// The fault and its remedy.
        reason: String,
    },
    /// It stopped sending, or receiving.
    Impaired(NotSentCause),
    /// The cause of an impairment is over.
    Recovered(NotSentCause),
}
