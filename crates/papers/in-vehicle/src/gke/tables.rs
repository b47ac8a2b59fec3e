//! The paper's tables, claims and figures as cells.

use super::data::{Claim, Context, ContextFigure, Form, Primitives, Run};
use super::figures;
use super::model::{GkeBus, GkeScheme};
use super::quantity::{ExchangePart, GkeMeasured, GkeQuantity, GkeStep, GkeSuite};
use super::rules::{Meaning, Question, label};
use super::study::GkeStudy;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::measured::itemised;
use waywarden_paper_tables::{Cell, CellVerdict, Class, PaperError, Printed, Unit};

/// End of the names of cells whose number a run has measured.
pub(super) const SIMULATED: &str = ", simulated";

/// A cell that is about to be filled.
struct Blank<'a> {
    place: &'a str,
    cell: String,
    unit: Unit,
    of: GkeQuantity,
}

impl GkeStudy {
    /// Returns every cell, in the order of the paper.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn cells(&self, measured: &GkeMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let mut cells = Vec::new();
        for context in &self.data.context {
            self.context(&mut cells, context)?;
        }
        for table in &self.data.primitives {
            self.primitives(&mut cells, table, measured)?;
        }
        for run in &self.data.run {
            self.run_table(&mut cells, run, measured)?;
        }
        for claim in &self.data.claim {
            cells.extend(self.claim(claim, measured)?);
        }
        for (place, cell, unit, of) in figures::drawn(self) {
            let blank = Blank {
                place,
                cell,
                unit,
                of,
            };
            cells.push(self.drawn(blank, measured)?);
        }
        Ok(cells)
    }

    /// A row of Table I.
    fn context(&self, cells: &mut Vec<Cell>, row: &Context) -> Result<(), PaperError> {
        let Context { work, method, .. } = row;
        let head = format!("{work} {method}");
        let list = |what: &str, names: &[String]| match names.is_empty() {
            true => format!("no {what} named"),
            false => names.join(", "),
        };
        let about = format!(
            "{}, {}, {}, {}",
            row.kind,
            row.bus,
            list("library", &row.libraries),
            list("platform", &row.platforms),
        );
        for figure in &row.figures {
            let mut cell = self.context_figure(&head, figure)?;
            cell.why += &format!("; {about}");
            cells.push(cell);
        }
        if let Some(none) = &row.none {
            cells.push(Cell {
                why: format!("{none}; {about}"),
                ..Cell::new("Table I", head, Unit::Milliseconds)
            });
        }
        Ok(())
    }

    /// Compares a figure of other work with the paper's own time for as many ECUs.
    fn context_figure(&self, head: &str, figure: &ContextFigure) -> Result<Cell, PaperError> {
        let board = || "tc297".to_owned();
        let (suite, bus) = (GkeSuite::FourQ, GkeBus::CanFd);
        let two_party = GkeQuantity::TwoParty {
            boards: [board(), board()],
            suite,
            bus,
        };
        let pair = self.formula(&two_party)?.in_unit(Unit::Milliseconds);
        let own = match figure.ecus {
            0..=2 => two_party,
            n => GkeQuantity::Group {
                scheme: GkeScheme::Without,
                n,
                board: board(),
                suite,
                bus,
                part: ExchangePart::Total,
            },
        };
        let own = self.formula(&own)?.in_unit(Unit::Milliseconds);
        let each = |test: &dyn Fn(f64) -> bool| {
            let mut all = figure.printed.iter().map(Printed::value);
            all.all(test)
        };
        let is_slower = |than: f64| each(&|printed| printed > than);
        let is_faster = |than: f64| each(&|printed| printed <= than);
        let what = match figure.ecus {
            0..=2 => "two-party exchange".to_owned(),
            n => format!("scheme without orchestrator among {n} ECUs, orchestration included,"),
        };
        let word = match (is_slower(own), is_faster(own)) {
            (true, _) => "slower than",
            (_, true) => "faster than",
            _ => "on both sides of",
        };
        let texts: Vec<&str> = figure.printed.iter().map(Printed::text).collect();
        let mut why = format!(
            "{} ms is {word} the {} ms that the paper's {what} takes on TC297",
            texts.join(" to "),
            short(own),
        );
        let holds = |slower, than| match slower {
            true => is_slower(than),
            false => is_faster(than),
        };
        if let Some(slower) = figure.slower
            && !holds(slower, own)
        {
            let pair_holds = match holds(slower, pair) {
                true => "the claim holds only against",
                false => "nor does it hold against",
            };
            why += &format!("; {pair_holds} an exchange of two, {} ms", short(pair));
        }
        Ok(Cell {
            paper: figure.printed.first().map(Printed::value),
            formula: Some(own),
            verdict: match figure.slower {
                None => CellVerdict::NotCompared,
                Some(slower) if holds(slower, own) => CellVerdict::Agrees,
                Some(_) => CellVerdict::Differs,
            },
            class: Some(Class::Derived),
            why,
            ..Cell::new(
                "Table I",
                format!("{head}: {}", figure.what),
                Unit::Milliseconds,
            )
        })
    }

    /// Table IV or V.
    fn primitives(
        &self,
        cells: &mut Vec<Cell>,
        table: &Primitives,
        measured: &GkeMeasured<'_>,
    ) -> Result<(), PaperError> {
        for row in &table.rows {
            for (board, printed) in table.boards.iter().zip(&row.printed) {
                let blank = Blank {
                    place: &table.place,
                    cell: format!("{}, {}", row.row, label(board)),
                    unit: Unit::Milliseconds,
                    of: GkeQuantity::Operation {
                        board: board.clone(),
                        suite: table.suite,
                        operation: row.operation,
                    },
                };
                let printed = std::slice::from_ref(printed);
                cells.extend(self.fill(&blank, Meaning::As(Form::Exact), printed, measured)?);
            }
        }
        Ok(())
    }

    /// Table VI or VII.
    fn run_table(
        &self,
        cells: &mut Vec<Cell>,
        run: &Run,
        measured: &GkeMeasured<'_>,
    ) -> Result<(), PaperError> {
        for (&step, row) in &run.steps {
            for (seen_by, printed) in row.printed.iter().enumerate() {
                let whose = match row.printed.len() {
                    1 => "both",
                    _ => run.columns[seen_by].as_str(),
                };
                cells.extend(self.run_cell(run, step, seen_by, (whose, printed), measured)?);
            }
        }
        for (seen_by, printed) in run.total.iter().enumerate() {
            let blank = Blank {
                place: &run.place,
                cell: format!("total, T_kex, {}", run.columns[seen_by]),
                unit: Unit::Milliseconds,
                of: GkeQuantity::Run {
                    place: run.place.clone(),
                    seen_by,
                },
            };
            let printed = std::slice::from_ref(printed);
            cells.extend(self.fill(&blank, Meaning::Total, printed, measured)?);
        }
        Ok(())
    }

    /// A step of Table VI or VII.
    fn run_cell(
        &self,
        run: &Run,
        step: GkeStep,
        seen_by: usize,
        (whose, printed): (&str, &Printed),
        measured: &GkeMeasured<'_>,
    ) -> Result<Vec<Cell>, PaperError> {
        let (row, _) = run.printed(step, seen_by)?;
        let blank = Blank {
            place: &run.place,
            cell: format!("{}, {whose}", row.row),
            unit: row.unit,
            of: GkeQuantity::Step {
                place: run.place.clone(),
                seen_by,
                step,
            },
        };
        let printed = std::slice::from_ref(printed);
        self.fill(&blank, Meaning::Repeated, printed, measured)
    }

    /// A number in the text.
    fn claim(&self, claim: &Claim, measured: &GkeMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let blank = Blank {
            place: &claim.place,
            cell: claim.cell.clone(),
            unit: claim.unit,
            of: claim.of.clone(),
        };
        self.fill(&blank, Meaning::As(claim.form), &claim.printed, measured)
    }

    /// A printed number beside the formula's, and where a run gives it a second cell beside the
    /// measured one: each has a verdict of its own.
    fn fill(
        &self,
        blank: &Blank<'_>,
        meaning: Meaning,
        printed: &[Printed],
        measured: &GkeMeasured<'_>,
    ) -> Result<Vec<Cell>, PaperError> {
        let formula = self.formula(&blank.of)?.in_unit(blank.unit);
        let question = Question {
            study: self,
            of: &blank.of,
            unit: blank.unit,
            meaning,
            printed,
            formula,
        };
        let class = self.class(blank.place, &blank.of)?;
        let cell = |name: String| Cell {
            paper: printed.first().map(Printed::value),
            ..Cell::new(blank.place, name, blank.unit)
        };
        let mut cells = vec![Cell {
            formula: Some(formula),
            verdict: meaning.judge(class, &[formula], printed),
            class: Some(class),
            why: question.explain()?.join("; "),
            ..cell(blank.cell.clone())
        }];
        if let Some(measurement) = measured(&blank.of) {
            let value = measurement.amount.in_unit(blank.unit);
            let class = class.simulated(true);
            cells.push(Cell {
                measured: Some(value),
                verdict: meaning.judge(class, &[value], printed),
                class: Some(class),
                why: question.about_measured(&measurement).join("; "),
                ..cell(format!("{}{SIMULATED}", blank.cell))
            });
        }
        Ok(cells)
    }

    /// A point of a figure: the paper draws it and prints no number.
    fn drawn(&self, blank: Blank<'_>, measured: &GkeMeasured<'_>) -> Result<Cell, PaperError> {
        let formula = self.formula(&blank.of)?.in_unit(blank.unit);
        let measurement = measured(&blank.of);
        let why = measurement
            .as_ref()
            .map_or(Vec::new(), |m| itemised(m, formula, blank.unit));
        let class = self.class(blank.place, &blank.of)?;
        Ok(Cell {
            formula: Some(formula),
            class: Some(class.simulated(measurement.is_some())),
            measured: measurement.map(|m| m.amount.in_unit(blank.unit)),
            why: why.join("; "),
            ..Cell::new(blank.place, blank.cell, blank.unit)
        })
    }
}
