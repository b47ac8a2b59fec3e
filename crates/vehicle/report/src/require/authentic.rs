//! The requirement `authentic_within`: how long receivers waited for the first authentic message of
//! a stream, and if that was too long, for what.

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::EcuIndex;
use waywarden_vehicle_file::formatting::count;
use waywarden_vehicle_file::{
    AuthenticWithin, BeforeFirstKey, EcuFailureKind, Located, StreamIndex, VehicleFile,
};
use waywarden_work::Duration;

use super::{Comparison, Requirement, RequirementVerdict};
use crate::RunOutcome;
use crate::measure::{FirstMessage, Measure, StreamKeySource, Wait, span};

pub(super) fn authentic(file: &VehicleFile, outcome: &RunOutcome) -> Vec<RequirementVerdict> {
    match &file.require.authentic_within {
        None => Vec::new(),
        Some(AuthenticWithin::All(bound)) => {
            let nothing = "no stream of this vehicle is authenticated: add [[authentication]]";
            vec![verdict(file, outcome, bound, (None, nothing))]
        }
        Some(within @ AuthenticWithin::Streams { named, .. }) => {
            let is_named = |at: usize| named.iter().any(|(one, _)| one.0 == at);
            let is_checked = |at: usize| {
                let mut all = outcome.measure.first_messages().iter();
                all.any(|one| one.stream == at && is_expected(&outcome.measure, one))
            };
            let streams = (0..file.streams.len()).filter(|at| is_named(*at) || is_checked(*at));
            let verdict = |at: usize| {
                let name = &file.streams[at].name.value;
                let nothing = format!(
                    "no ECU checks messages of {name} from power-on on: protect it in an \
                     [[authentication]], or by a security module without `windows`"
                );
                let bound = within.bound(StreamIndex(at))?;
                let about = (Some(at), nothing.as_str());
                Some(verdict(file, outcome, bound, about))
            };
            streams.filter_map(verdict).collect()
        }
    }
}

/// Judges all streams, or one of them; `nothing` is why there is nothing to judge.
fn verdict(
    file: &VehicleFile,
    outcome: &RunOutcome,
    bound: &Located<Duration>,
    (stream, nothing): (Option<usize>, &str),
) -> RequirementVerdict {
    let measure = &outcome.measure;
    let all = measure.first_messages().iter();
    let own = all.filter(|one| stream.is_none_or(|stream| one.stream == stream));
    let own: Vec<&FirstMessage> = own.filter(|one| is_expected(measure, one)).collect();
    let waits = own
        .iter()
        .flat_map(|one| one.waits().map(move |wait| (*one, wait)));
    let waits: Vec<_> = waits
        .filter(|(one, wait)| is_over(one, wait, bound.value))
        .collect();
    let longest = waits.iter().max_by_key(|(_, wait)| wait.rank());
    let missed = |wait: &Wait| wait.accepted.is_none() || wait.lasted() > bound.value;
    let met = longest.is_some_and(|(_, wait)| !missed(wait));
    let accepted = longest.filter(|(_, wait)| wait.accepted.is_some());
    let otherwise = match longest {
        None => "never",
        Some(_) => "not by the end",
    };
    let shown = accepted.map(|(_, wait)| wait.lasted());
    let cause = (!met).then(|| {
        let Some((first, wait)) = longest else {
            return nothing.to_owned();
        };
        let mut cause = waited_for(file, outcome, first, wait);
        let mut late: Vec<usize> = waits
            .iter()
            .filter(|(_, wait)| missed(wait))
            .map(|(one, _)| one.stream)
            .collect();
        late.sort_unstable();
        late.dedup();
        if late.len() > 1 {
            cause += &format!("; {} in all", count(late.len() as u64, "late stream"));
        }
        cause
    });
    let subject = stream.map(|at| file.streams[at].name.value.as_str());
    Comparison::of_times(bound.value, shown, otherwise).verdict(
        (Requirement::FirstAuthenticMessage, subject),
        met,
        (file, &bound.span),
        cause,
    )
}

/// Returns true if a wait is conclusive: it ended with a message, it began with power-on, or it has
/// taken longer than it may. A reset just before the end of the run is not conclusive.
fn is_over(first: &FirstMessage, wait: &Wait, bound: Duration) -> bool {
    let is_from_power_on = first.power_on.since == wait.since;
    wait.accepted.is_some() || is_from_power_on || wait.lasted() > bound
}

