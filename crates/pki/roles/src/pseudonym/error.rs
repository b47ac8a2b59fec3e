//! Reasons why there is no request, no certificate, or none that can be opened.

use core::fmt;

use waywarden_v2x_keys::KeyError;
use waywarden_v2x_keys::ecqv::EcqvError;
use waywarden_v2x_security::{PermissionFault, Refusal};
use waywarden_v2x_signing::{DecryptError, EncryptError, SignError};
use waywarden_v2x_wire::{EmitError, WireError};

use crate::error::IssueError;

/// Reason why a message of a batch is not made, or not accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum PseudonymError {
    /// The bytes are no message.
    Parse(WireError),
    /// The message is another one, or says what it must not: the field and what is expected.
    Message {
        /// The field, by the standard's name.
        field: &'static str,
        /// Expected content of the field.
        why: &'static str,
    },
    /// The certificate cannot be made, or receivers would refuse it.
    Issue(IssueError),
    /// The message cannot be decrypted.
    Decrypt(DecryptError),
    /// The answer cannot be encrypted.
    Encrypt(EncryptError),
    /// It cannot be signed.
    Sign(SignError),
    /// The signer's certificate, or the signature, does not verify.
    Refused(Refusal),
    /// The enrolment certificate permits no request for this.
    Permission(PermissionFault),
    /// The request was taken before.
    Replayed,
    /// More requests are kept, or wait for their answers, than there may be.
    TooMany,
    /// No request is known under this hash.
    Unknown,
}

/// Reason why a holder cannot open a response.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenResponseError {
    /// The bytes are no message.
    Parse(WireError),
    /// The message is another one: the field and what is expected.
    Message {
        /// The field, by the standard's name.
        field: &'static str,
        /// Expected content of the field.
        why: &'static str,
    },
    /// The pseudonym authority did not sign it: a registration authority may have opened it.
    Signature(Refusal),
    /// It cannot be decrypted: it is of another position or holder, or was changed.
    Decrypt(DecryptError),
    /// The certificate does not go with the request.
    Key(EcqvError),
}

macro_rules! from {
    ($to:ty: $($source:ty => $variant:ident;)*) => {$(
        impl From<$source> for $to {
            fn from(error: $source) -> Self {
                Self::$variant(error.into())
            }
        }
    )*};
}

from! {
    PseudonymError:
    WireError => Parse;
    IssueError => Issue;
    KeyError => Issue;
    EmitError => Issue;
    EcqvError => Issue;
    DecryptError => Decrypt;
    EncryptError => Encrypt;
    SignError => Sign;
    PermissionFault => Permission;
}

from! {
    OpenResponseError:
    WireError => Parse;
    DecryptError => Decrypt;
    EcqvError => Key;
    KeyError => Key;
}

impl fmt::Display for PseudonymError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(error) => error.fmt(f),
            Self::Message { field, why } => write!(f, "{field}: {why}"),
            Self::Issue(error) => error.fmt(f),
            Self::Decrypt(error) => error.fmt(f),
            Self::Encrypt(error) => error.fmt(f),
            Self::Sign(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Permission(_) => f.write_str(
                "appPermissions: the enrolment certificate permits no request for these",
            ),
            Self::Replayed => f.write_str("the request was taken before"),
            Self::TooMany => f.write_str("too many requests are kept, or wait for their answers"),
            Self::Unknown => f.write_str("requestHash: no such request"),
        }
    }
}

impl fmt::Display for OpenResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse(error) => error.fmt(f),
            Self::Message { field, why } => write!(f, "{field}: {why}"),
            Self::Signature(refusal) => refusal.fmt(f),
            Self::Decrypt(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PseudonymError {}
impl core::error::Error for OpenResponseError {}
