//! `waywarden boards`: the boards that there are, the costs of operations on one or on several with
//! their origins, and the memory that roles, suites and images take.

mod compare;
mod memory;

use std::io;
use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_boards::{Board, CostFormula, Provenance};

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Length of the message whose times a table shows, in bytes.
const SHOWN_BYTES: u32 = 16;

/// List the boards whose figures a simulation knows, or the figures of one board.
///
/// A figure's origin is a paper, a measurement, a rule that scales others, or a guess with its
/// reason. docs/boards.md describes the boards, and how to write one of your own.
///
/// `waywarden boards --compare` has the instructions that were counted on emulated cores beside the
/// cycles that papers state. `waywarden boards --compare m4f-emulated m4 mine.toml` compares
/// boards of your choice with the first of them.
#[derive(Debug, clap::Args)]
pub(crate) struct Boards {
    /// A built-in board, or a board file: a path with a / or the ending .toml. Several only with
    /// --compare and --memory.
    #[arg(value_name = "BOARD")]
    boards: Vec<String>,
    /// Compare what operations take on several boards, in cycles; without boards, the emulated ones
    /// and all that a source states for a board itself.
    #[arg(long, conflicts_with = "memory")]
    compare: bool,
    /// List the memory that roles, suites and whole images take on a microcontroller, and the
    /// boards that have less; without boards, of all whose memory is known.
    #[arg(long)]
    memory: bool,
    /// The form of the list.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A board in a list.
#[derive(Serialize, JsonSchema)]
struct BoardRow {
    /// Name of the board.
    board: String,
    /// Description of the hardware.
    hardware: String,
    /// Number of cores.
    cores: u32,
    /// The rate of their clock.
    clock_hz: u64,
    /// Its hardware security module.
    #[serde(skip_serializing_if = "Option::is_none")]
    security_module: Option<String>,
    /// Source of these figures.
    origin: String,
}

/// A figure of a board.
#[derive(Serialize, JsonSchema)]
struct FigureRow {
    /// `core`, or the name of the board's security module.
    on: String,
    /// The measured operation.
    operation: &'static str,
    /// Algorithm or frame format of the operation.
    algorithm: &'static str,
    /// The one length that it is for; null for any.
    bytes: Option<u32>,
    /// Time for this length, or else for 16 bytes.
    time_us: f64,
    /// Source of the figure.
    origin: String,
}

const LIST: DocumentFormat<Listed<BoardRow>> =
    DocumentFormat::new("boards", 1, "waywarden boards --format json");
const FIGURES: DocumentFormat<Listed<FigureRow>> =
    DocumentFormat::new("board", 1, "waywarden boards BOARD --format json");

/// The schemas of what programs read.
pub(crate) const SCHEMAS: [DocumentSchema; 4] = [
    LIST.schema(),
    FIGURES.schema(),
    compare::DOCUMENT.schema(),
    memory::DOCUMENT.schema(),
];

impl Boards {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        if self.compare {
            let rows = match self.boards.as_slice() {
                [] => compare::emulated_and_stated(),
                [one] => {
                    return Err(Failure::new(format!(
                        "--compare needs two boards, and there is only {one}; name another, or \
                         none for all"
                    )));
                }
                _ => compare::all_figures(&self.found()?),
            };
            return self.print(&compare::DOCUMENT, rows, compare::table);
        }
        if self.memory {
            let boards = match self.boards.as_slice() {
                [] => Board::builtin_names().filter_map(Board::builtin).collect(),
                _ => self.found()?,
            };
            return self.print(&memory::DOCUMENT, memory::rows(&boards), memory::table);
        }
        match self.boards.as_slice() {
            [] => self.print(&LIST, all(), list),
            [name] => self.print(&FIGURES, figures(&find(name)?), table),
            _ => Err(Failure::new(
                "the figures of one board at a time; --compare has those of several",
            )),
        }
    }

