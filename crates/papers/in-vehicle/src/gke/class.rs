//! The class of each number: taken from the paper, fitted to it, or computed by formula.

use waywarden_boards::Provenance;
use waywarden_work::{self as work, Algorithm, OperationKind};

use super::quantity::{Operation, Quantity, Step, Suite};
use super::study::Study;
use waywarden_paper_tables::{Class, PaperError};

impl Study {
    /// Returns the class of what the formula gives for a number of this place.
    pub(super) fn class(&self, place: &str, of: &Quantity) -> Result<Class, PaperError> {
        Ok(match of {
            Quantity::Operation {
                board,
                suite,
                operation,
            } => self.figure_class(board, operation.kind(), suite.algorithm(), 0)?,
            // What a message takes is printed, and no formula's.
            Quantity::Send { .. } => Class::Input,
            // The bit rates are those that the printed frame times fit best.
            Quantity::Step { step, .. } if step.message_bytes().is_some() => Class::Fitted,
            Quantity::Step {
                place,
                seen_by,
                step,
            } => {
                let board = &self.data.run_at(place)?.boards[*seen_by.min(&1)];
                let (kind, algorithm, bytes) = step_operation(*step);
                self.figure_class(board, kind, algorithm, bytes)?
            }
            Quantity::TwoParty { boards, .. } => {
                let fitted = |board: &String| self.has_cipher_from(board, place);
                match fitted(&boards[0])? || fitted(&boards[1])? {
                    true => Class::Fitted,
                    false => Class::Derived,
                }
            }
            _ => Class::Derived,
        })
    }

    fn figure_class(
        &self,
        board: &str,
        kind: OperationKind,
        algorithm: Algorithm,
        bytes: u32,
    ) -> Result<Class, PaperError> {
        let operation = work::Operation::new(kind, algorithm, bytes);
        let cost = self.board(board)?.cost(&operation)?;
        Ok(Class::of_figure(cost.provenance, "gke"))
    }

    /// Returns true if a board's cipher is chosen so that the number of a place comes out.
    fn has_cipher_from(&self, board: &str, place: &str) -> Result<bool, PaperError> {
        let encrypt = work::Operation::new(OperationKind::Encrypt, Algorithm::Aes128Ctr, 64);
        let source = format!("[GKE] {place}");
        let cost = self.board(board)?.cost(&encrypt)?;
        Ok(match cost.provenance {
            Provenance::Scaled { inputs, .. } => inputs.contains(&source),
            _ => false,
        })
    }
}

/// Returns the operation of a step that is no message.
const fn step_operation(step: Step) -> (OperationKind, Algorithm, u32) {
    let operation = match step {
        Step::Encrypt => return (OperationKind::Encrypt, Algorithm::Aes128Ctr, 64),
        Step::Decrypt => return (OperationKind::Decrypt, Algorithm::Aes128Ctr, 64),
        Step::Share => Operation::Share,
        Step::Extract => Operation::Extract,
        Step::Sign => Operation::Sign,
        _ => Operation::Verify,
    };
    (operation.kind(), Suite::FourQ.algorithm(), 0)
}
