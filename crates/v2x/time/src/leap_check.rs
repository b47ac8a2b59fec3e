//! Comparison of times with the system's clock for differences of whole leap seconds.

use super::{ClockEvent, LeapSecondFault};

/// Farthest from whole seconds, in microseconds.
///
/// `Choice:` 300 ms. The delay from a receiver to here is not known; receivers at serial ports have
/// 50 to 250 ms.
const TOLERANCE: i64 = 300_000;
/// The same while a fault is reported: a difference near the bound is reported once.
const TOLERANCE_REPORTED: i64 = 450_000;
/// Compares times with the system's clock.
#[derive(Debug, Default)]
pub(super) struct LeapSecondCheck(Option<LeapSecondFault>);

impl LeapSecondCheck {
    /// Takes the difference of now; returns what to report.
    pub(super) fn update(&mut self, by: i64, tai: i64) -> Option<ClockEvent> {
        let tolerance = match self.0 {
            None => TOLERANCE,
            Some(_) => TOLERANCE_REPORTED,
        };
        let fault = LeapSecondFault::of(by, tai, tolerance);
        if fault == self.0 {
            return None;
        }
        self.0 = fault;
        Some(match fault {
            Some(fault) => ClockEvent::LeapSecondsDiffer { by, fault },
            None => ClockEvent::LeapSecondsAgree,
        })
    }

    pub(super) fn is_failing(&self) -> bool {
        self.0.is_some()
    }
}
