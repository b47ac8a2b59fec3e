//! Load of a log on its buses, and its printing.

use std::io::{self, Write};
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_file::identifier::IdentifierFields;

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema};
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Load of a log on its buses. Loads are shares; intermission is counted unless said otherwise.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Summary {
    /// Frames on the bus.
    pub frames: u64,
    /// Identifiers seen, over all channels.
    pub ids: usize,
    /// From the first time stamp to the last.
    pub duration_s: f64,
    /// Frames and their three bits of intermission: 1 is a bus without a free moment. `None` for
    /// several channels: the loads of two buses have no sum.
    pub load: Option<f64>,
    /// Frames alone, from start of frame to end of frame.
    pub load_without_intermission: Option<f64>,
    /// Number of frames stamped earlier than the one before; they count as simultaneous with it.
    pub backwards: u64,
    /// Number of frames that share their time stamp with the one before; many mean a coarse clock.
    pub simultaneous: u64,
    /// Number of events or objects of the log that are no frames on the bus.
    pub skipped_events: u64,
    /// Number of damaged lines or messages that were skipped.
    pub skipped_lines: u64,
    /// By channel, which is one bus.
    pub channels: Vec<ChannelSummary>,
}

/// Load of a log on one bus.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ChannelSummary {
    /// Its name in the log.
    pub channel: String,
    /// Frames on it.
    pub frames: u64,
    /// By identifier.
    pub ids: Vec<IdSummary>,
    /// Frames and their intermissions, as a share of the time.
    pub load: f64,
    /// Frames alone.
    pub load_without_intermission: f64,
}

const DOCUMENT: DocumentFormat<Summary> = DocumentFormat::new(
    "bus-load",
    1,
    "waywarden bus load LOG --bitrate RATE --format json",
);

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DOCUMENT.schema();

/// Load of an identifier's frames on one bus.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct IdSummary {
    /// The bus.
    pub channel: String,
    /// The identifier.
    #[serde(flatten)]
    pub identifier: IdentifierFields,
    /// Its frames.
    pub frames: u64,
    /// Their share of the time, with intermissions.
    pub load: f64,
    /// The longest time from one to the next; null of a single one.
    pub worst_gap_ms: Option<f64>,
    /// From the time stamp to the end of the frame on the simulated bus.
    pub mean_latency_ms: f64,
    /// The longest of these.
    pub worst_latency_ms: f64,
}

impl Summary {
    /// Prints what is known of `log`; a table shows the `most` heaviest identifiers, 0 for all.
    pub(super) fn print(
        &self,
        log: &Path,
        format: OutputFormat,
        most: usize,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match format {
            OutputFormat::Json => DOCUMENT.print(&mut out, self)?,
            OutputFormat::Csv => print_csv(&mut out, self.ids())?,
            OutputFormat::Table => {
                self.print_heading(log, &mut out)?;
                let most = if most == 0 { usize::MAX } else { most };
                self.rows(most).print(&mut out)?;
            }
        }
        Ok(())
    }

    /// Prints the heading on standard error: standard output has lines for programs.
    pub(super) fn report(&self, log: &Path) -> Result<(), Failure> {
        let mut heading = Vec::new();
        self.print_heading(log, &mut heading)?;
        messages::status(String::from_utf8_lossy(&heading).trim_end());
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

    /// All identifiers of all channels.
    fn ids(&self) -> impl Iterator<Item = &IdSummary> {
        self.channels.iter().flat_map(|channel| &channel.ids)
    }

    fn rows(&self, most: usize) -> Rows {
        let mut rows: Vec<&IdSummary> = self.ids().collect();
        if most < rows.len() {
            rows.sort_by(|a, b| b.load.total_cmp(&a.load));
            rows.truncate(most);
        }
        let rows = rows.into_iter().map(|id| {
            vec![
                id.channel.clone(),
                id.identifier.id_hex.clone(),
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
