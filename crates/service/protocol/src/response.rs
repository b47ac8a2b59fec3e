//! Responses of the service.

use std::fmt;

use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use super::status::RefusedRequest;
use crate::verdict::{VerdictEvent, Verification};

/// A response, or an event of a subscription.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    /// Number of the request.
    pub id: u64,
    /// Result of the request.
    pub body: Result<ResponseBody, RefusedRequest>,
}

/// The result of an operation.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseBody {
    /// A signed message.
    Signed {
        /// The message: an `Ieee1609Dot2Data`.
        message: Vec<u8>,
        /// Expiry: the message's expiry time, or else the end of its certificate's validity.
        expires: Time64,
    },
    /// The verdict on a message.
    Verified(Verification),
    /// The verdicts on messages, in the order of the request. A message that was not verified has
    /// its reason.
    VerifiedMany(Vec<Result<Verification, RefusedRequest>>),
    /// An encrypted message: an `Ieee1609Dot2Data`.
    Encrypted(Vec<u8>),
    /// A decrypted message: an `Ieee1609Dot2Data`, unsecured or signed.
    Decrypted(Vec<u8>),
    /// The status of a certificate.
    CertificateStatus(CertificateStatus),
    /// Statistics of the service: a JSON object.
    Statistics(String),
    /// State of the service: a JSON object.
    Health(String),
    /// The token is accepted.
    Authenticated,
    /// The subscription is accepted; events follow.
    Subscribed,
    /// Another certificate signs from now on.
    CertificateChanged {
        /// HashedId8 of the certificate.
        id: HashedId8,
        /// End of its validity.
        until: Time64,
    },
    /// An event of the subscription with the request's number.
    Event {
        /// Number of events lost before this one, because the client read too slowly.
        lost: u64,
        /// Verdict on a message.
        event: VerdictEvent,
    },
}

/// A request that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Number of the request; 0 if that cannot be read either.
    pub id: u64,
    /// The refusal to answer with.
    pub refused: RefusedRequest,
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

/// The status of a certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CertificateStatus {
    /// HashedId8 of the certificate.
    pub id: HashedId8,
    /// Validity at this time.
    pub validity: CertificateValidity,
    /// Start and end of validity; `None` for an unknown certificate.
    pub period: Option<(Time64, Time64)>,
    /// Details in words; may be empty.
    pub reason: String,
}

/// The validity of a certificate at this time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum CertificateValidity {
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

impl CertificateValidity {
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
