//! Requirements of latency: how late a stream came at its receivers, and which of its instances
//! never did, with the cause. What a run measures is `measure`'s.

use super::{Comparison, Requirement, Verdict};
use crate::measure::{CheckFigures, Receipts, Step};
use crate::{Names, Outcome};
use waywarden_vehicle_file::formatting::count;
use waywarden_vehicle_file::{Protection, StreamIndex, VehicleFile};

pub(super) fn latencies<'a>(
    file: &'a VehicleFile,
    outcome: &'a Outcome,
) -> impl Iterator<Item = Verdict> + 'a {
    file.require.latency.iter().map(|(stream, bound)| {
        let figures = &outcome.measure.streams[stream.0];
        let watched = &outcome.measure.watched[stream.0];
        let greatest = figures.latency.greatest();
        // An instance that never left, or that no receiver took, is later than any bound.
        let skipped = outcome.measure.skipped(stream.0);
        // So is one that could not be protected or opened under a security module's keys.
        let unopened = unopened(file, outcome, stream.0);
        // Those withheld for want of such a key are counted there, and only between two keys.
        let tagged = file.authentication_of(*stream).is_some();
        let withheld = if tagged {
            outcome.measure.withheld(stream.0)
        } else {
            0
        };
        let (never_left, refused) = (skipped + withheld, figures.refused);
        let lost = never_left + refused > 0 || unopened.is_some();
        let met = !lost && greatest.is_some_and(|greatest| greatest <= bound.value);
        let mut comparison = Comparison::of_times(bound.value, greatest, "never received");
        let sum = |of: fn(&CheckFigures) -> u64| checks(outcome, stream.0).map(of).sum::<u64>();
        let unchecked = |one: &CheckFigures| one.no_room + one.not_ready + one.unfinished();
        let unchecked = match (sum(CheckFigures::refused), sum(unchecked)) {
            (_, 0) => "refused",
            (0, _) => "not checked",
            _ => "refused or not checked",
        };
        for (instances, what) in [(never_left, "never left"), (refused, unchecked)] {
            if instances > 0 {
                comparison = comparison.also(&format!(", {} {what}", count(instances, "instance")));
            }
        }
        let mut instances_lost = never_left + refused;
        if let Some(lost) = &unopened {
            comparison = comparison.also(&format!(", {}", lost.measured));
            instances_lost += lost.instances;
        }
        let unopened = unopened.map(|lost| lost.cause);
        let cause = (!met).then(|| cause(file, outcome, *stream, (withheld, unopened)));
        let about = (Requirement::Latency, Some(watched.name.as_str()));
        Verdict {
            instances_lost,
            ..comparison.verdict(about, met, (file, &bound.span), cause)
        }
    })
}

/// Says why a requirement of latency was missed, if `withheld` instances were not sent for want of
/// what authentication needs, and others for the cause told could not be opened.
fn cause(
    file: &VehicleFile,
    outcome: &Outcome,
    index: StreamIndex,
    (withheld, unopened): (u64, Option<String>),
) -> String {
    let stream = index.0;
    let figures = &outcome.measure.streams[stream];
    let watched = &outcome.measure.watched[stream];
    let (skipped, refused) = (outcome.measure.skipped(stream), figures.refused);
    let sender = &outcome.names.ecus[watched.sender.0];
    let bus = &outcome.names.buses[watched.bus.0];
    match (&figures.worst, unopened) {
        _ if withheld > skipped.max(refused) => format!(
            "{sender} could not protect them: no key, nothing announced or retained, or a counter \
             at its end"
        ),
        _ if refused > skipped => refusers(outcome, stream),
        _ if skipped > 0 => {
            // A role that protects a stream has room for one of its instances.
            let held_up = match file.stream(index).protection {
                Protection::None => "",
                _ => ", or the one before still waited to be protected",
            };
            format!("the transmit queue of {sender} on {bus} was full when they were due{held_up}")
        }
        (_, Some(unopened)) => unopened,
        (Some(worst), None) => format!(
            "{} from {sender} at {}: {} ({} of it), at {:.6} s",
            watched.name,
            outcome.names.ecus[worst.receiver.0],
            describe(worst.step, &outcome.names),
            worst.share,
            worst.at.as_seconds()
        ),
        (None, None) => format!(
            "{sender} sent it {} times on {bus}; no receiver got it",
            figures.requested
        ),
    }
}

/// The checks of a stream.
fn checks(outcome: &Outcome, stream: usize) -> impl Iterator<Item = &CheckFigures> {
    let all = outcome.measure.checks().iter().flatten();
    all.filter(move |check| check.stream == stream)
}

