//! The paper's tables and the published code as cells, and what comes to the same here.

use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanProfile};

use super::data::{Sent, Sum, Time, Total};
use super::flow;
use super::quantity::{LasanMeasured, LasanQuantity, LasanRun, Metric, Part, State};
use super::study::{LasanStudy, missing};
use super::why::unlike;
use waywarden_paper_tables::amount::short;
use waywarden_paper_tables::measured::itemised;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, PaperError, Printed, Unit};

const BANDWIDTH: &str = "Communication Bandwidth";
pub(super) const CODE: &str = "Published code";
pub(super) const BENCHMARKS: &str = "Initial Benchmarks";
const STATES: &str = "Initial Benchmarks, with today's standards";

/// A cell about a quantity that is about to be filled.
pub(super) struct Blank {
    pub(super) place: &'static str,
    pub(super) cell: String,
    pub(super) unit: Unit,
    pub(super) of: LasanQuantity,
}

impl LasanStudy {
    /// Returns every cell: the paper's, the published code's, then ours.
    ///
    /// # Errors
    /// [`PaperError`] if data and boards do not fit.
    pub fn cells(&self, measured: &LasanMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let mut cells = Vec::new();
        self.bandwidth(&mut cells);
        for row in &self.data.sent {
            self.sent(&mut cells, row)?;
        }
        for row in &self.data.sum {
            self.sum(&mut cells, row, measured)?;
        }
        for row in &self.data.time {
            self.time(&mut cells, row, measured)?;
        }
        for row in &self.data.total {
            self.total(&mut cells, row, measured)?;
        }
        self.overhead(&mut cells);
        for code in &self.data.code {
            self.bus(&mut cells, &code.suite)?;
        }
        cells.extend(self.states(measured)?);
        self.every_suite(&mut cells, measured)?;
        self.twenty(&mut cells, measured)?;
        self.choice(&mut cells, measured)?;
        Ok(cells)
    }

    /// The sizes of the schemes.
    fn bandwidth(&self, cells: &mut Vec<Cell>) {
        for row in &self.data.size {
            let size = self.data.size(row.of).map(|(size, _)| size as f64);
            cells.push(Cell {
                paper: Some(row.printed.value()),
                formula: size,
                verdict: size.map_or(CellVerdict::PaperOnly, |size| {
                    CellVerdict::by_digits(Class::Derived, &[size], &row.printed)
                }),
                class: size.map(|_| Class::Derived),
                why: self.why_size(row.of, &row.printed, row.unit).join("; "),
                ..Cell::new(BANDWIDTH, row.cell.clone(), row.unit)
            });
        }
    }

    /// Returns what the paper calls a suite.
    pub(super) fn label(&self, suite: &str) -> Result<&str, PaperError> {
        Ok(&self.code(suite)?.label)
    }

    /// A message of the published code, by bytes and frames.
    fn sent(&self, cells: &mut Vec<Cell>, row: &Sent) -> Result<(), PaperError> {
        let run = self.testbed(&row.suite);
        let mut messages = flow::messages(&run, self.suite(&row.suite)?).into_iter();
        let message = messages.find(|(kind, _)| kind.name() == row.message);
        let Some((kind, length)) = message else {
            return Err(missing(format!("message `{}`", row.message)));
        };
        let frames = flow::frames(&run, length).len();
        let name = format!("{}: {}", self.label(&row.suite)?, kind.name());
        let columns = [
            (
                Unit::Bytes,
                &row.bytes,
                length,
                self.length_class(&row.suite, length)?,
            ),
            (Unit::Frames, &row.frames, frames, Class::Derived),
        ];
        for (unit, printed, ours, class) in columns {
            let own = (ours as f64, class);
            cells.push(stated(CODE, name.clone(), unit, printed, own));
        }
        Ok(())
    }

    /// All messages of the published code.
    fn sum(
        &self,
        cells: &mut Vec<Cell>,
        row: &Sum,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let run = self.testbed(&row.suite);
        let label = self.label(&row.suite)?;
        let rows = [
            (Unit::Bytes, Metric::Bytes, Part::Once, &row.bytes_once),
            (Unit::Bytes, Metric::Bytes, Part::All, &row.bytes),
            (Unit::Frames, Metric::Frames, Part::Once, &row.frames_once),
            (Unit::Frames, Metric::Frames, Part::All, &row.frames),
        ];
        for (unit, what, part, printed) in rows {
            let why = match what {
                Metric::Bytes => self.why_bytes(&run, part, printed)?,
                _ => Vec::new(),
            };
            let blank = Blank {
                place: CODE,
                cell: format!("{label}, {part}"),
                unit,
                of: run.count(what, part),
            };
            cells.push(self.printed(blank, printed, why, measured)?);
        }
        Ok(())
    }

