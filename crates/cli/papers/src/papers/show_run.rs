//! The vehicle file or command that gives a cell.

use std::io::Write;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_command_line::document::DocumentFormat;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::table::OutputFormat;
use waywarden_papers::{Cell, CellRun, Paper, short};

/// A run that gives a cell, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct ShownRun {
    /// The cell by the formulas alone.
    cell: Cell,
    /// Vehicle file that the command reads as `run.toml`; null if it reads none.
    vehicle: Option<String>,
    /// Arguments of `waywarden`.
    arguments: Vec<String>,
    /// Program of `jq` that prints the cell's number from the command's output.
    jq: String,
}

pub(super) const RUN: DocumentFormat<ShownRun> = DocumentFormat::new(
    "paper-run",
    1,
    "waywarden papers PAPER --show-run CELL --format json",
);

/// Prints what gives a cell: a vehicle file, or else the line of a shell, below comments.
pub(super) fn print(
    out: &mut impl Write,
    paper: &Paper,
    name: &str,
    format: OutputFormat,
) -> Result<(), Failure> {
    let (cell, run) = paper.show_run(name).map_err(Failure::new)?;
    match format {
        OutputFormat::Table => text(out, paper, &cell, &run)?,
        OutputFormat::Json => {
            let shown = ShownRun {
                cell,
                vehicle: run.vehicle,
                arguments: run.arguments,
                jq: run.reading.jq(),
            };
            RUN.print(out, &shown)?;
        }
        OutputFormat::Csv => {
            return Err(Failure::new(
                "--show-run prints a file or a command: leave out --format csv, or take json",
            ));
        }
    }
    Ok(())
}

fn text(
    out: &mut impl Write,
    paper: &Paper,
    cell: &Cell,
    run: &CellRun,
) -> Result<(), std::io::Error> {
    let (key, unit) = (paper.key.to_uppercase(), cell.unit.name());
    writeln!(out, "# [{key}] {}: {}", cell.place, cell.cell)?;
    let paper = cell
        .paper
        .map(|paper| format!("the paper has {paper} {unit}"));
    let formula = cell
        .formula
        .map(|ours| format!("the formula {} {unit}", short(ours)));
    let numbers: Vec<String> = [paper, formula].into_iter().flatten().collect();
    writeln!(out, "# {}", numbers.join(", "))?;
    match &run.vehicle {
        Some(vehicle) => {
            writeln!(out, "# As {} it gives the number in {unit}:", CellRun::FILE)?;
            writeln!(out, "#   {}\n", run.shell())?;
            write!(out, "{vehicle}")
        }
        None => writeln!(out, "{}", run.shell()),
    }
}
