//! Load of a log on its buses, and its printing.

use std::io::{self, Write};
use std::path::Path;

use waywarden_vehicle_file::formatting::percent;
use waywarden_vehicle_report::bus_load::{DOCUMENT, IdSummary, Summary};

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::DocumentSchema;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::messages;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Load of a log on its buses, and its printing.
#[derive(Debug)]
pub(super) struct PrintedSummary(pub(super) Summary);

/// The schema of what programs read.
pub const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl PrintedSummary {
    /// Prints what is known of `log`; a table shows the `most` heaviest identifiers, 0 for all.
    pub(super) fn print(
        &self,
        log: &Path,
        format: OutputFormat,
        most: usize,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &self.0)?,
            OutputFormat::Csv => print_csv(&mut out, self.0.all_ids())?,
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
            self.0.frames,
            self.0.ids,
            self.0.duration_s
        )?;
        if self.0.backwards > 0 {
            writeln!(
                out,
                "warning: {} frames are stamped earlier than the one before and count as \
                 simultaneous with it; the log is not in order, and loads may be wrong",
                self.0.backwards
            )?;
        }
        if self.0.simultaneous * 10 > self.0.frames {
            writeln!(
                out,
                "note: {} frames have the time stamp of the one before; latencies follow \
                 the log's coarse clock",
                self.0.simultaneous
            )?;
        }
        for channel in &self.0.channels {
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
        let mut rows: Vec<&IdSummary> = self.0.all_ids().collect();
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
