//! The formulas: which messages an authentication has, in which frames, and what is computed.

use waywarden_can::segment::raw::Segmentation;
use waywarden_group_keys::Transport;
use waywarden_lasan::{Credentials, LasanKind, LasanProfile, Lengths};
use waywarden_work::{Algorithm, Operation, OperationKind};

use super::quantity::{ComputingParty, LasanRun, PaperSuite, Part};

/// An operation of one side, once for all ECUs or for each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) who: ComputingParty,
    pub(super) once: bool,
    pub(super) operation: Operation,
}

/// The steps of a key agreement and of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Offer,
    Answer,
    Finish,
    Sign,
    Verify,
}

impl Part {
    /// Returns true if the part contains the work done once.
    pub(super) const fn has_once(self) -> bool {
        matches!(self, Part::Once | Part::All)
    }

    /// Returns how often what is done for each ECU is in the part.
    pub(super) const fn times(self, ecus: u8) -> usize {
        match self {
            Part::Once => 0,
            Part::Each => 1,
            Part::All => ecus as usize,
        }
    }

    /// Returns how often a thing of this kind is in the part.
    pub(super) const fn of(self, once: bool, ecus: u8) -> usize {
        match once {
            true => self.has_once() as usize,
            false => self.times(ecus),
        }
    }
}

/// Returns the messages of an authentication and their lengths.
pub(super) fn messages(run: &LasanRun, suite: &PaperSuite) -> Vec<(LasanKind, usize)> {
    let lengths = Lengths::new(run.profile, run.credentials, suite.sizes);
    lengths.authentication().collect()
}

/// Returns the data bytes of each frame of a message.
pub(super) fn frames(run: &LasanRun, length: usize) -> Vec<usize> {
    let cut = match (run.profile, run.transport) {
        (LasanProfile::AsPublished, Transport::Classic) => Segmentation::CLASSIC_FULL,
        (_, Transport::Classic) => Segmentation::CLASSIC,
        (_, Transport::Fd) => Segmentation::FD,
    };
    let message = vec![0; length];
    let fields = cut.segments(&message);
    fields.map(|field| field.len()).collect()
}

/// Returns the public-key operations of an authentication. What is hashed, derived and sealed is
/// left out: the simulation has it.
pub(super) fn steps(run: &LasanRun, suite: &PaperSuite) -> Vec<Step> {
    let certified =
        run.profile == LasanProfile::AsPublished || run.credentials == Credentials::Certificates;
    let both_ways = !suite.sizes.contributory;
    let (once, module, ecu): (&[Move], &[Move], &[Move]) = match run.profile {
        LasanProfile::AsPublished if both_ways => (
            &[Move::Sign],
            &[Move::Answer, Move::Offer, Move::Finish],
            &[Move::Verify, Move::Offer, Move::Finish, Move::Answer],
        ),
        LasanProfile::AsPublished => (
            &[Move::Sign],
            &[Move::Answer],
            &[Move::Verify, Move::Offer, Move::Finish],
        ),
        LasanProfile::Compact => (
            &[Move::Offer, Move::Sign],
            &[Move::Finish, Move::Answer],
            &[Move::Verify, Move::Answer, Move::Offer, Move::Finish],
        ),
        _ => (
            &[Move::Offer, Move::Sign],
            &[Move::Verify, Move::Finish],
            &[Move::Verify, Move::Answer, Move::Sign],
        ),
    };
    let mut steps = Vec::new();
    for (who, is_once, moves) in [
        (ComputingParty::Module, true, once),
        (ComputingParty::Module, false, module),
        (ComputingParty::Ecu, false, ecu),
    ] {
        // Each of the two checks the other's certificate.
        let check = (certified && !is_once).then_some(Move::Verify);
        for made in check.into_iter().chain(moves.iter().copied()) {
            steps.extend(operations(made, suite).into_iter().map(|operation| Step {
                who,
                once: is_once,
                operation,
            }));
        }
    }
    steps
}

/// Returns what a move computes.
fn operations(made: Move, suite: &PaperSuite) -> Vec<Operation> {
    let signs = |kind| vec![Operation::new(kind, suite.signature, 0)];
    match made {
        Move::Sign => signs(OperationKind::Sign),
        Move::Verify => signs(OperationKind::Verify),
        _ => {
            let each = suite.agreements.iter();
            each.flat_map(|&algorithm| {
                let kinds: &[OperationKind] = match (made, encapsulates(algorithm)) {
                    (Move::Offer, true) => &[OperationKind::KemKeyGenerate],
                    (Move::Answer, true) => &[OperationKind::Encapsulate],
                    (_, true) => &[OperationKind::Decapsulate],
                    (Move::Offer, false) => &[OperationKind::Share],
                    (Move::Answer, false) => &[OperationKind::Share, OperationKind::Extract],
                    (_, false) => &[OperationKind::Extract],
                };
                let kinds = kinds.iter();
                kinds.map(move |&kind| Operation::new(kind, algorithm, 0))
            })
            .collect()
        }
    }
}

/// Returns true if [`steps`] has operations of a kind.
pub(super) const fn is_counted(kind: OperationKind) -> bool {
    matches!(
        kind,
        OperationKind::Sign
            | OperationKind::Verify
            | OperationKind::KemKeyGenerate
            | OperationKind::Encapsulate
            | OperationKind::Decapsulate
            | OperationKind::Share
            | OperationKind::Extract
    )
}

/// Returns true for a key encapsulation, false for Diffie-Hellman.
pub(super) const fn encapsulates(algorithm: Algorithm) -> bool {
    matches!(
        algorithm,
        Algorithm::MlKem512 | Algorithm::MlKem768 | Algorithm::Kyber768Round1
    )
}
