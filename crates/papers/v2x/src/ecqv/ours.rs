//! Tables of ours: Figure 1 with times, what each scenario allows, and the machine at hand beside
//! the boards.

use waywarden_work::OperationKind;

use super::cells::applicability;
use super::certificates::VERIFICATION;
use super::encoded::ENCODED;
use super::limits::is_limit;
use super::machine::{Machine, Time, whole_in};
use super::quantity::{OPERATIONS, Role, name};
use super::row::{cell, time};
use super::study::EcqvStudy;
use super::traffic::is_traffic;
use waywarden_paper_tables::{Cell, Class, PaperError};

pub(super) const FLOW: &str = "Figure 1, the flow with each step's time";
pub(super) const SCENARIOS: &str =
    "Scenarios of §IV, messages that a receiver verifies within the allowable latency";
pub(super) const TABLES: [&str; 4] = [
    "Table I beside this host",
    "Table II beside this host",
    "Table III beside this host, who sends in time",
    "Table III beside this host, messages that a receiver verifies",
];

/// Returns true if the cells of a place are printed as a table.
pub fn is_tabular(place: &str) -> bool {
    [FLOW, SCENARIOS, VERIFICATION, ENCODED].contains(&place)
        || TABLES.contains(&place)
        || is_traffic(place)
        || is_limit(place)
}

/// The steps of Figure 1: who does what.
pub(super) const STEPS: [(&str, OperationKind); 6] = [
    ("requester", OperationKind::CertificateRequest),
    ("CA", OperationKind::CertificateIssue),
    ("requester", OperationKind::CertificateAccept),
    ("requester", OperationKind::Sign),
    ("receiver", OperationKind::KeyRebuild),
    ("receiver", OperationKind::Verify),
];

impl EcqvStudy {
    /// Figure 1: each step's time, from the request on and from the message on.
    pub(super) fn flow(cells: &mut Vec<Cell>, machines: &[&Machine]) -> Result<(), PaperError> {
        for (at, (who, kind)) in STEPS.iter().enumerate() {
            let row = format!("{} {who}, {}", at + 1, name(*kind));
            for machine in machines {
                cells.push(time(FLOW, &row, &machine.name, machine.time(*kind)?));
            }
        }
        let kinds = STEPS.map(|(_, kind)| kind);
        for (row, kinds) in [
            ("1 to 6, from the request on", &kinds[..]),
            ("4 to 6, from the message on", &kinds[3..]),
        ] {
            for machine in machines {
                cells.push(time(FLOW, row, &machine.name, machine.sum(kinds)?));
            }
        }
        Ok(())
    }

    /// Adds the number of messages that each scenario of the NHTSA allows a receiver.
    pub(super) fn by_scenario(
        &self,
        cells: &mut Vec<Cell>,
        machines: &[&Machine],
    ) -> Result<(), PaperError> {
        for scenario in &self.data.scenario {
            let row = format!("{}, {} ms", scenario.name, scenario.latency_ms);
            let latency = scenario.latency_ms;
            receivers(cells, (SCENARIOS, &row), latency, machines)?;
        }
        Ok(())
    }

    /// The paper's three tables with the machine at hand.
    pub(super) fn beside(
        &self,
        cells: &mut Vec<Cell>,
        machines: &[&Machine],
    ) -> Result<(), PaperError> {
        for (kind, row) in OPERATIONS {
            for machine in machines {
                cells.push(time(TABLES[0], row, &machine.name, machine.time(kind)?));
            }
        }
        for role in Role::ALL {
            for machine in machines {
                let of = machine.role(role)?;
                cells.push(time(TABLES[1], role.name(), &machine.name, of));
            }
        }
        for latency in &self.data.latency {
            for role in [Role::FullSender, Role::DirectSender] {
                let row = format!("{} ms, {}", latency.ms, role.name());
                for machine in machines {
                    let (number, unit) = applicability(latency.ms, machine, role)?;
                    let class = class(machine.role(role)?);
                    cells.push(cell(TABLES[2], &row, &machine.name, unit, number, class));
                }
            }
        }
        for latency in &self.data.latency {
            let row = format!("{} ms", latency.ms);
            receivers(cells, (TABLES[3], &row), latency.ms, machines)?;
        }
        Ok(())
    }
}

/// Adds the number of messages each machine verifies within a latency, for the one at hand also of
/// many that wait.
fn receivers(
    cells: &mut Vec<Cell>,
    (place, row): (&str, &str),
    latency: u64,
    machines: &[&Machine],
) -> Result<(), PaperError> {
    for machine in machines {
        let (number, unit) = applicability(latency, machine, Role::Receiver)?;
        let class = class(machine.role(Role::Receiver)?);
        cells.push(cell(place, row, &machine.name, unit, number, class));
        cells.extend(machine.waiting_message.map(|waiting| {
            let column = format!("{}, many waiting", machine.name);
            let number = whole_in(latency, waiting.nanos) as f64;
            cell(place, row, &column, unit, number, waiting.class)
        }));
    }
    Ok(())
}

/// A number that follows from a time is not the time: a formula's, or the machine's at hand.
fn class(time: Time) -> Class {
    match time.class {
        Class::Measured => Class::Measured,
        _ => Class::Derived,
    }
}