    /// A row of the timing table.
    fn time(
        &self,
        cells: &mut Vec<Cell>,
        row: &Time,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let run = self.testbed(&row.suite);
        for part in Part::COLUMNS {
            let printed = row.of(part);
            let why = match row.state {
                State::Communication => self.why_communication(&run, part, printed)?,
                state => self.why_computation(&run, part, state, printed)?,
            };
            let blank = Blank {
                place: BENCHMARKS,
                cell: format!("{}, {part}, {}", self.label(&row.suite)?, row.state),
                unit: Unit::Seconds,
                of: run.count(Metric::State(row.state), part),
            };
            cells.push(self.printed(blank, printed, why, measured)?);
        }
        Ok(())
    }

    /// Adds the totals printed below the timing table.
    fn total(
        &self,
        cells: &mut Vec<Cell>,
        row: &Total,
        measured: &LasanMeasured<'_>,
    ) -> Result<(), PaperError> {
        let label = self.label(&row.suite)?;
        let sum = self.printed_sum(&row.suite, &Part::COLUMNS, &State::ALL);
        let name = format!("{label}, time of a single handshake, of its own columns");
        let mut cell = stated(
            BENCHMARKS,
            name,
            Unit::Seconds,
            &row.seconds,
            (sum, Class::Derived),
        );
        cell.why = self.why_total(&row.suite, &row.seconds).join("; ");
        cells.push(cell);
        let run = self.testbed(&row.suite);
        for (part, printed) in [(Part::All, &row.bytes), (Part::Once, &row.bytes_once)] {
            let blank = Blank {
                place: BENCHMARKS,
                cell: format!("{label}, {part}, bytes"),
                unit: Unit::Bytes,
                of: run.count(Metric::Bytes, part),
            };
            let why = self.why_bytes(&run, part, printed)?;
            cells.push(self.printed(blank, printed, why, measured)?);
        }
        for (part, printed) in [(Part::Once, &row.bytes_once), (Part::All, &row.bytes)] {
            cells.push(self.bytes_in_time(&row.suite, part, printed)?);
        }
        cells.extend(self.once_with_an_offer(label, row)?);
        Ok(())
    }

    /// Post-quantum over pre-quantum, of the paper's own columns.
    fn overhead(&self, cells: &mut Vec<Cell>) {
        let suites = self.data.code.each_ref().map(|code| code.suite.as_str());
        let rows: [(&str, &[Part], &Printed); 2] = [
            (
                "a single handshake",
                &Part::COLUMNS,
                &self.data.overhead.all,
            ),
            (
                "without the amortised part",
                &[Part::Each],
                &self.data.overhead.each,
            ),
        ];
        for (name, parts, printed) in rows {
            let [below, above] = suites.map(|suite| self.printed_sum(suite, parts, &State::ALL));
            let name = format!("post- over pre-quantum, {name}, of its own columns");
            let own = (above / below, Class::Derived);
            let mut cell = stated(BENCHMARKS, name, Unit::Times, printed, own);
            cell.why = self.why_ratio(suites, parts, printed).join("; ");
            cells.push(cell);
        }
    }

    /// The paper's own accounting with the suites that run here, on its board at its pace.
    fn states(&self, measured: &LasanMeasured<'_>) -> Result<Vec<Cell>, PaperError> {
        let mut cells = Vec::new();
        let pre = self.data.code[0].suite.as_str();
        let base = self.testbed(pre);
        for suite in self.running() {
            let run = self.testbed(&suite.name);
            for part in Part::COLUMNS {
                for state in State::ALL {
                    let cell = format!("{}: {part} {state}", suite.name);
                    let of = run.count(Metric::State(state), part);
                    cells.push(self.ours((STATES, cell), Unit::Seconds, &of, measured)?);
                }
            }
            for (what, part) in [("all", Part::All), ("without amortised", Part::Each)] {
                let cell = format!("{}: {what}", suite.name);
                let of = run.count(Metric::States, part);
                let own = self.ours((STATES, cell), Unit::Seconds, &of, measured)?;
                let of = base.count(Metric::States, part);
                let other = self.ours((STATES, String::new()), Unit::Seconds, &of, measured)?;
                cells.push(own.clone());
                let name = format!("{}: {what}, over {pre}", suite.name);
                cells.push(ratio(STATES, name, &own, &other));
            }
        }
        Ok(cells)
    }

