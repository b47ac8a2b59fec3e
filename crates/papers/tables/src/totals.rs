//! Counts of cells by verdict and by the class of our numbers.

use crate::{Cell, CellVerdict, Class};

/// The cells of one class, counted by verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Total {
    /// The class; none for cells without a number of ours.
    pub class: Option<Class>,
    /// Number of cells with each verdict, in the order of [`CellVerdict::ALL`].
    pub counts: [usize; CellVerdict::ALL.len()],
}

impl Total {
    /// Returns how many cells of the class have a verdict.
    #[must_use]
    pub fn count(&self, verdict: CellVerdict) -> usize {
        let verdicts = CellVerdict::ALL.iter().zip(&self.counts);
        verdicts
            .filter(|(of, _)| **of == verdict)
            .map(|(_, count)| count)
            .sum()
    }

    /// Returns the name of the class, or what cells without one have.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.class.map_or("nothing of ours", Class::name)
    }
}

/// Returns the verdicts that some cell has, and always agreement and difference, in their order.
#[must_use]
pub fn found(totals: &[Total]) -> Vec<CellVerdict> {
    let is_found = |verdict: &CellVerdict| {
        matches!(verdict, CellVerdict::Agrees | CellVerdict::Differs)
            || totals.iter().any(|total| total.count(*verdict) > 0)
    };
    CellVerdict::ALL.into_iter().filter(is_found).collect()
}

/// Counts the verdicts by class: every class in order, then the cells without a number of ours.
#[must_use]
pub fn totals(cells: &[Cell]) -> Vec<Total> {
    let classes = Class::ALL.into_iter().map(Some).chain([None]);
    let total = |class| {
        let of = |verdict| {
            let both = |cell: &&Cell| cell.class == class && cell.verdict == verdict;
            cells.iter().filter(both).count()
        };
        Total {
            class,
            counts: CellVerdict::ALL.map(of),
        }
    };
    classes.map(total).collect()
}
