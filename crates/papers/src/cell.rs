//! One printed number beside what formula and simulation give for it.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Unit;

/// One number of a paper, and ours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// Table, figure or section.
    pub place: String,
    /// What the number is about.
    pub cell: String,
    /// The unit of all three numbers.
    pub unit: Unit,
    /// What the paper prints, or with [`Verdict::FromMemory`] what is remembered of it; `None`
    /// where it draws or says nothing.
    pub paper: Option<f64>,
    /// What the paper's formula gives on the boards' figures.
    pub formula: Option<f64>,
    /// What a simulation measured.
    pub measured: Option<f64>,
    /// Whether they fit.
    pub verdict: Verdict,
    /// What was found about it by computation; never empty where the verdict is
    /// [`Verdict::Differs`].
    pub why: String,
}

/// Whether the paper's number and ours fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Ours is the printed number, as exactly as that is meant.
    Agrees,
    /// It is not.
    Differs,
    /// The paper prints no number, or claims nothing about it that could be tested.
    NotStated,
    /// Nobody here has seen the paper's number in print: it is known from memory, and nothing is
    /// concluded from whether ours fits.
    FromMemory,
}

impl Verdict {
    /// Returns the verdict in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Agrees => "agrees",
            Verdict::Differs => "differs",
            Verdict::NotStated => "not stated",
            Verdict::FromMemory => "from memory, not seen",
        }
    }

    /// Returns what a test says.
    pub(crate) const fn of(holds: bool) -> Self {
        match holds {
            true => Verdict::Agrees,
            false => Verdict::Differs,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