    /// A printed number with what was found about it.
    fn printed(
        &self,
        blank: Blank,
        printed: &Printed,
        mut why: Vec<String>,
        measured: &LasanMeasured<'_>,
    ) -> Result<Cell, PaperError> {
        let formula = self.formula(&blank.of)?.in_unit(blank.unit);
        let measurement = measured(&blank.of);
        let value = measurement.as_ref().map(|m| m.amount.in_unit(blank.unit));
        if let (Some(measurement), Some(value)) = (&measurement, value) {
            if printed.is_exactly(formula) {
                let missed = unlike(value, printed, blank.unit).into_iter();
                why.extend(missed.map(|words| format!("measured {words}")));
            }
            why.extend(itemised(measurement, formula, blank.unit));
        }
        let ours: Vec<f64> = [Some(formula), value].into_iter().flatten().collect();
        let class = self.class(&blank.of)?.simulated(value.is_some());
        Ok(Cell {
            paper: Some(printed.value()),
            formula: Some(formula),
            measured: value,
            verdict: CellVerdict::by_digits(class, &ours, printed),
            class: Some(class),
            why: why.join("; "),
            ..Cell::new(blank.place, blank.cell, blank.unit)
        })
    }

    /// A number of ours: the paper has none.
    pub(super) fn ours(
        &self,
        (place, cell): (&str, String),
        unit: Unit,
        of: &LasanQuantity,
        measured: &LasanMeasured<'_>,
    ) -> Result<Cell, PaperError> {
        let formula = self.formula(of)?.in_unit(unit);
        let measurement = measured(of);
        let why = measurement
            .as_ref()
            .map_or(Vec::new(), |m| itemised(m, formula, unit));
        Ok(Cell {
            formula: Some(formula),
            class: Some(Class::Derived.simulated(measurement.is_some())),
            measured: measurement.map(|m| m.amount.in_unit(unit)),
            why: why.join("; "),
            ..Cell::new(place, cell, unit)
        })
    }
}

/// A printed number beside one that follows from others, of a class.
pub(super) fn stated(
    place: &str,
    cell: String,
    unit: Unit,
    printed: &Printed,
    (ours, class): (f64, Class),
) -> Cell {
    Cell {
        paper: Some(printed.value()),
        formula: Some(Amount::Number(ours * unit.size()).in_unit(unit)),
        verdict: CellVerdict::by_digits(class, &[ours], printed),
        class: Some(class),
        why: unlike(ours, printed, unit).join("; "),
        ..Cell::new(place, cell, unit)
    }
}

/// One cell of ours over another.
pub(super) fn ratio(place: &str, cell: String, above: &Cell, below: &Cell) -> Cell {
    let over = |above: Option<f64>, below: Option<f64>| {
        let value = Amount::Number(above? / below?);
        Some(value.in_unit(Unit::Times))
    };
    let number = |number: Option<f64>| number.map_or("nothing".to_owned(), short);
    let value = |cell: &Cell| number(cell.measured.or(cell.formula));
    Cell {
        formula: over(above.formula, below.formula),
        measured: over(above.measured, below.measured),
        class: Some(Class::Derived.simulated(above.measured.and(below.measured).is_some())),
        why: format!("{} / {} {}", value(above), value(below), above.unit.name()),
        ..Cell::new(place, cell, Unit::Times)
    }
}

/// Returns true if the reasons of a place are part of what it says: the terms of sums.
pub(super) fn is_decomposed(place: &str) -> bool {
    [CODE, BENCHMARKS].contains(&place)
}

/// Returns true if the cells of a place are printed as a table.
pub(super) fn is_tabular(place: &str) -> bool {
    place == STATES
}

/// A run of ours, on a board that has CAN FD.
pub(super) fn run_of(
    suite: &str,
    (profile, credentials): (LasanProfile, Credentials),
    transport: Transport,
) -> LasanRun {
    LasanRun {
        suite: suite.to_owned(),
        profile,
        credentials,
        transport,
        pacing: None,
        board: "tc297".to_owned(),
        ecus: 1,
    }
}
