//! Requirements: what the vehicle file asks for, what the run showed, and if it fell short, why.

mod authentic;
mod latency;
mod verdict;

use waywarden_can_sim::clock::Time;

use crate::RunOutcome;
use crate::measure::keys::GroupFigures;
use crate::measure::lasan::NetworkFigures;
use crate::measure::span;
use waywarden_vehicle_file::formatting::{count, percent};
use waywarden_vehicle_file::{EcuIndex, Lasan, Located, VehicleFile};

pub use self::authentic::{is_expected, waited_for};
pub use self::latency::describe;
pub(crate) use self::verdict::Comparison;
use self::verdict::from_power_on;
pub use self::verdict::{Requirement, RequirementUnit, RequirementVerdict};

/// Checks a run against the requirements of its vehicle file, in the file's order of kinds.
#[must_use]
pub fn verdicts(file: &VehicleFile, outcome: &RunOutcome) -> Vec<RequirementVerdict> {
    let mut verdicts = Vec::new();
    verdicts.extend(startup(file, outcome));
    verdicts.extend(group_keys(file, outcome));
    verdicts.extend(authorizations(file, outcome));
    verdicts.extend(authentic::authentic(file, outcome));
    verdicts.extend(bus_loads(file, outcome));
    verdicts.extend(cpu_loads(file, outcome));
    verdicts.extend(latency::latencies(file, outcome));
    verdicts.extend(undeceived(file, outcome));
    verdicts
}

fn startup(file: &VehicleFile, outcome: &RunOutcome) -> Option<RequirementVerdict> {
    let required = file.require.startup.as_ref()?;
    let measure = &outcome.measure;
    let shown = from_power_on(measure.start_up());
    let met = shown.is_some_and(|shown| shown <= required.value);
    let last = measure
        .streams
        .iter()
        .zip(&measure.watched)
        .filter(|(_, watched)| !watched.receivers.is_empty())
        .max_by_key(|(stream, _)| stream.complete.unwrap_or(Time::NEVER));
    let cause = last.filter(|_| !met).map(|(stream, watched)| {
        let when = stream.complete.map_or("never".to_owned(), |time| {
            format!("after {}", span(Time::ZERO, time))
        });
        format!(
            "stream {} of {} on {} reached all its receivers {when}",
            watched.name, outcome.names.ecus[watched.sender.0], outcome.names.buses[watched.bus.0]
        )
    });
    let comparison = Comparison::of_times(required.value, shown, "not up by the end");
    let about = (Requirement::StartUp, None);
    Some(comparison.verdict(about, met, (file, &required.span), cause))
}

fn undeceived(file: &VehicleFile, outcome: &RunOutcome) -> Vec<RequirementVerdict> {
    let (measure, names) = (&outcome.measure, &outcome.names);
    let verdict = |ecu: &Located<EcuIndex>| {
        let at = ecu.value.0;
        let taken = measure.forgeries.taken.iter();
        let taken = taken.filter(|((_, one), _)| *one == at);
        let messages: u64 = taken.clone().map(|(_, times)| times).sum();
        let displays = measure.displays.iter().filter(|((one, _), _)| *one == at);
        let shown: u64 = displays.map(|(_, figures)| figures.not_sent).sum();
        let cause = taken
            .max_by_key(|(_, times)| **times)
            .map(|((stream, _), times)| {
                let first = measure.forgeries.first.get(&(*stream, at));
                let first = first.map_or(String::new(), |first| {
                    format!(", the first after {}", span(Time::ZERO, *first))
                });
                let messages = count(*times, "message");
                format!(
                    "took {messages} of {} that no ECU sent{first}",
                    measure.watched[*stream].name
                )
            });
        let deceptions = measure.key_deceptions();
        let keys: u64 = deceptions.of_ecu(at).map(|(_, times)| times).sum();
        let cause = cause.or_else(|| {
            let (what, _) = deceptions.of_ecu(at).max_by_key(|(_, times)| *times)?;
            let first = span(Time::ZERO, *deceptions.first.get(&at)?);
            let keys = count(keys, "key deception");
            Some(format!("{keys}, the first after {first}: {}", what.words()))
        });
        let cause = cause.or((shown > 0).then(|| "a display was called from outside".to_owned()));
        let measured = messages + shown + keys;
        let words = match (shown, keys) {
            (0, 0) => count(messages, "message"),
            (0, _) => format!(
                "{}, {}",
                count(messages, "message"),
                count(keys, "key deception")
            ),
            _ => format!(
                "{}, {} shown",
                count(messages, "message"),
                count(shown, "value")
            ),
        };
        let about = (Requirement::Undeceived, Some(names.ecus[at].as_str()));
        let comparison = Comparison::of_counts((0, "0 messages"), (measured, words));
        comparison.verdict(about, measured == 0, (file, &ecu.span), cause)
    };
    file.require.undeceived.iter().map(verdict).collect()
}

fn group_keys(file: &VehicleFile, outcome: &RunOutcome) -> Vec<RequirementVerdict> {
    let Some(required) = &file.require.group_key_within else {
        return Vec::new();
    };
    let groups = file.groups.iter().zip(outcome.measure.groups());
    let verdict = |(group, figures): (&waywarden_vehicle_file::KeyGroup, &GroupFigures)| {
        let shown = from_power_on(figures.start_up());
        let met = shown.is_some_and(|shown| shown <= required.value);
        let last = figures.parties.iter().filter(|party| !figures.joins(party));
        let last = last.max_by_key(|party| party.first.unwrap_or(Time::NEVER));
        let cause = last.filter(|_| !met).map(|party| {
            let name = &outcome.names.ecus[party.ecu.0];
            let when = party.first.map_or("never".to_owned(), |time| {
                format!("after {}", span(Time::ZERO, time))
            });
            let failed = count(figures.failed, "exchange");
            format!("{name} was the last to have a key, {when}; {failed} failed")
        });
        let about = (Requirement::GroupKey, Some(group.name.value.as_str()));
        let comparison = Comparison::of_times(required.value, shown, "not agreed by the end");
        comparison.verdict(about, met, (file, &required.span), cause)
    };
    groups.map(verdict).collect()
}

