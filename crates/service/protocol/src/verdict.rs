//! Verdicts on messages, for clients, subscribers and recordings.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use waywarden_v2x_security::{Refusal, ResultCode};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, ThreeDLocation, Time64};

macro_rules! reports {
    ($($(#[$meta:meta])* $report:ident = $number:literal, $name:literal;)*) => {
        /// A report of SN-VERIFY.confirm (ETSI TS 102 723-8, table 5).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Report {
            $($(#[$meta])* $report = $number,)*
        }

        impl Report {
            /// Every report.
            pub const ALL: &'static [Self] = &[$(Self::$report,)*];

            /// Returns its name in the standard.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$report => $name,)*
                }
            }
        }
    };
}

reports! {
    /// The message is accepted.
    Success = 0, "SUCCESS";
    /// A signature is wrong.
    FalseSignature = 1, "FALSE_SIGNATURE";
    /// A certificate does not hold.
    InvalidCertificate = 2, "INVALID_CERTIFICATE";
    /// A certificate is revoked, or whether it is revoked is not known.
    RevokedCertificate = 3, "REVOKED_CERTIFICATE";
    /// The chain does not hold together.
    InconsistentChain = 4, "INCONSISTENT_CHAIN";
    /// The time of the message does not hold.
    InvalidTimestamp = 5, "INVALID_TIMESTAMP";
    /// The message was here before.
    DuplicateMessage = 6, "DUPLICATE_MESSAGE";
    /// The place of the message does not hold.
    InvalidMobilityData = 7, "INVALID_MOBILITY_DATA";
    /// The message is not signed.
    UnsignedMessage = 8, "UNSIGNED_MESSAGE";
    /// The signer's certificate is not known.
    SignerCertificateNotFound = 9, "SIGNER_CERTIFICATE_NOT_FOUND";
    /// The signer is named in a way that is not supported.
    UnsupportedSignerIdentifierType = 10, "UNSUPPORTED_SIGNER_IDENTIFIER_TYPE";
    /// The message cannot be read, or is not for this application.
    IncompatibleProtocol = 11, "INCOMPATIBLE_PROTOCOL";
}

impl Report {
    /// Returns the report of a refusal. It is that of the refusal's code, except where the standard
    /// of the report tells more apart: messages that are not signed, signers that are named in a
    /// way that is not supported, and certificates that fail where the message does not.
    #[must_use]
    pub fn of(refusal: &Refusal) -> Self {
        let is_of_certificate = refusal.certificate.is_some();
        match (refusal.code, refusal.field) {
            (ResultCode::InconsistentInputParameters, "content") => Self::UnsignedMessage,
            (ResultCode::InconsistentInputParameters, "signer") => {
                Self::UnsupportedSignerIdentifierType
            }
            (
                ResultCode::CryptoVerificationFailure
                | ResultCode::ParsingInvalidInput
                | ResultCode::ParsingUnsupportedCriticalInformationField,
                _,
            ) if is_of_certificate => Self::InvalidCertificate,
            (code, _) => Self::of_code(code),
        }
    }

    /// Returns the report of a result code of IEEE 1609.2, without knowing more.
    #[must_use]
    pub fn of_code(code: ResultCode) -> Self {
        use ResultCode as Code;
        match code {
            Code::Success => Self::Success,
            Code::InconsistentInputParameters
            | Code::ParsingInvalidInput
            | Code::ParsingUnsupportedCriticalInformationField
            | Code::InternalConsistencyNoExtDataHashProvided
            | Code::InternalConsistencyNoExtDataHashPresent
            | Code::LocalConsistencyPsidsDontMatch
            | Code::Unknown => Self::IncompatibleProtocol,
            Code::ParsingCertificateNotFound => Self::SignerCertificateNotFound,
            Code::ChainNotEnoughInformationToConstructChain
            | Code::ChainEndedAtUntrustedRoot
            | Code::ChainWasTooLongForImplementation
            | Code::ChainInconsistentExpiryTimes
            | Code::ChainInconsistentStartTimes
            | Code::ChainInconsistentChainPermissions
            | Code::LocalConsistencyChainWasTooLongForSdee => Self::InconsistentChain,
            Code::ChainCertificateRevoked | Code::ChainOverdueCrl => Self::RevokedCertificate,
            Code::CryptoVerificationFailure | Code::InternalConsistencyExtDataHashDoesntMatch => {
                Self::FalseSignature
            }
            Code::ConsistencyFutureCertificateAtGenerationTime
            | Code::ConsistencyExpiredCertificateAtGenerationTime
            | Code::ConsistencyUnauthorizedPsid
            | Code::CertificateExpired => Self::InvalidCertificate,
            Code::ParsingGenerationTimeNotAvailable
            | Code::ConsistencyExpiryDateTooEarly
            | Code::ConsistencyExpiryDateTooLate
            | Code::InternalConsistencyExpiryTimeBeforeGenerationTime
            | Code::RelevanceGenerationTimeTooFarInPast
            | Code::RelevanceGenerationTimeTooFarInFuture
            | Code::RelevanceExpiryTimeInPast => Self::InvalidTimestamp,
            Code::ParsingGenerationLocationNotAvailable
            | Code::ConsistencyGenerationLocationOutsideValidityRegion
            | Code::ConsistencyNoGenerationLocation
            | Code::RelevanceGenerationLocationTooDistant => Self::InvalidMobilityData,
            Code::RelevanceReplayedSpdu => Self::DuplicateMessage,
        }
    }
}

/// The verdict on a message.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The result by IEEE 1609.2.
    pub result: ResultCode,
    /// The report by ETSI TS 102 723-8.
    pub report: Report,
    /// Human-readable reason for the refusal; empty for an accepted message.
    pub reason: String,
    /// Certificate with the fault.
    pub certificate: Option<HashedId8>,
    /// Field with the fault, by the standard's name; may be empty.
    pub field: Cow<'static, str>,
    /// Claimed signer.
    pub signer: Option<HashedId8>,
    /// Claimed application.
    pub psid: Option<Psid>,
    /// Service specific permissions of an accepted message's signer in the application.
    pub permissions: Option<Vec<u8>>,
    /// Claimed generation time.
    pub generation_time: Option<Time64>,
    /// Claimed generation location.
    pub generation_location: Option<ThreeDLocation>,
    /// The payload of an accepted message; `None` for a refused one, or one that is not carried.
    pub payload: Option<Vec<u8>>,
    /// Payload of an accepted message beside the certificate of its signer: always there if they
    /// contradict each other, else if the request asks for it.
    pub payload_check: Option<Box<PayloadVerdict>>,
}

