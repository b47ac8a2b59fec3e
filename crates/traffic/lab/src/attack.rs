//! Transmitters beside the road that send false messages.

use waywarden_random::Random;
use waywarden_v2x_schedule::ClaimedSender;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

/// Kind of false messages. Each claims to come from just ahead of its receiver. This is the worst
/// case of a forged position, in the area that a policy prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttackKind {
    /// Their signatures are invalid, and each has another sender's name.
    NewNames,
    /// Their signatures are invalid, and each has the name of a vehicle on the road.
    StolenNames,
    /// Their signatures are valid: each transmitter has one certificate.
    ValidSignatures,
}

/// Configuration of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttackSettings {
    /// Kind of its messages.
    pub kind: AttackKind,
    /// Number of transmitters. Each stands where a vehicle was ten seconds after the begin.
    pub transmitters: usize,
    /// Time from one message of a transmitter to its next, in ns.
    pub period_ns: u64,
}

/// The messages of an attack.
#[derive(Clone, Debug)]
pub(crate) struct Attacker {
    kind: AttackKind,
    random: Random,
    names: u64,
}

/// Returns the name of a vehicle's certificate.
pub(crate) fn name(vehicle: usize) -> ClaimedSender {
    ClaimedSender::Certificate(HashedId8((vehicle as u64).to_be_bytes()))
}

/// Names that no vehicle has.
const FALSE_NAMES: u64 = 1 << 63;

impl Attacker {
    pub(crate) fn new(kind: AttackKind, seed: u64) -> Self {
        Self {
            kind,
            random: Random::new(seed).stream("attack", 0),
            names: 0,
        }
    }

    /// Returns whether its signatures are valid.
    pub(crate) fn is_valid(&self) -> bool {
        self.kind == AttackKind::ValidSignatures
    }

    /// Returns the name in a message that a transmitter sends while so many vehicles are known.
    pub(crate) fn sender(&mut self, transmitter: usize, vehicles: usize) -> ClaimedSender {
        match self.kind {
            AttackKind::NewNames => {
                self.names += 1;
                let name = FALSE_NAMES | self.names;
                ClaimedSender::Certificate(HashedId8(name.to_be_bytes()))
            }
            AttackKind::StolenNames => name(self.random.below(vehicles.max(1) as u64) as usize),
            AttackKind::ValidSignatures => {
                let name = FALSE_NAMES | transmitter as u64;
                ClaimedSender::Certificate(HashedId8(name.to_be_bytes()))
            }
        }
    }
}
