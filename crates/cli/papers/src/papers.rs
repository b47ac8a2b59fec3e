//! `waywarden papers`: what the papers print beside what their formulas and our runs give.

mod messages;
mod simulated;

use std::cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;
use waywarden_papers::{
    Amount, Asked, Cell, CellVerdict, Class, Measurement, PAPERS, Paper, PaperSimulator,
    PaperTable, ecqv, page, short, totals, unmeasured, wave,
};
use waywarden_work::{Duration, OperationKind};

use self::messages::Messages;
use crate::bench::operations::{Waiting, measure_operations, measure_waiting};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Show each number of a paper's tables, figures and claims beside ours, and why some differ.
///
/// The measured column takes some seconds: it runs the protocols with real cryptography. The class
/// says where ours comes from: `input` (the paper's own number), `fitted`, `derived` (by formula)
/// or `measured` (by simulation). Only the last two can agree.
/// Without a key, lists the papers that are known. Exit code 0 also where numbers differ, 2 for
/// an unknown key. docs/papers.md tells what the columns mean.
#[derive(Debug, clap::Args)]
pub struct Papers {
    /// A paper, such as ecqv-cits, gke, lasan, vulcan or wave-sec.
    key: Option<String>,
    /// Leave the measured column empty: the paper's formulas alone, at once.
    #[arg(long, requires = "key")]
    no_simulation: bool,
    /// Measure this machine, and show it beside the paper's boards: ecqv-cits and wave-sec only.
    ///
    /// ecqv-cits takes some 2 s of one thread; medians of processor time. docs/performance.md
    /// compares with other libraries. wave-sec takes some 30 s; means of the time that passes.
    #[arg(long, requires = "key", conflicts_with = "no_simulation")]
    host: bool,
    /// With --host, how many messages of each length wave-sec signs and verifies, 10 to 1,000,000.
    #[arg(long, value_name = "N", requires = "host", default_value_t = 10_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    messages: u32,
    /// With --host, ten messages a second by the clock, as the paper had them: 1,000 s for 10,000.
    #[arg(long, requires = "host")]
    real_time: bool,
    /// Put simulated traffic beside the tables of ecqv-cits: a folder of runs that `waywarden
    /// traffic run --out` has written, each named by its column and its seed, such as
    /// highway-rush-1. docs/traffic-scenarios.md says how.
    #[arg(long, value_name = "DIR", requires = "key")]
    traffic: Option<PathBuf>,
    /// Write a page with the paper's figures drawn again: one self-contained HTML file.
    #[arg(long, value_name = "FILE", requires = "key")]
    html: Option<PathBuf>,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// Measurements of this machine.
struct Host {
    operations: Vec<(OperationKind, std::time::Duration)>,
    of_paper: OfPaper,
}

/// Measurements for one paper beside single operations.
enum OfPaper {
    Ecqv(Waiting),
    Wave(Vec<(wave::WaveQuantity, Amount)>),
}

impl Host {
    fn operation(&self, kind: OperationKind) -> Option<std::time::Duration> {
        let mut all = self.operations.iter();
        Some(all.find(|(of, _)| *of == kind)?.1)
    }

    fn wave(&self, of: &wave::WaveQuantity) -> Option<Amount> {
        let OfPaper::Wave(measured) = &self.of_paper else {
            return None;
        };
        if let wave::WaveQuantity::Cam(cam) = of {
            match (cam.path, cam.operation) {
                (wave::Path::Curve, wave::Operation::Sign) => {
                    return self.operation(OperationKind::Sign).map(time);
                }
                (wave::Path::Curve, wave::Operation::Verify) => {
                    return self.operation(OperationKind::Verify).map(time);
                }
                _ => {}
            }
        }
        Some(measured.iter().find(|(known, _)| known == of)?.1)
    }

