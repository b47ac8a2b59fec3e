//! Reasons to refuse a trust list, or not to count a signature of it.

use std::fmt;

use waywarden_v2x_security::Refusal;
use waywarden_v2x_wire::WireError;
use waywarden_v2x_wire::ieee1609dot2::{Time32, Time64};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CtlSequenceNumber, ElectorGroupId, HashedId48, MultiSignedCtlType,
};

use super::{ENTRIES_MAX, MANAGEMENT_PSID, SIGNATURES_MAX};

/// A list of hashes in a trust list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryList {
    /// Electors that are trusted.
    ElectorApprove,
    /// Electors that no longer are.
    ElectorRemove,
    /// Root authorities that are trusted.
    RootCaApprove,
    /// Root authorities that no longer are.
    RootCaRemove,
}

impl EntryList {
    /// Returns the field's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ElectorApprove => "electorApprove",
            Self::ElectorRemove => "electorRemove",
            Self::RootCaApprove => "rootCaApprove",
            Self::RootCaRemove => "rootCaRemove",
        }
    }

    /// Returns true for hashes of electors.
    #[must_use]
    pub fn is_of_electors(self) -> bool {
        matches!(self, Self::ElectorApprove | Self::ElectorRemove)
    }
}

/// Something that is wrong with a trust list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CtlFault {
    /// A part cannot be read.
    Unreadable(&'static str, WireError),
    /// The kind inside is another one than the kind outside.
    Kind(MultiSignedCtlType, MultiSignedCtlType),
    /// It has so many hashes, or signatures.
    TooMany(&'static str, usize),
    /// It is of another group than the electors.
    Group {
        /// The group of the electors.
        expected: ElectorGroupId,
        /// The group in the list.
        found: ElectorGroupId,
    },
    /// Its number is before that of the list that is held.
    Older {
        /// Number of the list that is held.
        latest: CtlSequenceNumber,
        /// Number of this list.
        found: CtlSequenceNumber,
    },
    /// It has the number of the list that is held, and says something else.
    SameNumber(CtlSequenceNumber),
    /// It takes effect before the list that is held did.
    EffectiveBefore(Time32),
    /// It does not count yet.
    NotYetEffective(Time32),
    /// It approves and removes the same certificate.
    Contradiction(EntryList, usize),
    /// So many electors cannot sign the next list: none have to, or there are fewer.
    Quorum {
        /// Number of signatures that the next list needs.
        quorum: i64,
        /// Number of electors that the list approves.
        approved: usize,
    },
    /// Too few of the electors that it approves have a certificate that is known.
    ElectorsUnknown {
        /// Number of signatures that the next list needs.
        quorum: usize,
        /// Number of electors with a known certificate.
        known: usize,
    },
    /// Too few electors signed.
    QuorumNotMet {
        /// Number of electors that signed.
        counted: usize,
        /// Number of signatures that the list needs.
        required: usize,
    },
}

impl fmt::Display for CtlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(part, error) => write!(f, "{part}: {error}"),
            Self::Kind(outer, inner) => {
                write!(
                    f,
                    "tbsCtl.type: {}, and the type outside is {}",
                    inner.0, outer.0
                )
            }
            Self::TooMany("signatures", found) => {
                write!(f, "signatures: {found}, and {SIGNATURES_MAX} are looked at")
            }
            Self::TooMany(part, found) => write!(f, "{part}: {found} hashes of {ENTRIES_MAX}"),
            Self::Group { expected, found } => write!(
                f,
                "electorGroupId: {}, and the electors are of group {}",
                Hex(&found.0),
                Hex(&expected.0)
            ),
            Self::Older { latest, found } => write!(
                f,
                "sequenceNumber: {}, older than the list that is held ({})",
                found.0, latest.0
            ),
            Self::SameNumber(number) => write!(
                f,
                "sequenceNumber: {}, that of the list that is held, which says something else",
                number.0
            ),
            Self::EffectiveBefore(time) => write!(
                f,
                "effectiveDate: before that of the list that is held ({} s since 2004)",
                time.0
            ),
            Self::NotYetEffective(_) => f.write_str("effectiveDate: later than now"),
            Self::Contradiction(list, index) => write!(
                f,
                "{}[{index}]: the list approves this certificate and removes it",
                list.name()
            ),
            Self::Quorum { quorum, approved } => write!(
                f,
                "quorum: {quorum} of {approved} approved electors would have to sign the next list"
            ),
            Self::ElectorsUnknown { quorum, known } => write!(
                f,
                "electorApprove: certificates of {known} of these electors are known, and {quorum} \
                 have to sign the next list: it could not be verified"
            ),
            Self::QuorumNotMet { counted, required } => {
                write!(
                    f,
                    "signatures: {counted} count, and {required} are required"
                )
            }
        }
    }
}

