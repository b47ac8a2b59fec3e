//! Cells whose numbers changed with a replaced assumption.

use crate::{Assumptions, Cell, CellVerdict, short};

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
