//! Files that `waywarden run` keeps of a run besides its figures: trace, bus log, time line,
//! report.

use std::io::{self, Write};
use std::path::PathBuf;

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EventSink;
use waywarden_vehicle_file::{VehicleFile, Window};
use waywarden_vehicle_lab::lower::Lowered;
use waywarden_vehicle_lab::run::RunOutcome;
use waywarden_vehicle_page as html;
use waywarden_vehicle_page::recorder::RunRecorder;
use waywarden_vehicle_report::lines::TraceLines;
use waywarden_vehicle_report::perfetto::Perfetto;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_trace::{TraceSink, VehicleEvent};
use waywarden_work::Duration;

use waywarden_command_can::logs::BusLog;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::quantity;
use waywarden_command_line::table::OutputFormat;

/// Files to write. Each appears when it is complete; - is standard output, for one of them.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Keep {
    /// Write the trace here as JSON Lines; - is standard output (the tables are then left out), as
    /// for the other files.
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write what was on the buses as a log: .log (candump), .asc, .blf, .trc, .csv or .pcapng.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write a time line for Perfetto or a browser's trace viewer.
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    /// Start of the time line, such as 2s or 500ms; a whole run is large.
    #[arg(long, value_name = "TIME", requires = "perfetto")]
    perfetto_from: Option<String>,
    /// End of the time line.
    #[arg(long, value_name = "TIME", requires = "perfetto")]
    perfetto_until: Option<String>,
    /// Write a report with pictures: one self-contained HTML file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The files of a run under way.
#[derive(Default)]
pub(crate) struct Kept {
    trace: Option<Trace>,
    log: Option<BusLog>,
    perfetto: Option<Perfetto<OutputFile>>,
    recorder: Option<(RunRecorder, OutputFile)>,
}

impl Keep {
    /// Returns true if any file is asked for.
    pub(crate) fn is_given(&self) -> bool {
        let files = [&self.trace, &self.log, &self.perfetto, &self.html];
        files.into_iter().any(Option::is_some)
    }

    /// Returns true if one of the files takes the place of the tables.
    pub(crate) fn fills_standard_output(&self) -> bool {
        let files = [&self.trace, &self.log, &self.perfetto, &self.html];
        files.into_iter().flatten().any(|file| is_standard(file))
    }

    /// Refuses a document for programs beside a page on standard output.
    pub(crate) fn check_beside(&self, format: OutputFormat) -> Result<(), Failure> {
        format.beside("--html", self.html.as_deref())
    }

    /// Returns the part of a run of this length that the time line shows.
    fn perfetto_window(&self, length: Duration) -> Result<Window, Failure> {
        let time = |text: &Option<String>| text.as_deref().map(quantity::duration).transpose();
        let from = time(&self.perfetto_from)?;
        let until = time(&self.perfetto_until)?;
        let window = Window {
            from: from.unwrap_or(Duration::ZERO),
            until,
        };
        if let (Some(text), true) = (&self.perfetto_from, window.from >= length) {
            return Err(Failure::new(format_args!(
                "--perfetto-from {text}: the run ends at {length}"
            )));
        }
        if let (Some(text), Some(true)) = (
            &self.perfetto_until,
            until.map(|until| until <= window.from),
        ) {
            return Err(Failure::new(format_args!(
                "--perfetto-until {text}: the time line begins at {}",
                window.from
            )));
        }
        Ok(window)
    }
}

impl Kept {
    /// Begins the files that are wanted.
    pub(crate) fn begin(
        keep: &Keep,
        file: &VehicleFile,
        lowered: &Lowered,
    ) -> Result<Self, Failure> {
        let buses: Vec<String> = file
            .buses
            .iter()
            .map(|bus| bus.name.value.clone())
            .collect();
        let window = keep.perfetto_window(file.duration)?;
        let mut kept = Kept::default();
        if let Some(path) = &keep.trace {
            kept.trace = Some(Trace {
                line: Vec::new(),
                lines: lowered.trace_lines(),
                output: OutputFile::create(path)?,
                fault: None,
            });
        }
        if let Some(path) = &keep.log {
            kept.log = Some(BusLog::create(path, &buses)?);
        }
        if let Some(path) = &keep.perfetto {
            let output = OutputFile::create(path)?;
            kept.perfetto = Some(lowered.perfetto(output, Some(&window)));
        }
        if let Some(path) = &keep.html {
            let recorder = RunRecorder::new(file, &lowered.config, lowered.prose.clone());
            kept.recorder = Some((recorder, OutputFile::create(path)?));
        }
        Ok(kept)
    }

    /// Puts the files in their places.
    pub(crate) fn finish(
        self,
        file: &VehicleFile,
        report: &Report,
        outcome: &RunOutcome,
    ) -> Result<(), Failure> {
        self.trace.map(Trace::finish).transpose()?;
        self.log.map(BusLog::finish).transpose()?;
        if let Some(perfetto) = self.perfetto {
            perfetto.finish().map_err(Failure::writing)?.finish()?;
        }
        if let Some((recorder, mut output)) = self.recorder {
            let recording = &recorder.finish();
            let page = html::page(&html::PageInput {
                file,
                report,
                outcome,
                recording,
            });
            output
                .write_all(page.as_bytes())
                .map_err(Failure::writing)?;
            output.finish()?;
        }
        Ok(())
    }
}

impl TraceSink for Kept {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.record(at, event);
        }
        if let Some(log) = &mut self.log {
            log.record(at, event);
        }
        if let Some(perfetto) = &mut self.perfetto {
            perfetto.record(at, event);
        }
        if let Some((recorder, _)) = &mut self.recorder {
            recorder.record(at, event);
        }
    }
}

/// Writes the trace; the first fault is kept for the end, for a sink cannot refuse.
struct Trace {
    lines: TraceLines,
    line: Vec<u8>,
    output: OutputFile,
    fault: Option<io::Error>,
}

impl Trace {
    fn finish(self) -> Result<(), Failure> {
        match self.fault {
            Some(error) => Err(Failure::writing(error)),
            None => self.output.finish(),
        }
    }
}

impl TraceSink for Trace {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        if self.fault.is_none() {
            self.line.clear();
            self.lines.append(&mut self.line, at, event);
            self.fault = self.output.write_all(&self.line).err();
        }
    }
}
