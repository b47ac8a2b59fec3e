//! `waywarden papers`: what the papers print beside what their formulas and our runs give.

mod host;
mod messages;
mod options;
mod show_run;
mod simulated;
mod text;

use std::cell;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::{ProgressBar, ProgressStyle};
use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::Board;
use waywarden_can::timing::BitRate;
use waywarden_papers::{
    Asked, Assumptions, Cell, FigurePlot, PAPERS, Paper, PaperSimulator, page, unmeasured,
};

use self::host::{Host, OfPaper};
use self::messages::Messages;
use crate::bench::operations::{measure_operations, measure_waiting};
use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::{self, OutputFile};
use waywarden_command_line::places::is_standard;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Messages of each length that wave-sec signs and verifies, as many as the paper had.
const MESSAGES: u32 = 10_000;

/// Show each number of a paper's tables, figures and claims beside ours, and why some differ.
///
/// The measured column takes some seconds: it runs the protocols with real cryptography. The class
/// says where ours comes from: `input` (the paper's own number), `fitted`, `derived` (by formula)
/// or `measured` (by simulation). Only the last two can agree. Tables of rows and columns have the
/// paper's number, then ours, by formula in brackets.
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
    /// compares with other libraries. wave-sec takes some 30 s of all threads, likewise.
    #[arg(long, requires = "key", conflicts_with = "no_simulation")]
    host: bool,
    /// With --host, how many messages of each length wave-sec signs and verifies, 10 to 1,000,000
    /// [default: 10000].
    #[arg(
        long,
        value_name = "N",
        requires = "host",
        conflicts_with = "no_simulation"
    )]
    #[arg(value_parser = clap::value_parser!(u32).range(10..=1_000_000))]
    #[arg(allow_negative_numbers = true)]
    messages: Option<u32>,
    /// With --host, wave-sec has ten messages a second by the clock, as the paper had them: 1,000 s
    /// for 10,000.
    #[arg(long, requires = "host", conflicts_with = "no_simulation")]
    real_time: bool,
    /// Put simulated traffic beside the tables of ecqv-cits: a folder of runs that `waywarden
    /// traffic run --out` has written, each named by its column and its seed, such as
    /// highway-rush-1. docs/traffic-scenarios.md says how.
    #[arg(long, value_name = "DIR", requires = "key")]
    traffic: Option<PathBuf>,
    /// Compute with this board in place of the paper's: a built-in one or a board file.
    ///
    /// It stands for TC297 in gke, for the testbed's TMS570 in lasan, for the bench's Sancus in
    /// vulcan, and beside the boards in ecqv-cits and wave-sec. Numbers of the paper are then not
    /// compared with those that change.
    #[arg(long, value_name = "BOARD", requires = "key")]
    board: Option<String>,
    /// Compute with this bit rate, such as 250k: of every CAN bus, 5k to 1M, or of the channel in
    /// ecqv-cits.
    #[arg(
        long,
        value_name = "RATE",
        requires = "key",
        allow_hyphen_values = true
    )]
    bitrate: Option<BitRate>,
    /// Compute with this data bit rate of CAN FD, such as 5M, up to 8M: gke and lasan.
    #[arg(
        long,
        value_name = "RATE",
        requires = "key",
        allow_hyphen_values = true
    )]
    data_bitrate: Option<BitRate>,
    /// Show this cell only: its name, with or without its place before it and its unit in brackets
    /// behind it, or a part of it, which shows each cell that has it.
    #[arg(long, value_name = "CELL", requires = "key")]
    cell: Option<String>,
    /// Write the vehicle file that gives this cell, or the command that does. A name that more than
    /// one cell has is refused with the list of them.
    ///
    /// The first lines are comments: the cell, its number, and the command that reads the file.
    /// With --format json they are fields.
    #[arg(long, value_name = "CELL", requires = "key")]
    #[arg(conflicts_with_all = ["host", "no_simulation", "traffic", "html", "cell", "board"])]
    #[arg(conflicts_with_all = ["bitrate", "data_bitrate", "messages", "real_time"])]
    show_run: Option<String>,
    /// Write a page with the paper's figures drawn again: one self-contained HTML file; - is
    /// standard output, in the place of the tables.
    #[arg(long, value_name = "FILE", requires = "key")]
    html: Option<PathBuf>,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A paper that is known, for programs.
#[derive(Serialize, JsonSchema)]
struct Known {
    /// Name of the paper for the command.
    key: &'static str,
    /// Subject of its numbers.
    title: &'static str,
    /// Its authors.
    authors: &'static str,
    /// Its own title.
    paper: &'static str,
    /// Journal or conference, with the year.
    published: &'static str,
    /// Year of publication.
    year: &'static str,
}

impl Known {
    fn of(paper: &Paper) -> Self {
        Self {
            key: paper.key,
            title: paper.subject,
            authors: paper.authors,
            paper: paper.title,
            published: paper.published,
            year: paper.year(),
        }
    }
}

/// The cells of a paper, for programs.
#[derive(Serialize, JsonSchema)]
struct Compared {
    /// The paper.
    source: Known,
    /// The cells, in the order of the paper.
    rows: Vec<Cell>,
}

