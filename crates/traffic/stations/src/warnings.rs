//! Warnings of hard braking, as DENM \[EN 302 637-3\].

use std::collections::HashMap;

use waywarden_v2x_station::denm::DenmEvent;
use waywarden_v2x_station::{Motion, Station};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use crate::figures::WarningFigures;
use crate::kinematics::Kinematics;

/// A vehicle warns of a deceleration of as much, in m/s². `Choice:` SUMO's vehicles brake with 4.5
/// at most, but in an emergency.
const BRAKING_M_S2: f64 = 4.0;
/// A warning holds for so long, in seconds.
const VALID_S: u32 = 2;
/// Time from one message of a warning to its next, in ms.
const REPEATED_MS: u16 = 100;
/// Dangerous situation, emergency brake lights \[TS 102 894-2 §A.10\].
const CAUSE: (u8, u8) = (99, 1);

/// Warnings of one vehicle, and those that it has received.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    /// Time at which it began to brake hard, in ns, while its warning holds.
    since_ns: Option<u64>,
    /// By vehicle: the begin of the last warning that was received.
    received: HashMap<usize, u64>,
}

impl Warnings {
    /// Returns true if it warns, or has to.
    pub(crate) fn is_due(&self, truth: &Kinematics) -> bool {
        self.since_ns.is_some() || brakes(truth)
    }

    /// Begins to warn, if the vehicle brakes hard and does not warn yet.
    pub(crate) fn update(
        &mut self,
        truth: &Kinematics,
        (station, motion): (&mut Station, &Motion),
        (now, now_ns): (Time64, u64),
        figures: &mut WarningFigures,
    ) {
        let holds = |since: u64| now_ns < since + u64::from(VALID_S) * 1_000_000_000;
        self.since_ns = self.since_ns.filter(|since| holds(*since));
        if self.since_ns.is_some() || !brakes(truth) {
            return;
        }
        let event = DenmEvent {
            validity_s: VALID_S,
            interval_ms: Some(REPEATED_MS),
            ..DenmEvent::new(CAUSE.0, CAUSE.1)
        };
        // One warning at a time: there is room for it.
        if station.trigger(event, motion, now).is_ok() {
            self.since_ns = Some(now_ns);
            figures.warnings += 1;
        }
    }

    /// Returns the begin of its warning.
    pub(crate) fn since_ns(&self) -> Option<u64> {
        self.since_ns
    }

    /// Takes a message of another vehicle's warning that began so, and was accepted.
    pub(crate) fn received(
        &mut self,
        (sender, since_ns): (usize, u64),
        now_ns: u64,
        figures: &mut WarningFigures,
    ) {
        if self.received.insert(sender, since_ns) == Some(since_ns) {
            return;
        }
        let delay = now_ns.saturating_sub(since_ns);
        figures.received += 1;
        figures.delay_ns.0 += delay;
        figures.delay_ns.1 = figures.delay_ns.1.max(delay);
    }
}

fn brakes(truth: &Kinematics) -> bool {
    truth
        .acceleration_m_s2
        .is_some_and(|forwards| forwards <= -BRAKING_M_S2)
}
