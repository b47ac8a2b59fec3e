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
pub use assumptions::{Assumptions, written};
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
    #[error("papers {key}: {option} changes nothing here: {why}; leave it out")]
    NotAssumed {
        /// Key of the paper.
        key: &'static str,
        /// The option.
        option: &'static str,
        /// Reason.
        why: &'static str,
    },
    /// An option gives a bit rate that the bus or channel of a paper cannot have.
    #[error(
        "papers {key}: {option} {rate}: {medium} has bit rates of {range}; give one of these, or \
         leave the option out"
    )]
    BitRate {
        /// Key of the paper.
        key: &'static str,
        /// The option.
        option: &'static str,
        /// The bit rate, as people write it.
        rate: String,
        /// The bus or channel.
        medium: &'static str,
        /// The bit rates that there are.
        range: String,
    },
    /// An option gives a data bit rate below the nominal one.
    #[error(
        "papers {key}: --data-bitrate {data} is below the nominal bit rate of {nominal}, and CAN \
         FD sends data at that or faster; give {nominal} or more, or a --bitrate of at most {data}"
    )]
    SlowData {
        /// Key of the paper.
        key: &'static str,
        /// The data bit rate, as people write it.
        data: String,
        /// The nominal one.
        nominal: String,
    },
    /// An operation takes no time on a board, and numbers divide by its time.
    #[error(
        "papers {key}: {assumed}: {what} takes no time there, and numbers of the paper divide by \
         it; give a board on which every operation takes time, such as {such_as}"
    )]
    NoTime {
        /// Key of the paper.
        key: &'static str,
        /// The assumption, as options of a command line.
        assumed: String,
        /// The operation, or a number that divides by its time.
        what: String,
        /// A built-in board on which the paper's operations take time.
        such_as: &'static str,
    },
    /// The board of an option has no figure for an operation.
    #[error(
        "papers {key}: --board {board}: {fault}\nor give a board that has one: {having}",
        board = .fault.board
    )]
    OtherBoard {
        /// Key of the paper.
        key: &'static str,
        /// The operation without a figure.
        fault: waywarden_boards::NoFigure,
        /// Built-in boards on which the operation takes time.
        having: String,
    },
    /// A board has no figure for an operation.
    #[error(transparent)]
    NoFigure(#[from] waywarden_boards::NoFigure),
}
