//! The paper's printed numbers and those known from memory, read from `papers/vulcan.toml`.

use serde::Deserialize;

use super::quantity::VulcanMetric;
use waywarden_paper_tables::{PaperError, Printed, Unit};

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/vulcan.toml");

/// The paper's numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Data {
    pub(super) bench: Bench,
    pub(super) associated: Associated,
    pub(super) claim: Vec<Claim>,
    pub(super) row: Vec<Row>,
}

/// The paper's test bench.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Bench {
    pub(super) board: String,
    /// Board on which the software MAC was measured.
    pub(super) software_board: String,
    pub(super) bit_rate: u32,
    pub(super) ping: u16,
    pub(super) pong: u16,
    /// Identifiers of the messages in which each ECU reports refused frames.
    pub(super) ping_failures: u16,
    pub(super) pong_failures: u16,
    pub(super) ping_payload: [u8; 8],
    pub(super) samples: usize,
    pub(super) speed_kmh: u32,
}

/// Fields that each protocol's codes cover.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Associated {
    pub(super) vatican: Fields,
    pub(super) leia: Fields,
}

/// Bytes of each field.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fields {
    pub(super) counter: u32,
    pub(super) identifier: u32,
    pub(super) payload: u32,
}

/// A number of the text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claim {
    pub(super) place: String,
    pub(super) cell: String,
    pub(super) unit: Unit,
    pub(super) of: ClaimOf,
    pub(super) printed: Printed,
    #[serde(default)]
    pub(super) sense: Sense,
}

/// Quantity that a claim states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ClaimOf {
    /// The length of what a code is computed over.
    Associated(Published),
    /// The time of one code in the unit.
    Code(Published),
    /// Time of one code in the unit, as a share of the time to send a plain message.
    CodeOfSend(Published),
    /// The time of one code in software.
    SoftwareCode,
    SoftwareOfSend,
    /// Ratio of the code's time in software to that in the unit.
    Faster,
    /// Distance that a car covers during the software's code.
    SoftwareWay,
    UnitWay,
    /// Frames of a message, and of a round trip.
    Frames,
    TripFrames,
    /// Increase of those over messages without authentication.
    MoreFrames,
    /// Ratio of the time to send an authenticated message to that of a plain one.
    Sending,
    /// Decrease of the overhead of sending by the unit.
    Gain,
    /// The overhead of a round trip in software.
    SoftwareTrip,
    /// Overhead of protected modules.
    Protected(VulcanMetric),
}

impl ClaimOf {
    /// Returns true if the protocol itself has this number: a message is two frames, and no run can
    /// find another count.
    pub(super) const fn is_by_construction(self) -> bool {
        matches!(self, Self::Frames | Self::TripFrames | Self::MoreFrames)
    }
}

/// One of the two published protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Published {
    Vatican,
    Leia,
}

/// Sense in which a number is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Sense {
    #[default]
    Rounded,
    MoreThan,
    LessThan,
}

/// A row of the two tables.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    pub(super) table: String,
    pub(super) name: String,
    pub(super) what: VulcanMetric,
    pub(super) of: RowOf,
    /// True if even the number known from memory is uncertain.
    #[serde(default)]
    pub(super) uncertain: bool,
    /// Numbers known from memory.
    #[serde(default)]
    pub(super) memory: Numbers,
    /// Numbers of this row that the text states, too.
    #[serde(default)]
    pub(super) text: Numbers,
}

/// Configuration that a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum RowOf {
    Plain,
    PlainExtended,
    Software,
    Vatican,
    VaticanProtected,
    Leia,
    LeiaProtected,
}

/// The numbers of a row; the last is by how much it is more than the plain row.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Numbers {
    pub(super) cycles: Option<Printed>,
    pub(super) ms: Option<Printed>,
    pub(super) percent: Option<Printed>,
}

/// One number of a row.
pub(super) struct Entry<'a> {
    pub(super) printed: &'a Printed,
    pub(super) unit: Unit,
    /// True if the text states it; otherwise it is from memory.
    pub(super) seen: bool,
}

impl Data {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: "vulcan",
            fault: fault.to_string(),
        })
    }

    /// Returns a row of the tables.
    pub(super) fn row(&self, what: VulcanMetric, of: RowOf) -> Option<&Row> {
        let mut rows = self.row.iter();
        rows.find(|row| (row.what, row.of) == (what, of))
    }

    /// Returns the cycles that are remembered of a row.
    pub(super) fn remembered(&self, what: VulcanMetric, of: RowOf) -> Option<f64> {
        let cycles = self.row(what, of)?.memory.cycles.as_ref();
        cycles.map(Printed::value)
    }

    /// Returns the time of a plain row as the text states it, in milliseconds.
    pub(super) fn plain(&self, what: VulcanMetric) -> Option<&Printed> {
        self.row(what, RowOf::Plain)?.text.ms.as_ref()
    }

    /// Returns the printed bounds of what protected modules add, in per cent, the least first.
    pub(super) fn protected_bounds(&self, what: VulcanMetric) -> Vec<f64> {
        let claims = self.claim.iter();
        let own = claims.filter(|claim| claim.of == ClaimOf::Protected(what));
        let mut bounds: Vec<f64> = own.map(|claim| claim.printed.value()).collect();
        bounds.sort_by(f64::total_cmp);
        bounds
    }
}

impl Fields {
    /// Returns all bytes.
    pub(super) const fn bytes(&self) -> u32 {
        self.counter + self.identifier + self.payload
    }
}

impl Sense {
    /// Returns true if a value is what was printed.
    pub(super) fn holds(self, printed: &Printed, value: f64) -> bool {
        match self {
            Sense::Rounded => printed.is_exactly(value),
            Sense::MoreThan => value > printed.value(),
            Sense::LessThan => value < printed.value(),
        }
    }
}

impl Row {
    /// Returns the row's numbers: cycles, milliseconds, per cent.
    pub(super) fn entries(&self) -> Vec<Entry<'_>> {
        let mut entries = Vec::new();
        let columns = [
            (Unit::Cycles, &self.memory.cycles, &self.text.cycles),
            (Unit::Milliseconds, &self.memory.ms, &self.text.ms),
            (Unit::Percent, &self.memory.percent, &self.text.percent),
        ];
        for (unit, memory, text) in columns {
            for (printed, seen) in [(memory, false), (text, true)] {
                entries.extend(printed.as_ref().map(|printed| Entry {
                    printed,
                    unit,
                    seen,
                }));
            }
        }
        entries
    }
}

impl RowOf {
    /// Returns the row of the same without protected modules.
    pub(super) const fn bare(self) -> Option<RowOf> {
        match self {
            RowOf::VaticanProtected => Some(RowOf::Vatican),
            RowOf::LeiaProtected => Some(RowOf::Leia),
            _ => None,
        }
    }
}
