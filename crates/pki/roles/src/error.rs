//! Reasons for not issuing a certificate.

use core::fmt;

use waywarden_v2x_keys::KeyError;
use waywarden_v2x_keys::ecqv::EcqvError;
use waywarden_v2x_security::Refusal;
use waywarden_v2x_signing::{CredentialError, EncryptError};
use waywarden_v2x_wire::EmitError;

/// Reason for not issuing a certificate.
#[derive(Clone, Debug, PartialEq)]
pub enum IssueError {
    /// The store of keys cannot.
    Key(KeyError),
    /// The certificate cannot be written.
    Emit(EmitError),
    /// The contents do not go together: the field, by the standard's name, and why.
    Contents {
        /// The field, by the standard's name.
        field: &'static str,
        /// Reason why it is wrong.
        why: &'static str,
    },
    /// An implicit certificate cannot be made.
    Implicit(EcqvError),
    /// The encryption key is of a kind that certificates do not have.
    EncryptionKey(EncryptError),
    /// A receiver would refuse the certificate: the authority's chain does not cover it.
    Refused(Refusal),
    /// The authority's private key is not its certificate's.
    Credential(CredentialError),
}

macro_rules! from {
    ($($source:ty => $variant:ident;)*) => {$(
        impl From<$source> for IssueError {
            fn from(error: $source) -> Self {
                Self::$variant(error)
            }
        }
    )*};
}

from! {
    KeyError => Key;
    EmitError => Emit;
    EcqvError => Implicit;
    EncryptError => EncryptionKey;
    Refusal => Refused;
    CredentialError => Credential;
}

impl fmt::Display for IssueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Emit(error) => error.fmt(f),
            Self::Contents { field, why } => write!(f, "{field}: {why}"),
            Self::Implicit(error) => error.fmt(f),
            Self::EncryptionKey(error) => error.fmt(f),
            Self::Refused(refusal) => write!(f, "receivers would refuse it: {refusal}"),
            Self::Credential(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for IssueError {}
