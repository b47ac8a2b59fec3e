//! What `waywarden run` keeps of a run besides its figures: trace, bus log, time line, report.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::json::Lines;
use waywarden_can_sim::trace::{Event, Sink};
use waywarden_vehicle::file::VehicleFile;
use waywarden_vehicle::html;
use waywarden_vehicle::lower::Lowered;
use waywarden_vehicle::perfetto::Perfetto;
use waywarden_vehicle::recorder::Recorder;
use waywarden_vehicle::report::Report;
use waywarden_vehicle::run::{self, Outcome};

use crate::exit::Failure;
use crate::files::Output;
use crate::logs::BusLog;

/// Files to write. Each appears when it is complete.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Keep {
    /// Write the trace here as JSON Lines; - is standard output (tables are then left out).
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Write what was on the buses as a log: .log (candump), .asc or .pcapng by its ending.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Write a time line for Perfetto or a browser's trace viewer.
    #[arg(long, value_name = "FILE")]
    perfetto: Option<PathBuf>,
    /// Write a report with pictures: one self-contained HTML file.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The files of a run under way.
#[derive(Default)]
pub(crate) struct Kept {
    trace: Option<Trace>,
    log: Option<BusLog>,
    perfetto: Option<Perfetto<Output>>,
    recorder: Option<Recorder>,
}

impl Keep {
    /// Whether the trace takes the place of the tables.
    pub(crate) fn fills_standard_output(&self) -> bool {
        self.trace.as_deref() == Some(Path::new("-"))
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
        let mut kept = Kept::default();
        if let Some(path) = &keep.trace {
            let target = match keep.fills_standard_output() {
                true => Target::Standard,
                false => Target::File(Output::create(path)?),
            };
            kept.trace = Some(Trace {
                lines: run::lines(lowered),
                target,
                fault: None,
            });
        }
        if let Some(path) = &keep.log {
            kept.log = Some(BusLog::create(path, &buses)?);
        }
        if let Some(path) = &keep.perfetto {
            kept.perfetto = Some(Perfetto::new(Output::create(path)?, lowered));
        }
        if keep.html.is_some() {
            kept.recorder = Some(Recorder::new(file, lowered));
        }
        Ok(kept)
    }

    /// Puts the files in their places.
    pub(crate) fn finish(
        self,
        keep: &Keep,
        file: &VehicleFile,
        report: &Report,
        outcome: &Outcome,
    ) -> Result<(), Failure> {
        self.trace.map(Trace::finish).transpose()?;
        self.log.map(BusLog::finish).transpose()?;
        if let Some(perfetto) = self.perfetto {
            perfetto.finish()?.finish()?;
        }
        if let (Some(recorder), Some(path)) = (self.recorder, &keep.html) {
            let recording = &recorder.finish();
            let page = html::page(&html::Source {
                file,
                report,
                outcome,
                recording,
            });
            let mut output = Output::create(path)?;
            output.write_all(page.as_bytes())?;
            output.finish()?;
        }
        Ok(())
    }
}

impl Sink for Kept {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        if let Some(trace) = &mut self.trace {
            trace.record(at, event);
        }
        if let Some(log) = &mut self.log {
            log.record(at, event);
        }
        if let Some(perfetto) = &mut self.perfetto {
            perfetto.record(at, event);
        }
        if let Some(recorder) = &mut self.recorder {
            recorder.record(at, event);
        }
    }
}

/// Where a trace goes.
enum Target {
    Standard,
    File(Output),
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::Standard => io::stdout().write(bytes),
            Target::File(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::Standard => io::stdout().flush(),
            Target::File(output) => output.flush(),
        }
    }
}

/// Writes the trace; the first fault is kept for the end, for a sink cannot refuse.
struct Trace {
    lines: Lines,
    target: Target,
    fault: Option<io::Error>,
}

impl Trace {
    fn finish(mut self) -> Result<(), Failure> {
        match self.fault.take() {
            Some(error) => return Err(error.into()),
            None => self.target.flush()?,
        }
        match self.target {
            Target::Standard => Ok(()),
            Target::File(output) => output.finish(),
        }
    }
}

impl Sink for Trace {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        if self.fault.is_none() {
            let line = self.lines.line(at, event);
            self.fault = self.target.write_all(line.as_bytes()).err();
        }
    }
}