const PAPERS_KNOWN: DocumentFormat<Listed<Known>> =
    DocumentFormat::new("papers", 1, "waywarden papers --format json");
const CELLS: DocumentFormat<Compared> =
    DocumentFormat::new("paper", 1, "waywarden papers PAPER --format json");

/// The schemas of what programs read.
pub const SCHEMAS: [DocumentSchema; 3] = [
    PAPERS_KNOWN.schema(),
    CELLS.schema(),
    show_run::RUN.schema(),
];

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
        self.check(paper)?;
        if let Some(cell) = &self.show_run {
            show_run::print(&mut out, paper, cell, self.format)?;
            return Ok(Answer::Yes);
        }
        let assumed = self.assumptions()?;
        // Bad assumptions are told before anything is measured.
        let formulas = paper.cells_assuming(&assumed, &unmeasured);
        formulas.map_err(Failure::new)?;
        let page = self.html.as_deref().map(OutputFile::create).transpose()?;
        let host = self.measure_host(paper)?;
        let messages = self.encode_messages(paper)?;
        let progress = self.progress(paper)?;
        let announce = |run: &str| {
            progress.set_message(run.to_owned());
        };
        let simulator = PaperSimulator::assuming(paper, &assumed, &announce);
        let simulator = simulator.map_err(Failure::new)?;
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
        let cells = paper.cells_assuming(&assumed, &measured);
        let mut cells = cells.map_err(Failure::new)?;
        if let Some(folder) = &self.traffic {
            cells.extend(simulated::cells(folder)?);
        }
        let plots = match self.html {
            Some(_) => paper
                .plots_assuming(&assumed, &measured)
                .map_err(Failure::new)?,
            None => Vec::new(),
        };
        progress.finish_and_clear();
        if let Some(error) = simulator.failure() {
            return Err(Failure::new(error));
        }
        if let Some(name) = &self.cell {
            let found = paper.found(&cells, name).map_err(Failure::new)?;
            cells = found.into_iter().cloned().collect();
        }
        if let Some(page) = page {
            write_page(page, paper, (&cells, &plots), &assumed)?;
        }
        self.output(&mut out, paper, cells, &assumed)?;
        Ok(Answer::Yes)
    }

    /// Prints the cells, unless the page has standard output.
    fn output(
        &self,
        out: &mut impl Write,
        paper: &Paper,
        cells: Vec<Cell>,
        assumed: &Assumptions,
    ) -> Result<(), Failure> {
        if self.html.as_deref().is_some_and(is_standard) {
            return Ok(());
        }
        match self.format {
            OutputFormat::Csv => print_csv(out, &cells)?,
            OutputFormat::Json => {
                let source = Known::of(paper);
                let rows = cells;
                CELLS.print(out, &Compared { source, rows })?;
            }
            OutputFormat::Table => text::print(out, paper, &cells, assumed)?,
        }
        Ok(())
    }

    /// Reads what is assumed otherwise.
    fn assumptions(&self) -> Result<Assumptions, Failure> {
        let board = self.board.as_deref().map(board).transpose()?;
        let rate = |rate: Option<BitRate>| rate.map(BitRate::bits_per_second);
        Ok(Assumptions {
            board,
            bit_rate: rate(self.bitrate),
            data_bit_rate: rate(self.data_bitrate),
        })
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
            _ => return Ok(None),
        };
        Ok(Some(Host {
            operations: measure_operations().map_err(Failure::new)?,
            of_paper,
        }))
    }

    #[cfg(unix)]
    fn measure_wave(&self) -> Result<crate::bench::wave::Measured, Failure> {
        let messages = self.messages.unwrap_or(MESSAGES);
        let bar = bar(u64::from(messages));
        bar.set_message("CAMs");
        let extent = crate::bench::wave::Extent {
            messages,
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

/// Reads a built-in board, or a board file.
fn board(name: &str) -> Result<Board, Failure> {
    if name.contains('/') || name.ends_with(".toml") {
        return files::board(Path::new(name));
    }
    let known = || Board::builtin_names();
    let same = known().find(|known| known.eq_ignore_ascii_case(name));
    same.and_then(Board::builtin).ok_or_else(|| {
        let known: Vec<&str> = known().collect();
        Failure::new(format_args!(
            "--board {name}: no such board; there are {}, and files that end in .toml",
            known.join(", ")
        ))
    })
}

fn write_page(
    mut output: OutputFile,
    paper: &Paper,
    (cells, plots): (&[Cell], &[FigurePlot]),
    assumed: &Assumptions,
) -> Result<(), Failure> {
    let page = page(paper, cells, plots, assumed);
    output.write_all(page.as_bytes()).map_err(Failure::new)?;
    output.finish()
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
    let known: Vec<Known> = PAPERS.iter().map(Known::of).collect();
    let row =
        |known: &Known| [known.key, known.year, known.authors, known.title].map(str::to_owned);
    let rows = Rows {
        headers: vec!["key", "year", "authors", "what its numbers are about"],
        rows: known.iter().map(|known| row(known).to_vec()).collect(),
        numbers: 0..0,
    };
    match format {
        OutputFormat::Json => PAPERS_KNOWN.print(out, &Listed::new(known)),
        OutputFormat::Csv => print_csv(out, &known),
        OutputFormat::Table => rows.print(out),
    }
}