/// Something that is wrong with a signature of a trust list.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SignatureFault {
    /// It is none: something else, or with another payload than one elector's.
    Form(WireError),
    /// It is no signed data with one signer.
    NotSigned,
    /// It is of another application.
    Psid(u64),
    /// It has a header field that it may not have.
    Header(&'static str),
    /// It has no generation time.
    NoGenerationTime,
    /// It was made outside of the elector's validity period, or later than now.
    GenerationTime {
        /// Its generation time.
        found: Time64,
        /// True if it would be right in seconds instead of microseconds.
        is_in_seconds: bool,
    },
    /// The elector's certificate is not valid now.
    Expired,
    /// The elector's certificate does not permit it to sign trust lists.
    Permission,
    /// It is for another list: the field that differs.
    OtherList(&'static str),
    /// It is for a list with another hash.
    Hash(HashedId48),
    /// The signature does not verify.
    Signature(Refusal),
}

impl fmt::Display for SignatureFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = MANAGEMENT_PSID.0;
        match self {
            Self::Form(error) => error.fmt(f),
            Self::NotSigned => f.write_str("content: no signed data of one elector"),
            Self::Psid(psid) => write!(
                f,
                "psid: {psid} (0x{psid:X}), and signatures of trust lists have {own} \
                 (SecurityMgmtPsid)"
            ),
            Self::Header(field) => write!(f, "{field}: signatures of trust lists have none"),
            Self::NoGenerationTime => f.write_str("generationTime: missing"),
            Self::GenerationTime {
                found,
                is_in_seconds,
            } => {
                write!(
                    f,
                    "generationTime: {} is outside of the certificate's validity period, or later \
                     than now",
                    found.0
                )?;
                match is_in_seconds {
                    true => f.write_str(": it is in seconds (Time32) in place of microseconds"),
                    false => Ok(()),
                }
            }
            Self::Expired => f.write_str("validityPeriod: the certificate is not valid now"),
            Self::Permission => write!(
                f,
                "appPermissions: the certificate does not permit PSID {own} with the role elector"
            ),
            Self::OtherList(field) => write!(f, "{field}: another one than that of the list"),
            Self::Hash(found) => write!(f, "tbsCtlHash: {} is not the list's", Hex(&found.0)),
            Self::Signature(refusal) => refusal.fmt(f),
        }
    }
}

/// Reason why a certificate is no elector's, or a quorum is impossible.
#[derive(Clone, Debug, PartialEq)]
pub enum ElectorRefusal {
    /// The certificate at this place does not verify.
    Certificate(usize, Refusal),
    /// So many electors of the others cannot be required.
    Quorum(usize, usize),
}

impl fmt::Display for ElectorRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Certificate(at, refusal) => write!(f, "certificate {at}: {refusal}"),
            Self::Quorum(quorum, electors) => {
                write!(f, "a quorum of {quorum} with {electors} electors")
            }
        }
    }
}

impl core::error::Error for ElectorRefusal {}

/// Shows bytes in hexadecimal digits.
pub(super) struct Hex<'a>(pub(super) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
