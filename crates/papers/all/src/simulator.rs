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
}

/// Runs what is asked for, each setting once.
pub struct PaperSimulator<'a> {
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
            gke: gke::GkeSimulator::new(announce)?,
            lasan: lasan::LasanSimulator::new(announce)?,
            vulcan: vulcan::VulcanSimulator::new(announce)?,
        })
    }

    /// Makes a simulator for one paper, with assumptions replaced.
    ///
    /// # Errors
    /// As [`PaperSimulator::new`], and [`PaperError::NotAssumed`] for a replacement that changes
    /// nothing.
    pub fn assuming(
        paper: &Paper,
        assumed: &Assumptions,
        announce: &'a dyn Fn(&str),
    ) -> Result<Self, PaperError> {
        let mut own = Self::new(announce)?;
        match paper.key {
            "gke" => {
                let study = gke::GkeStudy::load()?.assuming(assumed)?;
                own.gke = gke::GkeSimulator::of(study, announce);
            }
            "lasan" => {
                let study = lasan::LasanStudy::load()?.assuming(assumed);
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
        gke.or_else(lasan).or_else(vulcan)
    }
}
