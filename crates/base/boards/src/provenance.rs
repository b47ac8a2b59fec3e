//! Sources of figures. Every figure has exactly one of these, and output shows it.

use std::fmt;

/// Source of a figure.
///
/// `Display` is what tables and reports print: `paper [GKE] Table IV`,
/// `measured on ...`, `scaled: ...`, `assumed: ...`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Provenance {
    /// A paper states it for this very board.
    Paper {
        /// Key in BIBLIOGRAPHY.toml.
        key: String,
        /// Table, figure or section.
        place: String,
    },
    /// It was measured on this very board.
    Measured {
        /// The machine, its clock and its software.
        on: String,
        /// The method: how often, which statistic, which tool.
        how: String,
    },
    /// Computed by a stated rule from figures of another machine or another operation.
    Scaled {
        /// The rule.
        rule: String,
        /// The inputs of the rule, each with its source.
        inputs: Vec<String>,
    },
    /// A guess, with the reason for it.
    Assumed {
        /// Reason for this value.
        why: String,
    },
}

impl Provenance {
    /// Returns the one word that marks a figure in narrow tables.
    #[must_use]
    pub const fn mark(&self) -> &'static str {
        match self {
            Provenance::Paper { .. } => "paper",
            Provenance::Measured { .. } => "measured",
            Provenance::Scaled { .. } => "scaled",
            Provenance::Assumed { .. } => "assumed",
        }
    }
}

impl fmt::Display for Provenance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Provenance::Paper { key, place } => write!(f, "paper [{key}] {place}"),
            Provenance::Measured { on, how } => write!(f, "measured on {on}, {how}"),
            Provenance::Scaled { rule, inputs } if inputs.is_empty() => write!(f, "scaled: {rule}"),
            Provenance::Scaled { rule, inputs } => {
                write!(f, "scaled: {rule}; from {}", inputs.join(", "))
            }
            Provenance::Assumed { why } => write!(f, "assumed: {why}"),
        }
    }
}
