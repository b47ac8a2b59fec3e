//! The paper's claims about what boards can do and cannot. Each sentence is a set of expectations
//! on the times of Tables VII to XIV, by its plain reading and perhaps by another.

use super::claims_data::{Expectation, Reading, Within};
use super::limits::TimedCell;
use super::study::EcqvStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, PaperError, Unit};

/// Limit on named cells that contradict a claim.
const NAMED_MAX: usize = 3;

impl Within {
    const fn name(self) -> &'static str {
        match self {
            Within::All => "all",
            Within::None => "none",
            Within::NotAll => "not all",
            Within::Some => "some",
            Within::Few => "less than half",
            Within::Most => "more than half",
        }
    }

    const fn holds(self, within: usize, of: usize) -> bool {
        match self {
            Within::All => within == of,
            Within::None => within == 0,
            Within::NotAll => within < of,
            Within::Some => within > 0,
            Within::Few => within * 2 < of,
            Within::Most => within * 2 > of,
        }
    }

    /// Returns true if the cells within the time contradict it, and not those above.
    const fn is_against_those_within(self) -> bool {
        matches!(self, Within::None | Within::NotAll | Within::Few)
    }
}

/// Result of an expectation for one board.
struct Outcome {
    holds: bool,
    words: String,
}

impl Expectation {
    pub(super) fn has(&self, cell: &TimedCell, board: &str) -> bool {
        let any =
            |parts: &[String], name: &str| parts.iter().any(|part| name.contains(part.as_str()));
        // `20 ms,` must not find `120 ms,`; of a row's other parts a space is before.
        let row = format!(" {}", cell.row);
        let is_row = self
            .rows
            .iter()
            .any(|part| row.contains(&format!(" {part}")));
        cell.table == self.table
            && cell.board == board
            && (self.rows.is_empty() || is_row)
            && (self.columns.is_empty() || any(&self.columns, &cell.column))
            && !any(&self.except, &cell.column)
    }

    fn limit(&self, cell: &TimedCell) -> f64 {
        self.limit_ms.map_or(cell.latency, f64::from)
    }

    fn millis(&self, cell: &TimedCell) -> f64 {
        match self.all_cores {
            true => cell.whole_over_cores(),
            false => cell.millis(),
        }
    }

    fn outcome(&self, timed: &[TimedCell], board: &str) -> Outcome {
        let own: Vec<&TimedCell> = timed.iter().filter(|cell| self.has(cell, board)).collect();
        let (within, above): (Vec<&TimedCell>, Vec<&TimedCell>) = own
            .iter()
            .partition(|cell| self.millis(cell) <= self.limit(cell));
        let holds = !own.is_empty() && self.within.holds(within.len(), own.len());
        let named = match self.within.is_against_those_within() {
            true => &within,
            false => &above,
        };
        let named = named.iter().take(NAMED_MAX).map(|cell| {
            let millis = short(self.millis(cell));
            format!("{} takes {millis} ms of {}", cell.name(), self.limit(cell))
        });
        let named: Vec<String> = named.collect();
        Outcome {
            holds,
            words: format!(
                "{board} in {}: {} of {} within the time, where {} should be ({})",
                self.table,
                within.len(),
                own.len(),
                self.within.name(),
                named.join(", ")
            ),
        }
    }
}

impl Reading {
    /// Tests the reading; if it does not hold, returns the contradicting cells, too.
    fn test(&self, timed: &[TimedCell]) -> (bool, String) {
        let each = self.expect.iter().flat_map(|one| {
            let boards = one.boards.iter();
            boards.map(|board| one.outcome(timed, board))
        });
        let against: Vec<String> = each
            .filter(|outcome| !outcome.holds)
            .map(|outcome| outcome.words)
            .collect();
        (against.is_empty(), against.join("; "))
    }
}

impl EcqvStudy {
    /// Adds the paper's claims about which board does what in time.
    pub(super) fn claims(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        let timed = self.timed_cells()?;
        for claim in &self.claims.claim {
            let mut findings = Vec::new();
            let mut is_plainly_so = true;
            for (at, reading) in claim.reading.iter().enumerate() {
                let (holds, against) = reading.test(&timed);
                if at == 0 {
                    is_plainly_so = holds;
                }
                if !holds {
                    findings.push(format!("read as \"{}\" it does not hold", reading.name));
                    findings.push(against);
                } else if claim.reading.len() > 1 {
                    findings.push(format!("read as \"{}\" it holds", reading.name));
                }
            }
            let cell = Cell::new(&claim.place, claim.claim.clone(), Unit::Applicable);
            cells.push(cell.claimed(is_plainly_so, findings.join("; ")));
        }
        Ok(())
    }
}
