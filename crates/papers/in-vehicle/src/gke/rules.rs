//! Computed reasons for differences between a printed number and ours.
//!
//! A rule tests one hypothesis on the numbers and, if it applies, words what came out. No rule
//! knows a cell by name: each looks at what the number is about and at the number. [`CAUSES`] are
//! asked where they differ, [`NOTES`] always.

mod causes;
mod notes;

use super::data::Form;
use super::quantity::GkeQuantity;
use super::study::GkeStudy;
use waywarden_paper_tables::measured::{difference, itemised};
use waywarden_paper_tables::{CellVerdict, Class, Measurement, PaperError, Printed, Unit};

use causes::CAUSES;
use notes::NOTES;

/// Greatest relative difference at which two measurements of one operation in the paper agree.
const REPEATED: f64 = 0.03;

/// Greatest difference between the sum of measured steps and the measured total, in milliseconds.
const TOTAL_MS: f64 = 0.1;

/// A printed number and what the formula makes of it.
pub(super) struct Question<'a> {
    pub(super) study: &'a GkeStudy,
    /// Quantity that the printed number states.
    pub(super) of: &'a GkeQuantity,
    pub(super) unit: Unit,
    pub(super) meaning: Meaning,
    /// One number, or two bounds; at least one.
    pub(super) printed: &'a [Printed],
    /// By formula, in that unit.
    pub(super) formula: f64,
}

/// Condition under which a value counts as the printed number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// As the text puts it.
    As(Form),
    /// Another measurement of the same operation.
    Repeated,
    /// A total in milliseconds that was measured beside its parts.
    Total,
}

/// A hypothesis: what it found, if it applies.
type Rule = fn(&Question<'_>) -> Result<Option<String>, PaperError>;

impl Meaning {
    /// Returns true if a value is what the printed numbers mean.
    pub(super) fn holds(self, printed: &[Printed], value: f64) -> bool {
        let each = |test: &dyn Fn(&Printed) -> bool| printed.first().is_some_and(test);
        match self {
            Meaning::As(form) => form.holds(printed, value),
            Meaning::Repeated => each(&|printed| printed.is_within(value, REPEATED)),
            Meaning::Total => each(&|printed| (printed.value() - value).abs() <= TOTAL_MS),
        }
    }

    /// Returns true if a value misses the printed number within its last digit. A number that is
    /// stated as approximate or as a bound has a tolerance of its own.
    fn nearly_holds(self, printed: &[Printed], value: f64) -> bool {
        let by_digits = matches!(self, Meaning::As(Form::Exact) | Meaning::Total);
        by_digits && printed.first().is_some_and(|first| first.is_nearly(value))
    }

    /// Judges what the formula gives and what was measured.
    pub(super) fn judge(self, class: Class, ours: &[f64], printed: &[Printed]) -> CellVerdict {
        let fits = |value| self.holds(printed, value);
        let nearly = |value| self.nearly_holds(printed, value);
        let verdict = CellVerdict::judge(class, ours, fits, nearly);
        match printed.first() {
            Some(first) => verdict.unless_coarse(ours, first),
            None => verdict,
        }
    }
}

impl Question<'_> {
    /// Returns the first printed number.
    fn number(&self) -> f64 {
        self.printed.first().map_or(f64::NAN, Printed::value)
    }

    /// Returns the first number as it is printed.
    fn text(&self) -> &str {
        self.printed.first().map_or("", Printed::text)
    }

    /// Returns true if a value would be what is printed.
    fn fits(&self, value: f64) -> bool {
        self.meaning.holds(self.printed, value)
    }

    /// Returns what was found, first the difference where there is one.
    pub(super) fn explain(&self) -> Result<Vec<String>, PaperError> {
        let differs = !self.fits(self.formula);
        let mut found = Vec::new();
        if differs {
            found.push(self.difference(self.formula));
        }
        let causes = CAUSES.iter().filter(|_| differs);
        for rule in causes.chain(NOTES) {
            found.extend(rule(self)?);
        }
        Ok(found)
    }

    /// Words how far a value lies from the printed number.
    fn difference(&self, value: f64) -> String {
        let words = match self.meaning {
            Meaning::As(form) => form.words(),
            _ => "",
        };
        let printed: Vec<&str> = self.printed.iter().map(Printed::text).collect();
        let (least, most) = (
            self.number(),
            self.printed.last().map_or(0.0, Printed::value),
        );
        let bound = if value < least { least } else { most };
        let has = format!("{words}{}", printed.join(" and "));
        difference(value, bound, &has, self.unit)
    }

    /// Words how far a measurement is from the printed number, if it does not fit, and what it
    /// contains beside the formula.
    pub(super) fn about_measured(&self, measured: &Measurement) -> Vec<String> {
        let value = measured.amount.in_unit(self.unit);
        let mut found = itemised(measured, self.formula, self.unit);
        if !self.fits(value) {
            found.insert(0, format!("measured {}", self.difference(value)));
        }
        found
    }
}

/// Returns a board's name as the paper has it.
pub(super) fn label(board: &str) -> String {
    board.to_uppercase().replace('-', " ")
}
