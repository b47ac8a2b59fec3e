//! The attack matrix: every protocol and profile of message authentication under every attack. Each
//! cell is a small car on an exact bus that can be written as a vehicle file.
//!
//! The result of an attack is read off the run, not asked of the protocol: a message counts as
//! taken falsely if its sender did not send it, or not then
//! ([`waywarden_vehicle_trace::GroundTruth`]). The cost of an attack is the difference to the same
//! car without it. docs/protocols/vatican-leia.md and secoc.md have the table.

mod attacked_car;
mod matrix_attack;
mod observer;
mod protocol;
mod verdict;

use schemars::JsonSchema;
use serde::Serialize;
use toml::Table;
use waywarden_can_sim::clock::Time;

use crate::lower::{LowerError, Lowered, lower};
use crate::run::{RunError, run};
use waywarden_vehicle_file::{FileErrors, VehicleFile};
use waywarden_vehicle_resources::Resources;
use waywarden_vehicle_trace::TraceSink;

use self::observer::Observer;
use self::verdict::{cost, ms};

pub use self::matrix_attack::MatrixAttack;
pub use self::protocol::AttackedProtocol;
pub use self::verdict::AttackVerdict;

/// Start of every attack, in milliseconds of the run.
const FROM_MS: u64 = 300;
/// End of attacks, in milliseconds of the run.
const END_MS: u64 = 500;
/// Time from which every message has to be authentic again, in milliseconds of the run: the bounds
/// of all protocols are shorter.
const SETTLED_MS: u64 = 920;
/// Length of the run, in milliseconds.
const DURATION_MS: u64 = 1_120;
/// Evidence of an attack's result: lines of the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The attacker's frame that decided, as a receiver got it, and its time; for an attack on the
    /// wire the frame it destroyed.
    pub frame: String,
    /// Reaction of an ECU to that frame, with its time.
    pub answer: String,
}

/// A cell of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixCell {
    /// Protocol under attack.
    pub protocol: AttackedProtocol,
    /// Attack on the protocol.
    pub attack: MatrixAttack,
    /// Result of the attack.
    pub verdict: AttackVerdict,
    /// Evidence of the verdict.
    pub evidence: Evidence,
    /// Number of messages that the receiver accepts in the same car without the attack.
    pub in_peace: usize,
}

/// Reason for a cell without a verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackMatrixError {
    /// The vehicle file of the cell is invalid.
    #[error("{0}")]
    File(#[from] FileErrors),
    /// The vehicle cannot be made a simulation.
    #[error("{0}")]
    Lower(#[from] LowerError),
    /// The simulation stopped.
    #[error("{0}")]
    Run(#[from] RunError),
}

/// Runs cells. The run of a car without attack is kept for the next cell with the same car.
#[derive(Debug)]
pub struct AttackMatrix {
    seed: u64,
    /// Times of accepted messages without an attack, by car.
    peace: Vec<(Table, Vec<Time>)>,
}

impl AttackMatrix {
    /// Begins with nothing; every random choice follows from `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        AttackMatrix {
            seed,
            peace: Vec::new(),
        }
    }

    /// Runs a cell.
    ///
    /// # Errors
    /// [`AttackMatrixError`] by cause.
    pub fn cell(
        &mut self,
        protocol: AttackedProtocol,
        attack: MatrixAttack,
    ) -> Result<MatrixCell, AttackMatrixError> {
        let attacked = vehicle(protocol, attack, self.seed, false);
        let peaceful = vehicle(protocol, attack, self.seed, true);
        self.judge((protocol, attack), &attacked, &peaceful)
    }

    /// Judges a car under attack by the same one without it, both vehicle files as [`vehicle`]
    /// makes them, or nearly.
    ///
    /// # Errors
    /// [`AttackMatrixError`] by cause.
    pub fn judge(
        &mut self,
        (protocol, attack): (AttackedProtocol, MatrixAttack),
        attacked: &Table,
        peaceful: &Table,
    ) -> Result<MatrixCell, AttackMatrixError> {
        // The name says which attack it would be; the car is the same for many.
        let mut car = peaceful.clone();
        car.remove("vehicle");
        let known = self.peace.iter().position(|(known, _)| *known == car);
        let known = match known {
            Some(known) => known,
            None => {
                self.peace.push((car, observe(peaceful)?.genuine));
                self.peace.len() - 1
            }
        };
        let observer = observe(attacked)?;
        let peace = &self.peace[known].1;
        let (verdict, evidence) = verdict(attack, &observer, peace);
        Ok(MatrixCell {
            protocol,
            attack,
            verdict,
            evidence,
            in_peace: peace.len(),
        })
    }
}

