//! Errors of building a network or a role.

use core::fmt;

use crate::access::StreamId;
use crate::certificate::CertificateError;
use crate::module::ModuleError;
use crate::settings::PARTIES_MAX;
use waywarden_key_roles::Address;

/// An error in the description of a network, or of a role in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NetworkError {
    /// An address is not from 1 to [`PARTIES_MAX`].
    Address(Address),
    /// Two parties have this address.
    Twice(Address),
    /// The identifiers leave too few bits to the fields.
    Identifiers {
        /// Bits that the fields need.
        needed: u32,
        /// Bits that the identifiers leave.
        left: u32,
    },
    /// The public key of this party has not the length that suite and profile give it.
    KeyLength(Address),
    /// The sender or a receiver of this stream is no ECU of the network, or there is no receiver
    /// besides the sender.
    Stream(StreamId),
    /// No certificate can be issued.
    Certificate(CertificateError),
    /// There can be no security module.
    Module(ModuleError),
    /// The identity's address is not that of an ECU, or for a security module not the module's.
    Role(Address),
    /// The directory has another public key of this party than the identity's.
    PublicKey(Address),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Address(Address(at)) => {
                write!(f, "address {at} is not from 1 to {PARTIES_MAX}")
            }
            Self::Twice(Address(at)) => write!(f, "two parties have the address {at}"),
            Self::Identifiers { needed, left } => write!(
                f,
                "the fields of an identifier need {needed} bits, and its plan leaves {left}"
            ),
            Self::KeyLength(Address(at)) => write!(
                f,
                "the public key of address {at} has not the length that suite and profile give it"
            ),
            Self::Stream(StreamId(stream)) => write!(
                f,
                "stream {stream:#x} needs a sender and another ECU that receives it, all of this \
                 network"
            ),
            Self::Certificate(error) => error.fmt(f),
            Self::Module(error) => error.fmt(f),
            Self::Role(Address(at)) => {
                write!(f, "address {at} has another role in the network, or none")
            }
            Self::PublicKey(Address(at)) => write!(
                f,
                "the directory does not have the public key of address {at} that belongs to its \
                 secret"
            ),
        }
    }
}

impl core::error::Error for NetworkError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Certificate(error) => Some(error),
            Self::Module(error) => Some(error),
            _ => None,
        }
    }
}
