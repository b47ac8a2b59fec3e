//! Errors of signing and encryption.

use core::fmt;

use waywarden_v2x_keys::KeyError;
use waywarden_v2x_keys::ecies::EciesError;
use waywarden_v2x_wire::EmitError;
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

/// An error of signing. Lacking permissions are found before a key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SignError {
    /// The key store fails.
    Key(KeyError),
    /// The message cannot be encoded, because of the named field.
    Emit(EmitError),
    /// The parts of the message do not go together.
    Message(
        /// Human-readable reason.
        &'static str,
    ),
    /// `appPermissions` of the certificate does not have the message's application.
    NotPermitted(Psid),
    /// The certificate is not valid yet at `generationTime`, or not any more.
    OutsideValidity {
        /// Start of validity.
        start: Time64,
        /// End of validity (exclusive).
        end: Time64,
        /// Generation time of the message.
        made: Time64,
    },
    /// The message expires at a time at which the certificate is not valid.
    ExpiryOutsideValidity,
    /// The message expires when it is made, or before.
    ExpiryBeforeGeneration,
    /// `generationLocation` is outside of the certificate's region.
    OutsideRegion,
    /// The application's profile demands a field of the header that is missing.
    Missing(
        /// The field, by the standard's name.
        &'static str,
    ),
}

impl From<KeyError> for SignError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<EmitError> for SignError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Emit(error) => error.fmt(f),
            Self::Message(why) => f.write_str(why),
            Self::NotPermitted(psid) => write!(
                f,
                "appPermissions: the certificate does not permit application {}",
                psid.0
            ),
            Self::OutsideValidity { start, made, .. } if made < start => {
                f.write_str("validityPeriod: the certificate is not valid yet at this time")
            }
            Self::OutsideValidity { .. } => {
                f.write_str("validityPeriod: the certificate is no longer valid at this time")
            }
            Self::ExpiryOutsideValidity => {
                f.write_str("validityPeriod: the certificate is not valid when the message expires")
            }
            Self::ExpiryBeforeGeneration => f.write_str("expiryTime: not after generationTime"),
            Self::OutsideRegion => {
                f.write_str("region: the certificate is not valid at this place")
            }
            Self::Missing(field) => write!(f, "{field}: the application's profile demands it"),
        }
    }
}

impl core::error::Error for SignError {}

/// An error of encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncryptError {
    /// The key store fails.
    Key(KeyError),
    /// The message cannot be encoded.
    Emit(EmitError),
    /// There is no recipient.
    NoRecipient,
    /// There are more than [`RECIPIENTS_MAX`](crate::RECIPIENTS_MAX).
    TooManyRecipients,
    /// The recipient's certificate has no encryption key.
    NoEncryptionKey,
    /// The recipient's encryption key is no point of its curve.
    NoPoint,
    /// The recipient's key is of a kind that is not supported.
    Unsupported(
        /// The unsupported feature, in words.
        &'static str,
    ),
    /// The message is longer than 16 MiB.
    TooLong,
}

impl From<EmitError> for EncryptError {
    fn from(error: EmitError) -> Self {
        Self::Emit(error)
    }
}

impl From<EciesError> for EncryptError {
    fn from(error: EciesError) -> Self {
        match error {
            EciesError::Key(error) => Self::Key(error),
            // Encryption has no tag to compare.
            EciesError::Tag => Self::Unsupported("ECIES"),
        }
    }
}

impl fmt::Display for EncryptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(f),
            Self::Emit(error) => error.fmt(f),
            Self::NoRecipient => f.write_str("there is no recipient"),
            Self::TooManyRecipients => f.write_str("recipients: more than 64"),
            Self::NoEncryptionKey => {
                f.write_str("encryptionKey: the recipient's certificate has none")
            }
            Self::NoPoint => f.write_str("encryptionKey: no point of its curve"),
            Self::Unsupported(what) => write!(f, "encryptionKey: {what} is not supported"),
            Self::TooLong => f.write_str("a message of 16 MiB or more cannot be encrypted"),
        }
    }
}

impl core::error::Error for EncryptError {}
