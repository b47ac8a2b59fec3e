//! What a log does to a bus, and how it is printed.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use waywarden_vehicle_file::formatting::percent;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::table::{Format, Rows, print_json};

/// What a log does to a bus. Loads are shares; intermission is counted unless said otherwise.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) frames: u64,
    pub(super) ids: usize,
    /// From the first time stamp to the last.
    pub(super) duration_s: f64,
    /// Frames and their three bits of intermission: 1 is a bus without a free moment. `None` for
    /// several channels: the loads of two buses have no sum.
    pub(super) load: Option<f64>,
    /// Frames alone, from start of frame to end of frame.
    pub(super) load_without_intermission: Option<f64>,
    /// How many frames are stamped earlier than the one before; they count as simultaneous with it.
    pub(super) backwards: u64,
    /// How many frames share their time stamp with the one before; many mean a coarse clock.
    pub(super) simultaneous: u64,
    /// How many events or objects of the log are no frames on the bus.
    pub(super) skipped_events: u64,
    /// How many damaged lines or messages were skipped.
    pub(super) skipped_lines: u64,
    pub(super) channels: Vec<ChannelSummary>,
}

#[derive(Debug, Serialize)]
pub(super) struct ChannelSummary {
    pub(super) channel: String,
    pub(super) frames: u64,
    pub(super) ids: Vec<IdSummary>,
    pub(super) load: f64,
    pub(super) load_without_intermission: f64,
}

#[derive(Debug, Serialize)]
pub(super) struct IdSummary {
    pub(super) id: String,
    pub(super) extended: bool,
    pub(super) frames: u64,
    pub(super) load: f64,
    pub(super) worst_gap_ms: Option<f64>,
    /// From the time stamp to the end of the frame on the simulated bus.
    pub(super) mean_latency_ms: f64,
    pub(super) worst_latency_ms: f64,
}

impl Summary {
    /// Prints what is known of `log`; a table shows the `most` heaviest identifiers, 0 for all.
    pub(super) fn print(&self, log: &Path, format: Format, most: usize) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match format {
            Format::Json => print_json(&mut out, self)?,
            Format::Csv => self.rows(usize::MAX).print_csv(&mut out)?,
            Format::Table => {
                self.print_heading(log, &mut out)?;
                let most = if most == 0 { usize::MAX } else { most };
                self.rows(most).print(&mut out)?;
            }
        }
        Ok(())
    }

    /// Prints what holds for the log as a whole, and for each of its channels.
    fn print_heading(&self, log: &Path, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "{}: {} frames, {} identifiers, {:.3} s",
            log.display(),
            self.frames,
            self.ids,
            self.duration_s
        )?;
        if self.backwards > 0 {
            writeln!(
                out,
                "warning: {} frames are stamped earlier than the one before and count as \
                 simultaneous with it; the log is not in order, and loads may be wrong",
                self.backwards
            )?;
        }
        if self.simultaneous * 10 > self.frames {
            writeln!(
                out,
                "note: {} frames have the time stamp of the one before; latencies follow \
                 the log's coarse clock",
                self.simultaneous
            )?;
        }
        for channel in &self.channels {
            writeln!(
                out,
                "{}: {} frames, {} identifiers, load {} ({} without intermission)",
                channel.channel,
                channel.frames,
                channel.ids.len(),
                percent(channel.load),
                percent(channel.load_without_intermission)
            )?;
        }
        Ok(())
    }

    fn rows(&self, most: usize) -> Rows {
        let mut rows: Vec<(&str, &IdSummary)> = self
            .channels
            .iter()
            .flat_map(|channel| channel.ids.iter().map(|id| (channel.channel.as_str(), id)))
            .collect();
        if most < rows.len() {
            rows.sort_by(|a, b| b.1.load.total_cmp(&a.1.load));
            rows.truncate(most);
        }
        let rows = rows.into_iter().map(|(channel, id)| {
            vec![
                channel.to_owned(),
                id.id.clone(),
                id.frames.to_string(),
                format!("{:.3} %", id.load * 100.0),
                id.worst_gap_ms
                    .map_or("-".to_owned(), |gap| format!("{gap:.3}")),
                format!("{:.3}", id.mean_latency_ms),
                format!("{:.3}", id.worst_latency_ms),
            ]
        });
        Rows {
            headers: vec![
                "channel",
                "id",
                "frames",
                "load",
                "worst gap ms",
                "mean latency ms",
                "worst latency ms",
            ],
            rows: rows.collect(),
            numbers: 2..7,
        }
    }
}
