//! Requirements of latency: each instance of a stream whose bound lies within the run arrives at
//! each receiver in time, save for those that the vehicle file allows to be lost.

use std::collections::BTreeMap;

use super::{Comparison, Requirement, RequirementVerdict};
use crate::measure::{DeliveryStep, Outcomes, ReceiverFigures, SlowestDelivery, StreamFigures};
use crate::{RunOutcome, VehicleNames};
use waywarden_vehicle_file::formatting::count;
use waywarden_vehicle_file::{Protection, StreamIndex, VehicleFile};
use waywarden_vehicle_trace::{CheckRefusal, DeliveryOutcome as Ended, Loss, LossPlace};

/// The outcomes of a message whose sender or receiver has no key of it.
const WITHOUT_KEY: [Ended; 3] = [
    Ended::Lost(LossPlace::Unprotected.loss(false)),
    Ended::Refused(CheckRefusal::NotReady),
    Ended::Refused(CheckRefusal::UnknownKey),
];

/// The instances of a stream that did not arrive in time, over its receivers.
#[derive(Default)]
struct Missing {
    /// Missing instances by receiver and outcome, beyond what the file allows.
    by_receiver: BTreeMap<(usize, Ended), u64>,
    /// The sum of those.
    instances: u64,
    /// Number of missing instances that the file allows.
    allowed: u64,
    /// Number of all missing instances that a declared fault or absence kept away.
    declared: u64,
    /// Number of instances that were to arrive.
    due: u64,
}

pub(super) fn latencies<'a>(
    file: &'a VehicleFile,
    outcome: &'a RunOutcome,
) -> impl Iterator<Item = RequirementVerdict> + 'a {
    file.require.latency.iter().map(|(stream, bound)| {
        let figures = &outcome.measure.streams[stream.0];
        let watched = &outcome.measure.watched[stream.0];
        let greatest = figures.latency.greatest();
        let missing = Missing::of(file, *stream, &figures.receivers);
        let is_late = greatest.is_some_and(|greatest| greatest > bound.value);
        let has_come = greatest.is_some() || missing.due == 0;
        let met = !is_late && has_come && missing.instances == 0;
        let comparison = Comparison::of_times(bound.value, greatest, "never received");
        let comparison = comparison.with_losses(&missing.words(), missing.instances > 0);
        let cause = (!met).then(|| cause(file, outcome, *stream, &missing));
        let about = (Requirement::Latency, Some(watched.name.as_str()));
        RequirementVerdict {
            instances_lost: missing.instances,
            explain: (!met)
                .then(|| example(figures, &missing, &watched.name))
                .flatten(),
            ..comparison.verdict(about, met, (file, &bound.span), cause)
        }
    })
}

impl Missing {
    fn of(file: &VehicleFile, stream: StreamIndex, receivers: &[ReceiverFigures]) -> Self {
        let mut missing = Missing::default();
        for (at, receiver) in receivers.iter().enumerate() {
            missing.add(file, stream, (at, receiver));
        }
        missing
    }

    fn add(
        &mut self,
        file: &VehicleFile,
        stream: StreamIndex,
        (at, receiver): (usize, &ReceiverFigures),
    ) {
        let loss = &file.require.loss;
        let due: u64 = receiver.due.values().sum();
        self.due += due;
        let mut left = without_delivered(&receiver.due);
        let all: u64 = left.values().sum();
        let declared = |(ended, number): (&Ended, &u64)| match ended {
            Ended::Lost(Loss {
                is_declared: true, ..
            }) => *number,
            _ => 0,
        };
        self.declared += left.iter().map(declared).sum::<u64>() + receiver.shut_out;
        if loss.at_startup {
            for (ended, number) in &receiver.due_at_start {
                if let Some(left) = left.get_mut(ended) {
                    *left = left.saturating_sub(*number);
                }
            }
        }
        if loss.by_faults {
            left.retain(|ended, _| !matches!(ended, Ended::Lost(loss) if loss.is_declared));
            let mut shut_out = receiver.shut_out;
            for ended in WITHOUT_KEY {
                if let Some(number) = left.get_mut(&ended) {
                    let excused = shut_out.min(*number);
                    *number -= excused;
                    shut_out -= excused;
                }
            }
        }
        let mut spare = loss.of(stream, due);
        for number in left.values_mut() {
            let excused = spare.min(*number);
            *number -= excused;
            spare -= excused;
        }
        let number: u64 = left.values().sum();
        self.instances += number;
        self.allowed += all - number;
        let left = left.into_iter().filter(|(_, number)| *number > 0);
        self.by_receiver
            .extend(left.map(|(ended, number)| ((at, ended), number)));
    }

