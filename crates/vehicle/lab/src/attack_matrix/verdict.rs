//! The result of an attack, by the messages that receivers accepted and their times.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_can_sim::clock::Time;
use waywarden_work::Duration;

use super::{DURATION_MS, SETTLED_MS};

/// From one message to the next.
const PERIOD: Duration = Duration::from_millis(10);

/// A longer time without a message means that one is missing.
const GAP: Duration = Duration::from_millis(15);

/// Result of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "verdict")]
pub enum AttackVerdict {
    /// Receivers took what they must not.
    Works {
        /// Number of messages.
        taken: u64,
    },
    /// A gateway that verifies let pass what is no authentic message.
    Passes {
        /// Number of frames.
        frames: u64,
    },
    /// Nothing false was taken; messages were lost, or late.
    Availability {
        /// Number of messages that never came.
        lost: u64,
        /// The longest time without one.
        longest_gap_ms: f64,
        /// Time from the end of the attack until all messages came again; none if that never
        /// happened.
        whole_after_ms: Option<f64>,
    },
    /// Nothing false was taken, nothing lost.
    Refused,
}

impl AttackVerdict {
    /// Returns it in a word: `works` with what was taken, `passes` with what went through,
    /// `for ever` for a stream that never came again, how many messages were lost, `late`,
    /// `refused`.
    #[must_use]
    pub fn brief(&self) -> String {
        match self {
            AttackVerdict::Works { taken } => format!("works: {taken}"),
            AttackVerdict::Passes { frames } => format!("passes: {frames}"),
            AttackVerdict::Refused => "refused".to_owned(),
            AttackVerdict::Availability {
                whole_after_ms: None,
                ..
            } => "for ever".to_owned(),
            AttackVerdict::Availability { lost: 0, .. } => "late".to_owned(),
            AttackVerdict::Availability { lost, .. } => format!("{lost} lost"),
        }
    }

    /// Returns true if the attacker only delayed messages or kept them away, and all came again
    /// within `bound_ms` milliseconds.
    #[must_use]
    pub fn holds(&self, bound_ms: f64) -> bool {
        match self {
            AttackVerdict::Works { .. } | AttackVerdict::Passes { .. } => false,
            AttackVerdict::Availability { whole_after_ms, .. } => {
                whole_after_ms.is_some_and(|after| after <= bound_ms)
            }
            AttackVerdict::Refused => true,
        }
    }
}

/// As tables print it.
impl fmt::Display for AttackVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AttackVerdict::Works { taken } => write!(f, "works: {taken} taken"),
            AttackVerdict::Passes { frames } => write!(f, "works: {frames} pass"),
            AttackVerdict::Refused => write!(f, "refused"),
            AttackVerdict::Availability {
                whole_after_ms: None,
                ..
            } => write!(f, "availability only: for ever"),
            AttackVerdict::Availability {
                lost,
                longest_gap_ms,
                whole_after_ms: Some(after),
            } => write!(
                f,
                "availability only: {lost} lost, {longest_gap_ms:.0} ms, whole after {after:.0} ms"
            ),
        }
    }
}

/// Compares the messages accepted under attack with those accepted without.
pub(super) fn cost(attacked: &[Time], peace: &[Time], end: Time) -> AttackVerdict {
    let lost = peace.len().saturating_sub(attacked.len()) as u64;
    let longest = longest_gap(attacked);
    if lost == 0 && longest <= longest_gap(peace) + PERIOD {
        return AttackVerdict::Refused;
    }
    let settled = |times: &[Time]| times.iter().filter(|at| **at >= ms(SETTLED_MS)).count();
    let is_whole = settled(attacked) >= settled(peace);
    AttackVerdict::Availability {
        lost,
        longest_gap_ms: longest.as_nanos() as f64 / 1e6,
        whole_after_ms: is_whole.then(|| whole_after(attacked, end)),
    }
}

/// Returns the time from an attack's end to the message that was followed by all others, in ms.
fn whole_after(times: &[Time], end: Time) -> f64 {
    let mut from = None;
    for pair in times.windows(2).rev() {
        from = Some(pair[1]);
        if gap(pair[0], pair[1]) > GAP {
            break;
        }
        from = Some(pair[0]);
    }
    let from = from.map_or(0, Time::as_picos);
    from.saturating_sub(end.as_picos()) as f64 / 1e9
}

/// The longest time without a message, to the end of the run.
fn longest_gap(times: &[Time]) -> Duration {
    let end = ms(DURATION_MS);
    let next = times.iter().skip(1).chain([&end]);
    let gaps = times.iter().zip(next).map(|(one, next)| gap(*one, *next));
    gaps.max().unwrap_or(Duration::from_millis(DURATION_MS))
}

fn gap(from: Time, to: Time) -> Duration {
    waywarden_vehicle_report::measure::span(from, to)
}

pub(super) const fn ms(millis: u64) -> Time {
    Time::from_nanos(millis * 1_000_000)
}
