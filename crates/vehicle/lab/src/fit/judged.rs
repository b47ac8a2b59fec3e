//! A message under a candidate beside the same message without codes: deadlines that it misses
//! newly, and those that it misses by more.

use waywarden_response_time::NoBound;
use waywarden_vehicle_bound::StreamBound;
use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_file::formatting::{count, percent};
use waywarden_vehicle_report::measure::StreamFigures;
use waywarden_vehicle_report::report::Report;
use waywarden_vehicle_trace::DeliveryOutcome;

use super::latency::longest;

/// The smallest difference of two times that counts, in milliseconds: figures show microseconds.
const SHOWN_MS: f64 = 0.000_5;

/// A message with receivers, in the analysis and in the simulation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judged {
    pub(super) name: String,
    pub(super) deadline_ms: f64,
    /// Its bound; none where the analysis has none.
    pub(super) bound_ms: Option<f64>,
    /// True if the bound is beyond the deadline, or there is none, and it may not be refused.
    pub(super) is_beyond: bool,
    /// True if a receiver may refuse it by analysis, because its code may come too late or too
    /// early.
    pub(super) may_be_refused: bool,
    /// Its slowest delivery.
    pub(super) simulated_ms: Option<f64>,
    /// Instances that were late, or that were under way beyond their deadline at the end.
    pub(super) late: u64,
    /// True if it was due more than once and never arrived at a receiver.
    pub(super) never_arrived: bool,
    /// Instances that a receiver refused or that were lost, but for those of a start.
    pub(super) refused_or_lost: u64,
}

impl Judged {
    /// Takes the messages with receivers of a vehicle.
    pub(super) fn all(
        file: &VehicleFile,
        bounds: &[StreamBound],
        report: &Report,
        figures: &[StreamFigures],
    ) -> Vec<Self> {
        let rows = report.streams.iter().zip(&file.streams).enumerate();
        let rows = rows.filter(|(_, (_, stream))| !stream.receivers.is_empty());
        let judged = rows.map(|(at, (row, stream))| {
            let missing = figures.get(at).map(Missing::of).unwrap_or_default();
            let may_be_refused = bounds.iter().any(|one| {
                one.stream.0 == at
                    && matches!(one.bound, Err(NoBound::LateCode | NoBound::EarlyCode))
            });
            let bound = longest(bounds, at).map(Result::ok);
            let deadline = stream.deadline.as_nanos().saturating_mul(1_000);
            let is_met = |one: &StreamBound| one.bound.is_ok_and(|bound| bound <= deadline);
            let mut own = bounds.iter().filter(|one| one.stream.0 == at);
            Judged {
                name: row.stream.clone(),
                deadline_ms: row.deadline_ms,
                bound_ms: bound.flatten(),
                is_beyond: !may_be_refused && !own.all(is_met),
                may_be_refused,
                simulated_ms: row.worst_ms,
                late: row.late + missing.overdue,
                never_arrived: missing.is_all,
                refused_or_lost: missing.lost,
            }
        });
        judged.collect()
    }

    /// Returns true if it misses its deadline in the simulation.
    pub(super) const fn is_late(&self) -> bool {
        self.late > 0 || self.never_arrived
    }

    /// Returns true if it misses a deadline that it meets in the other row.
    pub(super) const fn newly_misses(&self, other: &Self) -> bool {
        (self.is_late() && !other.is_late()) || (self.is_beyond && !other.is_beyond)
    }

    /// Says by how much more it misses a deadline that it misses in the other row as well; none if
    /// not by more.
    pub(super) fn more_than(&self, other: &Self) -> Option<String> {
        let is_longer = |own: f64, other: f64| own > other + SHOWN_MS;
        let of_deadline = |ms: f64| percent(ms / self.deadline_ms);
        if self.is_late() && other.is_late() {
            match (self.simulated_ms, other.simulated_ms) {
                (None, Some(other)) => {
                    return Some(format!(
                        "{} never arrives, and took {other:.3} ms",
                        self.name
                    ));
                }
                (Some(own), Some(other)) if is_longer(own, other) => {
                    return Some(format!(
                        "{} takes {} of its deadline in the simulation instead of {}",
                        self.name,
                        of_deadline(own),
                        of_deadline(other)
                    ));
                }
                _ if self.late > other.late => {
                    let own = count(self.late, "time");
                    return Some(format!(
                        "{} is late {own} instead of {}",
                        self.name, other.late
                    ));
                }
                _ => {}
            }
        }
        match (self.bound_ms, other.bound_ms) {
            _ if !self.is_beyond || !other.is_beyond => None,
            (None, Some(other)) => Some(format!(
                "{} has no bound, and one of {} of its deadline before",
                self.name,
                of_deadline(other)
            )),
            (Some(own), Some(other)) if is_longer(own, other) => Some(format!(
                "{} has a bound of {} of its deadline instead of {}",
                self.name,
                of_deadline(own),
                of_deadline(other)
            )),
            _ => None,
        }
    }
}

/// Instances of a message that did not arrive, over all receivers.
#[derive(Clone, Copy, Debug, Default)]
struct Missing {
    /// Those refused or lost, save for those before the first delivery after a start.
    lost: u64,
    /// Those still under way beyond their deadline.
    overdue: u64,
    /// True if a receiver had none of several that were due.
    is_all: bool,
}

impl Missing {
    fn of(figures: &StreamFigures) -> Self {
        let mut missing = Missing::default();
        for receiver in &figures.receivers {
            let due: u64 = receiver.due.values().sum();
            let arrived = receiver.delivered > 0;
            // A single instance may be one of the start, which is not over in so short a run.
            let is_past_start = arrived || due > 1;
            missing.is_all |= !arrived && due > 1;
            for (outcome, number) in &receiver.due {
                let at_start = receiver.due_at_start.get(outcome).copied().unwrap_or(0);
                match outcome {
                    DeliveryOutcome::UnderWay => missing.overdue += number,
                    DeliveryOutcome::Refused(_) | DeliveryOutcome::Lost(_) if is_past_start => {
                        missing.lost += number.saturating_sub(at_start);
                    }
                    _ => {}
                }
            }
        }
        missing
    }
}

/// A missed requirement.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MissedRequirement {
    pub(super) title: String,
    /// The measured value; none if that did not happen.
    pub(super) measured: Option<f64>,
    pub(super) measured_text: String,
    pub(super) instances_lost: u64,
}

impl MissedRequirement {
    /// Takes the requirements that a run missed.
    pub(super) fn all(report: &Report) -> Vec<Self> {
        let missed = report.requirements.iter().filter(|one| !one.met);
        let missed = missed.map(|one| MissedRequirement {
            title: one.title.clone(),
            measured: one.measured,
            measured_text: one.measured_text.clone(),
            instances_lost: one.instances_lost,
        });
        missed.collect()
    }

    /// Says by how much more it is missed than in the other row; none if not by more. What is
    /// measured is the worse the larger it is.
    pub(super) fn more_than(&self, other: &Self) -> Option<String> {
        let is_more = match (self.measured, other.measured) {
            (None, Some(_)) => true,
            (Some(own), Some(other)) => own > other,
            _ => false,
        };
        (is_more || self.instances_lost > other.instances_lost).then(|| {
            format!(
                "{}: {} instead of {}",
                self.title, self.measured_text, other.measured_text
            )
        })
    }
}
