//! What a board verifies in time of what a vehicle receives.

mod receiver;
mod score;

use waywarden_boards::{Board, NoFigure};
use waywarden_v2x_security::schedule::Policy;
use waywarden_work::{Algorithm, Operation, OperationKind};

pub(crate) use receiver::{Arrival, Receiver, moment};
pub use score::Score;

/// A board that verifies the messages of a vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardProfile {
    /// What it is called.
    pub name: String,
    /// How long one core takes for a message, in ns.
    pub message_ns: u64,
    /// How many cores verify.
    pub cores: u32,
}

impl BoardProfile {
    /// Takes a board whose messages have an implicit certificate each: the public key is rebuilt,
    /// then the signature is verified \[ECQV-CITS §IV\]. `cores` replaces the board's own number.
    ///
    /// # Errors
    /// [`NoFigure`] if the board has no time for that.
    pub fn of_board(board: &Board, cores: Option<u32>) -> Result<Self, NoFigure> {
        let steps = [OperationKind::KeyRebuild, OperationKind::Verify];
        let mut message_ns = 0;
        for kind in steps {
            let cost = board.cost(&Operation::new(kind, Algorithm::P256, 0))?;
            message_ns += cost.duration.as_nanos();
        }
        let own = board.characteristics().cores;
        Ok(Self {
            name: board.name().to_owned(),
            message_ns: message_ns.max(1),
            cores: cores.unwrap_or(own).max(1),
        })
    }
}

/// Which boards and policies are compared.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The boards.
    pub boards: Vec<BoardProfile>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// How many vehicles verify at a time; the first ones on the road, and others after them.
    pub receivers: usize,
}
