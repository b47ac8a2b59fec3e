//! Reads `[require]` and spreads its defaults over the buses, ECUs and streams.

use waywarden_work::Duration;

use super::document::Node;
use super::draft::Draft;
use super::model::{
    AllowedLoss, AuthenticWithin, BusIndex, EcuIndex, LossAmount, Require, StreamIndex,
};
use super::place::Located;
use super::problem::Problem;
use super::quantity::Share;
use super::reader::{Integer, Names, Section, Value};

/// A bound on the latency of a stream.
#[derive(Clone, Copy)]
enum LatencyBound {
    /// The stream's own deadline.
    Deadline,
    /// A time.
    Time(Duration),
}

/// A duration above zero.
#[derive(Clone, Copy)]
struct Above(Duration);

/// The key for every stream, bus or ECU that is not named.
const DEFAULT: &str = "default";

/// Reads `[require]`; without it nothing is required.
pub(super) fn optional(top: &mut Section<'_>, draft: &Draft) -> Option<Require> {
    match top.table("require") {
        Some(section) => require(section, draft),
        None => Some(Require::default()),
    }
}

/// Reads `[require]`.
fn require(mut section: Section<'_>, draft: &Draft) -> Option<Require> {
    let startup = section.positive("startup");
    let group_key_within = section.positive("group_key_within");
    let authorized_within = section.positive("authorized_within");
    let authentic_within = authentic_within(&mut section, &draft.stream_names);
    let (buses, ecus, streams) = (&draft.bus_names, &draft.ecu_names, &draft.stream_names);
    let bus_load = bounds::<Share>(&mut section, "bus_load", buses);
    let cpu_load = bounds::<Share>(&mut section, "cpu_load", ecus);
    let (latency, latency_without_receivers) = latencies(&mut section, draft);
    let loss = allowed_loss(&mut section, streams);
    let undeceived = undeceived(&mut section, draft);
    section.finish()?;
    let share = |share: Located<Share>| share.map(|share| share.0);
    let latency = latency.into_iter().map(|(index, bound)| {
        let deadline = draft
            .stream(index)
            .map_or(Duration::ZERO, |sent| sent.stream.deadline);
        let time = bound.map(|bound| match bound {
            LatencyBound::Deadline => deadline,
            LatencyBound::Time(time) => time,
        });
        (StreamIndex(index), time)
    });
    Some(Require {
        startup,
        group_key_within,
        authorized_within,
        authentic_within,
        bus_load: bus_load
            .into_iter()
            .map(|(at, load)| (BusIndex(at), share(load)))
            .collect(),
        cpu_load: cpu_load
            .into_iter()
            .map(|(at, load)| (EcuIndex(at), share(load)))
            .collect(),
        latency: latency.collect(),
        latency_without_receivers,
        loss,
        undeceived,
    })
}

/// Reads bounds on latencies; the default is for streams with receivers, and the number of the
/// others is returned.
fn latencies(
    section: &mut Section<'_>,
    draft: &Draft,
) -> (Vec<(usize, Located<LatencyBound>)>, usize) {
    const KEY: &str = "latency";
    let read = named_bounds::<LatencyBound>(section, KEY, &draft.stream_names);
    let Some((named, default)) = read else {
        return (Vec::new(), 0);
    };
    let has_receivers = |at: usize| {
        draft
            .stream(at)
            .is_none_or(|stream| !stream.receivers.is_empty())
    };
    let (mut bounds, mut left_out) = (Vec::new(), 0);
    for (at, bound) in named.into_iter().enumerate() {
        if let Some(bound) = &bound {
            section.demand(has_receivers(at), &bound.span, || Problem::Relation {
                found: format!("{} has no receivers", draft.stream_names.name(at)),
                remedy: "leave it out, or give the stream `receivers`: a latency ends at one",
            });
        } else if default.is_some() && !has_receivers(at) {
            left_out += 1;
            continue;
        }
        bounds.extend(bound.or(default.clone()).map(|bound| (at, bound)));
    }
    (bounds, left_out)
}

