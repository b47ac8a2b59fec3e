//! `waywarden auth attacks`: every protocol and profile under every attack, on exact buses.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use schemars::JsonSchema;
use serde::Serialize;
use toml::Table;
use waywarden_can_sim::clock::Time;
use waywarden_vehicle_file::to_text;
use waywarden_vehicle_lab::attack_matrix::{
    self, AttackMatrix, AttackVerdict, AttackedProtocol, MatrixAttack, MatrixCell, matrix,
};
use waywarden_vehicle_lab::run;
use waywarden_vehicle_trace::VehicleEvent;

use waywarden_command_line::csv_table::print_csv;
use waywarden_command_line::document::{DocumentFormat, DocumentSchema, Listed};
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::files::OutputFile;
use waywarden_command_line::messages;
use waywarden_command_line::table::{OutputFormat, Rows};

/// Run every protocol of message authentication under every attack, and show the frame that
/// decided.
///
/// Each cell is a small car on a bus of 500 kbit/s, of 1.12 s; `--vehicle` prints it as a vehicle
/// file. What an attack comes to is read off the run: what was taken that the sender did not send,
/// and what came later or not at all, beside the same car in peace. docs/protocols/vatican-leia.md
/// and secoc.md say what the words mean. Exit code 1 if a hardened protocol, or SecOC with
/// freshness, takes anything false or does not recover within the time its page states.
#[derive(Debug, clap::Args)]
pub(crate) struct Attacks {
    /// One protocol alone, such as leia-as-published or production (toyota is the same).
    #[arg(long, value_name = "PROTOCOL", value_parser = protocol)]
    only: Option<AttackedProtocol>,
    /// One attack alone, such as replay or bare-tag.
    #[arg(long, value_name = "ATTACK", value_parser = attack)]
    attack: Option<MatrixAttack>,
    /// Seed of all random choices.
    #[arg(
        long,
        default_value_t = 7,
        value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64)
    )]
    seed: u64,
    /// Write the trace of one cell as JSON Lines.
    #[arg(long, value_name = "FILE", requires_all = ["only", "attack"])]
    trace: Option<PathBuf>,
    /// Print the vehicle file of one cell instead of running it.
    #[arg(long, requires_all = ["only", "attack"], conflicts_with_all = ["trace", "format"])]
    vehicle: bool,
    /// The form of the figures.
    #[arg(long, value_enum, default_value_t)]
    format: OutputFormat,
}

/// A cell, for programs.
#[derive(Serialize, JsonSchema)]
struct Row {
    /// The protocol and its profile, as `--only` has them.
    protocol: &'static str,
    /// The attack, as `--attack` has it.
    attack: &'static str,
    /// Verdict on the attack.
    #[serde(flatten)]
    verdict: AttackVerdict,
    /// True if the verdict is what the protocol promises.
    as_promised: bool,
    /// The frame that decided, with its time.
    frame: String,
    /// Answer to the frame, with its ECU and time.
    answer: String,
}

const DOCUMENT: DocumentFormat<Listed<Row>> =
    DocumentFormat::new("auth-attacks", 1, "waywarden auth attacks --format json");

/// The schema of what programs read.
pub(crate) const SCHEMA: DocumentSchema = DOCUMENT.schema();

impl Attacks {
    pub(crate) fn execute(&self) -> Result<Answer, Failure> {
        let mut out = io::stdout().lock();
        if let (Some(protocol), Some(attack)) = (self.only, self.attack) {
            let vehicle = attack_matrix::vehicle(protocol, attack, self.seed, false);
            if self.vehicle {
                write!(out, "{}", to_text(&vehicle))?;
                return Ok(Answer::Yes);
            }
            if let Some(path) = &self.trace {
                trace(&vehicle, path)?;
            }
        }
        let cells = self.cells()?;
        let rows = || cells.iter().map(Row::of).collect::<Vec<_>>();
        match self.format {
            OutputFormat::Json => DOCUMENT.print(&mut out, &Listed::new(rows()))?,
            OutputFormat::Csv => print_csv(&mut out, &rows())?,
            OutputFormat::Table => {
                let (headers, rows) = matrix(&cells);
                let numbers = 0..0;
                Rows {
                    headers,
                    rows,
                    numbers,
                }
                .print(&mut out)?;
                one_by_one(&cells).print(&mut out)?;
            }
        }
        let fallen: Vec<&MatrixCell> = cells.iter().filter(|cell| !cell.is_as_promised()).collect();
        for cell in &fallen {
            messages::status(format_args!(
                "{} is not as promised under {}: {}",
                cell.protocol.title(),
                cell.attack.title(),
                cell.verdict
            ));
        }
        Ok(if fallen.is_empty() {
            Answer::Yes
        } else {
            Answer::No
        })
    }

