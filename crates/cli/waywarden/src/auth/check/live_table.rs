//! The table of streams on a terminal while frames come.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use waywarden_can_auth_log::StreamCounts;
use waywarden_command_line::messages;
use waywarden_command_line::terminal::plain_lines;

/// The shortest time between two changes of the table.
const EVERY: Duration = Duration::from_millis(250);

/// The most streams that it shows; the rest are counted.
const STREAMS_MAX: usize = 20;

/// Shows rates and verdicts by stream.
pub(super) struct LiveTable {
    bar: ProgressBar,
    shown: Instant,
    /// The frames of each stream when the table was shown last.
    before: Vec<u64>,
}

impl LiveTable {
    /// Begins a table if standard error is a terminal.
    pub(super) fn new() -> Option<Self> {
        if !messages::shows_progress() {
            return None;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{msg}").ok()?);
        Some(LiveTable {
            bar,
            shown: Instant::now(),
            before: Vec::new(),
        })
    }

    /// Shows the counts, if it is time to.
    pub(super) fn show(&mut self, streams: &[StreamCounts]) {
        let since = self.shown.elapsed();
        if since >= EVERY {
            self.bar.set_message(text(streams, &self.before, since));
            self.shown = Instant::now();
            self.before = streams.iter().map(|row| row.frames).collect();
        }
    }

    /// Takes the table away: what is printed next has the whole.
    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Writes the table; `before` are the frames of each stream `since` then.
fn text(streams: &[StreamCounts], before: &[u64], since: Duration) -> String {
    let mut text = format!(
        "{:<8} {:<28} {:>8} {:>9} {:>9} {:>9}\n",
        "channel", "stream", "frames", "frames/s", "authentic", "refused"
    );
    for (at, row) in streams.iter().enumerate().take(STREAMS_MAX) {
        let fresh = row.frames - before.get(at).copied().unwrap_or(0).min(row.frames);
        let rate = fresh as f64 / since.as_secs_f64().max(1e-3);
        let line = format!(
            "{:<8} {:<28} {:>8} {rate:>9.0} {:>9} {:>9}",
            row.channel,
            row.stream,
            row.frames,
            row.authentic,
            row.refused()
        );
        let _ = writeln!(text, "{}", plain_lines(&line));
    }
    if streams.len() > STREAMS_MAX {
        let _ = writeln!(text, "and {} more", streams.len() - STREAMS_MAX);
    }
    text
}
