//! The papers' numbers beside those of their formulas and of simulations, with the reasons for each
//! difference.
//!
//! A paper's numbers stand as data in `papers/KEY.toml`, typed from the paper. Its formulas are
//! functions here. [`Paper::cells`] sets the two side by side, one [`Cell`] a printed number, with
//! a [`CellVerdict`], the [`Class`] of ours and a `why` that is computed: each rule tests a
//! hypothesis on the numbers and words what it found. Measured values come in through
//! [`PaperMeasured`]: [`PaperSimulator`] gives those of simulations, the caller those of its own
//! machine. This crate reads no files and no clock. How to read the output: docs/papers.md.
//!
//! ```
//! use waywarden_papers::{Paper, unmeasured};
//!
//! let paper = Paper::find("gke").expect("a known key");
//! let cells = paper.cells(&unmeasured).unwrap();
//! let all = "main scheme, 32 TC297, CAN FD, all";
//! let total = cells.iter().find(|cell| cell.cell == all).unwrap();
//! assert_eq!((total.paper, total.formula), (Some(1.1), Some(1.080_669)));
//! ```
#![forbid(unsafe_code)]

mod page;
mod simulator;

pub use page::page;
pub use simulator::{Asked, PaperMeasured, PaperSimulateError, PaperSimulator, unmeasured};
pub use waywarden_paper_tables::{
    Amount, Beside, Cell, CellVerdict, Class, FigurePlot, Measurement, PaperError, PaperTable,
    Printed, Total, Unit, short, table, totals,
};
pub use waywarden_papers_in_vehicle::{gke, lasan, vulcan};
pub use waywarden_papers_v2x::{ecqv, wave};

/// A paper whose numbers are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Key in BIBLIOGRAPHY.toml, in lower case.
    pub key: &'static str,
    /// Subject of its numbers.
    pub title: &'static str,
}

/// Every paper known here, by key.
pub const PAPERS: &[Paper] = &[
    Paper {
        key: "ecqv-cits",
        title: "Implicit certificates for V2X on six boards: operations, roles, messages in time",
    },
    Paper {
        key: "gke",
        title: "Group key exchange in CAN: FourQ and P-256 on four boards, three schemes",
    },
    Paper {
        key: "lasan",
        title: "Authentication of ECUs to a security module: today's curves, post-quantum",
    },
    Paper {
        key: "vulcan",
        title: "Message authentication on CAN with a MAC unit: vatiCAN, LeiA and protected modules",
    },
    Paper {
        key: "wave-sec",
        title: "A V2X security service on a laptop and a Raspberry Pi: times and neighbours",
    },
];

impl Paper {
    /// Finds a paper by its key, in upper or lower case.
    #[must_use]
    pub fn find(key: &str) -> Option<&'static Paper> {
        PAPERS
            .iter()
            .find(|paper| paper.key.eq_ignore_ascii_case(key))
    }

    /// Returns every cell, in the order of the paper: theirs, by formula, measured, and a verdict.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault; a test holds that they are not.
    pub fn cells(&self, measured: &PaperMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        match self.key {
            "ecqv-cits" => ecqv::EcqvStudy::load()?.cells(&|of| measured(Asked::Ecqv(of))),
            "lasan" => lasan::LasanStudy::load()?.cells(&|of| measured(Asked::Lasan(of))),
            "vulcan" => vulcan::VulcanStudy::load()?.cells(&|of| measured(Asked::Vulcan(of))),
            "wave-sec" => Ok(wave::WaveStudy::load()?.cells(&|of| measured(Asked::Wave(of)))),
            _ => gke::GkeStudy::load()?.cells(&|of| measured(Asked::Gke(of))),
        }
    }

    /// Returns the paper's figures, drawn from what the formulas give, with what was measured.
    ///
    /// # Errors
    /// As [`Paper::cells`].
    pub fn plots(&self, measured: &PaperMeasured<'_>) -> Result<Vec<FigurePlot>, PaperError> {
        match self.key {
            "ecqv-cits" => ecqv::EcqvStudy::load()?.plots(&|of| measured(Asked::Ecqv(of))),
            "lasan" => lasan::LasanStudy::load()?.plots(),
            "vulcan" => vulcan::VulcanStudy::load()?.plots(&|of| measured(Asked::Vulcan(of))),
            "wave-sec" => Ok(wave::WaveStudy::load()?.plots(&|of| measured(Asked::Wave(of)))),
            _ => gke::GkeStudy::load()?.plots(&|of| measured(Asked::Gke(of))),
        }
    }

    /// Returns true if readers need the reasons of a cell: where numbers differ, and where the cell
    /// is about the reasons.
    #[must_use]
    pub fn explains(&self, cell: &Cell) -> bool {
        let argued = match self.key {
            "ecqv-cits" | "wave-sec" => true,
            "lasan" => lasan::is_argued(&cell.place),
            "vulcan" => !vulcan::is_tabular(&cell.place),
            _ => false,
        };
        cell.verdict == CellVerdict::Differs || argued && !cell.why.is_empty()
    }

    /// Splits cells into those that stand alone and those that people read as rows of a table:
    /// whose name is that of a row and a column, with a colon between them.
    #[must_use]
    pub fn tables<'a>(&self, cells: &'a [Cell]) -> (Vec<&'a Cell>, Vec<PaperTable<'a>>) {
        match self.key {
            "ecqv-cits" => table::split(cells, ecqv::is_tabular),
            "lasan" => table::split(cells, lasan::is_tabular),
            "vulcan" => table::split(cells, vulcan::is_tabular),
            "wave-sec" => table::split(cells, wave::is_tabular),
            _ => (cells.iter().collect(), Vec::new()),
        }
    }
}