    fn measurement(&self, of: Asked<'_>) -> Option<Measurement> {
        let amount = match (of, &self.of_paper) {
            (Asked::Ecqv(ecqv::EcqvQuantity::Operation(kind)), _) => time(self.operation(*kind)?),
            (Asked::Ecqv(ecqv::EcqvQuantity::WaitingSignature), OfPaper::Ecqv(all)) => {
                time(all.signature)
            }
            (Asked::Ecqv(ecqv::EcqvQuantity::WaitingMessage), OfPaper::Ecqv(all)) => {
                time(all.message)
            }
            (Asked::Wave(of), _) => self.wave(of)?,
            _ => return None,
        };
        Some(Measurement {
            amount,
            beside: Vec::new(),
        })
    }
}

fn time(time: std::time::Duration) -> Amount {
    let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    Amount::Time(Duration::from_nanos(nanos))
}

/// A paper that is known, for programs.
#[derive(Serialize, JsonSchema)]
struct Known {
    /// Name of the paper for the command.
    key: &'static str,
    /// Subject of its numbers.
    title: &'static str,
}

const PAPERS_KNOWN: DocumentFormat<Listed<Known>> =
    DocumentFormat::new("papers", 1, "waywarden papers --format json");
const CELLS: DocumentFormat<Listed<Cell>> =
    DocumentFormat::new("paper", 1, "waywarden papers PAPER --format json");

/// The schemas of what programs read.
pub const SCHEMAS: [DocumentSchema; 2] = [PAPERS_KNOWN.schema(), CELLS.schema()];

impl Papers {
    /// Prints the numbers side by side.
    ///
    /// # Errors
    /// Bad arguments, and what cannot be measured or written.
    pub fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        let Some(key) = &self.key else {
            list(&mut out, self.format)?;
            return Ok(Answer::Yes);
        };
        let paper = Paper::find(key).ok_or_else(|| {
            let known: Vec<&str> = PAPERS.iter().map(|paper| paper.key).collect();
            let known = known.join(", ");
            Failure::new(format_args!("no paper `{key}`; there are: {known}"))
        })?;
        let host = self.measure_host(paper)?;
        let messages = self.encode_messages(paper)?;
        let progress = self.progress(paper)?;
        let announce = |run: &str| {
            progress.set_message(run.to_owned());
        };
        let simulator = PaperSimulator::new(&announce).map_err(Failure::new)?;
        let measured = |of: Asked<'_>| {
            if self.no_simulation {
                unmeasured(of)
            } else {
                let encoded = messages.as_ref().and_then(|all| all.measurement(of));
                let measurement = encoded.or_else(|| match (of, &host) {
                    (Asked::Ecqv(_) | Asked::Wave(_), Some(host)) => host.measurement(of),
                    _ => simulator.measure(of),
                });
                progress.inc(1);
                measurement
            }
        };
        let mut cells = paper.cells(&measured).map_err(Failure::new)?;
        if let Some(folder) = &self.traffic {
            cells.extend(self.simulated(folder)?);
        }
        let plots = match self.html {
            Some(_) => paper.plots(&measured).map_err(Failure::new)?,
            None => Vec::new(),
        };
        progress.finish_and_clear();
        if let Some(error) = simulator.failure() {
            return Err(Failure::new(error));
        }
        if let Some(path) = &self.html {
            let mut output = OutputFile::create(path)?;
            let page = page(paper, &cells, &plots);
            output.write_all(page.as_bytes()).map_err(Failure::new)?;
            output.finish()?;
        }
        match self.format {
            OutputFormat::Csv => print_csv(&mut out, &cells)?,
            OutputFormat::Json => CELLS.print(&mut out, &Listed::new(cells))?,
            OutputFormat::Table => print(&mut out, paper, &cells)?,
        }
        Ok(Answer::Yes)
    }

    /// Puts simulated traffic beside the paper's.
    fn simulated(&self, folder: &Path) -> Result<Vec<Cell>, Failure> {
        if self.key.as_deref() != Some("ecqv-cits") {
            return Err(Failure::new("--traffic is for ecqv-cits"));
        }
        simulated::cells(folder)
    }

    /// Encodes the messages whose lengths a paper is about.
    fn encode_messages(&self, paper: &Paper) -> Result<Option<Messages>, Failure> {
        let is_asked = paper.key == "ecqv-cits" && !self.no_simulation;
        is_asked.then(Messages::encode).transpose()
    }

    /// Measures this machine where that is asked for.
    fn measure_host(&self, paper: &Paper) -> Result<Option<Host>, Failure> {
        if !self.host {
            return Ok(None);
        }
        let of_paper = match paper.key {
            "ecqv-cits" => OfPaper::Ecqv(measure_waiting()),
            #[cfg(unix)]
            "wave-sec" => OfPaper::Wave(self.measure_wave()?),
            key => {
                return Err(Failure::new(format_args!(
                    "--host is for ecqv-cits and wave-sec; nothing of `{key}` is measured on this \
                     machine"
                )));
            }
        };
        Ok(Some(Host {
            operations: measure_operations().map_err(Failure::new)?,
            of_paper,
        }))
    }

    #[cfg(unix)]
    fn measure_wave(&self) -> Result<crate::bench::wave::Measured, Failure> {
        let bar = bar(u64::from(self.messages));
        bar.set_message("CAMs");
        let extent = crate::bench::wave::Extent {
            messages: self.messages,
            is_real_time: self.real_time,
        };
        let measured = crate::bench::wave::measure(extent, &bar);
        bar.finish_and_clear();
        measured
    }

    /// Shows on a terminal which run is being simulated, and how many of the quantities that
    /// are asked for have been measured; elsewhere nothing.
    fn progress(&self, paper: &Paper) -> Result<ProgressBar, Failure> {
        if self.no_simulation {
            return Ok(ProgressBar::hidden());
        }
        let asked = cell::Cell::new(0);
        let count = |of: Asked<'_>| {
            asked.set(asked.get() + 1);
            unmeasured(of)
        };
        paper.cells(&count).map_err(Failure::new)?;
        if self.html.is_some() {
            paper.plots(&count).map_err(Failure::new)?;
        }
        Ok(bar(asked.get()))
    }
}

