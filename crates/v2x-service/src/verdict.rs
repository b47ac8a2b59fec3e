//! What becomes of a message, for clients, subscribers and recordings.

use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_security::{Refusal, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, ThreeDLocation, Time64};

/// A report of SN-VERIFY.confirm (ETSI TS 102 723-8, table 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Report {
    /// The message is accepted.
    Success = 0,
    /// A signature is wrong.
    FalseSignature = 1,
    /// A certificate does not hold.
    InvalidCertificate = 2,
    /// A certificate is revoked, or whether it is revoked is not known.
    RevokedCertificate = 3,
    /// The chain does not hold together.
    InconsistentChain = 4,
    /// The time of the message does not hold.
    InvalidTimestamp = 5,
    /// The message was here before.
    DuplicateMessage = 6,
    /// The place of the message does not hold.
    InvalidMobilityData = 7,
    /// The message is not signed.
    UnsignedMessage = 8,
    /// The signer's certificate is not known.
    SignerCertificateNotFound = 9,
    /// The signer is named in a way that is not supported.
    UnsupportedSignerIdentifierType = 10,
    /// The message cannot be read.
    IncompatibleProtocol = 11,
}

/// The verdict on a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The result by IEEE 1609.2.
    pub result: ResultCode,
    /// The report by ETSI TS 102 723-8.
    pub report: Report,
    /// Why it is refused, in words; empty if it is accepted.
    pub reason: String,
    /// The certificate that the refusal is about.
    pub certificate: Option<HashedId8>,
    /// The field that the refusal is about, by the standard's name; may be empty.
    pub field: &'static str,
    /// Who claims to have signed.
    pub signer: Option<HashedId8>,
    /// The application that the message claims.
    pub psid: Option<Psid>,
    /// What an accepted message's signer may say in the application.
    pub permissions: Option<Vec<u8>>,
    /// When the message claims to be made.
    pub generation_time: Option<Time64>,
    /// Where the message claims to be made.
    pub generation_location: Option<ThreeDLocation>,
    /// The payload of an accepted message; `None` for a refused one, or one that is not carried.
    pub payload: Option<Vec<u8>>,
}

impl Verification {
    /// Returns whether the message is accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.result == ResultCode::Success
    }
}

/// A verdict as it fell.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictEvent {
    /// Counts all verdicts since the service began, from 0.
    pub sequence: u64,
    /// When the message came.
    pub received: Time64,
    /// How long it waited and was verified.
    pub latency: Duration,
    /// The message as it came.
    pub message: Arc<[u8]>,
    /// The verdict.
    pub verification: Arc<Verification>,
}

impl Report {
    /// Returns the report of a refusal.
    #[must_use]
    pub fn of(refusal: &Refusal) -> Self {
        Self::of_code(refusal.code)
    }

    /// Returns the report of a result code.
    #[must_use]
    pub fn of_code(code: ResultCode) -> Self {
        match code {
            ResultCode::Success => Self::Success,
            ResultCode::CryptoVerificationFailure => Self::FalseSignature,
            ResultCode::ParsingCertificateNotFound => Self::SignerCertificateNotFound,
            ResultCode::RelevanceReplayedSpdu => Self::DuplicateMessage,
            _ => Self::InvalidCertificate,
        }
    }
}
