//! The text's statements about the paper's tables, read from `papers/ecqv-cits-text.toml`.

use serde::Deserialize;

use super::data::KEY;
use waywarden_paper_tables::{PaperError, Printed};

/// The file, compiled in.
const TEXT: &str = include_str!("../../../../../papers/ecqv-cits-text.toml");

/// The statements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextData {
    pub(super) algorithms: Algorithms,
    pub(super) cores: Vec<Cores>,
    pub(super) range: Vec<Range>,
    pub(super) share: Vec<Share>,
    pub(super) reduction: Vec<Reduction>,
    pub(super) messages: Messages,
}

/// Algorithms 4 and 6 as printed (section III-B).
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Algorithms {
    pub(super) order_bits: u32,
    pub(super) nonce_bits: u32,
    /// Conditions that a verifier has to check beside the equation.
    pub(super) needed: Vec<String>,
    /// Those that Algorithm 6 has.
    pub(super) checks: Vec<String>,
}

/// Lengths of messages with certificates of either kind, in bytes, and the channel's capacity in
/// messages (section V-D). Of two numbers the least and the most, but for packets and capacity.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Messages {
    pub(super) payload: Printed,
    pub(super) signature: Printed,
    pub(super) implicit_certificate: [Printed; 2],
    pub(super) explicit_longer_by: Printed,
    pub(super) with_implicit: [Printed; 2],
    pub(super) with_explicit: [Printed; 2],
    pub(super) saved_percent: [Printed; 2],
    /// With implicit certificates, with explicit ones.
    pub(super) packets: [Printed; 2],
    /// Messages, likewise.
    pub(super) capacity: [Printed; 2],
    pub(super) megabits: u32,
    pub(super) latency_ms: u32,
}

/// Number of cores of a board (section IV).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Cores {
    /// The paper's name.
    pub(super) board: String,
    pub(super) cores: Printed,
}

/// From the column with the least messages to that with the most (section V-B).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Range {
    pub(super) table: String,
    pub(super) row: String,
    /// `rush`, `normal`, or nothing for both.
    pub(super) traffic: String,
    pub(super) ends: [Printed; 2],
}

/// Share of the messages that comes from within an area, in per cent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Share {
    pub(super) place: String,
    pub(super) table: String,
    pub(super) rows: Vec<String>,
    pub(super) kind: ShareKind,
    pub(super) percent: Vec<Printed>,
}

/// Meaning of the numbers of a [`Share`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ShareKind {
    /// Of each row the average over the columns.
    Mean,
    /// Of one row the least and the most of the columns.
    Ends,
}

/// By up to how much a heuristic reduces the signatures, in per cent (section VI-D).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Reduction {
    pub(super) table: String,
    pub(super) rows: Vec<String>,
    pub(super) percent: Printed,
}

impl TextData {
    /// Reads the file.
    pub(super) fn load() -> Result<Self, PaperError> {
        toml::from_str(TEXT).map_err(|fault| PaperError::Data {
            key: KEY,
            fault: fault.to_string(),
        })
    }
}
