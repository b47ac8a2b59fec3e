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

mod assumed;
mod page;
mod show_run;
mod simulator;

pub use page::page;
pub use show_run::NoCell;
pub use simulator::{Asked, PaperMeasured, PaperSimulateError, PaperSimulator, unmeasured};
pub use waywarden_paper_tables::{
    Amount, Assumptions, Beside, Cell, CellRun, CellVerdict, Class, FigurePlot, Measurement,
    PaperError, PaperTable, Printed, Reading, Total, Unit, found, short, table, totals,
};
pub use waywarden_papers_in_vehicle::{gke, lasan, vulcan};
pub use waywarden_papers_v2x::{ecqv, wave};

/// A paper whose numbers are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Paper {
    /// Key in BIBLIOGRAPHY.toml, in lower case.
    pub key: &'static str,
    /// Its authors, as BIBLIOGRAPHY.toml has them.
    pub authors: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Journal or conference, with the year.
    pub published: &'static str,
    /// Subject of its numbers.
    pub subject: &'static str,
}

/// Every paper known here, by key.
pub const PAPERS: &[Paper] = &[
    Paper {
        key: "ecqv-cits",
        authors: "F. Pollicino, D. Stabili, L. Ferretti, M. Marchetti",
        title: "Hardware limitations to secure C-ITS: experimental evaluation and solutions",
        published: "IEEE Transactions on Vehicular Technology, 2021",
        subject: "Implicit certificates for V2X on six boards: operations, roles, messages in time",
    },
    Paper {
        key: "gke",
        authors: "A. Musuroi, B. Groza, L. Popa, P.-S. Murvay",
        title: "Fast and Efficient Group Key Exchange in Controller Area Networks (CAN)",
        published: "IEEE Transactions on Vehicular Technology, 2021",
        subject: "Group key exchange in CAN: FourQ and P-256 on four boards, three schemes",
    },
    Paper {
        key: "lasan",
        authors: "P. Ravi, S. Vijaya Kumar, A. Chattopadhyay, S. Bhasin, A. Easwaran",
        title: "Authentication Protocol for Secure Automotive Systems: Benchmarking \
                Post-Quantum Cryptography",
        published: "ISCAS 2020",
        subject: "Authentication of ECUs to a security module: today's curves, post-quantum",
    },
    Paper {
        key: "vulcan",
        authors: "J. Van Bulck, J. T. Mühlberg, F. Piessens",
        title: "VulCAN: Efficient Component Authentication and Software Isolation for \
                Automotive Control Networks",
        published: "ACSAC 2017",
        subject: "Message authentication on CAN with a MAC unit: vatiCAN, LeiA, protected modules",
    },
    Paper {
        key: "wave-sec",
        authors: "D. Duarte, L. Silva, B. Fernandes, M. Alam, J. Ferreira",
        title: "Implementation of Security Services for Vehicular Communications",
        published: "Future 5V 2016",
        subject: "A V2X security service on a laptop and a Raspberry Pi: times and neighbours",
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

    /// Returns the year of publication.
    #[must_use]
    pub fn year(&self) -> &'static str {
        let words = self.published.rsplit(' ');
        words.take(1).next().unwrap_or_default()
    }

    /// Returns every cell, in the order of the paper: theirs, by formula, measured, and a verdict.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault; a test holds that they are not.
    pub fn cells(&self, measured: &PaperMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        self.cells_assuming(&Assumptions::default(), measured)
    }

    /// Returns every cell with assumptions replaced. Where that changes a number of ours, the
    /// paper's is of something else, and the verdict is [`CellVerdict::NotCompared`].
    ///
    /// # Errors
    /// As [`Paper::cells`]; [`PaperError::NotAssumed`] for a replacement that changes nothing;
    /// [`PaperError::BitRate`], [`PaperError::SlowData`], [`PaperError::OtherBoard`] and
    /// [`PaperError::NoTime`] for one that gives no numbers.
    pub fn cells_assuming(
        &self,
        assumed: &Assumptions,
        measured: &PaperMeasured<'_>,
    ) -> Result<Vec<Cell>, PaperError> {
        let cells = self.own_cells(assumed, measured);
        let mut cells = cells.map_err(|error| assumed::of_option(error, self, assumed))?;
        if !assumed.is_empty() {
            assumed::check(self, &cells, assumed)?;
            assumed::mark(&mut cells, &self.cells(&unmeasured)?, assumed);
        }
        Ok(cells)
    }

    fn own_cells(
        &self,
        assumed: &Assumptions,
        measured: &PaperMeasured<'_>,
    ) -> Result<Vec<Cell>, PaperError> {
        Ok(match self.key {
            "ecqv-cits" => {
                let study = ecqv::EcqvStudy::load()?.assuming(assumed)?;
                study.cells(&|of| measured(Asked::Ecqv(of)))?
            }
            "lasan" => {
                let study = lasan::LasanStudy::load()?.assuming(assumed)?;
                study.cells(&|of| measured(Asked::Lasan(of)))?
            }
            "vulcan" => {
                let study = vulcan::VulcanStudy::load()?.assuming(assumed)?;
                study.cells(&|of| measured(Asked::Vulcan(of)))?
            }
            "wave-sec" => {
                let study = wave::WaveStudy::load()?.assuming(assumed)?;
                study.cells(&|of| measured(Asked::Wave(of)))
            }
            _ => {
                let study = gke::GkeStudy::load()?.assuming(assumed)?;
                study.cells(&|of| measured(Asked::Gke(of)))?
            }
        })
    }

    /// Returns the paper's figures, drawn from what the formulas give, with what was measured.
    ///
    /// # Errors
    /// As [`Paper::cells`].
    pub fn plots(&self, measured: &PaperMeasured<'_>) -> Result<Vec<FigurePlot>, PaperError> {
        self.plots_assuming(&Assumptions::default(), measured)
    }

    /// Returns the figures with assumptions replaced.
    ///
    /// # Errors
    /// As [`Paper::cells_assuming`].
    pub fn plots_assuming(
        &self,
        assumed: &Assumptions,
        measured: &PaperMeasured<'_>,
    ) -> Result<Vec<FigurePlot>, PaperError> {
        match self.key {
            "ecqv-cits" => {
                let study = ecqv::EcqvStudy::load()?.assuming(assumed)?;
                study.plots(&|of| measured(Asked::Ecqv(of)))
            }
            "lasan" => lasan::LasanStudy::load()?.assuming(assumed)?.plots(),
            "vulcan" => {
                let study = vulcan::VulcanStudy::load()?.assuming(assumed)?;
                study.plots(&|of| measured(Asked::Vulcan(of)))
            }
            "wave-sec" => {
                let study = wave::WaveStudy::load()?.assuming(assumed)?;
                Ok(study.plots(&|of| measured(Asked::Wave(of))))
            }
            _ => {
                let study = gke::GkeStudy::load()?.assuming(assumed)?;
                study.plots(&|of| measured(Asked::Gke(of)))
            }
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
        let unlike = [CellVerdict::Differs, CellVerdict::NotCompared].contains(&cell.verdict);
        (unlike || argued) && !cell.why.is_empty()
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
