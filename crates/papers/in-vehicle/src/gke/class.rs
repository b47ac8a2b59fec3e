//! The class of each number: taken from the paper, fitted to it, or computed by formula.

use waywarden_boards::Provenance;
use waywarden_work::{self as work, Algorithm, OperationKind};

use super::quantity::{GkeOperation, GkeQuantity, GkeStep, GkeSuite};
use super::study::GkeStudy;
use waywarden_paper_tables::{Class, PaperError};

impl GkeStudy {
    /// Returns the class of what the formula gives for a number of this place.
    pub(super) fn class(&self, place: &str, of: &GkeQuantity) -> Result<Class, PaperError> {
        Ok(match of {
            GkeQuantity::Operation {
                board,
                suite,
                operation,
            } => self.figure_class(board, operation.kind(), suite.algorithm(), 0)?,
            // What a message takes is printed, and no formula's.
            GkeQuantity::Send { .. } => Class::Input,
            // The bit rates are those that the printed frame times fit best.
            GkeQuantity::Step { step, .. } if step.message_bytes().is_some() => Class::Fitted,
            GkeQuantity::Step {
                place,
                seen_by,
                step,
            } => {
                let board = &self.data.run_at(place)?.boards[*seen_by.min(&1)];
                let (kind, algorithm, bytes) = step_operation(*step);
                self.figure_class(board, kind, algorithm, bytes)?
            }
            GkeQuantity::TwoParty { boards, .. } => {
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
const fn step_operation(step: GkeStep) -> (OperationKind, Algorithm, u32) {
    let operation = match step {
        GkeStep::Encrypt => return (OperationKind::Encrypt, Algorithm::Aes128Ctr, 64),
        GkeStep::Decrypt => return (OperationKind::Decrypt, Algorithm::Aes128Ctr, 64),
        GkeStep::Share => GkeOperation::Share,
        GkeStep::Extract => GkeOperation::Extract,
        GkeStep::Sign => GkeOperation::Sign,
        _ => GkeOperation::Verify,
    };
    (operation.kind(), GkeSuite::FourQ.algorithm(), 0)
}
