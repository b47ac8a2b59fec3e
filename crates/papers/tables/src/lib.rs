//! The shared core of all papers: printed numbers and ours side by side, with verdicts and reasons.
//!
//! A [`Cell`] is one printed number beside what a formula and a measurement give, with a
//! [`CellVerdict`] and the [`Class`] of ours. No paper is known here.
#![forbid(unsafe_code)]

pub mod amount;
mod assumptions;
mod cell;
mod class;
pub mod diagram;
pub mod exact;
pub mod measured;
mod printed;
mod run;
pub mod table;
mod totals;

use thiserror::Error;

pub use amount::{Amount, Unit, short};
pub use assumptions::Assumptions;
pub use cell::{Cell, CellVerdict};
pub use class::Class;
pub use measured::{Beside, Measurement};
pub use printed::Printed;
pub use run::{CellRun, Reading};
pub use table::PaperTable;
pub use totals::{Total, found, totals};

/// A plot of a paper's figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigurePlot {
    /// The figure, such as `Figure 15 (ii)`.
    pub place: &'static str,
    /// Title of the plot.
    pub title: &'static str,
    /// One SVG element that needs nothing around it.
    pub svg: String,
}

/// Error of computing a paper's cells: its data and the boards do not fit each other. The built-in
/// data do, by test.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PaperError {
    /// The paper's file has a fault.
    #[error("papers/{key}.toml: {fault}")]
    Data {
        /// Key of the paper.
        key: &'static str,
        /// Message of the TOML reader, with line and column.
        fault: String,
    },
    /// The file names a board that does not come with `waywarden-boards`.
    #[error("papers/{key}.toml: no board `{board}`")]
    Board {
        /// Key of the paper.
        key: &'static str,
        /// Name of the missing board.
        board: String,
    },
    /// The file asks for something it has no numbers for.
    #[error("papers/{key}.toml: nothing for {what}")]
    Missing {
        /// Key of the paper.
        key: &'static str,
        /// Missing item.
        what: String,
    },
    /// Nothing in the paper rests on what an option replaces.
    #[error("papers {key}: {option} changes nothing here: {why}")]
    NotAssumed {
        /// Key of the paper.
        key: &'static str,
        /// The option.
        option: &'static str,
        /// Reason.
        why: &'static str,
    },
    /// A board has no figure for an operation.
    #[error(transparent)]
    NoFigure(#[from] waywarden_boards::NoFigure),
}
