//! Sums that were chosen because they give a printed number: hypotheses about its origin, which the
//! match does not prove.

use super::data::Total;
use super::quantity::{Metric, Part};
use super::study::LasanStudy;
use super::tables::{BENCHMARKS, stated};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Unit};

impl LasanStudy {
    /// Computes the bytes sent once for all ECUs as if they included the security module's offer of
    /// a key encapsulation. The code sends the offer to each ECU. Returns `None` for a suite
    /// without such an offer.
    pub(super) fn once_with_an_offer(
        &self,
        label: &str,
        row: &Total,
    ) -> Result<Option<Cell>, PaperError> {
        let run = self.testbed(&row.suite);
        let once = self.formula(&run.count(Metric::Bytes, Part::Once))?;
        let once = once.in_unit(Unit::Bytes);
        let terms = self.terms(&run, Part::Once)?;
        let Some(offer) = terms.iter().find(|term| term.name == "offer") else {
            return Ok(None);
        };
        let name = format!("{label}, {}, bytes, with one offer", Part::Once);
        let sum = once + offer.size as f64;
        let own_sum = (sum, Class::Fitted);
        let mut cell = stated(BENCHMARKS, name, Unit::Bytes, &row.bytes_once, own_sum);
        let (all, own) = (short(sum), short(once));
        let made = format!(
            "{all} = {own} of the published code + {} of the offer that it sends to each ECU and \
             that is counted here once for all",
            offer.size
        );
        if cell.verdict == CellVerdict::Differs {
            cell.why += &format!("; {made}");
        } else {
            cell.verdict = CellVerdict::Hypothesis;
            cell.why = format!("a hypothesis, sought because it gives the printed number: {made}");
        }
        Ok(Some(cell))
    }
}