/// A bar on a terminal; elsewhere nothing.
fn bar(length: u64) -> ProgressBar {
    let bar = ProgressBar::new(length);
    match ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

fn list(out: &mut impl Write, format: OutputFormat) -> io::Result<()> {
    let known = PAPERS
        .iter()
        .map(|&Paper { key, title }| Known { key, title });
    let known: Vec<Known> = known.collect();
    let rows = Rows {
        headers: vec!["key", "what its numbers are about"],
        rows: known
            .iter()
            .map(|known| vec![known.key.to_owned(), known.title.to_owned()])
            .collect(),
        numbers: 0..0,
    };
    match format {
        OutputFormat::Json => PAPERS_KNOWN.print(out, &Listed::new(known)),
        OutputFormat::Csv => print_csv(out, &known),
        OutputFormat::Table => rows.print(out),
    }
}

/// The cells, those that are one table as such, and below them the reasons: a column of them would
/// be wider than any terminal.
fn print(out: &mut impl Write, paper: &Paper, cells: &[Cell]) -> io::Result<()> {
    let (alone, tables) = paper.tables(cells);
    let number = |number: Option<f64>| number.map_or("-".to_owned(), short);
    let row = |cell: &Cell| {
        vec![
            cell.place.clone(),
            cell.cell.clone(),
            cell.unit.name().to_owned(),
            cell.paper.map_or("-".to_owned(), |paper| paper.to_string()),
            number(cell.formula),
            number(cell.measured),
            cell.verdict.to_string(),
            cell.class.map_or("-", Class::name).to_owned(),
        ]
    };
    let rows = Rows {
        headers: vec![
            "place", "cell", "unit", "paper", "formula", "measured", "verdict", "class",
        ],
        rows: alone.iter().map(|cell| row(cell)).collect(),
        numbers: 3..6,
    };
    rows.print(out)?;
    for table in &tables {
        print_table(out, table)?;
    }
    writeln!(
        out,
        "\n{}: the verdicts by class of our numbers:",
        paper.key
    )?;
    print_totals(out, cells)?;
    writeln!(out, "\nWhat was found out:")?;
    for cell in cells.iter().filter(|cell| paper.explains(cell)) {
        writeln!(out, "\n{}, {}:", cell.place, cell.cell)?;
        for finding in cell.why.split("; ") {
            writeln!(out, "  {finding}")?;
        }
    }
    Ok(())
}

/// Prints the number of cells with each verdict, by class.
fn print_totals(out: &mut impl Write, cells: &[Cell]) -> io::Result<()> {
    let verdicts = CellVerdict::ALL.map(CellVerdict::name);
    let row = |name: &str, counts: &[usize]| {
        let counts = counts.iter().map(usize::to_string);
        [name.to_owned()].into_iter().chain(counts).collect()
    };
    let rows = Rows {
        headers: ["class"].into_iter().chain(verdicts).collect(),
        rows: totals(cells)
            .iter()
            .map(|total| row(total.name(), &total.counts))
            .collect(),
        numbers: 1..verdicts.len() + 1,
    };
    rows.print(out)
}

/// A table of ours: what was measured, or by formula in brackets where nothing was.
fn print_table(out: &mut impl Write, table: &PaperTable<'_>) -> io::Result<()> {
    writeln!(out, "\n{}:", table.place)?;
    let number = |cell: &Option<&Cell>| match cell {
        Some(cell) => match (cell.measured, cell.formula) {
            (Some(number), _) => short(number),
            (None, Some(number)) => format!("[{}]", short(number)),
            (None, None) => "-".to_owned(),
        },
        None => String::new(),
    };
    let rows = table.rows.iter().zip(&table.cells);
    let rows = Rows {
        headers: [String::new()]
            .into_iter()
            .chain(table.columns.iter().cloned())
            .collect(),
        rows: rows
            .map(|(name, cells)| {
                let cells = cells.iter().map(number);
                [(*name).to_owned()].into_iter().chain(cells).collect()
            })
            .collect(),
        numbers: 1..table.columns.len() + 1,
    };
    rows.print(out)
}
