//! ECU images in figures: instructions counted, time computed, what went wrong.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::formatting::percent;

use super::cells::{Cells, ms};
use crate::RunOutcome;
use crate::require::{Comparison, Requirement, RequirementVerdict, load};

/// An ECU image in figures.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ImageRow {
    /// Its ECU.
    pub ecu: String,
    /// Path of the image, as the vehicle file has it.
    pub image: String,
    /// The emulated board.
    pub machine: String,
    /// Clock rate of the microcontroller.
    pub clock_hz: u32,
    /// Instructions executed in all boots, counted.
    pub instructions: u64,
    /// Time that they took, at one instruction a cycle.
    pub computed_ms: f64,
    /// Share of the run's time that it computed.
    pub load: f64,
    /// The longest time from one moment at which the image met the bus to wait to the next.
    pub longest_ms: f64,
    /// Frames that found no room in its receive mailbox.
    pub overruns: u64,
    /// Boots, 1 without a reset.
    pub boots: u32,
    /// Number of boots in which it failed: it crashed, hung or did not speak the protocol.
    pub failures: u64,
    /// Moment of the first failure.
    pub failed_ms: Option<f64>,
    /// Reason of the first failure.
    pub failure: Option<String>,
}

pub(super) fn rows(file: &VehicleFile, outcome: &RunOutcome) -> Vec<ImageRow> {
    let ecus = file.ecus.iter().zip(&outcome.measure.ecus);
    let rows = ecus.filter_map(|(ecu, figures)| {
        let firmware = ecu.firmware.as_ref()?;
        let image = &figures.image;
        let first = image.first_failure.as_ref();
        Some(ImageRow {
            ecu: ecu.name.value.clone(),
            image: firmware.image.value.clone(),
            machine: firmware.machine.to_owned(),
            clock_hz: firmware.clock,
            instructions: image.instructions,
            computed_ms: image.computed.as_nanos() as f64 * 1e-6,
            load: load(image.computed.as_nanos().saturating_mul(1_000), outcome.end),
            longest_ms: image.longest.as_nanos() as f64 * 1e-6,
            overruns: figures.overruns,
            boots: figures.boots,
            failures: image.failures,
            failed_ms: first.map(|(at, _)| at.as_seconds() * 1e3),
            failure: first.map(|(_, why)| why.clone()),
        })
    });
    rows.collect()
}

/// Returns a verdict for each image that failed.
pub(super) fn failed(file: &VehicleFile, rows: &[ImageRow]) -> Vec<RequirementVerdict> {
    let failed = rows.iter().filter(|row| row.failures > 0);
    let verdict = |row: &ImageRow| {
        let mut ecus = file.ecus.iter();
        let ecu = ecus.find(|ecu| ecu.name.value == row.ecu)?;
        let image = &ecu.firmware.as_ref()?.image;
        let measured = (row.failures, failures(row.failures));
        let at = row.failed_ms.unwrap_or_default();
        let why = row.failure.clone().unwrap_or_default();
        Some(Comparison::of_counts((0, "no failure"), measured).verdict(
            (Requirement::ImageRuns, Some(&row.ecu)),
            false,
            (file, &image.span),
            Some(format!("at {at:.3} ms: {why}")),
        ))
    };
    failed.filter_map(verdict).collect()
}

fn failures(count: u64) -> String {
    match count {
        1 => "1 failure".to_owned(),
        count => format!("{count} failures"),
    }
}

/// Returns the source of doubt in the times of images in a sentence, if there are any.
pub(super) fn note(rows: &[ImageRow]) -> Option<String> {
    (!rows.is_empty()).then(|| {
        "Instructions of ECU images are counted; that each takes one cycle is assumed: pipeline, \
         wait states and interrupts are not modelled. Their load counts as crypto in the table of \
         ECUs."
            .to_owned()
    })
}

impl Cells for ImageRow {
    const HEADERS: &'static [&'static str] = &[
        "ECU image",
        "machine",
        "MHz",
        "instructions",
        "computed",
        "longest ms",
        "overruns",
        "boots",
        "failed",
    ];
    const NUMBERS: Range<usize> = 2..8;

    fn cells(&self) -> Vec<String> {
        // The folders before it are in the file, and in the JSON document.
        let name = self.image.rsplit('/').next().unwrap_or(&self.image);
        vec![
            format!("{}: {name}", self.ecu),
            self.machine.clone(),
            megahertz(self.clock_hz),
            self.instructions.to_string(),
            percent(self.load),
            ms(Some(self.longest_ms)),
            self.overruns.to_string(),
            self.boots.to_string(),
            match (&self.failure, self.failed_ms) {
                (Some(why), Some(at)) => format!("at {at:.3} ms: {why}"),
                _ => "no".to_owned(),
            },
        ]
    }
}

/// Returns a clock rate in MHz, with no more digits than it has.
fn megahertz(clock_hz: u32) -> String {
    (f64::from(clock_hz) / 1e6).to_string()
}

#[cfg(test)]
mod tests {
    use super::megahertz;

    #[test]
    fn clock_rates_have_no_more_digits_than_the_file_gives_them() {
        let shown = [100_000, 33_300_000, 80_000_000].map(megahertz);
        assert_eq!(shown, ["0.1", "33.3", "80"]);
    }
}
