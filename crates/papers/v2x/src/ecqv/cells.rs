//! The paper's numbers as cells: by the boards' figures and by what follows from them.

use waywarden_work::OperationKind;

use super::data::Latency;
use super::machine::{HOST, Machine, Time, whole_in};
use super::quantity::{OPERATIONS, Role};
use super::study::EcqvStudy;
use waywarden_paper_tables::{Amount, Cell, CellVerdict, Class, PaperError, Printed, Unit};

/// The period in which section II counts signatures, in milliseconds: vehicles send every 100 ms.
pub(super) const PERIOD: u64 = 100;

/// The size of the curve that the standard asks for, in bits.
const CURVE_BITS: u32 = 256;

impl Time {
    /// In a cell's unit.
    pub(super) fn millis(self) -> f64 {
        let time = waywarden_work::Duration::from_nanos(self.nanos);
        Amount::Time(time).in_unit(Unit::Milliseconds)
    }
}

impl EcqvStudy {
    /// Section II: hardware as stated, beside the boards and the machine at hand.
    pub(super) fn hardware(
        &self,
        cells: &mut Vec<Cell>,
        host: Option<&Machine>,
    ) -> Result<(), PaperError> {
        let cell = |name: &str| {
            let cell = format!("signatures verified in {PERIOD} ms, {name}");
            Cell::new("§II", cell, Unit::Signatures)
        };
        for hardware in &self.data.hardware {
            let why = hardware.curve_bits.map(|bits| {
                format!("on curves of {bits} bits, where the standard has {CURVE_BITS}")
            });
            cells.push(Cell {
                paper: Some(hardware.signatures.value()),
                verdict: CellVerdict::PaperOnly,
                why: why.unwrap_or_default(),
                ..cell(&hardware.name)
            });
        }
        for board in &self.boards {
            let time = board.time(OperationKind::Verify)?;
            cells.push(Cell {
                formula: Some(whole_in(PERIOD, time.nanos) as f64),
                class: Some(Class::Derived),
                ..cell(&board.name)
            });
        }
        let alone = host.map(|host| host.time(OperationKind::Verify));
        let waiting = host.and_then(|host| host.waiting_signature);
        for (time, how) in [
            (alone.transpose()?, "one by one"),
            (waiting, "of many that wait"),
        ] {
            cells.extend(time.map(|time| Cell {
                measured: Some(whole_in(PERIOD, time.nanos) as f64),
                class: Some(Class::Measured),
                ..cell(&format!("{HOST}, {how}"))
            }));
        }
        Ok(())
    }

    /// Table I: the boards' figures.
    pub(super) fn table_1(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        for (kind, name) in OPERATIONS {
            for (column, board) in self.data.board.iter().zip(&self.boards) {
                let time = board.time(kind)?;
                let printed = column.operation(kind)?;
                let ours = time.millis();
                cells.push(Cell {
                    place: "Table I".to_owned(),
                    cell: format!("{name}, {}", board.name),
                    unit: Unit::Milliseconds,
                    paper: Some(printed.value()),
                    formula: Some(ours),
                    measured: None,
                    verdict: CellVerdict::by_digits(time.class, &[ours], printed),
                    class: Some(time.class),
                    why: Self::why_figure(ours, printed),
                });
            }
        }
        Ok(())
    }

    /// Section IV's scenarios: what Table III starts from, and ranges, from which nothing follows.
    pub(super) fn scenarios(&self, cells: &mut Vec<Cell>) {
        for scenario in &self.data.scenario {
            let latency = scenario.latency_ms as f64;
            let cell = |what: &str, unit, paper| Cell {
                place: "§IV".to_owned(),
                cell: format!("{}, {what}", scenario.name),
                unit,
                paper: Some(paper),
                formula: None,
                measured: None,
                verdict: CellVerdict::PaperOnly,
                class: None,
                why: String::new(),
            };
            cells.push(Cell {
                formula: Some(latency),
                verdict: CellVerdict::NotTested,
                class: Some(Class::Input),
                ..cell("allowable latency", Unit::Milliseconds, latency)
            });
            let range = scenario.range_m.value();
            cells.push(cell("communication range", Unit::Metres, range));
        }
    }

    /// Table II: what the roles take.
    pub(super) fn table_2(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        for (column, board) in self.data.board.iter().zip(&self.boards) {
            for role in Role::ALL {
                let time = board.role(role)?;
                let printed = column.roles.of(role);
                let ours = time.millis();
                let verdict = CellVerdict::by_digits(time.class, &[ours], printed);
                let verdict = match verdict {
                    CellVerdict::Differs if self.may_round(column, role)? => CellVerdict::Rounding,
                    verdict => verdict,
                };
                cells.push(Cell {
                    place: "Table II".to_owned(),
                    cell: format!("{}, {}", board.name, role.name()),
                    unit: Unit::Milliseconds,
                    paper: Some(printed.value()),
                    formula: Some(ours),
                    measured: None,
                    verdict,
                    class: Some(time.class),
                    why: self.why_role(column, role, ours)?,
                });
            }
        }
        Ok(())
    }

    /// Table III: who sends in time, and how many messages a receiver verifies.
    pub(super) fn table_3(&self, cells: &mut Vec<Cell>) -> Result<(), PaperError> {
        for latency in &self.data.latency {
            for board in &self.boards {
                for role in Role::ALL {
                    cells.push(self.applicability(latency, board, role)?);
                }
            }
        }
        Ok(())
    }

    fn applicability(
        &self,
        latency: &Latency,
        board: &Machine,
        role: Role,
    ) -> Result<Cell, PaperError> {
        let printed = latency.roles.of(role).get(&board.name);
        let (ours, unit) = applicability(latency.ms, board, role)?;
        let (verdict, why) = match printed {
            None => (CellVerdict::NotStated, Self::why_illegible()),
            Some(printed) => self.judge(latency, board, role, (ours, printed))?,
        };
        Ok(Cell {
            place: "Table III".to_owned(),
            cell: format!("{} ms, {}, {}", latency.ms, board.name, role.name()),
            unit,
            paper: printed.map(Printed::value),
            formula: Some(ours),
            measured: None,
            verdict,
            class: Some(Class::Derived),
            why,
        })
    }

    fn judge(
        &self,
        latency: &Latency,
        board: &Machine,
        role: Role,
        (ours, printed): (f64, &Printed),
    ) -> Result<(CellVerdict, String), PaperError> {
        let verdict = CellVerdict::by_digits(Class::Derived, &[ours], printed);
        if verdict != CellVerdict::Differs {
            return Ok((verdict, String::new()));
        }
        if role != Role::Receiver {
            let why = Self::why_mark(latency, board, role)?;
            return Ok((verdict, why));
        }
        self.why_count(latency, board, printed)
    }
}

/// Returns 1 if a sender is done within a latency, else 0; for a receiver, the number of messages
/// that it verifies in it.
pub(super) fn applicability(
    latency: u64,
    machine: &Machine,
    role: Role,
) -> Result<(f64, Unit), PaperError> {
    let count = whole_in(latency, machine.role(role)?.nanos);
    Ok(match role {
        Role::Receiver => (count as f64, Unit::Messages),
        _ => (f64::from(u8::from(count > 0)), Unit::Applicable),
    })
}
