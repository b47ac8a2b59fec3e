//! Errors of a key store.

use core::fmt;

use waywarden_ecverify::Curve;

/// Error of a key store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyError {
    /// The store cannot do this, on any key of this curve.
    Unsupported {
        /// Name of the operation.
        operation: &'static str,
        /// Curve of the key.
        curve: Curve,
    },
    /// No key has this handle: it was retired, or another store gave it out.
    NoSuchKey,
    /// The key was made for another use.
    NotForThisUse {
        /// Name of the operation.
        operation: &'static str,
    },
    /// The store holds as many keys as it can.
    Full,
    /// A digest or hash has neither 32 nor 48 bytes, or not as many as this operation takes.
    DigestLength,
    /// A private key or private key reconstruction value is not in 1..n, or not as long as n.
    ScalarOutOfRange,
    /// The point is of another curve than the key.
    OtherCurve,
    /// The sum or product is the point at infinity, or the number 0. An honest caller meets this
    /// once in 2^250 calls; another seed gives another result.
    Infinity,
    /// No precomputed nonce is left: sign with a hedged one, or precompute more.
    NoNonce,
    /// All numbers that were reserved for nonces are used: reserve more.
    NoNumbers,
    /// The numbers were reserved before, wholly or in part.
    NumbersUsed,
    /// A device or library failed.
    Failed(
        /// Description of the failure.
        &'static str,
    ),
}

impl fmt::Display for KeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { operation, curve } => {
                write!(
                    f,
                    "this key store does not support {operation} on {curve:?}"
                )
            }
            Self::NoSuchKey => f.write_str("no key has this handle"),
            Self::NotForThisUse { operation } => write!(f, "the key is not for {operation}"),
            Self::Full => f.write_str("the key store is full"),
            Self::DigestLength => f.write_str("the digest has the wrong length"),
            Self::ScalarOutOfRange => f.write_str("the private value is not in 1..n"),
            Self::OtherCurve => f.write_str("the point is of another curve than the key"),
            Self::Infinity => f.write_str("the result is the point at infinity or 0"),
            Self::NoNonce => f.write_str("no precomputed nonce is left"),
            Self::NoNumbers => f.write_str("all numbers reserved for nonces are used"),
            Self::NumbersUsed => f.write_str("these numbers were reserved for nonces before"),
            Self::Failed(what) => f.write_str(what),
        }
    }
}

impl core::error::Error for KeyError {}
