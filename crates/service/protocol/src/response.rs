//! What the service answers.

use std::fmt;

use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::status::Refused;
use crate::verdict::{VerdictEvent, Verification};

/// A response, or an event of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// The number of the request.
    pub id: u64,
    /// What became of it.
    pub body: Result<ResponseBody, Refused>,
}

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseBody {
    /// A signed message.
    Signed {
        /// The message: an `Ieee1609Dot2Data`.
        message: Vec<u8>,
        /// When it expires: its expiry time, or else the end of its certificate's validity.
        expires: Time64,
    },
    /// The verdict on a message.
    Verified(Verification),
    /// The verdicts on messages, in the order of the request. A message that was not verified has
    /// its reason.
    VerifiedMany(Vec<Result<Verification, Refused>>),
    /// An encrypted message: an `Ieee1609Dot2Data`.
    Encrypted(Vec<u8>),
    /// What was encrypted: an `Ieee1609Dot2Data`, unsecured or signed.
    Decrypted(Vec<u8>),
    /// What is known of a certificate.
    CertificateStatus(CertificateStatus),
    /// What was counted: a JSON object.
    Statistics(String),
    /// Whether the service works: a JSON object.
    Health(String),
    /// The token counts.
    Authenticated,
    /// Events follow.
    Subscribed,
    /// Another certificate signs from now on.
    CertificateChanged {
        /// What it is called by.
        id: HashedId8,
        /// When it ends to be valid.
        until: Time64,
    },
    /// An event of the subscription with the request's number.
    Event {
        /// How many events before this one were lost, because the client read too slowly.
        lost: u64,
        /// The verdict.
        event: VerdictEvent,
    },
}

/// A request that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The request's number; 0 where that cannot be read either.
    pub id: u64,
    /// What to answer.
    pub refused: Refused,
}

impl From<Unreadable> for Response {
    fn from(unreadable: Unreadable) -> Self {
        Self {
            id: unreadable.id,
            body: Err(unreadable.refused),
        }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "request {}: {}", self.id, self.refused)
    }
}

impl std::error::Error for Unreadable {}

/// What is known of a certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateStatus {
    /// What it is called by.
    pub id: HashedId8,
    /// What counts for it now.
    pub validity: Validity,
    /// When it begins and ends to be valid; `None` for one that is not known.
    pub period: Option<(Time64, Time64)>,
    /// More on it in words; may be empty.
    pub reason: String,
}

/// What counts for a certificate now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Validity {
    /// Its chain ends at a trusted certificate, and it is valid now.
    Valid = 0,
    /// It is not known.
    Unknown = 1,
    /// It is not valid yet.
    Future = 2,
    /// It is not valid any more.
    Expired = 3,
    /// It is revoked.
    Revoked = 4,
    /// Its chain or contents do not hold.
    Invalid = 5,
}

impl Validity {
    /// Every one.
    pub const ALL: &'static [Self] = &[
        Self::Valid,
        Self::Unknown,
        Self::Future,
        Self::Expired,
        Self::Revoked,
        Self::Invalid,
    ];

    /// Returns its name in the JSON form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Unknown => "unknown",
            Self::Future => "future",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
            Self::Invalid => "invalid",
        }
    }
}