    fn found(&self) -> Result<Vec<Board>, Failure> {
        self.boards.iter().map(|name| find(name)).collect()
    }

    fn print<R: Serialize + JsonSchema>(
        &self,
        document: &DocumentFormat<Listed<R>>,
        rows: Vec<R>,
        of: fn(&[R]) -> Rows,
    ) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        match self.format {
            OutputFormat::Json => document.print(&mut out, &Listed::new(rows))?,
            OutputFormat::Csv => print_csv(&mut out, &rows)?,
            OutputFormat::Table => of(&rows).print(&mut out)?,
        }
        Ok(Answer::Yes)
    }
}

fn find(name: &str) -> Result<Board, Failure> {
    if name.contains('/') || name.ends_with(".toml") {
        let text = files::text(Path::new(name))?;
        return Board::parse(name, &text).map_err(Failure::new);
    }
    Board::builtin(name).ok_or_else(|| {
        let known: Vec<_> = Board::builtin_names().collect();
        Failure::new(format!(
            "unknown board {name:?}; one of: {}, or a path to a board file",
            known.join(", ")
        ))
    })
}

fn all() -> Vec<BoardRow> {
    let boards = Board::builtin_names().filter_map(Board::builtin);
    let rows = boards.map(|board| {
        let is = board.characteristics();
        let module = board.security_module();
        BoardRow {
            board: board.name().to_owned(),
            hardware: board.title().to_owned(),
            cores: is.cores,
            clock_hz: is.clock_hz,
            security_module: module.map(|module| module.name().to_owned()),
            origin: is.provenance.to_string(),
        }
    });
    rows.collect()
}

fn figures(board: &Board) -> Vec<FigureRow> {
    let row = |on: &str, operation, algorithm, amount: &CostFormula, bytes, origin: &Provenance| {
        let shown = Option::unwrap_or(bytes, SHOWN_BYTES);
        FigureRow {
            on: on.to_owned(),
            operation,
            algorithm,
            bytes,
            time_us: amount.duration(shown).as_nanos() as f64 / 1e3,
            origin: origin.to_string(),
        }
    };
    let of_cores = board.figures().map(|(kind, algorithm, one)| {
        let (amount, bytes, origin) = (one.amount(), one.bytes(), one.provenance());
        row("core", kind.name(), algorithm.name(), amount, bytes, origin)
    });
    let mut rows: Vec<FigureRow> = of_cores.collect();
    let module = board.security_module().into_iter();
    rows.extend(module.flat_map(|module| {
        module.figures().map(move |(kind, algorithm, one)| {
            let (amount, origin) = (one.amount(), one.provenance());
            let (kind, algorithm) = (kind.name(), algorithm.name());
            row(module.name(), kind, algorithm, amount, None, origin)
        })
    }));
    rows
}

fn list(rows: &[BoardRow]) -> Rows {
    let cells = |row: &BoardRow| {
        vec![
            row.board.clone(),
            row.hardware.clone(),
            row.cores.to_string(),
            format!("{}", row.clock_hz as f64 / 1e6),
            row.security_module.clone().unwrap_or("-".to_owned()),
            row.origin.clone(),
        ]
    };
    Rows {
        headers: vec![
            "board",
            "hardware",
            "cores",
            "MHz",
            "security module",
            "origin",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 2..4,
    }
}

fn table(rows: &[FigureRow]) -> Rows {
    let cells = |row: &FigureRow| {
        vec![
            row.on.clone(),
            row.operation.to_owned(),
            row.algorithm.to_owned(),
            row.bytes
                .map_or("any".to_owned(), |bytes| bytes.to_string()),
            format!("{:.3}", row.time_us),
            row.origin.clone(),
        ]
    };
    Rows {
        headers: vec![
            "on",
            "operation",
            "algorithm",
            "bytes",
            "us (any: 16)",
            "origin",
        ],
        rows: rows.iter().map(cells).collect(),
        numbers: 3..5,
    }
}
