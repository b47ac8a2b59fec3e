//! The figures of a situation's run: the receivers' waits for first authentic messages.

use schemars::JsonSchema;
use serde::Serialize;
use waywarden_vehicle_file::{AuthenticWithin, StreamIndex, VehicleFile};
use waywarden_vehicle_report::RunOutcome;
use waywarden_vehicle_report::measure::{FirstMessage, Wait};
use waywarden_vehicle_report::require::{is_expected, waited_for};
use waywarden_work::Duration;

use super::Situation;

/// The waits of one run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StartUpFigures {
    /// Number of waits: one for each stream at each ECU that checks it.
    pub waits: usize,
    /// Number of waits that were not over at the end of the run.
    pub never: usize,
    /// Number of waits that took longer than `authentic_within` allows, plus streams it names that
    /// no ECU checks; none if the file does not require it.
    pub late: Option<usize>,
    /// The longest wait.
    pub longest: Option<LongestWait>,
    /// Of those that took too long or were not over, the longest: what was waited for, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// The longest wait of a run.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LongestWait {
    /// Name of the stream.
    pub stream: String,
    /// ECU that sends it.
    pub sender: String,
    /// ECU that checks it.
    pub ecu: String,
    /// Duration of the wait; none if no message was accepted by the end of the run.
    pub ms: Option<f64>,
}

impl StartUpFigures {
    pub(super) fn of(file: &VehicleFile, situation: Situation, outcome: &RunOutcome) -> Self {
        let within = file.require.authentic_within.as_ref();
        let all = outcome.measure.first_messages().iter();
        let all = all.filter(|one| is_expected(&outcome.measure, one));
        let waits = all.flat_map(|one| relevant(one, situation).map(move |wait| (one, wait)));
        let waits: Vec<(&FirstMessage, &Wait)> = waits
            .filter(|(one, wait)| says_something(one, wait, bound(within, one)))
            .collect();
        let is_never = |wait: &Wait| wait.accepted.is_none();
        let is_late = |one: &FirstMessage, wait: &Wait| {
            let bound = bound(within, one);
            bound.is_some_and(|bound| is_never(wait) || wait.lasted() > bound)
        };
        let count = |is_it: &dyn Fn(&FirstMessage, &Wait) -> bool| {
            let counted = waits.iter().filter(|(one, wait)| is_it(one, wait));
            counted.count()
        };
        let bad = waits
            .iter()
            .filter(|(one, wait)| is_never(wait) || is_late(one, wait));
        let worst = bad.max_by_key(|(_, wait)| wait.rank());
        let unchecked = unchecked(file, outcome);
        let cause = worst.map(|(one, wait)| waited_for(file, outcome, one, wait));
        let nothing = || Some(format!("stream {}: no ECU checks it", unchecked.first()?));
        StartUpFigures {
            waits: waits.len(),
            never: count(&|_, wait| is_never(wait)),
            late: within.map(|_| count(&is_late) + unchecked.len()),
            longest: longest(&waits, outcome),
            cause: cause.or_else(nothing),
        }
    }

    /// Orders runs: the more waits were not over the worse, then the longer the longest was.
    pub(super) fn rank(&self) -> (usize, f64) {
        let longest = self.longest.as_ref().and_then(|one| one.ms);
        (self.never, longest.unwrap_or(0.0))
    }
}

/// Returns the waits that a situation is about: those from later boots where ECUs are reset.
fn relevant(one: &FirstMessage, situation: Situation) -> impl Iterator<Item = &Wait> {
    one.waits().skip(usize::from(situation.is_interrupted()))
}

/// Returns true if a wait counts: not one from a boot so shortly before the end of the run that it
/// may still be in time.
fn says_something(one: &FirstMessage, wait: &Wait, bound: Option<Duration>) -> bool {
    let is_from_power_on = wait.since == one.power_on.since;
    let is_overdue = bound.is_none_or(|bound| wait.lasted() > bound);
    wait.accepted.is_some() || is_from_power_on || is_overdue
}

fn bound(within: Option<&AuthenticWithin>, one: &FirstMessage) -> Option<Duration> {
    let bound = within?.bound(StreamIndex(one.stream))?;
    Some(bound.value)
}

/// Returns the streams that the file bounds by name though no ECU checks them.
fn unchecked<'a>(file: &'a VehicleFile, outcome: &RunOutcome) -> Vec<&'a str> {
    let Some(AuthenticWithin::Streams { named, .. }) = &file.require.authentic_within else {
        return Vec::new();
    };
    let checked = outcome.measure.first_messages();
    let is_checked = |stream: StreamIndex| checked.iter().any(|one| one.stream == stream.0);
    let named = named.iter().map(|(stream, _)| *stream);
    let unchecked = named.filter(|stream| !is_checked(*stream));
    unchecked
        .map(|stream| file.stream(stream).name.value.as_str())
        .collect()
}

fn longest(waits: &[(&FirstMessage, &Wait)], outcome: &RunOutcome) -> Option<LongestWait> {
    let (one, wait) = waits.iter().max_by_key(|(_, wait)| wait.rank())?;
    let names = &outcome.names.ecus;
    let ms = wait.lasted().as_nanos() as f64 / 1e6;
    Some(LongestWait {
        stream: outcome.measure.watched[one.stream].name.clone(),
        sender: names[one.sender.0].clone(),
        ecu: names[one.ecu.0].clone(),
        ms: wait.accepted.map(|_| ms),
    })
}
