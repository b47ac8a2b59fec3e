//! A whole trace in memory, and certificates for its vehicles, for commands that drive with it.

use std::path::Path;

use waywarden_command_line::exit::Failure;
use waywarden_traffic_stations::CertificateSource;
use waywarden_v2x_neighbourhood::CertificateForm;
use waywarden_vehicle_tracks::fcd::TimeStep;

use super::failed;
use super::stack_certificates::certificates_of;
use super::trace::{bar, check, open};

/// A trace with the names of its vehicles, by number.
#[derive(Debug)]
pub struct RecordedTrace {
    /// The time steps.
    pub steps: Vec<TimeStep>,
    /// The names.
    pub names: Vec<String>,
}

/// Reads a trace in metres.
///
/// # Errors
/// [`Failure`] with the place of what is wrong.
pub fn read(trace: &Path) -> Result<RecordedTrace, Failure> {
    let bar = bar();
    let mut steps = open(trace, &bar)?;
    let mut read: Vec<TimeStep> = Vec::new();
    while let Some(step) = steps.next() {
        let step = step.map_err(|error| failed(trace, &error.to_string()))?;
        let last = read.last().map(|last| last.time_s);
        let location = steps.location();
        let wrong = |what: String| failed(trace, &format!("{location}: {what}"));
        check(&step, last, false).map_err(wrong)?;
        read.push(step);
    }
    bar.finish_and_clear();
    if read.is_empty() {
        return Err(failed(trace, "it has no time step"));
    }
    let names = (0..).map_while(|number| steps.name(number).map(str::to_owned));
    Ok(RecordedTrace {
        names: names.collect(),
        steps: read,
    })
}

/// Returns certificates of one authority; those of another `party` are others of the same one.
///
/// # Errors
/// [`Failure`], for none that is made here.
pub fn certificates(seed: u64, party: u8) -> Result<impl CertificateSource, Failure> {
    certificates_of(seed, party, CertificateForm::Explicit)
}