    /// Runs the cells that are asked for, with a bar on a terminal.
    fn cells(&self) -> Result<Vec<MatrixCell>, Failure> {
        let protocols = AttackedProtocol::ALL.into_iter();
        let wanted = protocols.filter(|one| self.only.is_none_or(|only| only == *one));
        let wanted = wanted.flat_map(|protocol| {
            let attacks = MatrixAttack::ALL.into_iter();
            attacks.map(move |attack| (protocol, attack))
        });
        let wanted = wanted.filter(|(_, one)| self.attack.is_none_or(|only| only == *one));
        let wanted: Vec<_> = wanted.collect();
        let bar = if messages::shows_progress() {
            ProgressBar::new(wanted.len() as u64)
        } else {
            ProgressBar::hidden()
        };
        let mut runner = AttackMatrix::new(self.seed);
        let mut cells = Vec::new();
        for (protocol, attack) in wanted {
            cells.push(runner.cell(protocol, attack).map_err(Failure::new)?);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Ok(cells)
    }
}

impl Row {
    fn of(cell: &MatrixCell) -> Self {
        Row {
            protocol: cell.protocol.word(),
            attack: cell.attack.word(),
            verdict: cell.verdict,
            as_promised: cell.is_as_promised(),
            frame: cell.evidence.frame.clone(),
            answer: cell.evidence.answer.clone(),
        }
    }
}

/// Writes what happens in a cell.
fn trace(vehicle: &Table, path: &Path) -> Result<(), Failure> {
    let (_, lowered) = attack_matrix::lowered(vehicle).map_err(Failure::new)?;
    let lines = lowered.trace_lines();
    let mut written = String::new();
    let mut sink = |at: Time, event: &VehicleEvent<'_>| {
        written += &lines.line(at, event).unwrap_or_default();
    };
    run::run(lowered, &mut sink, &mut |_| {}).map_err(Failure::new)?;
    let mut output = OutputFile::create(path)?;
    output
        .write_all(written.as_bytes())
        .map_err(Failure::writing)?;
    output.finish()
}

/// Each cell with the frame that decided and what was said to it.
fn one_by_one(cells: &[MatrixCell]) -> Rows {
    let rows = cells.iter().map(|cell| {
        vec![
            cell.protocol.title().to_owned(),
            cell.attack.title().to_owned(),
            cell.verdict.to_string(),
            cell.evidence.frame.clone(),
            cell.evidence.answer.clone(),
        ]
    });
    Rows {
        headers: vec!["protocol", "attack", "verdict", "frame", "answer"],
        rows: rows.collect(),
        numbers: 0..0,
    }
}

fn protocol(word: &str) -> Result<AttackedProtocol, String> {
    // The name of the maker whose format it is, as in vehicle files.
    let word = if word == "toyota" { "production" } else { word };
    let found = AttackedProtocol::ALL
        .into_iter()
        .find(|one| one.word() == word);
    found.ok_or_else(|| listed(AttackedProtocol::ALL.map(AttackedProtocol::word)))
}

fn attack(word: &str) -> Result<MatrixAttack, String> {
    let found = MatrixAttack::ALL.into_iter().find(|one| one.word() == word);
    found.ok_or_else(|| listed(MatrixAttack::ALL.map(MatrixAttack::word)))
}

fn listed<const N: usize>(words: [&str; N]) -> String {
    format!("there are: {}", words.join(", "))
}