/// A payload beside the certificate of its signer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadVerdict {
    /// The result.
    pub result: PayloadResult,
    /// Contradictions, what was and what was not compared, in words.
    pub text: String,
}

/// Result of a payload check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadResult {
    /// Nothing could be compared.
    NotChecked,
    /// All that could be compared agrees.
    Passed,
    /// Payload and certificate contradict each other: the message is not accepted though its
    /// signatures are valid and its result is success.
    Failed,
}

impl PayloadResult {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::NotChecked, Self::Passed, Self::Failed];

    /// Returns its name in the JSON form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NotChecked => "notChecked",
            Self::Passed => "passed",
            Self::Failed => "failed",
        }
    }
}

impl Verification {
    /// Returns true if the message is accepted.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        self.result == ResultCode::Success && self.payload_fault().is_none()
    }

    /// Returns the contradiction between payload and certificate, in words, if there is one.
    #[must_use]
    pub fn payload_fault(&self) -> Option<&str> {
        let check = self.payload_check.as_deref();
        let failed = check.filter(|check| check.result == PayloadResult::Failed);
        failed.map(|check| &*check.text)
    }
}

/// A verdict as it fell.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictEvent {
    /// Counts all verdicts since the service began, from 0.
    pub sequence: u64,
    /// Time of reception.
    pub received: Time64,
    /// Time from reception to the verdict: waiting and verification.
    pub latency: Duration,
    /// The message as it came.
    pub message: Arc<[u8]>,
    /// The verdict.
    pub verification: Arc<Verification>,
}