    /// Says how many did not arrive, and how many of these need not.
    fn words(&self) -> String {
        let mut words = Vec::new();
        if self.instances > 0 {
            let lost = count(self.instances + self.allowed, "instance");
            words.push(format!("{lost} of {} did not arrive", self.due));
        }
        if self.allowed > 0 {
            words.push(format!(
                "{} need not arrive",
                count(self.allowed, "instance")
            ));
        }
        if self.declared > 0 {
            let declared = count(self.declared, "instance");
            words.push(format!("a declared fault or absence kept {declared} away"));
        }
        words.join(", ")
    }
}

/// Returns a message that missed a bound: one that did not arrive, or else the slowest.
fn example(figures: &StreamFigures, missing: &Missing, name: &str) -> Option<String> {
    let lost = figures.receivers.iter().find_map(|one| one.missing);
    let slowest = figures.worst.map(|worst| worst.message.number);
    let number = lost.filter(|_| missing.instances > 0).or(slowest)?;
    Some(format!("{name}:{number}"))
}

fn without_delivered(outcomes: &Outcomes) -> Outcomes {
    let mut left = outcomes.clone();
    left.remove(&Ended::Delivered);
    left
}

/// Says why a requirement of latency was missed.
fn cause(
    file: &VehicleFile,
    outcome: &RunOutcome,
    index: StreamIndex,
    missing: &Missing,
) -> String {
    let figures = &outcome.measure.streams[index.0];
    let mut most: Vec<_> = missing.by_receiver.iter().collect();
    most.sort_by_key(|((receiver, _), number)| (std::cmp::Reverse(**number), *receiver));
    let causes = most.iter().take(3).map(|((receiver, ended), number)| {
        let receiver = &outcome.names.ecus[figures.receivers[*receiver].ecu.0];
        let why = lost(file, outcome, index, (*ended, receiver));
        format!("{} to {receiver}: {why}", count(**number, "instance"))
    });
    let mut causes: Vec<String> = causes.collect();
    if most.len() > 3 {
        causes.push(format!("{} more causes", most.len() - 3));
    }
    match &figures.worst {
        _ if !causes.is_empty() => causes.join("; "),
        Some(worst) => slowest(outcome, index, worst),
        None => format!(
            "{} released none of it that was due within the run",
            outcome.names.ecus[outcome.measure.watched[index.0].sender.0]
        ),
    }
}

fn slowest(outcome: &RunOutcome, index: StreamIndex, worst: &SlowestDelivery) -> String {
    let watched = &outcome.measure.watched[index.0];
    let names = &outcome.names;
    format!(
        "{} from {} at {}: {} ({} of it), at {:.6} s",
        watched.name,
        names.ecus[watched.sender.0],
        names.ecus[worst.receiver.0],
        describe(worst.step, names),
        worst.share,
        worst.at.as_seconds()
    )
}

