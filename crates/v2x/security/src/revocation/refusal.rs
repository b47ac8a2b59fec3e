//! Refusals of revocation lists and of their expansion.

use crate::result::Refusal;

/// A revocation list that is not applied. No revocation is changed then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CrlRefusal {
    /// The message that carries it is not accepted.
    Message(Refusal),
    /// With it there are more certificates, linkage values, groups, series, or delta lists of a
    /// series than are remembered, or more hashes between two lists by linkage values than
    /// [`HASHES_MAX`](super::HASHES_MAX).
    TooMany,
}

impl From<Refusal> for CrlRefusal {
    fn from(refusal: Refusal) -> Self {
        Self::Message(refusal)
    }
}

impl core::fmt::Display for CrlRefusal {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Message(refusal) => refusal.fmt(formatter),
            Self::TooMany => write!(
                formatter,
                "with it there are more than are remembered: of certificates {}, of linkage values \
                 {}, of groups {}, of series {}, of delta lists of a series {}, of hashes between \
                 two lists {}; apply the latest full list before its delta lists, and leave out \
                 lists of before it",
                super::REVOKED_MAX,
                super::VALUES_MAX,
                super::GROUPS_MAX,
                super::LISTS_MAX,
                super::DELTAS_MAX,
                super::HASHES_MAX
            ),
        }
    }
}

impl core::error::Error for CrlRefusal {}

/// A refusal to expand the linkage values of a series for a period. The previous table stays in
/// force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpansionRefusal {
    /// No list of this CRACA and series came.
    UnknownSeries,
    /// Between the list and the period there are more hashes than
    /// [`HASHES_MAX`](super::HASHES_MAX).
    TooManyHashes {
        /// Number of hashes that the expansion needs.
        needed: u64,
    },
    /// Tables of lists that were replaced are still in force, and with this one they would have
    /// more values than [`VALUES_MAX`](super::VALUES_MAX) for each period.
    TooManyValues,
    /// A list of the series came since the work was handed out.
    Outdated,
    /// A part of the work is missing, or is there twice.
    Incomplete,
}

impl core::fmt::Display for ExpansionRefusal {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::UnknownSeries => formatter.write_str("no list of this CRACA and series is known"),
            Self::TooManyHashes { needed } => write!(
                formatter,
                "expanding it takes {needed} hashes, and {} are allowed",
                super::HASHES_MAX
            ),
            Self::TooManyValues => {
                let most = super::VALUES_MAX;
                write!(formatter, "more than {most} linkage values for each period")
            }
            Self::Outdated => formatter.write_str("a newer list came while it was expanded"),
            Self::Incomplete => formatter.write_str("a part of the work is missing"),
        }
    }
}

impl core::error::Error for ExpansionRefusal {}
