//! A machine by its times: a board of the paper's, or the one at hand.

use std::collections::BTreeMap;

use waywarden_boards::Board;
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::data::{Column, KEY, missing};
use super::quantity::{EcqvMeasured, EcqvQuantity, OPERATIONS, Role, name};
use waywarden_paper_tables::{Amount, Class, PaperError};

/// Name of the machine at hand.
pub(super) const HOST: &str = "this host";

/// Time of each operation on a machine.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Machine {
    pub(super) name: String,
    /// Number of its cores; 1 for the machine at hand, the one that is measured.
    pub(super) cores: u32,
    times: BTreeMap<OperationKind, Time>,
    /// One signature of many that wait, and one message: of the machine at hand.
    pub(super) waiting_signature: Option<Time>,
    pub(super) waiting_message: Option<Time>,
}

/// A time, and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Time {
    pub(super) nanos: u64,
    pub(super) class: Class,
}

impl Machine {
    /// Returns a board of the paper's, by its figures.
    pub(super) fn of_board(column: &Column) -> Result<Self, PaperError> {
        let board = Board::builtin(&column.board).ok_or_else(|| PaperError::Board {
            key: KEY,
            board: column.board.clone(),
        })?;
        Self::of_any_board(&board, &column.name)
    }

    /// Reads the figures of any board, under a name for tables.
    pub(super) fn of_any_board(board: &Board, name: &str) -> Result<Self, PaperError> {
        let mut times = BTreeMap::new();
        for (kind, _) in OPERATIONS {
            let cost = board.cost(&Operation::new(kind, Algorithm::P256, 0))?;
            let time = Time {
                nanos: cost.duration.as_nanos(),
                class: Class::of_figure(cost.provenance, KEY),
            };
            times.insert(kind, time);
        }
        Ok(Machine {
            name: name.to_owned(),
            cores: board.characteristics().cores,
            times,
            waiting_signature: None,
            waiting_message: None,
        })
    }

    /// Returns the machine at hand, if all of its operations were measured.
    pub(super) fn of_host(measured: &EcqvMeasured<'_>) -> Option<Self> {
        let time = |kind| {
            Some((
                kind,
                measured_time(measured, &EcqvQuantity::Operation(kind))?,
            ))
        };
        let times: Option<BTreeMap<_, _>> =
            OPERATIONS.iter().map(|(kind, _)| time(*kind)).collect();
        Some(Machine {
            name: HOST.to_owned(),
            cores: 1,
            times: times?,
            waiting_signature: measured_time(measured, &EcqvQuantity::WaitingSignature),
            waiting_message: measured_time(measured, &EcqvQuantity::WaitingMessage),
        })
    }

    /// Returns an operation that takes no time: pieces without one cannot be counted.
    pub(super) fn without_time(&self) -> Option<OperationKind> {
        let mut times = self.times.iter();
        times
            .find(|(_, time)| time.nanos == 0)
            .map(|(kind, _)| *kind)
    }

    /// Returns what an operation takes.
    pub(super) fn time(&self, kind: OperationKind) -> Result<Time, PaperError> {
        let time = self.times.get(&kind).copied();
        time.ok_or_else(|| missing(&format!("{} on {}", name(kind), self.name)))
    }

    /// Returns what operations take one after the other. One figure is the figure; more than one
    /// make a sum, which is a formula's.
    pub(super) fn sum(&self, kinds: &[OperationKind]) -> Result<Time, PaperError> {
        if let [kind] = kinds {
            return self.time(*kind);
        }
        let mut sum = Time {
            nanos: 0,
            class: Class::Derived,
        };
        for kind in kinds {
            let time = self.time(*kind)?;
            sum.nanos = sum.nanos.saturating_add(time.nanos);
            if time.class == Class::Measured {
                sum.class = Class::Measured;
            }
        }
        Ok(sum)
    }

    /// Returns what a role takes for a message.
    pub(super) fn role(&self, role: Role) -> Result<Time, PaperError> {
        self.sum(role.operations())
    }
}

/// Returns a measured time.
fn measured_time(measured: &EcqvMeasured<'_>, of: &EcqvQuantity) -> Option<Time> {
    match measured(of)?.amount {
        Amount::Time(time) => Some(Time {
            nanos: time.as_nanos(),
            class: Class::Measured,
        }),
        Amount::Number(_) => None,
    }
}

/// Returns how many pieces are done within a time, one after the other; 0 for pieces without one.
pub(super) const fn whole_in(millis: u64, each_nanos: u64) -> u64 {
    match millis.saturating_mul(1_000_000).checked_div(each_nanos) {
        Some(count) => count,
        None => 0,
    }
}
