//! Errors of a token.

use core::fmt;
use std::path::PathBuf;

#[cfg(feature = "pkcs11")]
use cryptoki::error::{Error, RvError};
use waywarden_v2x_keys::KeyError;

/// Error of a token; its text says how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// The module cannot be loaded.
    Module {
        /// Path of the module.
        path: PathBuf,
        /// Reason of the operating system or the module.
        why: String,
    },
    /// No token that is present and initialized matches the selection.
    NoSuchToken {
        /// Description of the selected token.
        wanted: String,
        /// Labels of the tokens that are present.
        present: Vec<String>,
    },
    /// Several tokens are present, and none was named.
    Ambiguous {
        /// Labels of the tokens that are present.
        present: Vec<String>,
    },
    /// The PIN is wrong.
    WrongPin {
        /// True if the token reports that the next wrong PIN locks it.
        is_final_try: bool,
    },
    /// The token has locked the PIN.
    PinLocked,
    /// The PIN has expired, or was never set.
    PinNotReady,
    /// The token was removed, or another process has reset it.
    Removed,
    /// The token has no key with this identifier.
    NoSuchKey {
        /// The identifier (`CKA_ID`), in hexadecimal digits.
        id: String,
    },
    /// The key cannot be used here.
    UnsuitableKey {
        /// The identifier (`CKA_ID`), in hexadecimal digits.
        id: String,
        /// Reason why the key is unsuitable.
        why: &'static str,
    },
    /// The text is not a valid key URI.
    Uri {
        /// Fault of the text.
        why: &'static str,
    },
    /// The token or its module failed in another way.
    Failed(String),
    /// An error of a key store that is not specific to tokens.
    Key(KeyError),
}

impl From<KeyError> for TokenError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

#[cfg(feature = "pkcs11")]
impl TokenError {
    /// Takes an error of the module.
    pub(crate) fn of(error: &Error) -> Self {
        match error {
            Error::Pkcs11(code, _) => match code {
                RvError::PinIncorrect | RvError::PinInvalid | RvError::PinLenRange => {
                    Self::WrongPin {
                        is_final_try: false,
                    }
                }
                RvError::PinLocked => Self::PinLocked,
                RvError::PinExpired | RvError::UserPinNotInitialized => Self::PinNotReady,
                RvError::DeviceRemoved
                | RvError::TokenNotPresent
                | RvError::TokenNotRecognized
                | RvError::SessionClosed
                | RvError::SessionHandleInvalid
                | RvError::SlotIdInvalid
                | RvError::UserNotLoggedIn
                | RvError::KeyHandleInvalid
                | RvError::ObjectHandleInvalid => Self::Removed,
                _ => Self::Failed(error.to_string()),
            },
            _ => Self::Failed(error.to_string()),
        }
    }

    /// Returns the [`KeyError`] that stands for this error, without its text.
    pub(crate) fn key_error(&self) -> KeyError {
        match self {
            Self::Key(error) => *error,
            Self::Removed => KeyError::Failed(
                "the token was removed, or another process has reset it: insert it and run the \
                 command again",
            ),
            Self::NoSuchKey { .. } => KeyError::NoSuchKey,
            _ => KeyError::Failed("the token failed"),
        }
    }
}

/// Writes labels in quotation marks.
fn quoted(labels: &[String]) -> String {
    let quoted: Vec<String> = labels.iter().map(|label| format!("{label:?}")).collect();
    quoted.join(", ")
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Module { path, why } => write!(
                f,
                "{}: not loaded as a PKCS#11 module: {why}; give the module of the token's vendor",
                path.display()
            ),
            Self::NoSuchToken { wanted, present } if present.is_empty() => write!(
                f,
                "{wanted} is not present, nor is any other initialized token: insert it, or \
                 initialize one with the tool of its vendor"
            ),
            Self::NoSuchToken { wanted, present } => write!(
                f,
                "{wanted} is not present: insert it; there are {}",
                quoted(present)
            ),
            Self::Ambiguous { present } => write!(
                f,
                "several tokens are present: name one of {}",
                quoted(present)
            ),
            Self::WrongPin { is_final_try } => {
                f.write_str("the PIN is wrong; it was tried once")?;
                match is_final_try {
                    true => f.write_str(", and the next wrong one locks the token"),
                    false => Ok(()),
                }
            }
            Self::PinLocked => f.write_str(
                "the PIN is locked after too many wrong ones, and was not tried: have the \
                 security officer of the token set a new one",
            ),
            Self::PinNotReady => f.write_str(
                "the PIN has expired or was never set: set a new one with the tool of the token's \
                 vendor",
            ),
            Self::Removed => f.write_str(
                "the token was removed, or another process has reset it: insert it and run the \
                 command again",
            ),
            Self::NoSuchKey { id } => write!(
                f,
                "the token has no private key with the identifier {id}: it was deleted, or this is \
                 another token with the same name"
            ),
            Self::UnsuitableKey { id, why } => write!(f, "the key with the identifier {id}: {why}"),
            Self::Uri { why } => write!(f, "no pkcs11: URI of a key: {why}"),
            Self::Failed(why) => write!(f, "the token failed: {why}"),
            Self::Key(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for TokenError {}
