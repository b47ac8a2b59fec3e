//! Attacks, by name.

use std::time::Duration;

/// Attack of a hostile station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StationAttack {
    /// Messages in the name of another station, signed with another key.
    Forged,
    /// Messages that were heard, again.
    Replayed,
    /// Messages that were held back for [`LATE_AFTER`].
    Late,
    /// Warnings from outside of the certificate's region.
    Displaced,
    /// Many messages whose signatures are wrong.
    FloodInvalid,
    /// Many messages whose signatures are right.
    FloodValid,
}

impl StationAttack {
    /// Every attack.
    pub const ALL: [Self; 6] = [
        Self::Forged,
        Self::Replayed,
        Self::Late,
        Self::Displaced,
        Self::FloodInvalid,
        Self::FloodValid,
    ];

    /// Returns its name in options and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Forged => "forged",
            Self::Replayed => "replayed",
            Self::Late => "late",
            Self::Displaced => "displaced",
            Self::FloodInvalid => "flood-invalid",
            Self::FloodValid => "flood-valid",
        }
    }

    pub(crate) fn is_flood(self) -> bool {
        matches!(self, Self::FloodInvalid | Self::FloodValid)
    }
}

/// Time for which messages are held back.
pub const LATE_AFTER: Duration = Duration::from_secs(10);
