//! The kinds of attackers, interferers and faults, as vehicle files write them.

use waywarden_vehicle_file::{Attack, EcuFailureKind, Interference};

use super::{AttackRow, AttackerAction};

impl AttackRow {
    /// Returns true if it drops, destroys or delays messages and forges none. Its effect shows in
    /// latencies and losses, and no authentication stops it.
    #[must_use]
    pub fn denies_service(&self) -> bool {
        let drops = [AttackerAction::FrameSuppressed, AttackerAction::Strike];
        let shows_others = ["error-passive-overwrite", "double-receive", "janus"];
        self.kind == "flood" || (drops.contains(&self.action) && !shows_others.contains(&self.kind))
    }
}

/// Returns the `kind` of an attacker.
pub(super) const fn of_attack(attack: &Attack) -> &'static str {
    match attack {
        Attack::Spoof { .. } => "spoof",
        Attack::Replay { .. } => "replay",
        Attack::Forge { .. } => "forge",
        Attack::Relay { .. } => "relay",
        Attack::Flood { .. } => "flood",
        Attack::Register { .. } => "register",
        Attack::Masquerade { .. } => "masquerade",
        Attack::ManInTheMiddle { .. } => "man-in-the-middle",
        Attack::Suppress { .. } => "suppress",
        Attack::Modify { .. } => "modify",
        Attack::Compromise { .. } => "compromise",
    }
}

/// Returns the `kind` of an interferer.
pub(super) const fn of_interference(interference: &Interference) -> &'static str {
    match interference {
        Interference::BitErrors { .. } => "bit-errors",
        Interference::ReceiverLocal { .. } => "receiver-local",
        Interference::BusOff { .. } => "bus-off",
        Interference::ErrorPassiveOverwrite { .. } | Interference::KeyFrameOverwrite { .. } => {
            "error-passive-overwrite"
        }
        Interference::Babbling { .. } => "babbling",
        Interference::DoubleReceive { .. } => "double-receive",
        Interference::Janus { .. } => "janus",
    }
}

/// Returns the `kind` of a fault.
pub(super) const fn of_fault(kind: &EcuFailureKind) -> &'static str {
    match kind {
        EcuFailureKind::Reset => "reset",
        EcuFailureKind::Replaced => "replaced",
        EcuFailureKind::ClockDrift { .. } => "clock-drift",
        EcuFailureKind::BusOpen { .. } => "bus-open",
    }
}
