//! Computed reasons for differences between a printed number and ours: sums of messages, frames in
//! a time, ratios of a table's entries, operations. No function knows a number by its name.

use waywarden_lasan::LasanKind;
use waywarden_work::{Duration, OperationKind};

use super::data::{SizeOf, Time};
use super::flow;
use super::quantity::{ComputingParty, LasanRun, Metric, Part, State};
use super::search::{Combination, NEIGHBOURS, Term, chances, combinations};
use super::study::LasanStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::measured::difference;
use waywarden_paper_tables::{PaperError, Printed, Unit};

/// Limit on combinations that are written down.
const WORDED_MAX: usize = 3;

/// Returns the words for a difference; nothing where there is none.
pub(super) fn unlike(value: f64, printed: &Printed, unit: Unit) -> Vec<String> {
    match printed.is_exactly(value) {
        true => Vec::new(),
        false => vec![difference(value, printed.value(), printed.text(), unit)],
    }
}

/// Returns the name of a message in a sum.
const fn role(kind: LasanKind, contributory: bool) -> &'static str {
    match kind {
        LasanKind::ModuleCertificate | LasanKind::Certificate => "certificate",
        LasanKind::Startup => "start-up message",
        LasanKind::Register | LasanKind::Answer if contributory => "share",
        LasanKind::Register | LasanKind::ModuleOffer => "offer",
        LasanKind::Answer | LasanKind::FinalAnswer => "answer",
        LasanKind::ModuleConfirmation | LasanKind::EcuConfirmation => "confirmation",
        _ => kind.name(),
    }
}

impl LasanStudy {
    /// Returns what a sum of bytes may consist of: the messages of a run, each as often as it has
    /// them in this part, and what they are made of.
    pub(super) fn terms(&self, run: &LasanRun, part: Part) -> Result<Vec<Term>, PaperError> {
        let suite = self.suite(&run.suite)?;
        let sizes = suite.sizes;
        let mut terms: Vec<Term> = Vec::new();
        for (kind, size) in flow::messages(run, suite) {
            let name = role(kind, sizes.contributory);
            let usual = part.of(kind.is_broadcast(), run.ecus);
            match terms.iter_mut().find(|term| term.name == name) {
                Some(term) => term.usual += usual,
                None => terms.push(Term {
                    name: name.to_owned(),
                    size,
                    usual,
                }),
            }
        }
        let mut parts = vec![("bare signature", sizes.signature)];
        if sizes.contributory {
            parts.push(("share without its sign", self.data.curve.coordinate));
        }
        terms.extend(parts.into_iter().map(|(name, size)| Term {
            name: name.to_owned(),
            size,
            usual: 0,
        }));
        Ok(terms)
    }

    /// Explains a printed number of bytes by messages that add up to it, where the run's own do
    /// not.
    pub(super) fn why_bytes(
        &self,
        run: &LasanRun,
        part: Part,
        printed: &Printed,
    ) -> Result<Vec<String>, PaperError> {
        let ours = self.formula(&run.count(Metric::Bytes, part))?;
        let mut why = unlike(ours.in_unit(Unit::Bytes), printed, Unit::Bytes);
        let terms = self.terms(run, part)?;
        let own = Combination {
            times: terms.iter().map(|term| term.usual).collect(),
            distance: 0,
        };
        if why.is_empty() {
            return Ok(vec![own.words(&terms)]);
        }
        why.push(format!("the published code sends {}", own.words(&terms)));
        let sum = printed.value().round() as usize;
        let found = combinations(&terms, sum);
        let Some(nearest) = found.first() else {
            why.push("no small numbers of its messages give the printed sum".to_owned());
            return Ok(why);
        };
        let near = found
            .iter()
            .filter(|other| other.distance == nearest.distance);
        let count = found.len();
        why.push(match count {
            1 => "one combination of up to four of each gives the printed sum exactly".to_owned(),
            _ => format!(
                "{count} combinations of up to four of each give the printed sum exactly, so it \
                 does not tell what was sent: the nearest to the code follow"
            ),
        });
        why.push(format!(
            "{} of the {} numbers next to it can be made up so, too: what counts is how near to \
             the code it is",
            chances(&terms, sum),
            2 * NEIGHBOURS,
        ));
        for other in near.take(WORDED_MAX) {
            let (words, more) = (other.words(&terms), other.difference(&terms));
            why.push(format!("{sum} = {words}, that is {more} than in the code"));
        }
        Ok(why)
    }

