//! The table of buses on a terminal while frames come.

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;
use waywarden_vehicle_file::formatting::percent;

use crate::logs::seconds::Finished;

/// Shows each channel's rate and load.
pub(super) struct LiveTable {
    bar: ProgressBar,
}

impl LiveTable {
    /// Begins a table if standard error is a terminal.
    pub(super) fn new() -> Option<Self> {
        if !messages::shows_progress() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{msg}").ok()?);
        bar.set_message("waiting for frames");
        Some(LiveTable { bar })
    }

    /// Shows the second that is over.
    pub(super) fn show(&self, finished: &Finished) {
        self.bar.set_message(text(finished));
    }

    /// Takes the table away: what is printed next has the whole.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

fn text(finished: &Finished) -> String {
    let mut lines = vec![format!(
        "{:<16} {:>10} {:>10} {:>12} {:>9} {:>12}",
        "channel", "frames", "frames/s", "identifiers", "load", "load so far"
    )];
    for (channel, second) in &finished.channels {
        let line = format!(
            "{channel:<16} {:>10} {:>10.0} {:>12} {:>9} {:>12}",
            second.total_frames,
            finished.frames_per_second(second),
            second.all_ids(),
            percent(finished.load(second)),
            percent(finished.total_load(second))
        );
        lines.push(plain_lines(&line).to_string());
    }
    lines.join("\n")
}
