//! The run or command that gives a cell.

use thiserror::Error;

use crate::{Cell, CellRun, Paper, PaperError, Reading, ecqv, gke, lasan, unmeasured, wave};

/// End of the names of cells that a run alone has, which have the formula's cell beside them.
const SIMULATED: &str = ", simulated";

/// Limit on named candidates.
const NAMED_MAX: usize = 20;

/// Error of finding one cell by its name.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum NoCell {
    /// The built-in data are at fault.
    #[error(transparent)]
    Paper(#[from] PaperError),
    /// The name is empty, or spaces only: a part of every name.
    #[error("an empty name is a part of that of every cell; waywarden papers {key} lists them")]
    Empty {
        /// Key of the paper.
        key: &'static str,
    },
    /// No cell has the name or a part of it.
    #[error("no cell of {key} has `{name}` in its name; waywarden papers {key} lists them")]
    None {
        /// Key of the paper.
        key: &'static str,
        /// Name that was given.
        name: String,
    },
    /// More than one has it.
    #[error(
        "{count} cells of {key} have `{name}` in their names; give the whole name of one, with its \
         place and its unit:{named}"
    )]
    Several {
        /// Key of the paper.
        key: &'static str,
        /// Name that was given.
        name: String,
        /// Number of such cells.
        count: usize,
        /// The first of them with place and unit, a line each.
        named: String,
    },
}

/// Returns the name of a cell with its place, as users give it.
fn full(cell: &Cell) -> String {
    format!("{}, {}", cell.place, cell.cell)
}

/// Takes the unit of a cell in brackets from the end of a name.
fn without_unit<'a>(cell: &Cell, name: &'a str) -> &'a str {
    let unit = format!(" ({})", cell.unit.name());
    name.strip_suffix(&unit).unwrap_or(name)
}

/// Returns true if a name is that of a cell: with or without its place before it and its unit in
/// brackets behind it.
fn is_named(cell: &Cell, name: &str) -> bool {
    let name = without_unit(cell, name);
    cell.cell == name || full(cell) == name
}

/// Names cells with place and unit, a line each.
fn listed(cells: &[&Cell]) -> String {
    let lines = cells
        .iter()
        .take(NAMED_MAX)
        .map(|cell| format!("\n  {} ({})", full(cell), cell.unit.name()));
    let lines: String = lines.collect();
    match cells.len().checked_sub(NAMED_MAX) {
        None | Some(0) => lines,
        Some(more) => format!("{lines}\n  and {more} more"),
    }
}

impl Paper {
    /// Returns the cells that a name means: those of the name, with or without its place before it
    /// and its unit in brackets behind it, or else those that have it as a part, before the unit.
    /// Spaces around it do not count; none for an empty name.
    #[must_use]
    pub fn named<'a>(&self, cells: &'a [Cell], name: &str) -> Vec<&'a Cell> {
        let name = name.trim();
        if name.is_empty() {
            return Vec::new();
        }
        let found = cells.iter().filter(|cell| is_named(cell, name));
        let found: Vec<&Cell> = found.collect();
        match found.is_empty() {
            true => cells
                .iter()
                .filter(|cell| full(cell).contains(without_unit(cell, name)))
                .collect(),
            false => found,
        }
    }

    /// Returns [`Paper::named`], which are one at least.
    ///
    /// # Errors
    /// [`NoCell::Empty`] and [`NoCell::None`].
    pub fn found<'a>(&self, cells: &'a [Cell], name: &str) -> Result<Vec<&'a Cell>, NoCell> {
        let key = self.key;
        if name.trim().is_empty() {
            return Err(NoCell::Empty { key });
        }
        let found = self.named(cells, name);
        match found.is_empty() {
            true => Err(NoCell::None {
                key,
                name: name.to_owned(),
            }),
            false => Ok(found),
        }
    }

    /// Returns the cell of a name, by the formulas alone, and a run or a command that gives its
    /// number.
    ///
    /// # Errors
    /// [`NoCell`] if no cell or more than one has it.
    pub fn show_run(&self, name: &str) -> Result<(Cell, CellRun), NoCell> {
        let cells = self.cells(&unmeasured)?;
        let key = self.key;
        // The other papers' cells have both numbers.
        let own = match key {
            "gke" => name.replacen(SIMULATED, "", 1),
            _ => name.to_owned(),
        };
        let found = self.found(&cells, &own)?;
        let [first] = found[..] else {
            return Err(NoCell::Several {
                key,
                name: name.to_owned(),
                count: found.len(),
                named: listed(&found),
            });
        };
        let run = match key {
            "gke" => gke::GkeStudy::load()?.run_of(&first.place, &first.cell)?,
            "lasan" => lasan::LasanStudy::load()?.run_of(&first.cell, first.unit)?,
            "vulcan" => None,
            "wave-sec" => wave::WaveStudy::load()?.run_of(&first.cell),
            _ => ecqv::EcqvStudy::load()?.run_of(&first.place, &first.cell),
        };
        let is_simulated = own.len() < name.len();
        Ok((
            first.clone(),
            run.unwrap_or_else(|| self.printed(first, is_simulated)),
        ))
    }

    /// Returns the command that prints a cell which is arithmetic, or a run that is none of a
    /// vehicle file.
    fn printed(&self, cell: &Cell, is_simulated: bool) -> CellRun {
        let name = match is_simulated {
            true => format!("{}{SIMULATED}", full(cell)),
            false => full(cell),
        };
        let mut arguments = vec!["papers", self.key, "--cell", &name, "--format", "json"];
        if cell.formula.is_some() && !is_simulated {
            arguments.insert(2, "--no-simulation");
        }
        let field = match (is_simulated, cell.formula, cell.paper) {
            (true, _, _) => "measured",
            (false, Some(_), _) => "formula",
            (false, None, _) => "paper",
        };
        let select = vec![("unit", cell.unit.name().to_owned())];
        let reading = Reading {
            list: "rows",
            select,
            field,
            factor: 1.0,
        };
        CellRun::command(&arguments, reading)
    }
}