/// Composes the vehicle of a cell, with its attack or without, as the table that its file is read
/// as; [`waywarden_vehicle_file::to_text`] writes it.
#[must_use]
pub fn vehicle(
    protocol: AttackedProtocol,
    attack: MatrixAttack,
    seed: u64,
    is_peace: bool,
) -> Table {
    attacked_car::compose(protocol, attack, seed, is_peace)
}

/// Makes a simulation of a vehicle of [`vehicle`].
///
/// # Errors
/// [`AttackMatrixError`] by cause.
pub fn lowered(vehicle: &Table) -> Result<(VehicleFile, Lowered), AttackMatrixError> {
    let file = VehicleFile::compose("attack-matrix.toml", vehicle)?;
    let lowered = lower(&file, &Resources::default(), None)?;
    Ok((file, lowered))
}

fn observe(vehicle: &Table) -> Result<Observer, AttackMatrixError> {
    let (file, lowered) = lowered(vehicle)?;
    let mut observer = Observer::new(&file);
    let sink: &mut dyn TraceSink = &mut observer;
    run(lowered, sink, &mut |_| {})?;
    Ok(observer)
}

fn verdict(attack: MatrixAttack, observer: &Observer, peace: &[Time]) -> (AttackVerdict, Evidence) {
    // An attacker that relabels a tag wins if it is taken, although the message is the sender's.
    let completed = match attack {
        MatrixAttack::OtherCounter => observer.completed,
        _ => 0,
    };
    let taken = observer.forged + completed;
    if let Some(evidence) = observer.of_success() {
        if taken > 0 {
            return (AttackVerdict::Works { taken }, evidence);
        }
        if observer.leaked > 0 {
            let frames = observer.leaked;
            return (AttackVerdict::Passes { frames }, evidence);
        }
    }
    let cost = cost(&observer.genuine, peace, ms(attack.end_ms()));
    (cost, observer.of_failure())
}

impl MatrixCell {
    /// Returns true if the verdict is within the bound that the protocol promises; always true
    /// where nothing is promised.
    #[must_use]
    pub fn is_as_promised(&self) -> bool {
        let bound = self.protocol.bound_ms();
        bound.is_none_or(|bound| self.verdict.holds(bound))
    }
}

/// Returns the head and the rows of the matrix in a word for each cell: a row for each protocol, a
/// column for each attack.
#[must_use]
pub fn matrix(cells: &[MatrixCell]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let mut protocols: Vec<AttackedProtocol> = cells.iter().map(|cell| cell.protocol).collect();
    protocols.dedup();
    let mut attacks: Vec<MatrixAttack> = cells.iter().map(|cell| cell.attack).collect();
    attacks.sort();
    attacks.dedup();
    let rows = protocols.iter().map(|protocol| {
        let own = cells.iter().filter(|cell| cell.protocol == *protocol);
        let words = own.map(|cell| cell.verdict.brief());
        [protocol.title().to_owned()]
            .into_iter()
            .chain(words)
            .collect()
    });
    let titles = attacks.iter().map(|attack| attack.title());
    let head = ["protocol"].into_iter().chain(titles).collect();
    (head, rows.collect())
}
