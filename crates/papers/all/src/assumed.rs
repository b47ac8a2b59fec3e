//! Cells whose numbers changed with a replaced assumption, and assumptions that give no numbers.

use waywarden_boards::Board;

use crate::{Assumptions, Cell, CellVerdict, Paper, PaperError, short};

/// Marks the cells with a number of ours that differs from that of `stated`, the same cells under
/// the paper's own assumptions: the paper's number is of something else then.
pub(crate) fn mark(cells: &mut [Cell], stated: &[Cell], assumed: &Assumptions) {
    let words = assumed.words();
    for cell in cells {
        let is_same = |other: &&Cell| {
            (&other.place, &other.cell, other.unit) == (&cell.place, &cell.cell, cell.unit)
        };
        let before = stated.iter().find(is_same).and_then(|other| other.formula);
        let is_changed = match cell.formula {
            Some(_) => cell.formula != before,
            // A cell of a run alone: every run has the assumption.
            None => cell.measured.is_some(),
        };
        let is_judged = cell.paper.is_some() && cell.verdict != CellVerdict::PaperOnly;
        if !(is_changed && is_judged) {
            continue;
        }
        let was = before.map(|number| format!(", {} as the paper has it", short(number)));
        let why = format!("with {words}{}", was.unwrap_or_default());
        cell.why = match cell.why.is_empty() {
            true => why,
            false => format!("{why}; {}", cell.why),
        };
        cell.verdict = CellVerdict::NotCompared;
    }
}

/// Names the option in the error of a board that has no figure, and the boards that have one.
pub(crate) fn of_option(error: PaperError, paper: &Paper, assumed: &Assumptions) -> PaperError {
    match (error, &assumed.board) {
        (PaperError::NoFigure(fault), Some(board)) if fault.board == board.name() => {
            let takes_time = |name: &&str| {
                Board::builtin(name).is_some_and(|board| {
                    let cost = board.cost(&fault.operation);
                    cost.is_ok_and(|cost| cost.duration.as_nanos() > 0)
                })
            };
            let having: Vec<&str> = Board::builtin_names().filter(takes_time).collect();
            PaperError::OtherBoard {
                key: paper.key,
                having: having.join(", "),
                fault,
            }
        }
        (error, _) => error,
    }
}

/// Refuses numbers that are none, such as a ratio of two times that are zero.
pub(crate) fn check(
    paper: &Paper,
    cells: &[Cell],
    assumed: &Assumptions,
) -> Result<(), PaperError> {
    let is_none = |number: Option<f64>| number.is_some_and(|number| !number.is_finite());
    let mut none = cells
        .iter()
        .filter(|cell| is_none(cell.formula) || is_none(cell.measured));
    match none.next() {
        Some(cell) => Err(PaperError::NoTime {
            key: paper.key,
            assumed: assumed.words(),
            what: format!("an operation of `{}, {}`", cell.place, cell.cell),
            such_as: match paper.key {
                "vulcan" => "sancus",
                _ => "m4",
            },
        }),
        None => Ok(()),
    }
}
