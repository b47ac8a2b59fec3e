//! One run with a progress bar.

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_vehicle_lab::lower::Lowered;
use waywarden_vehicle_lab::run;
use waywarden_vehicle_trace::TraceSink;

/// Runs with a progress bar on a terminal.
pub(crate) fn simulate(
    lowered: Lowered,
    sink: &mut dyn TraceSink,
) -> Result<run::RunOutcome, Failure> {
    let bar = if messages::shows_progress() {
        ProgressBar::new(1_000)
    } else {
        ProgressBar::hidden()
    };
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent} % {elapsed} ({eta} to go)")
    {
        bar.set_style(style);
    }
    let outcome = run::run(lowered, sink, &mut |share| {
        bar.set_position((share * 1e3) as u64);
    });
    bar.finish_and_clear();
    outcome.map_err(Failure::new)
}
