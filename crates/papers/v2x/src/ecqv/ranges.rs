//! The text's statements on cores (section IV) and on the ends of Tables V and VI (section V-B).

use super::machine::Machine;
use super::study::EcqvStudy;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Unit};

/// End of the names of rows that have a minimum over the vehicles.
pub(super) const LEAST: &str = ", least";

/// Remark on a minimum of 1.
pub(super) const WHY_LEAST: &str =
    "vehicles without a message are not counted, so that the least is 1 by construction";

impl EcqvStudy {
    /// Section IV: how many cores a board has. The boards' files start from the same sentence.
    pub(super) fn cores(&self, cells: &mut Vec<Cell>) {
        let stated = |board: &Machine| {
            let mut all = self.text.cores.iter();
            all.find(|one| one.board == board.name)
                .map(|one| &one.cores)
        };
        for board in &self.boards {
            let cell = Cell::new("§IV", format!("cores, {}", board.name), Unit::Count);
            let cores = f64::from(board.cores);
            cells.push(match stated(board) {
                Some(printed) => Cell {
                    paper: Some(printed.value()),
                    formula: Some(cores),
                    verdict: CellVerdict::by_digits(Class::Input, &[cores], printed),
                    class: Some(Class::Input),
                    ..cell
                },
                None => cell.own(cores),
            });
        }
    }

    /// Section V-B: from the area with the least messages to that with the most.
    pub(super) fn ranges(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        for range in &self.text.range {
            let values = self.traffic.received(&range.table, &range.row)?;
            let both = self.traffic.columns.iter().zip(values);
            let own = both.filter(|(column, _)| column.ends_with(range.traffic.as_str()));
            let own: Vec<f64> = own
                .filter_map(|(_, printed)| Some(printed.as_ref()?.value()))
                .collect();
            let ends = [
                own.iter().copied().fold(f64::INFINITY, f64::min),
                own.iter().copied().fold(0.0, f64::max),
            ];
            let traffic = match range.traffic.as_str() {
                "" => "rush and normal",
                traffic => traffic,
            };
            for ((ours, printed), end) in ends.iter().zip(&range.ends).zip(["from", "to"]) {
                let name = format!("{}, {traffic}: {end}", range.row);
                let cell = Cell::new("§V-B", name, Unit::Messages);
                let mut cell = cell.derived(*ours, printed, |_| {
                    format!("{} has {ours} in these columns", range.table)
                });
                if range.row.ends_with(LEAST) {
                    cell.verdict = cell.verdict.by_construction();
                    cell.why = WHY_LEAST.to_owned();
                }
                cells.push(cell);
            }
        }
        Ok(())
    }
}
