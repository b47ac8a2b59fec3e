//! The times of Tables VII to XIV above their latency, on one core and on all: the cells that the
//! paper has in gray.

use super::machine::Machine;
use super::study::EcqvStudy;
use super::traffic_data::VerificationTime;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, PaperError, Unit};

/// Place of the counts of cells above the latency, by table. The copy of the paper that was seen
/// shows no shading; sections V-C and VI-A say that gray is what is above the latency.
pub(super) const GRAY: &str = "Cells above the latency (gray)";

/// The tables that section V-C divides by the cores.
const OVER_CORES: [(&str, &str); 2] = [
    ("Table VII", "Table VII over the cores (§V-C)"),
    ("Table VIII", "Table VIII over the cores (§V-C)"),
];

/// A list of more cells than that tells less than the table.
const NAMED_MAX: usize = 6;

/// Returns true if a place is a table of this file.
pub(super) fn is_limit(place: &str) -> bool {
    place == GRAY || OVER_CORES.iter().any(|(_, over)| *over == place)
}

/// Time that a board takes for the messages of a column.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TimedCell {
    pub(super) table: String,
    /// The row's name without the board.
    pub(super) row: String,
    pub(super) board: String,
    pub(super) column: String,
    /// The latency that the row is for, in ms.
    pub(super) latency: f64,
    /// Number of messages.
    pub(super) count: f64,
    /// The board's time for a message, in ms.
    pub(super) each: f64,
    /// The printed time, in ms; none of a board that the paper leaves out of the table.
    pub(super) printed: Option<f64>,
    pub(super) cores: u32,
}

impl TimedCell {
    /// Returns the printed time, or the product where nothing is printed, in ms.
    pub(super) fn millis(&self) -> f64 {
        self.printed.unwrap_or(self.count * self.each)
    }

    /// Returns section V-C's estimate: the time over the cores, in ms.
    fn over_cores(&self) -> f64 {
        self.millis() / f64::from(self.cores)
    }

    /// Returns the time of the core with the most messages, in ms: a message is verified on one
    /// core.
    pub(super) fn whole_over_cores(&self) -> f64 {
        (self.count / f64::from(self.cores)).ceil() * self.each
    }

    /// Returns its row and column, without the board and the table.
    pub(super) fn name(&self) -> String {
        format!("{}: {}", self.row, self.column)
    }
}

/// The latency in a row's name, in ms.
fn latency(row: &str) -> Result<f64, PaperError> {
    let number = row
        .split_once(" ms")
        .and_then(|(number, _)| number.parse().ok());
    number.ok_or_else(|| super::data::missing(&format!("the latency of {row}")))
}

impl EcqvStudy {
    /// Every time of Tables VII to XIV, of every board: also of those that the paper leaves out.
    pub(super) fn timed_cells(&self) -> Result<Vec<TimedCell>, PaperError> {
        let mut cells = Vec::new();
        for row in self.traffic.rows() {
            for board in &self.boards {
                self.timed_row(&mut cells, row, board)?;
            }
        }
        Ok(cells)
    }

    fn timed_row(
        &self,
        cells: &mut Vec<TimedCell>,
        row: &VerificationTime,
        board: &Machine,
    ) -> Result<(), PaperError> {
        let counts = self.traffic.received(&row.of, &row.name)?;
        let mut all = self.traffic.times.iter();
        let own = all
            .find(|one| one.table == row.table && one.name == row.name && one.board == board.name);
        let each = self.receiver(&board.name)?;
        for (at, (column, count)) in self.traffic.columns.iter().zip(counts).enumerate() {
            let Some(count) = count else { continue };
            let printed = own.and_then(|own| own.values.get(at)?.as_ref());
            cells.push(TimedCell {
                table: row.table.clone(),
                row: row.name.clone(),
                board: board.name.clone(),
                column: column.clone(),
                latency: latency(&row.name)?,
                count: count.value(),
                each,
                printed: printed.map(waywarden_paper_tables::Printed::value),
                cores: board.cores,
            });
        }
        Ok(())
    }

    /// Tables VII and VIII over the cores, by division and by whole messages; then how many cells
    /// of each table are above the latency.
    pub(super) fn limits(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        let timed = self.timed_cells()?;
        for (table, place) in OVER_CORES {
            let own = timed.iter().filter(|one| one.table == table);
            for one in own.filter(|one| one.printed.is_some()) {
                let cores = match one.cores {
                    1 => "1 core".to_owned(),
                    cores => format!("{cores} cores"),
                };
                let name = format!("{}, {cores}: {}", one.board, one.column);
                let cell = Cell::new(place, name, Unit::Milliseconds);
                cells.push(cell.own(one.over_cores()));
                if one.cores > 1 {
                    let name = format!("{}, {cores}, whole messages: {}", one.board, one.column);
                    let cell = Cell::new(place, name, Unit::Milliseconds);
                    cells.push(cell.own(one.whole_over_cores()));
                }
            }
        }
        self.gray(cells, &timed);
        Ok(())
    }

    fn gray(&self, cells: &mut Vec<Cell>, timed: &[TimedCell]) {
        let printed = || timed.iter().filter(|one| one.printed.is_some());
        let mut columns: Vec<(&str, f64)> = Vec::new();
        for one in printed() {
            if !columns.contains(&(&one.table, one.latency)) {
                columns.push((&one.table, one.latency));
            }
        }
        for board in &self.boards {
            for (table, latency) in &columns {
                let own = printed().filter(|one| {
                    one.table == *table && one.latency == *latency && one.board == board.name
                });
                let own: Vec<&TimedCell> = own.collect();
                if own.is_empty() {
                    continue;
                }
                let column = format!("{table}, {latency} ms, of {}", own.len());
                let name = format!("{}: {column}", board.name);
                let (above, why) = above(&own);
                cells.push(Cell {
                    why,
                    ..Cell::new(GRAY, name, Unit::Count).own(above)
                });
                if board.cores > 1 {
                    let over = own
                        .iter()
                        .filter(|one| one.whole_over_cores() > one.latency);
                    let name = format!(
                        "{}, {} cores, whole messages: {column}",
                        board.name, board.cores
                    );
                    cells.push(Cell::new(GRAY, name, Unit::Count).own(over.count() as f64));
                }
            }
        }
    }
}

/// Counts the times above the latency and names them, or the others if they are fewer.
fn above(cells: &[&TimedCell]) -> (f64, String) {
    let (above, within): (Vec<&TimedCell>, Vec<&TimedCell>) =
        cells.iter().partition(|one| one.millis() > one.latency);
    let names = |cells: &[&TimedCell]| {
        let each = cells
            .iter()
            .map(|one| format!("{} {} ms", one.name(), short(one.millis())));
        each.collect::<Vec<_>>().join(", ")
    };
    let why = match (above.len(), within.len()) {
        (0, _) | (_, 0) => String::new(),
        (many, few) if few < many && few <= NAMED_MAX => format!("all but {}", names(&within)),
        (few, _) if few <= NAMED_MAX => names(&above),
        _ => String::new(),
    };
    (above.len() as f64, why)
}