    /// Explains a printed time by the frames that fit into it at the testbed's pace, and by the
    /// message that the published code lacks for it.
    pub(super) fn why_communication(
        &self,
        run: &LasanRun,
        part: Part,
        printed: &Printed,
    ) -> Result<Vec<String>, PaperError> {
        let pause = self.pacing().as_nanos() as f64 / 1e9;
        let frames = self.frame_count(run, part)?;
        let ours = frames as f64 * pause;
        let fit = printed.value() / pause;
        let ms = pause * 1e3;
        let mut why = unlike(ours, printed, Unit::Seconds);
        why.push(format!(
            "{frames} frames of the code, one every {ms} ms: {ours:.4} s"
        ));
        let bus = self.testbed_frame()?.as_nanos() as f64 / 1e9 * frames as f64;
        why.push(format!(
            "on the bus they take {} s at {} kbit/s, the other {} % is the sending task's pause",
            short(bus),
            self.data.testbed.bit_rate / 1_000,
            short((1.0 - bus / ours) * 100.0),
        ));
        if printed.is_exactly(ours) {
            return Ok(why);
        }
        let more = fit.round() - frames as f64;
        why.push(format!(
            "the printed time has room for {} frames, {} more than the code sends",
            short(fit.round()),
            short(more),
        ));
        let mut nearest: Vec<(f64, String)> = Vec::new();
        for term in self.terms(run, part)? {
            let whole = term.size / 8;
            let all = flow::frames(run, term.size).len();
            let how = match all == whole {
                true => "",
                false => ", counting its last, short frame",
            };
            nearest.push((
                (all as f64 - more).abs(),
                format!("{all} of a {}{how}", term.name),
            ));
            if all != whole {
                let words = format!("{whole} full frames of a {}", term.name);
                nearest.push(((whole as f64 - more).abs(), words));
            }
        }
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        let words = nearest.iter().take(2).map(|(_, words)| words.as_str());
        why.push(format!(
            "nearest to these {}: {}",
            short(more),
            words.collect::<Vec<_>>().join(", then ")
        ));
        Ok(why)
    }

    /// Explains a printed computing time: its operations on the testbed's board, and the cost of
    /// one more signed message.
    pub(super) fn why_computation(
        &self,
        run: &LasanRun,
        part: Part,
        state: State,
        printed: &Printed,
    ) -> Result<Vec<String>, PaperError> {
        let seconds = |time: Duration| time.as_nanos() as f64 / 1e9;
        let of = |who| {
            let board = run.board.clone();
            let what = Metric::Computation { who, board };
            let amount = self.formula(&run.count(what, part))?;
            Ok::<_, PaperError>(amount.in_unit(Unit::Seconds))
        };
        let (module, ecu, both) = (
            of(ComputingParty::Module)?,
            of(ComputingParty::Ecu)?,
            of(ComputingParty::Both)?,
        );
        let mut why = unlike(both, printed, Unit::Seconds);
        let suite = self.suite(&run.suite)?;
        let name = &run.board;
        why.push(match part {
            Part::Once => format!(
                "one {} signature, whose figure on the board is read out of this table, so that \
                 this is no test of it",
                suite.signature
            ),
            _ => format!(
                "on {name} by its figures the security module computes {} s and the ECU {} s",
                short(module),
                short(ecu)
            ),
        });
        if state == State::Rest {
            why.push("one rests while the other computes".to_owned());
        }
        if printed.is_exactly(both) {
            return Ok(why);
        }
        let [sign, verify] = self.signature_costs(name, suite.signature)?.map(seconds);
        let mut guesses = vec![
            ("the security module's alone".to_owned(), module),
            ("the ECU's alone".to_owned(), ecu),
            ("both".to_owned(), both),
            self.one_agreement(run, part)?,
        ];
        let words = format!(
            "both with one more signature ({}) and check ({})",
            short(sign),
            short(verify)
        );
        guesses.push((words, both + sign + verify));
        guesses.sort_by(|a, b| {
            let off = |value: f64| (value - printed.value()).abs();
            off(a.1).total_cmp(&off(b.1))
        });
        let words = guesses
            .iter()
            .map(|(words, value)| format!("{words} {} s", short(*value)));
        why.push(format!(
            "nearest first: {}",
            words.collect::<Vec<_>>().join(", ")
        ));
        why.push(self.provenance(run)?);
        Ok(why)
    }

    /// Returns the combination of docs/boards.md: every check of both, and the key agreement of one
    /// party alone.
    fn one_agreement(&self, run: &LasanRun, part: Part) -> Result<(String, f64), PaperError> {
        let (mut nanos, mut checks) = (0, 0);
        for step in flow::steps(run, self.suite(&run.suite)?) {
            let is_check = step.operation.kind == OperationKind::Verify;
            let is_asked = is_check || step.who == ComputingParty::Ecu;
            if is_asked && step.once == (part == Part::Once) {
                nanos += self.cost(&run.board, &step.operation)?.as_nanos();
                checks += u32::from(is_check);
            }
        }
        let words = format!("all {checks} checks of both with the ECU's key agreement alone");
        Ok((words, nanos as f64 / 1e9))
    }

