//! The class of each number: from the published code, fitted to the table, or computed by formula.

use super::flow;
use super::quantity::{ComputingParty, LasanQuantity, Metric, Part, State};
use super::study::LasanStudy;
use waywarden_paper_tables::{Class, PaperError};

impl LasanStudy {
    /// Returns the class of what the formula gives.
    pub(super) fn class(&self, of: &LasanQuantity) -> Result<Class, PaperError> {
        let LasanQuantity { run, what, part } = of;
        let (board, who) = match what {
            Metric::Computation { who, board } => (board, *who),
            Metric::State(State::Computation | State::Rest) => (&run.board, ComputingParty::Both),
            _ => return Ok(Class::Derived),
        };
        let steps = flow::steps(run, self.suite(&run.suite)?);
        let counted = steps.iter().filter(|step| {
            let is_done = who == ComputingParty::Both || who == step.who;
            is_done && (*part == Part::All || step.once == (*part == Part::Once))
        });
        let mut classes = Vec::new();
        for step in counted {
            let cost = self.board(board)?.cost(&step.operation)?;
            classes.push(Class::of_figure(cost.provenance, "lasan"));
        }
        // One figure is the number; more than one make a sum, which is a formula's.
        Ok(match classes[..] {
            [class] => class,
            _ => Class::Derived,
        })
    }

    /// Returns the class of a message's length: one that is a size of the published code, as it
    /// was typed from there, follows from nothing.
    pub(super) fn length_class(&self, suite: &str, length: usize) -> Result<Class, PaperError> {
        let is_typed = self.suite(suite)?.category.is_none();
        let sizes = self.code(suite)?.sizes();
        let typed = [sizes.offer, sizes.answer, sizes.public_key, sizes.signature];
        Ok(match is_typed && typed.contains(&length) {
            true => Class::Input,
            false => Class::Derived,
        })
    }
}
