//! Deliveries of messages to their receivers, and the outcomes of all at the end.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_vehicle_trace::{DeliveryOutcome, Genuine, GroundTruth};
use waywarden_work::Duration;

use super::figures::{Outcomes, ReceiverFigures, SlowestDelivery, StreamFigures};
use super::{Measure, span};

impl Measure {
    /// Counts the first delivery of a message of a stream to an ECU.
    pub(super) fn delivered(&mut self, at: Time, (stream, ecu): (usize, EcuIndex), of: &Genuine) {
        let (Some(figures), Some(watched)) =
            (self.streams.get_mut(stream), self.watched.get(stream))
        else {
            return;
        };
        let mut receivers = figures.receivers.iter_mut();
        // A gateway that verifies a message for others has not received it by that.
        let receiver = receivers.find(|one| one.ecu == ecu && of.is_for_itself);
        let Some(receiver) = receiver else {
            return;
        };
        let latency = span(of.released, at);
        receiver.add(at, latency, watched.deadline);
        figures.delivered += 1;
        figures.late += u64::from(latency > watched.deadline);
        let greatest = figures.latency.greatest();
        if greatest.is_none_or(|greatest| latency > greatest) {
            let (step, share) = of.longest;
            figures.worst = Some(SlowestDelivery {
                at,
                message: of.message,
                receiver: ecu,
                latency,
                step,
                share,
            });
        }
        figures.latency.add(latency);
        let has_one = |one: &ReceiverFigures| one.first.is_some();
        if figures.complete.is_none() && figures.receivers.iter().all(has_one) {
            figures.complete = Some(at);
        }
    }
}

impl ReceiverFigures {
    fn add(&mut self, at: Time, latency: Duration, deadline: Duration) {
        self.delivered += 1;
        self.late += u64::from(latency > deadline);
        self.sum += u128::from(latency.as_nanos());
        self.longest = self.longest.max(Some(latency));
        self.first.get_or_insert(at);
    }
}

impl StreamFigures {
    /// Takes the outcomes of its instances; those released up to `bound` before the end are due.
    pub(super) fn finish(
        &mut self,
        end: Time,
        truth: &GroundTruth,
        (stream, bound): (usize, Duration),
        boots: &[Vec<Time>],
        sender: EcuIndex,
    ) {
        let releases = truth.releases(stream);
        self.released = releases.len() as u64;
        let due = releases.partition_point(|released| *released + bound <= end);
        for (at, receiver) in self.receivers.iter_mut().enumerate() {
            receiver.repeated = truth.repeated(stream, at);
            let mut start = Start::new([sender, receiver.ecu].map(|ecu| boots.get(ecu.0)));
            for (number, outcome) in truth.outcomes(stream, at).enumerate() {
                *receiver.outcomes.entry(outcome).or_default() += 1;
                let is_due = number < due;
                if is_due && outcome != DeliveryOutcome::Delivered {
                    receiver.missing = u32::try_from(number).ok();
                }
                if is_due {
                    *receiver.due.entry(outcome).or_default() += 1;
                }
                start.pass(
                    releases[number],
                    (outcome, is_due),
                    &mut receiver.due_at_start,
                );
            }
        }
    }
}

/// The starts of a stream at a receiver: from each boot of its sender or of the receiver to the
/// next delivery.
struct Start {
    /// The boots to come, the last one first.
    boots: Vec<Time>,
    /// Instances by other outcome since the last boot; none once one was delivered.
    since: Option<Outcomes>,
}

impl Start {
    fn new(boots: [Option<&Vec<Time>>; 2]) -> Self {
        let mut boots: Vec<Time> = boots.into_iter().flatten().flatten().copied().collect();
        boots.sort_unstable_by(|one, other| other.cmp(one));
        Start {
            boots,
            since: Some(Outcomes::new()),
        }
    }

    /// Passes the next instance; adds those of a start to `started` once it is over.
    fn pass(
        &mut self,
        released: Time,
        (outcome, is_due): (DeliveryOutcome, bool),
        started: &mut Outcomes,
    ) {
        while self.boots.last().is_some_and(|boot| *boot <= released) {
            self.boots.pop();
            self.since.get_or_insert_with(Outcomes::new);
        }
        if outcome != DeliveryOutcome::Delivered {
            if let Some(since) = self.since.as_mut().filter(|_| is_due) {
                *since.entry(outcome).or_default() += 1;
            }
            return;
        }
        for (outcome, number) in self.since.take().into_iter().flatten() {
            *started.entry(outcome).or_default() += number;
        }
    }
}
