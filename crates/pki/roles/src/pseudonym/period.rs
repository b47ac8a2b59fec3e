//! Periods and indices: which certificate of a batch.

use core::fmt;

use waywarden_v2x_wire::ieee1609dot2::{Duration, Time32, Time64};

use crate::validity_grid::WEEK;

/// The hours for which a certificate is valid: its week, and one beyond, in which a vehicle may
/// still finish with it.
const HOURS: u16 = 7 * 24 + 1;

/// The number i of a period.
///
/// Choice: a period is a week, and i counts weeks of TAI from the beginning of 2004, from which
/// the standard counts time. A policy of an SCMS can say otherwise; 16 bits last until 3260, and
/// certificates, whose times have 32 bits, until 2140.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Period(
    /// The number of the period.
    pub u16,
);

impl Period {
    /// The last period whose certificates' times can be written.
    pub const LAST: Self = Self((u32::MAX / WEEK) as u16 - 1);

    /// Returns the period of a time.
    #[must_use]
    pub fn at(time: Time64) -> Option<Self> {
        let weeks = time.0 / 1_000_000 / u64::from(WEEK);
        let period = u16::try_from(weeks).ok().map(Self);
        period.filter(|period| *period <= Self::LAST)
    }

    /// Returns when the period begins; `None` after [`LAST`](Self::LAST).
    #[must_use]
    pub fn start(self) -> Option<Time32> {
        (self <= Self::LAST).then(|| Time32(u32::from(self.0) * WEEK))
    }

    /// Returns for how long its certificates are valid.
    #[must_use]
    pub fn duration() -> Duration {
        Duration::Hours(HOURS)
    }
}

/// Place of a certificate in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CertificatePosition {
    /// The period of the certificate.
    pub i: Period,
    /// The index in the period.
    pub j: u8,
}

impl CertificatePosition {
    /// Returns f of an expansion function.
    pub(super) fn expand(
        self,
        by: &waywarden_v2x_keys::butterfly::ExpansionFunction,
    ) -> zeroize::Zeroizing<[u8; 48]> {
        by.f(u32::from(self.i.0), u32::from(self.j))
    }
}

/// As files are called: i and j in hexadecimal digits, such as `8E_0`.
impl fmt::Display for CertificatePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:X}_{:X}", self.i.0, self.j)
    }
}
