//! Names of CRACAs and their series in certificates and lists.

use waywarden_v2x_wire::ieee1609dot2::{CrlSeries, HashedId3, HashedId8};

/// A series of lists of one CRACA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeriesName {
    /// Last three bytes of the CRACA's HashedId8, as in certificates.
    pub(super) craca: HashedId3,
    /// Series of the lists.
    pub(super) series: CrlSeries,
    /// HashedId8 of the CRACA.
    pub(super) authority: HashedId8,
}

impl SeriesName {
    /// Names a series of a CRACA.
    #[must_use]
    pub fn new(authority: HashedId8, series: CrlSeries) -> Self {
        Self {
            craca: last_three(authority),
            series,
            authority,
        }
    }

    /// The names of all CRACAs that certificates may mean.
    pub(super) fn all_of(craca: HashedId3, series: CrlSeries) -> core::ops::RangeInclusive<Self> {
        let of = |end| Self {
            craca,
            series,
            authority: HashedId8([end; 8]),
        };
        of(0)..=of(u8::MAX)
    }

    /// Returns the CRACA.
    #[must_use]
    pub fn authority(&self) -> HashedId8 {
        self.authority
    }

    /// Returns the number of the series.
    #[must_use]
    pub fn series(&self) -> CrlSeries {
        self.series
    }
}

/// Returns the last three bytes, by which certificates name a CRACA \[1609.2 §6.4.8\].
pub(super) fn last_three(id: HashedId8) -> HashedId3 {
    let [.., a, b, c] = id.0;
    HashedId3([a, b, c])
}