/// Says which ECUs did not find frames of a stream authentic, how many, and why.
fn refusers(outcome: &Outcome, stream: usize) -> String {
    let of = |check: &CheckFigures| {
        let name = &outcome.names.ecus[check.ecu.0];
        let frames = |number: u64| count(number, "frame");
        let causes = [
            (
                check.no_room,
                format!("had no room for {}", frames(check.no_room)),
                " while others waited to be checked",
            ),
            (
                check.refused(),
                format!("refused {}", frames(check.refused())),
                "",
            ),
            (
                check.not_ready,
                format!("was not ready for {}", frames(check.not_ready)),
                ": what it retained is damaged or exhausted",
            ),
            (
                check.unfinished(),
                format!("did not finish checking {}", frames(check.unfinished())),
                "",
            ),
        ];
        let causes = causes.into_iter().filter(|(number, ..)| *number > 0);
        let said: Vec<String> = causes
            .map(|(_, what, why)| format!("{name} {what}{why}"))
            .collect();
        said
    };
    let said: Vec<String> = checks(outcome, stream).flat_map(of).collect();
    match said.is_empty() {
        true => "data came whose tags did not".to_owned(),
        false => said.join(", "),
    }
}

/// A way in which instances of a protected stream are lost at its ECUs, and how many were.
struct Loss {
    instances: u64,
    measured: String,
    cause: String,
}

/// Returns how instances of a stream under a security module's keys were lost at its ECUs, with the
/// cause of most of them where it took most.
fn unopened(file: &VehicleFile, outcome: &Outcome, stream: usize) -> Option<Loss> {
    let name = &file.streams[stream].name.value;
    let kinds = [
        loss(
            file,
            outcome,
            stream,
            |one| one.between_keys,
            |ecu, most| {
                let cause = format!("the key of {name} was over at {ecu} before the next had come");
                ("without a key", format!("{cause}, for {most}"))
            },
        ),
        loss(
            file,
            outcome,
            stream,
            |one| one.unknown_genuine,
            |ecu, most| {
                let cause =
                    format!("{most} of {name} came to {ecu} under a key that it did not have");
                (
                    "under a key not given",
                    format!("{cause}, though it had another"),
                )
            },
        ),
        loss(
            file,
            outcome,
            stream,
            |one| one.no_room_genuine,
            |ecu, most| {
                let cause = format!("{ecu} had no room for {most} of {name}");
                (
                    "without room",
                    format!("{cause} while others waited to be opened"),
                )
            },
        ),
    ];
    let losses: Vec<Loss> = kinds.into_iter().flatten().collect();
    let measured: Vec<&str> = losses.iter().map(|loss| loss.measured.as_str()).collect();
    let most = losses.iter().max_by_key(|loss| loss.instances)?;
    Some(Loss {
        instances: losses.iter().map(|loss| loss.instances).sum(),
        measured: measured.join(", "),
        cause: most.cause.clone(),
    })
}

/// Sums up a kind of loss over the ECUs of a stream; `tell` is given the ECU that lost most and how
/// many, and returns words for what was measured and for the cause.
fn loss(
    file: &VehicleFile,
    outcome: &Outcome,
    stream: usize,
    part: fn(&Receipts) -> u64,
    tell: impl Fn(&str, &str) -> (&'static str, String),
) -> Option<Loss> {
    let draft = &file.streams[stream];
    let receivers = draft.receivers.iter().map(|one| one.ecu);
    let lost = receivers.chain([draft.sender]).map(|ecu| {
        let receipts = outcome.measure.receipts(stream, ecu.0);
        (part(&receipts), ecu)
    });
    let instances = lost.clone().map(|(lost, _)| lost).sum();
    let (most, ecu) = lost.max_by_key(|(lost, _)| *lost)?;
    let (what, cause) = tell(&file.ecu(ecu).name.value, &count(most, "instance"));
    let measured = format!("{} {what}", count(instances, "instance"));
    (instances > 0).then_some(Loss {
        instances,
        measured,
        cause,
    })
}

/// Says what a step of a frame's way was, for people.
#[must_use]
pub fn describe(step: Step, names: &Names) -> String {
    match step {
        Step::QueueFull(ecu) => {
            format!("{}'s transmit queue had no room", names.ecus[ecu.0])
        }
        Step::SendTask(ecu) => {
            format!(
                "{}'s processor was busy before the frame could be sent",
                names.ecus[ecu.0]
            )
        }
        Step::Waiting(bus, 0) => format!("waited for {} to become free", names.buses[bus.0]),
        Step::Waiting(bus, losses) => format!(
            "waited for {} and lost {losses} arbitrations there",
            names.buses[bus.0]
        ),
        Step::Repeated(bus, attempts) => {
            format!("needed {attempts} attempts on {}", names.buses[bus.0])
        }
        Step::OnTheWire(bus) => format!("was on the wire of {}", names.buses[bus.0]),
        Step::Checking(ecu) => {
            format!("{} waited for the tag and checked it", names.ecus[ecu.0])
        }
        Step::ReceiveTask(ecu) => {
            format!(
                "{}'s processor was busy before it took the frame",
                names.ecus[ecu.0]
            )
        }
    }
}