/// Says why instances of a stream did not arrive at a receiver.
fn lost(
    file: &VehicleFile,
    outcome: &RunOutcome,
    index: StreamIndex,
    (ended, receiver): (Ended, &str),
) -> String {
    let watched = &outcome.measure.watched[index.0];
    let sender = &outcome.names.ecus[watched.sender.0];
    let bus = &outcome.names.buses[watched.bus.0];
    let loss = match ended {
        Ended::UnderWay => return "under way at the end, in a queue, on a bus or in a node".into(),
        Ended::Delivered => return String::new(),
        Ended::Refused(why) => return refused(why, receiver),
        Ended::Lost(loss) => loss,
    };
    let declared = match loss.is_declared {
        true => ", as the file declares",
        false => "",
    };
    match loss.place {
        LossPlace::SenderQueue => {
            // A role that protects a stream has room for one of its instances.
            let held_up = match file.stream(index).protection {
                Protection::None => "",
                _ => ", or the one before still waited to be protected",
            };
            format!("the transmit queue of {sender} on {bus} was full when they were due{held_up}")
        }
        LossPlace::Unprotected => format!(
            "{sender} could not protect them: no key, nothing announced or retained, or a counter \
             at its end"
        ),
        LossPlace::Withdrawn => "their node took them back before they were sent".to_owned(),
        LossPlace::BusOff => "a controller was bus-off".to_owned(),
        LossPlace::Reset => format!("an ECU that held them was reset{declared}"),
        LossPlace::Error => format!("{receiver} saw an error where their sender saw none"),
        LossPlace::Overrun => "a receive queue was full".to_owned(),
        LossPlace::GatewayDropped => "the storage of a gateway was full".to_owned(),
        LossPlace::GatewayRefused => "a gateway did not find them authentic".to_owned(),
        LossPlace::Suppressed => "an attacker in a gateway dropped them".to_owned(),
        LossPlace::Modified => "an attacker in a gateway changed them".to_owned(),
        LossPlace::Overwritten => "an interferer changed them on the wire".to_owned(),
        LossPlace::Absent => format!("{receiver} or a gateway was not on the bus{declared}"),
    }
}

fn refused(why: CheckRefusal, receiver: &str) -> String {
    match why {
        CheckRefusal::WrongTag => format!("{receiver} refused them for a wrong tag"),
        CheckRefusal::Replay => format!("{receiver} refused them as replays"),
        CheckRefusal::Missing => format!("{receiver} refused them: data came whose tags did not"),
        CheckRefusal::TagWithoutData => format!("{receiver} refused them: tags came without data"),
        CheckRefusal::OutOfStep => format!("{receiver} refused them: it was out of step"),
        CheckRefusal::NoRoom => {
            format!("{receiver} had no room for them while others waited to be checked")
        }
        CheckRefusal::NotReady => {
            format!("{receiver} was not ready for them: no key, or memory damaged or used up")
        }
        CheckRefusal::UnknownKey => format!("{receiver} had another key than theirs"),
    }
}

/// Returns the description of a step of a frame's way.
#[must_use]
pub fn describe(step: DeliveryStep, names: &VehicleNames) -> String {
    match step {
        DeliveryStep::QueueFull(ecu) => {
            format!("{}'s transmit queue had no room", names.ecus[ecu.0])
        }
        DeliveryStep::SendTask(ecu) => {
            format!(
                "{}'s processor was busy before the frame could be sent",
                names.ecus[ecu.0]
            )
        }
        DeliveryStep::Waiting(bus, 0) => {
            format!("waited for {} to become free", names.buses[bus.0])
        }
        DeliveryStep::Waiting(bus, losses) => format!(
            "waited for {} and lost {losses} arbitrations there",
            names.buses[bus.0]
        ),
        DeliveryStep::Repeated(bus, attempts) => {
            format!("needed {attempts} attempts on {}", names.buses[bus.0])
        }
        DeliveryStep::OnTheWire(bus) => format!("was on the wire of {}", names.buses[bus.0]),
        DeliveryStep::Checking(ecu) => {
            format!("{} waited for the tag and checked it", names.ecus[ecu.0])
        }
        DeliveryStep::ReceiveTask(ecu) => {
            format!(
                "{}'s processor was busy before it took the frame",
                names.ecus[ecu.0]
            )
        }
    }
}
