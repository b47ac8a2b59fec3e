//! Errors of creating an orchestrator.

use core::fmt;

/// An error of creating an orchestrator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OrchestratorError {
    /// The plan has more ECUs than `E`, or more logical ECUs than `L` - 1.
    TooSmall,
    /// A single start message needs the tree without the orchestrator in each logical ECU.
    NoFixedTree,
}

impl fmt::Display for OrchestratorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OrchestratorError::TooSmall => "the plan has more ECUs than there is room for",
            OrchestratorError::NoFixedTree => {
                "a single start message needs the tree without the orchestrator in each logical ECU"
            }
        })
    }
}

impl core::error::Error for OrchestratorError {}
