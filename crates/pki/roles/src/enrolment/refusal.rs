//! Reasons for refusing a request, for the local log, and the standard's code for the requester.

use core::fmt;

use waywarden_v2x_security::{ContentsFault, Refusal};
use waywarden_v2x_signing::DecryptError;
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode, AuthorizationValidationResponseCode, EnrolmentResponseCode,
};
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::message::{MessageError, MessageFault};
use super::registry::{RecordError, StorageFailure};
use super::response::ResponseRefusal;
use crate::error::IssueError;

/// Reason for refusing a request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestRefusal {
    /// The message is not one that can be read here and now.
    Message(MessageFault),
    /// The station's signature cannot be read by the enrolment authority.
    EcSignature(MessageFault),
    /// The request has another certificate format than 1.
    Format(u8),
    /// The request lacks this field.
    Incomplete(&'static str),
    /// This public key is not on a supported curve, or is one that is in use already.
    PublicKey(&'static str),
    /// No station is known by this identifier or credential.
    UnknownStation,
    /// The station may not ask.
    StationBlocked,
    /// The credential that signs is not valid at this time.
    CredentialNotValid,
    /// The credential that signs does not permit such a request.
    CredentialNotPermitted,
    /// The credential that is recorded is not one of this authority.
    Credential(Refusal),
    /// The station's signature is wrong.
    Signature(Refusal),
    /// The signature of the authority that asks is wrong.
    AuthoritySignature(Refusal),
    /// The station signed another request than this one.
    OtherRequestSigned,
    /// The key that is to be certified did not sign the request.
    ProofOfPossession(Refusal),
    /// The request has no proof of possession, and this authority demands one.
    NoProofOfPossession,
    /// `keyTag` is not that of the public keys.
    KeyTag,
    /// The other authority is not known.
    UnknownAuthority(HashedId8),
    /// The other authority is revoked, is not valid at this time, or may not take part.
    InvalidAuthority(HashedId8),
    /// The request is for another enrolment authority.
    WrongEnrolmentAuthority(HashedId8),
    /// The station's profile does not cover what is asked for.
    Denied(ContentsFault),
    /// So many tickets of the station are valid in this period already.
    TooManyTickets(u32),
    /// The request was answered before. Where its answer is known it is sent once more.
    Replayed,
    /// The request is from a time whose answers are forgotten, so that it may have been answered.
    Forgotten,
    /// The enrolment authority does not answer.
    Unreachable,
    /// The enrolment authority's answer is not accepted, or is a refusal.
    Validation(ResponseRefusal<AuthorizationValidationResponseCode>),
    /// The certificate cannot be issued.
    Issue(IssueError),
    /// Too many answers are remembered.
    Full,
    /// The storage failed.
    Storage(StorageFailure),
    /// The next message cannot be made.
    Answer(MessageError),
}

macro_rules! from {
    ($($source:ty => $variant:ident;)*) => {$(
        impl From<$source> for RequestRefusal {
            fn from(error: $source) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

from! {
    MessageFault => Message;
    ContentsFault => Denied;
    IssueError => Issue;
    StorageFailure => Storage;
    MessageError => Answer;
}

impl From<RecordError> for RequestRefusal {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::AlreadyAnswered => Self::Replayed,
            RecordError::Forgotten => Self::Forgotten,
            RecordError::Full => Self::Full,
            RecordError::Storage(failure) => Self::Storage(failure),
        }
    }
}

/// Faults of a message, in the words that the three lists of codes have in common.
enum Kind {
    CantParse,
    BadContentType,
    NotTheRecipient,
    UnknownEncryptionAlgorithm,
    DecryptionFailed,
    Incomplete,
    OutOfSync,
    Other,
}

fn kind(fault: &MessageFault) -> Kind {
    match fault {
        MessageFault::Parse(_) | MessageFault::Encryption(DecryptError::Parse(_)) => {
            Kind::CantParse
        }
        MessageFault::Encryption(error) => match error {
            DecryptError::NotForUs => Kind::NotTheRecipient,
            DecryptError::Unsupported(_) => Kind::UnknownEncryptionAlgorithm,
            DecryptError::NoPoint | DecryptError::Tag => Kind::DecryptionFailed,
            DecryptError::Key(_) => Kind::Other,
            _ => Kind::BadContentType,
        },
        MessageFault::Profile(deviation) if deviation.field == "generationTime" => Kind::Incomplete,
        MessageFault::Recipients(_)
        | MessageFault::Content(_)
        | MessageFault::Application(_)
        | MessageFault::Profile(_) => Kind::BadContentType,
        MessageFault::OutOfSync { .. } => Kind::OutOfSync,
        MessageFault::TooLong { .. } => Kind::Other,
    }
}

/// Returns true if receivers would refuse the certificate, or if it cannot be made at all.
fn is_denied(error: &IssueError) -> bool {
    matches!(error, IssueError::Refused(_) | IssueError::Contents { .. })
}

impl RequestRefusal {
    /// Returns what a station is told that asked for a credential.
    #[must_use]
    pub fn enrolment_code(&self) -> EnrolmentResponseCode {
        use EnrolmentResponseCode as Code;
        match self {
            Self::Message(fault) => match kind(fault) {
                Kind::CantParse => Code::CantParse,
                Kind::BadContentType => Code::BadContentType,
                Kind::NotTheRecipient => Code::ImNotTheRecipient,
                Kind::UnknownEncryptionAlgorithm => Code::UnknownEncryptionAlgorithm,
                Kind::DecryptionFailed => Code::DecryptionFailed,
                Kind::Incomplete => Code::IncompleteRequest,
                Kind::OutOfSync | Kind::Other => Code::DeniedRequest,
            },
            Self::Incomplete(_) => Code::IncompleteRequest,
            Self::PublicKey(_) => Code::InvalidKeys,
            Self::UnknownStation => Code::UnknownIts,
            Self::StationBlocked | Self::CredentialNotValid => Code::BadItsStatus,
            Self::Signature(_) | Self::ProofOfPossession(_) => Code::InvalidSignature,
            Self::CredentialNotPermitted | Self::Denied(_) => Code::DeniedPermissions,
            Self::Issue(error) if is_denied(error) => Code::DeniedPermissions,
            _ => Code::DeniedRequest,
        }
    }

    /// Returns what a station is told that asked for a ticket.
    #[must_use]
    pub fn authorization_code(&self) -> AuthorizationResponseCode {
        use AuthorizationResponseCode as Code;
        match self {
            Self::Message(fault) => match kind(fault) {
                Kind::CantParse => Code::ItsAaCantParse,
                Kind::BadContentType => Code::ItsAaBadContentType,
                Kind::NotTheRecipient => Code::ItsAaImNotTheRecipient,
                Kind::UnknownEncryptionAlgorithm => Code::ItsAaUnknownEncryptionAlgorithm,
                Kind::DecryptionFailed => Code::ItsAaDecryptionFailed,
                Kind::Incomplete => Code::ItsAaIncompleteRequest,
                Kind::OutOfSync | Kind::Other => Code::ItsAaOutOfSyncRequest,
            },
            Self::NoProofOfPossession => Code::ItsAaBadContentType,
            Self::KeyTag => Code::ItsAaKeysDontMatch,
            Self::Incomplete(_) => Code::ItsAaIncompleteRequest,
            Self::PublicKey(_) => Code::InvalidEncryptionKey,
            Self::ProofOfPossession(_) => Code::InvalidSignature,
            Self::Replayed | Self::Forgotten => Code::ItsAaOutOfSyncRequest,
            Self::UnknownAuthority(_) => Code::ItsAaUnknownEa,
            Self::InvalidAuthority(_) => Code::ItsAaInvalidEa,
            Self::Validation(ResponseRefusal::Denied(code)) => of_validation(*code),
            // An answer that is not the authority's is as good as none.
            Self::Unreachable | Self::Validation(_) => Code::AaEaCantReachEa,
            // The standard has no other code for a denial by this authority.
            _ => Code::ItsAaDeniedPermissions,
        }
    }

    /// Returns what an authorization authority is told.
    #[must_use]
    pub fn validation_code(&self) -> AuthorizationValidationResponseCode {
        use AuthorizationValidationResponseCode as Code;
        match self {
            Self::Message(fault) => match kind(fault) {
                Kind::CantParse => Code::CantParse,
                Kind::BadContentType | Kind::Incomplete => Code::BadContentType,
                Kind::NotTheRecipient => Code::ImNotTheRecipient,
                Kind::UnknownEncryptionAlgorithm => Code::UnknownEncryptionAlgorithm,
                Kind::DecryptionFailed => Code::DecryptionFailed,
                Kind::OutOfSync | Kind::Other => Code::DeniedRequest,
            },
            Self::EcSignature(fault) => match kind(fault) {
                // The signature is encrypted to another enrolment authority.
                Kind::NotTheRecipient => Code::WrongEa,
                Kind::CantParse => Code::CantParse,
                Kind::UnknownEncryptionAlgorithm => Code::UnknownEncryptionAlgorithm,
                Kind::DecryptionFailed => Code::DecryptionFailed,
                Kind::BadContentType | Kind::Incomplete => Code::InvalidSignature,
                Kind::OutOfSync | Kind::Other => Code::DeniedRequest,
            },
            Self::UnknownAuthority(_) | Self::InvalidAuthority(_) => Code::InvalidAa,
            Self::AuthoritySignature(_) => Code::InvalidAaSignature,
            Self::WrongEnrolmentAuthority(_) => Code::WrongEa,
            Self::UnknownStation => Code::UnknownIts,
            Self::Signature(_) | Self::OtherRequestSigned => Code::InvalidSignature,
            Self::CredentialNotPermitted | Self::Denied(_) | Self::Incomplete(_) => {
                Code::DeniedPermissions
            }
            Self::TooManyTickets(_) => Code::DeniedTooManyCerts,
            _ => Code::DeniedRequest,
        }
    }
}

/// Returns the code that a station gets for the enrolment authority's refusal.
fn of_validation(code: AuthorizationValidationResponseCode) -> AuthorizationResponseCode {
    use AuthorizationResponseCode as Code;
    use AuthorizationValidationResponseCode as Validation;
    match code {
        Validation::Ok => Code::Ok,
        Validation::CantParse => Code::EaAaCantParse,
        Validation::BadContentType => Code::EaAaBadContentType,
        Validation::ImNotTheRecipient => Code::EaAaImNotTheRecipient,
        Validation::UnknownEncryptionAlgorithm => Code::EaAaUnknownEncryptionAlgorithm,
        Validation::DecryptionFailed => Code::EaAaDecryptionFailed,
        Validation::InvalidAa => Code::InvalidAa,
        Validation::InvalidAaSignature => Code::InvalidAaSignature,
        Validation::WrongEa => Code::WrongEa,
        Validation::UnknownIts => Code::UnknownIts,
        Validation::InvalidSignature => Code::InvalidSignature,
        Validation::InvalidEncryptionKey => Code::InvalidEncryptionKey,
        // The list has no `deniedrequest`.
        Validation::DeniedPermissions | Validation::DeniedRequest => Code::DeniedPermissions,
        Validation::DeniedTooManyCerts => Code::DeniedTooManyCerts,
    }
}

impl fmt::Display for RequestRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(fault) => fault.fmt(f),
            Self::EcSignature(fault) => write!(f, "ecSignature: {fault}"),
            Self::Format(format) => write!(f, "certificateFormat: {format}, and 1 is expected"),
            Self::Incomplete(field) => write!(f, "{field}: missing"),
            Self::PublicKey(field) => write!(f, "{field}: not a key that can be certified"),
            Self::UnknownStation => f.write_str("the station is not registered"),
            Self::StationBlocked => f.write_str("the station is blocked"),
            Self::CredentialNotValid => f.write_str("the credential is not valid at this time"),
            Self::CredentialNotPermitted => {
                f.write_str("the credential does not permit this request")
            }
            Self::Credential(refusal) => write!(f, "the recorded credential: {refusal}"),
            Self::Signature(refusal) => write!(f, "the station: {refusal}"),
            Self::AuthoritySignature(refusal) => write!(f, "the authority: {refusal}"),
            Self::OtherRequestSigned => f.write_str("extDataHash: of another request"),
            Self::ProofOfPossession(refusal) => write!(f, "proof of possession: {refusal}"),
            Self::NoProofOfPossession => f.write_str("no proof of possession"),
            Self::KeyTag => f.write_str("keyTag: not that of the public keys"),
            Self::UnknownAuthority(id) => write!(f, "authority {} is not known", Hex(id)),
            Self::InvalidAuthority(id) => write!(f, "authority {} is not valid", Hex(id)),
            Self::WrongEnrolmentAuthority(id) => write!(f, "eaId: {}, another one", Hex(id)),
            Self::Denied(fault) => fault.fmt(f),
            Self::TooManyTickets(count) => {
                write!(
                    f,
                    "{count} tickets of the station are valid at the same time"
                )
            }
            Self::Replayed => f.write_str("the request was answered before"),
            Self::Forgotten => f.write_str(
                "generationTime: from a time whose answers are forgotten, so that it may have been \
                 answered; a new request is needed",
            ),
            Self::Unreachable => f.write_str("the enrolment authority does not answer"),
            Self::Validation(refusal) => write!(f, "the enrolment authority: {refusal}"),
            Self::Issue(error) => error.fmt(f),
            Self::Full => f.write_str("too many answers are remembered"),
            Self::Storage(failure) => failure.fmt(f),
            Self::Answer(error) => write!(f, "the answer cannot be made: {error}"),
        }
    }
}

impl core::error::Error for RequestRefusal {}

/// An identifier in hexadecimal digits.
struct Hex<'h>(&'h HashedId8);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
