//! `waywarden bench board`: this machine as a board file.

mod host;
mod text;

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use waywarden_boards::Board as BoardFile;
use waywarden_ecverify::{Curve, lanes};
use waywarden_work::{Algorithm, OperationKind};

use self::host::Host;
use self::text::{FastPath, Figure, Measured};
use super::operations::operations;
use super::stopwatch::Timed;
use super::{plan, symmetric};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_command_line::places::is_standard;
use waywarden_command_line::progress::bar;
use waywarden_command_line::table::Rows;

const TIME: Duration = Duration::from_secs(10);
const TIME_QUICK: Duration = Duration::from_secs(1);
/// A median needs some readings, however slow the machine is.
const READINGS_MIN: u32 = 5;

/// Measure this machine as a board, and write a board file that vehicle files can name.
///
/// One thread; medians of processor time. Figures of the file: the seven operations of [ECQV-CITS]
/// Table I on P-256, Diffie-Hellman, SHA-256, HMAC, AES-CMAC and AES-CCM. Everything else is scaled
/// from a Cortex-M4, and driver calls are assumed. The fast paths of verification stand in the file
/// as `[[stated]]`. See docs/boards.md.
#[derive(Debug, clap::Args)]
pub struct Board {
    /// Write the board file here; - is standard output (the tables are then left out).
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Measure for one second instead of ten, besides what preparation takes.
    #[arg(long)]
    quick: bool,
}

/// Everything that is timed.
struct Timers {
    on_p256: Vec<(OperationKind, Timed)>,
    growing: Vec<symmetric::Growing>,
    paths: Vec<plan::Line>,
}

impl Board {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        // A place that cannot be written fails before, not after, the measurement.
        let mut output = OutputFile::create(&self.output)?;
        if cfg!(debug_assertions) {
            messages::warning("this build is not optimised; measure with one of --release");
        }
        let measured = self.measure()?;
        let text = measured.text();
        BoardFile::parse("board", &text).map_err(Failure::new)?;
        output
            .write_all(text.as_bytes())
            .map_err(Failure::writing)?;
        output.finish()?;
        if !is_standard(&self.output) {
            self.print(&measured)?;
        }
        Ok(Answer::Yes)
    }

    fn measure(&self) -> Result<Measured, Failure> {
        let time = if self.quick { TIME_QUICK } else { TIME };
        let bar = bar(time.as_secs());
        bar.set_message("making jobs and tables");
        let mut timers = Timers::new()?;
        bar.set_message("measuring");
        let begun = Instant::now();
        let mut readings = 0;
        while readings < READINGS_MIN || begun.elapsed() < time {
            timers.read();
            readings += 1;
            bar.set_position(begun.elapsed().as_secs().min(time.as_secs()));
        }
        bar.finish_and_clear();
        let build = match cfg!(debug_assertions) {
            true => ", a build that is not optimised",
            false => "",
        };
        Ok(Measured {
            host: Host::this(),
            how: format!(
                "waywarden {}{build}; processor time of one thread, median of {readings} readings",
                env!("CARGO_PKG_VERSION")
            ),
            figures: timers.figures(),
            paths: timers.fast_paths(),
            lanes: lanes(Curve::P256),
        })
    }

    fn print(&self, measured: &Measured) -> io::Result<()> {
        let mut out = io::stdout().lock();
        let Host {
            processor, cores, ..
        } = &measured.host;
        writeln!(out, "{processor}, {cores} cores: {}\n", measured.how)?;
        let rows = measured.figures.iter().map(|figure| {
            let growth = figure.growth.map_or(String::new(), |(slope, block, _)| {
                format!("+ {slope:.3} each {block} bytes")
            });
            let (kind, algorithm) = (figure.kind.to_string(), figure.algorithm.to_string());
            vec![kind, algorithm, format!("{:.3}", figure.fixed), growth]
        });
        let rows = Rows {
            headers: vec!["operation", "algorithm", "us", "and"],
            rows: rows.collect(),
            numbers: 2..3,
        };
        rows.print(&mut out)?;
        let rows = measured.paths.iter().map(|path| {
            vec![
                path.path.clone(),
                path.waiting.to_string(),
                format!("{:.2}", path.each),
                format!("{:.0}", 1e6 / path.each),
            ]
        });
        let rows = Rows {
            headers: vec!["verify on P-256", "waiting", "us a message", "a second"],
            rows: rows.collect(),
            numbers: 1..4,
        };
        rows.print(&mut out)?;
        let lanes = measured.lanes;
        writeln!(out, "Verifications in one vector: {lanes}.")?;
        // With a slash it is a path, not the name of a built-in board.
        let name = self.output.file_name().unwrap_or_default().display();
        writeln!(
            out,
            "A vehicle file beside it names it so: board = \"./{name}\""
        )
    }
}

impl Timers {
    fn new() -> Result<Self, Failure> {
        let signing = operations().map_err(Failure::new)?;
        let agreement = symmetric::agreement().map_err(Failure::new)?;
        Ok(Self {
            on_p256: signing.into_iter().chain(agreement).collect(),
            growing: symmetric::growing(),
            paths: plan::fast_paths(),
        })
    }

    /// One reading of each, in turn, so that a disturbance hits them alike.
    fn read(&mut self) {
        let on_p256 = self.on_p256.iter_mut().map(|(_, timed)| timed);
        let growing = self.growing.iter_mut().flat_map(|one| &mut one.timed);
        let paths = self.paths.iter_mut().map(|line| &mut line.ordinary);
        for timed in on_p256.chain(growing).chain(paths) {
            timed.read();
        }
    }

    fn figures(&self) -> Vec<Figure> {
        let on_p256 = self.on_p256.iter().map(|(kind, timed)| Figure {
            kind: *kind,
            algorithm: Algorithm::P256,
            fixed: timed.median(),
            growth: None,
        });
        let growing = self.growing.iter().map(|one| {
            let (fixed, slope) = one.line();
            Figure {
                kind: one.kind,
                algorithm: one.algorithm,
                fixed,
                growth: Some((slope, one.block, one.padding)),
            }
        });
        on_p256.chain(growing).collect()
    }

    fn fast_paths(&self) -> Vec<FastPath> {
        let path = |line: &plan::Line| FastPath {
            path: line.path.clone(),
            waiting: line.in_flight,
            each: line.ordinary.median(),
        };
        self.paths.iter().map(path).collect()
    }
}