/// Reads which messages need not arrive.
fn allowed_loss(section: &mut Section<'_>, streams: &Names) -> AllowedLoss {
    let amounts = bounds::<LossAmount>(section, "loss", streams);
    let by_stream = amounts.into_iter();
    let causes = section.list::<Located<String>>("loss_allowed");
    let mut loss = AllowedLoss {
        streams: by_stream.map(|(at, one)| (StreamIndex(at), one)).collect(),
        ..AllowedLoss::default()
    };
    for cause in &causes {
        match cause.value.as_str() {
            "startup" => loss.at_startup = true,
            "faults" => loss.by_faults = true,
            other => section.fault(
                &cause.span,
                Problem::Relation {
                    found: format!("{other:?} is no cause that can be allowed"),
                    remedy: "write \"startup\", \"faults\" or both",
                },
            ),
        }
    }
    loss
}

/// Reads how long the first authentic message may take: of all streams, or by stream.
fn authentic_within(section: &mut Section<'_>, streams: &Names) -> Option<AuthenticWithin> {
    const KEY: &str = "authentic_within";
    if section.is_text(KEY) {
        return section.positive(KEY).map(AuthenticWithin::All);
    }
    let (named, default) = named_bounds::<Above>(section, KEY, streams)?;
    let named = named.into_iter().enumerate();
    let named = named.filter_map(|(at, bound)| Some((StreamIndex(at), bound?.map(|one| one.0))));
    Some(AuthenticWithin::Streams {
        named: named.collect(),
        default: default.map(|bound| bound.map(|one| one.0)),
    })
}

/// Reads the ECUs that must not accept forged messages: by name, or all.
fn undeceived(section: &mut Section<'_>, draft: &Draft) -> Vec<Located<EcuIndex>> {
    const KEY: &str = "undeceived";
    if section.is_text(KEY) {
        let at = section.location(KEY);
        let all = section.choice(KEY).map_or(0, |_| draft.ecus.len());
        return (0..all)
            .map(|ecu| Located::new(EcuIndex(ecu), at.clone()))
            .collect();
    }
    let list = section.list(KEY);
    let named = section.references(&list, &draft.ecu_names);
    named.into_iter().map(|one| one.map(EcuIndex)).collect()
}

/// Reads a table of bounds by name, with `default` for those not named.
fn bounds<T: Value + Clone>(
    section: &mut Section<'_>,
    key: &'static str,
    names: &Names,
) -> Vec<(usize, Located<T>)> {
    let Some((bounds, default)) = named_bounds::<T>(section, key, names) else {
        return Vec::new();
    };
    bounds
        .into_iter()
        .enumerate()
        .filter_map(|(at, bound)| Some((at, bound.or(default.clone())?)))
        .collect()
}

/// The bounds of those that a table names, and `default`.
type NamedBounds<T> = (Vec<Option<Located<T>>>, Option<Located<T>>);

/// Reads a table of bounds by name.
fn named_bounds<T: Value + Clone>(
    section: &mut Section<'_>,
    key: &'static str,
    names: &Names,
) -> Option<NamedBounds<T>> {
    let mut table = section.table(key)?;
    let mut default = None;
    let mut bounds: Vec<Option<Located<T>>> = vec![None; names.count()];
    for (name, value) in table.entries() {
        let bound = table.read::<T>(&value);
        if name.value == DEFAULT {
            default = bound;
        } else if let Some(at) = table.refer(names, &name) {
            bounds[at] = bound;
        }
    }
    section.adopt(&table);
    Some((bounds, default))
}

impl Value for Above {
    const EXPECTED: &'static str = "a duration above zero such as \"500ms\"";
    fn read(value: &Node) -> Option<Self> {
        let time = Duration::read(value)?;
        (time > Duration::ZERO).then_some(Above(time))
    }
}

impl Value for LossAmount {
    const EXPECTED: &'static str = "a number of messages such as 3, or a share such as \"1%\"";
    fn read(value: &Node) -> Option<Self> {
        if let Some(count) = Integer::read(value) {
            return u64::try_from(count).ok().map(LossAmount::Count);
        }
        Share::read(value).map(|share| LossAmount::Share(share.0))
    }
}

impl Value for LatencyBound {
    const EXPECTED: &'static str = "a duration above zero such as \"5ms\", or \"deadline\"";
    fn read(value: &Node) -> Option<Self> {
        if value.as_text() == Some("deadline") {
            return Some(LatencyBound::Deadline);
        }
        Duration::read(value)
            .filter(|time| *time > Duration::ZERO)
            .map(LatencyBound::Time)
    }
}
