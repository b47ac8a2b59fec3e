//! Reasons for the design of `compact`: each choice beside its alternative, in bytes and in
//! computing time.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile};

use super::quantity::{ComputingParty, LasanMeasured, Metric, PaperSuite, Part};
use super::study::{BOARDS, LasanStudy};
use super::tables::{is_decomposed, run_of};
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::{Amount, Cell, Class, PaperError, Unit};

const PROOF: &str = "Choice of compact: the ECU's proof";
const SIGNATURE: &str = "Choice of compact: the start-up signature";
const CREDENTIALS: &str = "Choice of compact: how keys are known";

/// The suite of the fewest bytes that is post-quantum. The profile adds bytes to it, and takes the
/// ECU's slow signature out.
const CHOSEN: &str = "ml-kem-512+fn-dsa-512";

/// Returns true if the reasons of a place are part of what it says.
pub fn is_argued(place: &str) -> bool {
    [PROOF, SIGNATURE, CREDENTIALS].contains(&place) || is_decomposed(place)
}

/// A number of two alternatives.
#[derive(Clone, Copy)]
struct Pair {
    chosen: f64,
    other: f64,
}

impl Pair {
    /// Words which of the two has less, and by how much.
    fn words(self, chosen: &str, other: &str, unit: Unit) -> String {
        let (first, second) = (short(self.chosen), short(self.other));
        let (unit, gap) = (unit.name(), short((self.chosen - self.other).abs()));
        let word = if self.chosen < self.other {
            "less"
        } else {
            "more"
        };
        format!("{chosen} {first} {unit}, {other} {second} {unit}: {gap} {word}")
    }
}

impl LasanStudy {
    /// The three choices.
    pub(super) fn choice(
        &self,
        cells: &mut Vec<Cell>,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        for suite in self.running() {
            cells.push(self.proof(suite, measured)?);
        }
        let mut seen = Vec::new();
        let chosen = self.suite(CHOSEN)?;
        for suite in self.running() {
            let is_new = !seen.contains(&suite.signature) && suite.category > Some(0);
            if is_new && suite.signature != chosen.signature {
                seen.push(suite.signature);
                cells.push(self.signature(chosen, suite)?);
            }
        }
        for suite in self.running() {
            cells.push(self.credentials(suite, measured)?);
        }
        Ok(())
    }

    /// Returns one number of two forms, measured if it is, else by formula.
    fn pair(
        &self,
        suite: &PaperSuite,
        forms: [(LasanProfile, Credentials); 2],
        (what, part, unit): (&Metric, Part, Unit),
        measured: &LasanMeasured<'_>,
    ) -> Result<Pair, PaperError> {
        let number = |form| {
            let of = run_of(&suite.name, form, Transport::Fd).count(what.clone(), part);
            let amount: Amount = match measured(&of) {
                Some(measurement) => measurement.amount,
                None => self.formula(&of)?,
            };
            Ok::<_, PaperError>(amount.in_unit(unit))
        };
        Ok(Pair {
            chosen: number(forms[0])?,
            other: number(forms[1])?,
        })
    }

    /// Opening an encapsulation, or signing.
    fn proof(&self, suite: &PaperSuite, measured: &LasanMeasured<'_>) -> Result<Cell, PaperError> {
        let forms =
            [LasanProfile::Compact, LasanProfile::Hardened].map(|one| (one, Credentials::Keys));
        let (chosen, other) = ("by encapsulation", "by signature");
        let bytes = (&Metric::Bytes, Part::Each, Unit::Bytes);
        let bytes = self.pair(suite, forms, bytes, measured)?;
        let mut why = vec![bytes.words(chosen, other, Unit::Bytes)];
        for board in BOARDS {
            let what = Metric::Computation {
                who: ComputingParty::Both,
                board: board.to_owned(),
            };
            let time = (&what, Part::Each, Unit::Milliseconds);
            let time = self.pair(suite, forms, time, measured)?;
            why.push(format!(
                "both compute on {board} {}",
                time.words(chosen, other, Unit::Milliseconds)
            ));
        }
        let name = format!(
            "{}, bytes each ECU by encapsulation over by signature",
            suite.name
        );
        Ok(cell(PROOF, name, bytes, &why))
    }

    /// The signature under the start-up message, which every ECU checks.
    fn signature(&self, chosen: &PaperSuite, other: &PaperSuite) -> Result<Cell, PaperError> {
        let bytes = Pair {
            chosen: chosen.sizes.signature as f64,
            other: other.sizes.signature as f64,
        };
        let names = (chosen.signature.name(), other.signature.name());
        let mut why = vec![bytes.words(names.0, names.1, Unit::Bytes)];
        for board in BOARDS {
            let own = self.signature_costs(board, chosen.signature)?;
            let others = self.signature_costs(board, other.signature)?;
            for (at, what) in ["signed once", "checked by each ECU"]
                .into_iter()
                .enumerate()
            {
                let ms =
                    |time: waywarden_work::Duration| Amount::Time(time).in_unit(Unit::Milliseconds);
                let time = Pair {
                    chosen: ms(own[at]),
                    other: ms(others[at]),
                };
                let words = time.words(names.0, names.1, Unit::Milliseconds);
                why.push(format!("{what} on {board}, {words}"));
            }
        }
        let name = format!("{} over {}, bytes", names.0, names.1);
        Ok(cell(SIGNATURE, name, bytes, &why))
    }

    /// Enrolled keys, or certificates.
    fn credentials(
        &self,
        suite: &PaperSuite,
        measured: &LasanMeasured<'_>,
    ) -> Result<Cell, PaperError> {
        let forms =
            [Credentials::Keys, Credentials::Certificates].map(|one| (LasanProfile::Compact, one));
        let all = (&Metric::Bytes, Part::All, Unit::Bytes);
        let bytes = self.pair(suite, forms, all, measured)?;
        let mut why = vec![bytes.words("enrolled keys", "certificates", Unit::Bytes)];
        let board = self.data.testbed.board.clone();
        let what = Metric::Computation {
            who: ComputingParty::Both,
            board: board.clone(),
        };
        let time = (&what, Part::Each, Unit::Milliseconds);
        let time = self.pair(suite, forms, time, measured)?;
        why.push(format!(
            "both compute on {board} {}",
            time.words("with keys", "with certificates", Unit::Milliseconds)
        ));
        let name = format!(
            "{}, bytes with enrolled keys over with certificates",
            suite.name
        );
        Ok(cell(CREDENTIALS, name, bytes, &why))
    }
}

fn cell(place: &str, name: String, pair: Pair, why: &[String]) -> Cell {
    Cell {
        formula: Some(Amount::Number(pair.chosen / pair.other).in_unit(Unit::Times)),
        class: Some(Class::Derived),
        why: why.join("; "),
        ..Cell::new(place, name, Unit::Times)
    }
}
