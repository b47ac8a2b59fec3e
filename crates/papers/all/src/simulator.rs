//! The seam between cells and simulations: what is asked for, and who measures it.

use thiserror::Error;

use crate::{Assumptions, Measurement, Paper, PaperError, ecqv, gke, lasan, vulcan, wave};

/// Quantity that a printed number states, by paper.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Asked<'a> {
    /// Of \[ECQV-CITS\]: on the machine at hand. No simulation gives it.
    Ecqv(&'a ecqv::EcqvQuantity),
    /// Of \[GKE\].
    Gke(&'a gke::GkeQuantity),
    /// Of \[LASAN\].
    Lasan(&'a lasan::LasanQuantity),
    /// Of \[VULCAN\].
    Vulcan(&'a vulcan::VulcanQuantity),
    /// Of \[WAVE-SEC\]: on the machine at hand. No simulation gives it.
    Wave(&'a wave::WaveQuantity),
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type PaperMeasured<'a> = dyn Fn(Asked<'_>) -> Option<Measurement> + 'a;

/// Measures nothing: for the formulas alone.
#[must_use]
pub const fn unmeasured(_: Asked<'_>) -> Option<Measurement> {
    None
}

/// Reason for a failed simulation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum PaperSimulateError {
    /// A key exchange of \[GKE\].
    #[error(transparent)]
    Gke(#[from] gke::GkeSimulateError),
    /// An authentication of \[LASAN\].
    #[error(transparent)]
    Lasan(#[from] lasan::LasanSimulateError),
    /// A round trip of \[VULCAN\].
    #[error(transparent)]
    Vulcan(#[from] vulcan::VulcanSimulateError),
    /// A run with assumptions replaced.
    #[error("papers {key}: {assumed}: {fault}; {remedy}")]
    Assumed {
        /// Key of the paper.
        key: &'static str,
        /// The replacements, as options of a command line.
        assumed: String,
        /// The failure.
        fault: Box<PaperSimulateError>,
        /// Options to give instead.
        remedy: String,
    },
}

impl PaperSimulateError {
    fn is_too_slow(&self) -> bool {
        match self {
            Self::Gke(error) => error.is_too_slow(),
            Self::Lasan(error) => error.is_too_slow(),
            Self::Vulcan(error) => error.is_too_slow(),
            Self::Assumed { fault, .. } => fault.is_too_slow(),
        }
    }

    /// Names the options that a failure follows from, and a remedy.
    fn with(self, key: &'static str, assumed: &Assumptions) -> Self {
        let formulas = "--no-simulation for the formulas alone";
        let remedy = match self.is_too_slow() {
            false => format!("leave out one of these, or give {formulas}"),
            true => {
                let board = assumed.board.as_ref().map(|_| "a quicker board, ");
                let rate = assumed.bit_rate.map(|_| "a higher --bitrate, ");
                let data = assumed.data_bit_rate.map(|_| "a higher --data-bitrate, ");
                let quicker = [board, rate, data].into_iter().flatten();
                format!("give {}or {formulas}", quicker.collect::<String>())
            }
        };
        Self::Assumed {
            key,
            assumed: assumed.words(),
            fault: Box::new(self),
            remedy,
        }
    }
}

/// Runs what is asked for, each setting once.
pub struct PaperSimulator<'a> {
    /// Replaced assumptions, and the key of the paper that they are for; none for the papers' own.
    assumed: Option<(&'static str, Assumptions)>,
    gke: gke::GkeSimulator<'a>,
    lasan: lasan::LasanSimulator<'a>,
    vulcan: vulcan::VulcanSimulator<'a>,
}

impl<'a> PaperSimulator<'a> {
    /// Makes a simulator that tells `announce` of each run before it starts.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn new(announce: &'a dyn Fn(&str)) -> Result<Self, PaperError> {
        Ok(PaperSimulator {
            assumed: None,
            gke: gke::GkeSimulator::new(announce)?,
            lasan: lasan::LasanSimulator::new(announce)?,
            vulcan: vulcan::VulcanSimulator::new(announce)?,
        })
    }

    /// Makes a simulator for one paper, with assumptions replaced.
    ///
    /// # Errors
    /// As [`PaperSimulator::new`], [`PaperError::NotAssumed`] for a replacement that changes
    /// nothing, and [`PaperError::BitRate`] and [`PaperError::SlowData`] for bit rates that no bus
    /// has.
    pub fn assuming(
        paper: &Paper,
        assumed: &Assumptions,
        announce: &'a dyn Fn(&str),
    ) -> Result<Self, PaperError> {
        let mut own = Self::new(announce)?;
        own.assumed = (!assumed.is_empty()).then(|| (paper.key, assumed.clone()));
        match paper.key {
            "gke" => {
                let study = gke::GkeStudy::load()?.assuming(assumed)?;
                own.gke = gke::GkeSimulator::of(study, announce);
            }
            "lasan" => {
                let study = lasan::LasanStudy::load()?.assuming(assumed)?;
                own.lasan = lasan::LasanSimulator::of(study, announce);
            }
            "vulcan" => {
                let study = vulcan::VulcanStudy::load()?.assuming(assumed)?;
                own.vulcan = vulcan::VulcanSimulator::of(study, announce);
            }
            _ => {}
        }
        Ok(own)
    }

    /// Measures a quantity; none if it is about no run, or if the run failed, which
    /// [`PaperSimulator::failure`] then tells. Takes up to seconds of processor time.
    #[must_use]
    pub fn measure(&self, of: Asked<'_>) -> Option<Measurement> {
        match of {
            Asked::Ecqv(_) | Asked::Wave(_) => None,
            Asked::Gke(of) => self.gke.measure(of),
            Asked::Lasan(of) => self.lasan.measure(of),
            Asked::Vulcan(of) => self.vulcan.measure(of),
        }
    }

    /// Returns why the first run that failed did, if one did.
    #[must_use]
    pub fn failure(&self) -> Option<PaperSimulateError> {
        let gke = self.gke.failure().map(PaperSimulateError::from);
        let lasan = || self.lasan.failure().map(PaperSimulateError::from);
        let vulcan = || self.vulcan.failure().map(PaperSimulateError::from);
        let failure = gke.or_else(lasan).or_else(vulcan)?;
        Some(match &self.assumed {
            Some((key, assumed)) => failure.with(key, assumed),
            None => failure,
        })
    }
}
