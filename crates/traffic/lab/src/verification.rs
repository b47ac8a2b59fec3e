//! Verification of a vehicle's received messages on a board, in time or not.

mod receiver;
mod score;

use waywarden_boards::{Board, NoFigure};
use waywarden_v2x_schedule::Policy;
use waywarden_work::{Algorithm, Operation, OperationKind};

pub(crate) use receiver::{Arrival, Receiver, moment};
pub use score::Score;

/// Messages for which a public key is rebuilt from an implicit certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyRebuilding {
    /// For each one \[ECQV-CITS §IV\].
    #[default]
    EachMessage,
    /// For the first one of each sender: its key is kept.
    FirstMessage,
}

/// Work for the certificate of a message's signer, once for each certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateWork {
    /// Its signature is verified.
    Verify,
    /// The public key is rebuilt from it \[ECQV-CITS §IV\].
    Rebuild,
}

/// A board that verifies the messages of a vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardProfile {
    /// Name of the board.
    pub name: String,
    /// Time of one core for a message, in ns.
    pub message_ns: u64,
    /// Time for a message of a sender of which it has verified one before, in ns.
    pub known_sender_ns: u64,
    /// Number of cores that verify.
    pub cores: u32,
}

impl BoardProfile {
    /// Takes a board whose messages have an implicit certificate each: the public key is rebuilt,
    /// then the signature is verified \[ECQV-CITS §IV\]. `cores` replaces the board's own number.
    /// `rebuilding` says whether keys are kept.
    ///
    /// # Errors
    /// [`NoFigure`] if the board has no time for that.
    pub fn of_board(
        board: &Board,
        cores: Option<u32>,
        rebuilding: KeyRebuilding,
    ) -> Result<Self, NoFigure> {
        let own = Self::of_stack(board, cores, CertificateWork::Rebuild)?;
        Ok(match rebuilding {
            KeyRebuilding::FirstMessage => own,
            KeyRebuilding::EachMessage => Self {
                known_sender_ns: own.message_ns,
                ..own
            },
        })
    }

    /// Takes a board whose messages are those of a stack: with the first message of a signer that
    /// it verifies it accepts the certificate, and with each it verifies the signature. `cores`
    /// replaces the board's own number.
    ///
    /// # Errors
    /// [`NoFigure`] if the board has no time for that.
    pub fn of_stack(
        board: &Board,
        cores: Option<u32>,
        certificate: CertificateWork,
    ) -> Result<Self, NoFigure> {
        let nanos = |kind| {
            let cost = board.cost(&Operation::new(kind, Algorithm::P256, 0))?;
            Ok::<_, NoFigure>(cost.duration.as_nanos())
        };
        let verify_ns = nanos(OperationKind::Verify)?.max(1);
        let certificate_ns = match certificate {
            CertificateWork::Verify => verify_ns,
            CertificateWork::Rebuild => nanos(OperationKind::KeyRebuild)?,
        };
        let own = board.characteristics().cores;
        Ok(Self {
            name: board.name().to_owned(),
            message_ns: certificate_ns + verify_ns,
            known_sender_ns: verify_ns,
            cores: cores.unwrap_or(own).max(1),
        })
    }
}

/// Boards and policies that are compared.
#[derive(Clone, Debug, Default)]
pub struct PolicyComparison {
    /// The boards.
    pub boards: Vec<BoardProfile>,
    /// The policies.
    pub policies: Vec<Policy>,
    /// Number of vehicles that verify at a time; the first ones on the road, and others after them.
    pub receivers: usize,
}