    /// Says where the board's figures for a run come from.
    fn provenance(&self, run: &LasanRun) -> Result<String, PaperError> {
        let board = self.board(&run.board)?;
        let mut sources: Vec<String> = Vec::new();
        for step in flow::steps(run, self.suite(&run.suite)?) {
            let cost = board.cost(&step.operation)?;
            let words = format!("{} {}", step.operation.kind, cost.provenance.mark());
            if !sources.contains(&words) {
                sources.push(words);
            }
        }
        Ok(format!("figures of {}: {}", run.board, sources.join(", ")))
    }

    /// Adds up columns of the printed timing table.
    pub(super) fn printed_sum(&self, suite: &str, parts: &[Part], states: &[State]) -> f64 {
        let rows = self.data.time.iter();
        let rows = rows.filter(|row| row.suite == suite && states.contains(&row.state));
        let cells = rows.flat_map(|row| parts.iter().map(move |part| row.of(*part).value()));
        // Times are printed to a tenth of a millisecond.
        (cells.sum::<f64>() * 1e6).round() / 1e6
    }

    /// Explains a total by its terms and by those that it counts twice.
    pub(super) fn why_total(&self, suite: &str, printed: &Printed) -> Vec<String> {
        let parts = Part::COLUMNS.map(|part| self.printed_sum(suite, &[part], &State::ALL));
        let sum = self.printed_sum(suite, &Part::COLUMNS, &State::ALL);
        let mut why = unlike(sum, printed, Unit::Seconds);
        why.push(format!(
            "its own columns: {} + {} = {} s",
            short(parts[0]),
            short(parts[1]),
            short(sum)
        ));
        let of = |state| self.printed_sum(suite, &[Part::Once], &[state]);
        if of(State::Rest) == of(State::Computation) {
            let rest = self.printed_sum(suite, &Part::COLUMNS, &[State::Rest]);
            why.push(format!(
                "amortised rest is amortised computation: one rests while the other computes, so \
                 the sum has such stretches twice; without rest it is {} s",
                short(sum - rest)
            ));
        }
        why
    }

    /// Explains a printed ratio by the entries of the table that have it.
    pub(super) fn why_ratio(
        &self,
        [pre, post]: [&str; 2],
        parts: &[Part],
        printed: &Printed,
    ) -> Vec<String> {
        let ratio = |parts: &[Part], states: &[State]| {
            let [below, above] = [pre, post].map(|suite| self.printed_sum(suite, parts, states));
            (above, below, above / below)
        };
        let (above, below, value) = ratio(parts, &State::ALL);
        let mut why = unlike(value, printed, Unit::Times);
        why.push(format!("{} / {} = {value:.3}", short(above), short(below)));
        if printed.is_exactly(value) {
            return why;
        }
        let choices: [&[Part]; 3] = [&[Part::Once], &[Part::Each], &Part::COLUMNS];
        let mut fitting = Vec::new();
        for chosen in 1..1 << State::ALL.len() {
            let states: Vec<State> = (0..State::ALL.len())
                .filter(|at| chosen >> at & 1 == 1)
                .map(|at| State::ALL[at])
                .collect();
            for parts in choices {
                if printed.is_exactly(ratio(parts, &states).2) {
                    fitting.push(format!("{} over {}", all_of(&states), all_of(parts)));
                }
            }
        }
        why.push(match fitting.is_empty() {
            true => format!(
                "no choice of the table's rows and columns has the ratio {}",
                printed.text()
            ),
            false => format!("it is the ratio of {}", fitting.join(" and of ")),
        });
        let needed = printed.value() * below;
        why.push(format!(
            "{} would take {} s above in place of {}, {} s less",
            printed.text(),
            short(needed),
            short(above),
            short(above - needed)
        ));
        why
    }

    /// Explains a size of the bandwidth table by the scheme's parameters.
    pub(super) fn why_size(&self, of: SizeOf, printed: &Printed, unit: Unit) -> Vec<String> {
        let Some((size, words)) = self.data.size(of) else {
            return vec!["a claim about the scheme, which its sizes do not decide".to_owned()];
        };
        let mut why = unlike(size as f64, printed, unit);
        why.push(format!("{size} = {words}"));
        let bare = self.data.curve.coordinate as f64;
        if of == SizeOf::Point && printed.is_exactly(bare) {
            why.push(format!(
                "{} is the coordinate alone, which does not tell the point from its negative",
                printed.text()
            ));
        }
        why
    }
}

impl Time {
    /// Returns one of the row's two numbers.
    pub(super) const fn of(&self, part: Part) -> &Printed {
        match part {
            Part::Once => &self.once,
            _ => &self.each,
        }
    }
}

/// Names things that are taken together.
fn all_of(things: &[impl ToString]) -> String {
    let names: Vec<String> = things.iter().map(ToString::to_string).collect();
    names.join(" and ")
}
