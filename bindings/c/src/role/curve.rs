//! The curve of a group's or a network's keys, chosen when a role is made, without an allocator:
//! keys know their curve.

#[cfg(feature = "p256")]
use waywarden_key_suites::P256;
use waywarden_key_suites::{DiffieHellman, FourQ, SignatureScheme};

use super::WAYWARDEN_SUITE_FOURQ;
#[cfg(feature = "p256")]
use super::WAYWARDEN_SUITE_P256;

/// A curve.
#[derive(Clone, Copy)]
pub(crate) enum Curve {
    FourQ,
    #[cfg(feature = "p256")]
    P256,
}

/// A secret scalar.
pub(crate) enum Scalar {
    FourQ(<FourQ as DiffieHellman>::Scalar),
    #[cfg(feature = "p256")]
    P256(<P256 as DiffieHellman>::Scalar),
}

/// A secret key for signing.
pub(crate) enum SigningKey {
    FourQ(<FourQ as SignatureScheme>::SigningKey),
    #[cfg(feature = "p256")]
    P256(<P256 as SignatureScheme>::SigningKey),
}

impl Curve {
    /// Returns the curve of a number; none of one that is not in this library.
    pub(crate) const fn of(number: u8) -> Option<Self> {
        match number {
            WAYWARDEN_SUITE_FOURQ => Some(Curve::FourQ),
            #[cfg(feature = "p256")]
            WAYWARDEN_SUITE_P256 => Some(Curve::P256),
            _ => None,
        }
    }
}
