//! Computed reasons for differences from printed numbers: the exact times that are printed the
//! same.

use super::data::{Column, Latency, missing};
use super::machine::Machine;
use super::quantity::{Role, name};
use super::study::EcqvStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::measured::difference;
use waywarden_paper_tables::{CellVerdict, PaperError, Printed, Unit};

/// Exact times, in milliseconds, from the least on; the most may belong to them or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub(super) least: f64,
    pub(super) most: f64,
}

impl Range {
    /// Returns the range of values that are printed as this number.
    fn of(printed: &Printed) -> Self {
        Range {
            least: printed.value() - printed.half(),
            most: printed.value() + printed.half(),
        }
    }

    /// Returns true if both ranges have a time in common, up to the rounding of binary fractions.
    fn meets(self, other: Self) -> bool {
        self.least.max(other.least) <= self.most.min(other.most) + 1e-9
    }
}

/// Returns the times of a message that give these counts, by latency in milliseconds, if a count is
/// of whole messages: L / (n + 1) < t <= L / n. None where no time gives them all. Compared as
/// fractions of whole numbers, for the bounds of two counts can be the same number.
pub(super) fn times_with(counts: &[(u64, u64)]) -> Option<Range> {
    let less = |a: (u64, u64), b: (u64, u64)| {
        u128::from(a.0) * u128::from(b.1) < u128::from(b.0) * u128::from(a.1)
    };
    let (mut least, mut most) = ((0, 1), (u64::MAX, 1));
    for &(latency, count) in counts {
        let below = (latency, count.saturating_add(1));
        if less(least, below) {
            least = below;
        }
        if count > 0 && less((latency, count), most) {
            most = (latency, count);
        }
    }
    let millis = |(over, under): (u64, u64)| over as f64 / under as f64;
    less(least, most).then(|| Range {
        least: millis(least),
        most: millis(most),
    })
}

impl EcqvStudy {
    /// A board's figure is typed from the same table, so another number is a fault of one of them.
    pub(super) fn why_figure(ours: f64, printed: &Printed) -> String {
        if printed.is_exactly(ours) {
            return String::new();
        }
        difference(ours, printed.value(), printed.text(), Unit::Milliseconds)
            + ", though the board's figure is said to be this one"
    }

    /// Returns the range of the sum of a role's exact times, from the terms as they are printed.
    fn role_range(column: &Column, role: Role) -> Result<Range, PaperError> {
        let mut sum = Range {
            least: 0.0,
            most: 0.0,
        };
        for kind in role.operations() {
            let term = Range::of(column.operation(*kind)?);
            sum.least += term.least;
            sum.most += term.most;
        }
        Ok(sum)
    }

    /// Returns true if exact times that are printed as in Table I can have the printed sum.
    pub(super) fn may_round(&self, column: &Column, role: Role) -> Result<bool, PaperError> {
        let printed = Range::of(column.roles.of(role));
        Ok(Self::role_range(column, role)?.meets(printed))
    }

    /// Explains a role's time that is not the printed one or has fewer digits.
    pub(super) fn why_role(
        &self,
        column: &Column,
        role: Role,
        ours: f64,
    ) -> Result<String, PaperError> {
        let printed = column.roles.of(role);
        let mut terms = Vec::new();
        let mut coarsest = 0.0_f64;
        for kind in role.operations() {
            let term = column.operation(*kind)?;
            terms.push(format!("{} {}", term.text(), name(*kind)));
            coarsest = coarsest.max(term.half());
        }
        let terms = terms.join(" + ");
        if printed.is_exactly(ours) {
            let is_finer = printed.half() < coarsest * 0.99;
            let (to, terms_to) = (short(2.0 * printed.half()), short(2.0 * coarsest));
            return Ok(match is_finer {
                true => format!("printed to {to} ms, {terms} to {terms_to} ms"),
                false => String::new(),
            });
        }
        let unit = Unit::Milliseconds;
        let by = difference(ours, printed.value(), printed.text(), unit);
        let Range { least, most } = Self::role_range(column, role)?;
        let (least, most) = (short(least), short(most));
        let word = match self.may_round(column, role)? {
            true => "some of which round to it",
            false => "none of which round to it",
        };
        Ok(format!(
            "{terms} are {by}; exact times that are printed so sum to {least} to {most} ms, {word}"
        ))
    }

    /// A sender's mark that does not follow.
    pub(super) fn why_mark(
        latency: &Latency,
        board: &Machine,
        role: Role,
    ) -> Result<String, PaperError> {
        let time = short(board.role(role)?.millis());
        let word = match board.role(role)?.millis() <= latency.ms as f64 {
            true => "within",
            false => "more than",
        };
        Ok(format!(
            "a {} takes {time} ms, {word} the {} ms",
            role.name(),
            latency.ms
        ))
    }

    /// A cell that could not be read.
    pub(super) fn why_illegible() -> String {
        "the cell is not legible in the copy of the paper that was seen".to_owned()
    }

    /// A receiver's count that does not follow: rounded in place of cut off, or of an exact time.
    /// `Rounding` where one time, printed as Table II has it, gives every count of the board.
    pub(super) fn why_count(
        &self,
        latency: &Latency,
        board: &Machine,
        printed: &Printed,
    ) -> Result<(CellVerdict, String), PaperError> {
        let column = self.data.board.iter();
        let column = column.clone().find(|column| column.name == board.name);
        let column = column.ok_or_else(|| missing(&board.name))?;
        let each = board.role(Role::Receiver)?.millis();
        let quotient = latency.ms as f64 / each;
        let mut why = vec![format!(
            "{} ms over {} ms are {quotient:.2}, of which {} are whole",
            latency.ms,
            short(each),
            short(quotient.floor())
        )];
        if printed.is_exactly(quotient) {
            let text = printed.text();
            why.push(format!("rounded to the nearest that is {text}, as printed"));
        }
        let counts: Vec<(u64, u64)> = self.counts(&board.name);
        let listed = counts
            .iter()
            .map(|(ms, count)| format!("{count} in {ms} ms"));
        let listed = listed.collect::<Vec<_>>().join(", ");
        let verdict = match times_with(&counts) {
            Some(times) if times.meets(Range::of(column.roles.of(Role::Receiver))) => {
                let Range { least, most } = times;
                why.push(format!(
                    "a message that takes {least:.5} to {most:.5} ms gives all of {listed}"
                ));
                CellVerdict::Rounding
            }
            Some(Range { least, most }) => {
                why.push(format!(
                    "only a message of {least:.5} to {most:.5} ms gives all of {listed}, and \
                     Table II has another"
                ));
                CellVerdict::Differs
            }
            None => {
                why.push(format!(
                    "no time of a message gives all of {listed} as whole messages"
                ));
                CellVerdict::Differs
            }
        };
        Ok((verdict, why.join("; ")))
    }

    /// The printed counts of a receiver, by latency.
    fn counts(&self, board: &str) -> Vec<(u64, u64)> {
        let rows = self.data.latency.iter();
        rows.filter_map(|row| {
            let count = row.roles.of(Role::Receiver).get(board)?;
            Some((row.ms, count.value() as u64))
        })
        .collect()
    }
}