fn authorizations(file: &VehicleFile, outcome: &RunOutcome) -> Vec<RequirementVerdict> {
    let Some(required) = &file.require.authorized_within else {
        return Vec::new();
    };
    let networks = file.lasan.iter().zip(outcome.measure.networks());
    let verdict = |(lasan, figures): (&Lasan, &NetworkFigures)| {
        let shown = from_power_on(figures.complete);
        let met = shown.is_some_and(|shown| shown <= required.value);
        let about = (Requirement::Authorized, Some(lasan.name.value.as_str()));
        let comparison = Comparison::of_times(required.value, shown, "not all by the end");
        let cause = (!met).then(|| last_authorized(file, figures, outcome.end));
        comparison.verdict(about, met, (file, &required.span), cause)
    };
    networks.map(verdict).collect()
}

/// Returns the last ECU and the last stream that the start waited for, in words.
fn last_authorized(file: &VehicleFile, figures: &NetworkFigures, end: Time) -> String {
    let when = |time: Option<Time>| {
        time.map_or("never".to_owned(), |time| {
            format!("after {}", span(Time::ZERO, time))
        })
    };
    let parties = figures.parties.iter().skip(1);
    let parties = parties.filter(|party| !figures.is_left_out(party));
    let ecu = parties.max_by_key(|party| party.first.unwrap_or(Time::NEVER));
    let streams = figures.keys.iter();
    let streams = streams.filter(|stream| figures.is_awaited(stream, end));
    let stream = streams.max_by_key(|stream| stream.complete.unwrap_or(Time::NEVER));
    let mut causes = Vec::new();
    if let Some(party) = ecu {
        let name = &file.ecus[party.ecu.0].name.value;
        let when = when(party.first);
        causes.push(format!("{name} was the last to be authenticated, {when}"));
    }
    if let Some(stream) = stream {
        let name = file.granted_key_name(&stream.key);
        let window = stream.key.window.until;
        causes.push(match window.filter(|_| stream.complete.is_none()) {
            Some(until) if until <= span(Time::ZERO, end) => {
                format!("stream {name} was never keyed: its window was over at {until:#}")
            }
            Some(until) => {
                format!("stream {name} was never keyed: its window ends at {until:#}")
            }
            None => format!(
                "stream {name} the last to be keyed, {}",
                when(stream.complete)
            ),
        });
    }
    let failed = count(figures.failed, "authentication");
    format!("{}; {failed} failed", causes.join(", "))
}

fn bus_loads<'a>(
    file: &'a VehicleFile,
    outcome: &'a RunOutcome,
) -> impl Iterator<Item = RequirementVerdict> + 'a {
    file.require.bus_load.iter().map(|(bus, bound)| {
        let load = load(outcome.measure.buses[bus.0].busy, outcome.end);
        let met = load <= bound.value;
        let name = &file.bus(*bus).name.value;
        let cause = (!met).then(|| heaviest_on(bus.0, outcome));
        Comparison::of_shares(bound.value, load).verdict(
            (Requirement::BusLoad, Some(name)),
            met,
            (file, &bound.span),
            cause,
        )
    })
}

/// Names the identifiers that take most of a bus.
fn heaviest_on(bus: usize, outcome: &RunOutcome) -> String {
    let ids = outcome.measure.ids[bus].iter();
    let mut ids: Vec<_> = ids
        .map(|(_, (id, figures))| (figures.frames, *id))
        .collect();
    ids.sort_by_key(|&(frames, _)| std::cmp::Reverse(frames));
    let most: Vec<String> = ids
        .iter()
        .take(3)
        .map(|(frames, id)| format!("{id} ({frames} frames)"))
        .collect();
    format!(
        "most frames on {}: {}",
        outcome.names.buses[bus],
        most.join(", ")
    )
}

fn cpu_loads<'a>(
    file: &'a VehicleFile,
    outcome: &'a RunOutcome,
) -> impl Iterator<Item = RequirementVerdict> + 'a {
    file.require.cpu_load.iter().map(|(ecu, bound)| {
        let figures = &outcome.measure.ecus[ecu.0];
        let load = figures.load(figures.busy.iter().sum(), outcome.end);
        let met = load <= bound.value;
        let name = &file.ecu(*ecu).name.value;
        let share = |task: usize| percent(figures.load(figures.busy[task], outcome.end));
        let cause = (!met).then(|| {
            let [receive, send, crypto] = [share(0), share(1), share(2)];
            format!("{name}: receive {receive}, send {send}, crypto {crypto}")
        });
        Comparison::of_shares(bound.value, load).verdict(
            (Requirement::CpuLoad, Some(name)),
            met,
            (file, &bound.span),
            cause,
        )
    })
}

/// Returns which share of the run `busy` picoseconds are.
#[must_use]
pub fn load(busy: u64, end: Time) -> f64 {
    if end == Time::ZERO {
        0.0
    } else {
        busy as f64 / end.as_picos() as f64
    }
}
