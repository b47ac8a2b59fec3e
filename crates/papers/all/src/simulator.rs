//! The seam between cells and simulations: what is asked for, and who measures it.

use thiserror::Error;

use crate::{Measurement, PaperError, ecqv, gke, lasan, vulcan, wave};

/// Quantity that a printed number states, by paper.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Asked<'a> {
    /// Of \[ECQV-CITS\]: on the machine at hand. No simulation gives it.
    Ecqv(&'a ecqv::Quantity),
    /// Of \[GKE\].
    Gke(&'a gke::Quantity),
    /// Of \[LASAN\].
    Lasan(&'a lasan::Quantity),
    /// Of \[VULCAN\].
    Vulcan(&'a vulcan::Quantity),
    /// Of \[WAVE-SEC\]: on the machine at hand. No simulation gives it.
    Wave(&'a wave::Quantity),
}

/// Source of measured values; returns `None` for a quantity that was not measured.
pub type Measured<'a> = dyn Fn(Asked<'_>) -> Option<Measurement> + 'a;

/// Measures nothing: for the formulas alone.
#[must_use]
pub const fn unmeasured(_: Asked<'_>) -> Option<Measurement> {
    None
}

/// Reason for a failed simulation.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// A key exchange of \[GKE\].
    #[error(transparent)]
    Gke(#[from] gke::SimulateError),
    /// An authentication of \[LASAN\].
    #[error(transparent)]
    Lasan(#[from] lasan::SimulateError),
    /// A round trip of \[VULCAN\].
    #[error(transparent)]
    Vulcan(#[from] vulcan::SimulateError),
}

/// Runs what is asked for, each setting once.
pub struct Simulator<'a> {
    gke: gke::Simulator<'a>,
    lasan: lasan::Simulator<'a>,
    vulcan: vulcan::Simulator<'a>,
}

impl<'a> Simulator<'a> {
    /// Makes a simulator that tells `announce` of each run before it starts.
    ///
    /// # Errors
    /// [`PaperError`] if the built-in data are at fault.
    pub fn new(announce: &'a dyn Fn(&str)) -> Result<Self, PaperError> {
        Ok(Simulator {
            gke: gke::Simulator::new(announce)?,
            lasan: lasan::Simulator::new(announce)?,
            vulcan: vulcan::Simulator::new(announce)?,
        })
    }

    /// Measures a quantity; none if it is about no run, or if the run failed, which
    /// [`Simulator::failure`] then tells. Takes up to seconds of processor time.
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
    pub fn failure(&self) -> Option<SimulateError> {
        let gke = self.gke.failure().map(SimulateError::from);
        let lasan = || self.lasan.failure().map(SimulateError::from);
        let vulcan = || self.vulcan.failure().map(SimulateError::from);
        gke.or_else(lasan).or_else(vulcan)
    }
}
