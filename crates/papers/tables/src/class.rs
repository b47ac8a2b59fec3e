//! The source of our number; it decides whether agreement with the paper is evidence.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::Provenance;

/// Source of the number that stands beside the paper's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The paper's own number, which the model starts from.
    Input,
    /// A parameter of the model is chosen so that this number comes out.
    Fitted,
    /// Ours, by formula.
    Derived,
    /// Ours, by simulation.
    Measured,
}

impl Class {
    /// Every class, from the least to the most that agreement tells.
    pub const ALL: [Class; 4] = [Class::Input, Class::Fitted, Class::Derived, Class::Measured];

    /// Returns the class in one word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Class::Input => "input",
            Class::Fitted => "fitted",
            Class::Derived => "derived",
            Class::Measured => "measured",
        }
    }

    /// Returns true if a number of this class can agree: it could have come out otherwise.
    #[must_use]
    pub const fn can_agree(self) -> bool {
        matches!(self, Class::Derived | Class::Measured)
    }

    /// Returns the class of a number that is a board's figure and nothing else, for a paper.
    pub fn of_figure(provenance: &Provenance, paper: &str) -> Self {
        let source = format!("[{}]", paper.to_uppercase());
        match provenance {
            Provenance::Paper { key, .. } if key.eq_ignore_ascii_case(paper) => Class::Input,
            Provenance::Scaled { inputs, .. }
                if !inputs.is_empty() && inputs.iter().all(|one| one.starts_with(&source)) =>
            {
                Class::Fitted
            }
            _ => Class::Derived,
        }
    }

    /// Returns the class where a simulation stands beside the formula: it repeats what the formula
    /// was given, and measures the rest.
    pub const fn simulated(self, is_simulated: bool) -> Self {
        match self {
            Class::Derived if is_simulated => Class::Measured,
            class => class,
        }
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