/// Returns true if a message is expected: a security module has retired neither sender nor
/// receiver.
#[must_use]
pub fn is_expected(measure: &Measure, first: &FirstMessage) -> bool {
    let StreamKeySource::SecurityModule(network) = first.source else {
        return true;
    };
    let parties = measure
        .networks()
        .get(network)
        .map(|one| one.parties.iter());
    let mut retired = parties.into_iter().flatten().filter(|party| party.retired);
    !retired.any(|party| party.ecu == first.ecu || party.ecu == first.sender)
}

/// Returns the description of a receiver's wait: the stream, its beginning, and its reasons.
#[must_use]
pub fn waited_for(
    file: &VehicleFile,
    outcome: &RunOutcome,
    first: &FirstMessage,
    wait: &Wait,
) -> String {
    let names = &outcome.names.ecus;
    let since = match wait.since == first.power_on.since {
        true => "from power-on".to_owned(),
        false => format!("from the boot at {}", span(Time::ZERO, wait.since)),
    };
    let stream = &outcome.measure.watched[first.stream].name;
    let ecu = &names[first.ecu.0];
    let why = reasons(file, first, wait, names).join("; ");
    format!("stream {stream} at {ecu}, {since}: {why}")
}

fn reasons(file: &VehicleFile, first: &FirstMessage, wait: &Wait, names: &[String]) -> Vec<String> {
    let (ecu, sender) = (&names[first.ecu.0], &names[first.sender.0]);
    let (seen, key) = (&wait.seen, Key::of(file, first.source));
    let after = |at: Time| format!("after {}", span(wait.since, at));
    let had = |name: &str, at: Option<Time>| {
        let when = at.map_or("not by then".to_owned(), after);
        format!("it had a key of {name} {when}")
    };
    let retained = "what it retained was damaged or used up";
    let mut reasons = Vec::new();
    if seen.not_ready > 0 {
        let frames = count(seen.not_ready, "frame");
        let why = match key.awaited_by(file, first.ecu) {
            Some(name) => had(name, seen.receiver_key),
            None => retained.to_owned(),
        };
        reasons.push(format!("{ecu} could not check {frames}: {why}"));
    }
    if seen.withheld > 0 {
        let instances = count(seen.withheld, "message");
        let why = match key.awaited_by(file, first.sender) {
            Some(name) => had(name, seen.sender_key),
            None => format!("it knew no freshness yet, or {retained}"),
        };
        reasons.push(format!("{sender} could not protect {instances}: {why}"));
    }
    // What it could not check it also reports as out of step.
    let refused = seen.refused.saturating_sub(seen.not_ready);
    if refused > 0 {
        let refused = count(refused, "message");
        reasons.push(format!("out of step: {ecu} refused {refused}"));
    }
    if seen.no_room > 0 {
        let frames = count(seen.no_room, "frame");
        reasons.push(format!("{ecu} had no room for {frames}"));
    }
    reasons.push(match seen.first_frame {
        None => format!("nothing came from {sender}"),
        Some(at) => format!("the first frame came {}", after(at)),
    });
    reasons
}

/// The key of a stream.
struct Key {
    /// The group or the security module that it is of; none if it is in place.
    name: Option<String>,
    /// True if every ECU has to wait for it at each boot.
    is_awaited: bool,
}

impl Key {
    fn of(file: &VehicleFile, source: StreamKeySource) -> Self {
        match source {
            StreamKeySource::SecurityModule(at) => Key {
                name: Some(file.lasan[at].name.value.clone()),
                is_awaited: true,
            },
            StreamKeySource::Authentication(at) => {
                let keys = &file.authentications[at].keys;
                let group = keys.group_key().map(|key| &file.groups[key.group].name);
                let network = keys.granting_network().map(|at| &file.lasan[at].name);
                Key {
                    name: group.or(network).map(|name| name.value.clone()),
                    is_awaited: keys.before_first_key() == BeforeFirstKey::Withhold,
                }
            }
        }
    }

    /// Returns the name of the key, if an ECU has to wait for it: each does, or this one is a new
    /// part.
    fn awaited_by(&self, file: &VehicleFile, ecu: EcuIndex) -> Option<&str> {
        let mut faults = file.faults.iter();
        let is_new = faults.any(|one| one.kind == EcuFailureKind::Replaced && one.ecu.0 == ecu.0);
        self.name.as_deref().filter(|_| self.is_awaited || is_new)
    }
}
