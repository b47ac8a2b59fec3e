//! The class of each number: taken from the paper, fitted to it, or computed by formula.

use waywarden_work::OperationKind;

use super::data::{Claim, ClaimOf, Row, RowOf};
use super::pair::Pair;
use super::quantity::{VulcanMetric, VulcanRun};
use super::study::{VulcanStudy, missing};
use waywarden_paper_tables::{Class, PaperError, Unit};

impl VulcanStudy {
    /// Returns the class of what the formula gives for a number of the text.
    pub(super) fn claim_class(&self, claim: &Claim) -> Result<Class, PaperError> {
        let (board, run) = match claim.of {
            ClaimOf::Code(of) => (&self.board, of.run()),
            ClaimOf::SoftwareCode => (&self.software_board, VulcanRun::SOFTWARE),
            // A module's call is 5.5 % of a plain message by this very text.
            ClaimOf::Protected(VulcanMetric::Send) => return Ok(Class::Fitted),
            // The fields of a code are typed from the paper, and the protocol here is built of
            // them.
            ClaimOf::Associated(_) => return Ok(Class::Input),
            _ => return Ok(Class::Derived),
        };
        let operation = self.operation(run)?.ok_or_else(|| missing("a code"))?;
        let figure = Class::of_figure(board.cost(&operation)?.provenance, "vulcan");
        Ok(match claim.unit {
            Unit::Cycles => figure,
            // Cycles are the paper's; the clock that makes a time of them is fitted to one of them.
            _ if figure == Class::Input && self.fits_the_clock(claim) => Class::Fitted,
            _ => Class::Derived,
        })
    }

    /// Returns true if the board's clock is chosen so that this time comes out of its cycles.
    fn fits_the_clock(&self, claim: &Claim) -> bool {
        let ClaimOf::Code(of) = claim.of else {
            return false;
        };
        let clock = &self.board.characteristics().provenance;
        let cycles = self
            .data
            .claim
            .iter()
            .find(|other| other.unit == Unit::Cycles && other.of == ClaimOf::Code(of));
        let rule = clock.to_string().replace(',', "");
        cycles.is_some_and(|cycles| rule.contains(cycles.printed.text()))
    }

    /// Returns true if a simulation adds to the formula. A code's time is a look-up there, too.
    pub(super) fn is_simulated(&self, of: ClaimOf, value: Pair) -> bool {
        let is_look_up = matches!(of, ClaimOf::Code(_) | ClaimOf::Faster | ClaimOf::UnitWay);
        !is_look_up && value.measured.is_some()
    }

    /// Returns the class of what the formula gives for a row of the tables: the driver calls are
    /// chosen so that the plain rows come out.
    pub(super) fn row_class(&self, row: &Row) -> Result<Class, PaperError> {
        let kind = match row.what {
            VulcanMetric::RoundTrip => OperationKind::FrameReceive,
            _ => OperationKind::FrameSend,
        };
        let call = match row.of {
            RowOf::Plain => Self::driver_call(kind, false),
            RowOf::PlainExtended => Self::driver_call(kind, true),
            _ => return Ok(Class::Derived),
        };
        let cost = self.board.cost(&call)?;
        Ok(Class::of_figure(cost.provenance, "vulcan"))
    }
}
