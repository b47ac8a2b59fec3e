//! Refusals of documents by a trust store.

use core::fmt;

use waywarden_v2x_wire::hash::Digest;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

use super::document::{AuthorityRole, DocumentKind};
use crate::result::{Hex, Refusal, ResultCode};

/// A refusal of a document. The store is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportRefusal {
    /// It is no certificate, no trust list and no revocation list.
    Unknown,
    /// A certificate that issued itself, which neither the owner nor a list has named.
    NotApproved {
        /// Role of the holder.
        role: AuthorityRole,
        /// The hash of the certificate.
        digest: Digest,
    },
    /// The certificate may not issue others.
    NotAnAuthority(HashedId8),
    /// The signature, chain or time of the document.
    Refused(Refusal),
    /// The list is signed by a certificate that may not sign this kind of list.
    WrongSigner {
        /// Kind of the list.
        kind: DocumentKind,
        /// Signer of the list.
        signer: HashedId8,
    },
    /// The signer's certificate does not permit an entry of the list.
    NotPermitted(AuthorityRole),
    /// An error in the list, in words.
    Contents(&'static str),
    /// A newer list is known.
    Old {
        /// Sequence number of the known list; `None` for a revocation list.
        known: Option<u8>,
        /// Sequence number of this list.
        found: Option<u8>,
    },
    /// Another list with this sequence number, or of this time, is known.
    Conflict(Option<u8>),
    /// A list of changes, and the list that it changes is not known.
    Gap {
        /// Sequence number of the known list.
        known: Option<u8>,
        /// Sequence number of this list.
        found: u8,
    },
    /// The store holds as much as it can.
    TooMany,
}

impl ImportRefusal {
    /// Returns true if another document may make this one acceptable.
    #[must_use]
    pub fn may_be_early(&self) -> bool {
        match self {
            Self::Refused(refusal) => matches!(
                refusal.code,
                ResultCode::ChainNotEnoughInformationToConstructChain
                    | ResultCode::ParsingCertificateNotFound
                    | ResultCode::ChainEndedAtUntrustedRoot
            ),
            Self::NotApproved { .. } | Self::WrongSigner { .. } | Self::Gap { .. } => true,
            _ => false,
        }
    }
}

impl From<Refusal> for ImportRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// A sequence number, where there is one.
struct Sequence(Option<u8>);

impl fmt::Display for Sequence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(sequence) => write!(formatter, " (ctlSequence {sequence})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for ImportRefusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => {
                formatter.write_str("no certificate, trust list or revocation list of TS 102 941")
            }
            Self::NotApproved { role, digest } => write!(
                formatter,
                "{} {} issued itself, and no list names it: compare its hash {} with the one that \
                 its holder publishes, and approve it as a trust anchor",
                role.name(),
                Hex(&digest.id_8().0),
                Hex(digest.as_bytes())
            ),
            Self::NotAnAuthority(id) => write!(
                formatter,
                "certIssuePermissions: certificate {} issues no certificates",
                Hex(&id.0)
            ),
            Self::Refused(refusal) => refusal.fmt(formatter),
            Self::WrongSigner { kind, signer } => write!(
                formatter,
                "certificate {} may not sign this list, which is the {}",
                Hex(&signer.0),
                match kind {
                    DocumentKind::CtlTlm => "ECTL of a trusted TLM",
                    DocumentKind::CtlRca => "CTL of a trusted root CA",
                    _ => "CRL of a trusted root CA",
                }
            ),
            Self::NotPermitted(role) => write!(
                formatter,
                "appPermissions: the signer may not list a certificate of this role: {}",
                role.name()
            ),
            Self::Contents(why) => formatter.write_str(why),
            Self::Old { known, found } => write!(
                formatter,
                "older{} than the list in the store{}",
                Sequence(*found),
                Sequence(*known)
            ),
            Self::Conflict(sequence) => write!(
                formatter,
                "another list than the one in the store, though as new{}: ask its issuer which \
                 one counts",
                Sequence(*sequence)
            ),
            Self::Gap { known, found } => write!(
                formatter,
                "a delta list{} that does not follow {}{}: import the full list first",
                Sequence(Some(*found)),
                match known {
                    Some(_) => "the list in the store",
                    None => "any list in the store",
                },
                Sequence(*known)
            ),
            Self::TooMany => formatter.write_str("more certificates than the store holds"),
        }
    }
}

impl core::error::Error for ImportRefusal {}
