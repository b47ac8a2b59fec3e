//! From what was recorded to an [`Exchange`]: the end of each group's part of it, and its sums.

use std::collections::BTreeMap;

use waywarden_can_sim::clock::Time;
use waywarden_ecu_keys::group::{Address, Step};

use super::record::{Computation, Happening, KeyFrame, Noticed, Origin, Record};
use super::{
    Addresses, ComputationEntry, Entry, EventEntry, Exchange, FrameEntry, GroupExchange,
    OperationFigures, Part, Party, StepFigures, ms, picos_ms,
};
use crate::attempt::Outcome as Ending;
use crate::file::{KeyGroup, VehicleFile};
use crate::measure::keys::GroupFigures;
use crate::report::{
    orchestration_name, profile_name, scheme_name, step_name, suite_name, transport_name,
};
use crate::run::Outcome;

/// What all of a summary needs.
struct Told<'a> {
    file: &'a VehicleFile,
    record: &'a Record,
    outcome: &'a Outcome,
    /// By group looked at: when its exchange was over.
    ends: Vec<Time>,
}

/// Sums up a recording.
pub(super) fn exchange(
    file: &VehicleFile,
    seed: u64,
    mut record: Record,
    outcome: &Outcome,
) -> Exchange {
    record.finish();
    let ends = (0..record.groups.len()).map(|group| end(&record, outcome, group));
    let told = Told {
        ends: ends.collect(),
        file,
        record: &record,
        outcome,
    };
    let groups: Vec<GroupExchange> = (0..record.groups.len()).map(|at| told.group(at)).collect();
    let mut time_line: Vec<(Time, Entry)> = told.entries().collect();
    time_line.sort_by_key(|(from, _)| *from);
    Exchange {
        vehicle: file.name.clone(),
        seed,
        agreed: groups.iter().all(|group| group.agreed),
        end_ms: ms(outcome.end),
        groups,
        time_line: time_line.into_iter().map(|(_, entry)| entry).collect(),
        left_out: record.left_out,
    }
}

/// Returns when the exchange of a group is over: with the next order, or the first beacon, after
/// everybody had the key.
fn end(record: &Record, outcome: &Outcome, group: usize) -> Time {
    let figures = &outcome.measure.groups()[record.groups[group].at];
    let Some(agreed) = figures.start_up() else {
        return outcome.end;
    };
    let ends_it = |frame: &KeyFrame| match frame.step {
        Step::Freshness | Step::Orchestration | Step::Start => true,
        Step::Finish => frame.header.second != Address::NONE,
        _ => false,
    };
    let next = record.entries.iter().filter_map(|entry| match entry {
        Noticed::Frame(frame) if frame.group == group && ends_it(frame) => {
            Some(frame.attempt.started)
        }
        _ => None,
    });
    next.filter(|start| *start > agreed)
        .min()
        .unwrap_or(outcome.end)
}

impl Told<'_> {
    fn bus(&self, at: usize) -> String {
        self.outcome.names.buses[at].clone()
    }

    fn ecu(&self, at: usize) -> String {
        self.outcome.names.ecus[at].clone()
    }

    fn frames(&self, group: usize) -> impl Iterator<Item = &KeyFrame> {
        let end = self.ends[group];
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Frame(one) if one.group == group && one.attempt.started < end => Some(one),
                _ => None,
            })
    }

    /// Frames that count: sent, by the group's own ECUs and its gateway.
    fn counted(&self, group: usize) -> impl Iterator<Item = &KeyFrame> {
        let counts =
            |one: &&KeyFrame| one.origin != Origin::Foreign && one.attempt.outcome == Ending::Sent;
        self.frames(group).filter(counts)
    }

    fn busy(&self, frame: &KeyFrame) -> u64 {
        let attempt = &frame.attempt;
        let on_wire = attempt.ended.since(attempt.started);
        (on_wire + self.record.intermissions[frame.bus().0]).get()
    }

    fn events(&self, group: usize) -> impl Iterator<Item = &Happening> {
        let end = self.ends[group];
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Event(one) if one.group == group && one.at < end => Some(one),
                _ => None,
            })
    }

    /// Computations of an ECU until the last of its groups is through.
    fn computations(&self, ecu: usize) -> impl Iterator<Item = &Computation> {
        let end = self.groups_of(ecu).map(|group| self.ends[group]).max();
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Computation(one) if one.ecu == ecu && Some(one.from) < end => Some(one),
                _ => None,
            })
    }

    fn groups_of(&self, ecu: usize) -> impl Iterator<Item = usize> {
        let groups = self.record.groups.iter().enumerate();
        groups
            .filter(move |(_, group)| group.has(ecu))
            .map(|(at, _)| at)
    }

    fn entries(&self) -> impl Iterator<Item = (Time, Entry)> {
        let groups = 0..self.record.groups.len();
        let frames = groups.clone().flat_map(|group| {
            let entry = |one: &KeyFrame| (one.attempt.started, self.frame(one));
            self.frames(group).map(entry)
        });
        let events = groups.flat_map(|group| {
            let entry = |one: &Happening| (one.at, self.event(one));
            self.events(group).map(entry)
        });
        let computations = (0..self.outcome.names.ecus.len()).flat_map(|ecu| {
            let entry = |one: &Computation| (one.from, self.computation(one));
            self.computations(ecu).map(entry)
        });
        // Among things of one moment, what an ECU tells comes before what it does then.
        events.chain(frames).chain(computations)
    }

    fn frame(&self, one: &KeyFrame) -> Entry {
        let attempt = &one.attempt;
        let data = attempt.frame.data();
        Entry::Frame(FrameEntry {
            from_ms: ms(attempt.started),
            to_ms: ms(attempt.ended),
            group: self.record.groups[one.group].name.clone(),
            bus: self.bus(one.bus().0),
            ecu: self.ecu(attempt.ecu.0),
            origin: match one.origin {
                Origin::Own => "own",
                Origin::Forwarded => "forwarded",
                Origin::Foreign => "foreign",
            },
            step: step_name(one.step),
            id: attempt.frame.id().to_string(),
            addresses: addresses(one),
            bytes: data.len(),
            data: data.iter().map(|byte| format!("{byte:02X}")).collect(),
            outcome: attempt.outcome.name(),
            cut: one.cut,
        })
    }

    fn computation(&self, one: &Computation) -> Entry {
        let groups = self.groups_of(one.ecu);
        Entry::Computation(ComputationEntry {
            from_ms: ms(one.from),
            to_ms: ms(one.to),
            groups: groups
                .map(|at| self.record.groups[at].name.clone())
                .collect(),
            ecu: self.ecu(one.ecu),
            operation: one.operation.kind.name(),
            algorithm: one.operation.algorithm.name(),
            bytes: one.operation.bytes,
            computed_ms: picos_ms(one.busy.get()),
        })
    }

    fn event(&self, one: &Happening) -> Entry {
        Entry::Event(EventEntry {
            at_ms: ms(one.at),
            group: self.record.groups[one.group].name.clone(),
            ecu: self.ecu(one.ecu),
            event: one.word,
            text: one.text.clone(),
        })
    }

    fn group(&self, at: usize) -> GroupExchange {
        let watched = &self.record.groups[at];
        let group: &KeyGroup = &self.file.groups[watched.at];
        let figures = &self.outcome.measure.groups()[watched.at];
        let agreed = figures.start_up();
        let first = self.counted(at).map(|one| one.attempt.started).min();
        let begun = self
            .events(at)
            .find(|one| one.word == "begun")
            .map(|one| one.at);
        let since = |from: Option<Time>| Some(picos_ms(agreed?.since(from?).get()));
        let frames = || self.frames(at);
        let foreign = |one: &&KeyFrame| one.origin == Origin::Foreign;
        let destroyed =
            |one: &&KeyFrame| !foreign(one) && matches!(one.attempt.outcome, Ending::Broken(_));
        let conductor = group.orchestrator.ecu.0;
        let failed = |one: &&Happening| one.word == "failed" && one.ecu == conductor;
        GroupExchange {
            group: watched.name.clone(),
            scheme: scheme_name(group.scheme),
            suite: suite_name(group.suite),
            profile: profile_name(group.profile),
            transport: transport_name(group.transport),
            orchestration: orchestration_name(group.orchestration),
            orchestrator: self.ecu(conductor),
            members: group.members.len(),
            buses: group.buses.iter().map(|bus| self.bus(bus.0)).collect(),
            agreed: agreed.is_some(),
            missing: self.missing(figures),
            begun_ms: begun.map(ms),
            first_frame_ms: first.map(ms),
            agreed_ms: agreed.map(ms),
            took_ms: since(begun),
            from_first_frame_ms: since(first),
            frames: self.counted(at).count() as u64,
            bytes: self.counted(at).map(payload).sum(),
            bus_ms: picos_ms(self.counted(at).map(|one| self.busy(one)).sum()),
            bus_load: self.load(at, agreed),
            destroyed: frames().filter(destroyed).count() as u64,
            foreign: frames().filter(foreign).count() as u64,
            retries: self.events(at).filter(failed).count() as u64,
            steps: self.steps(at),
            parts: self.parts(at),
            ecus: self.parties(at, figures),
        }
    }

    /// Whoever lacks the newest key at the end, unless everybody has had one.
    fn missing(&self, figures: &GroupFigures) -> Vec<String> {
        if figures.start_up().is_some() {
            return Vec::new();
        }
        let newest = figures.parties.iter().map(|party| party.epoch).max();
        let lacks = |epoch: u64| epoch == 0 || Some(epoch) != newest;
        let missing = figures.parties.iter().filter(|party| lacks(party.epoch));
        missing.map(|party| self.ecu(party.ecu.0)).collect()
    }

    /// The load of the group's buses from its first frame to the agreement, or its last frame.
    fn load(&self, at: usize, agreed: Option<Time>) -> f64 {
        let first = self.counted(at).map(|one| one.attempt.started).min();
        let last = self.counted(at).map(|one| one.attempt.ended).max();
        let (Some(first), Some(until)) = (first, agreed.or(last)) else {
            return 0.0;
        };
        let within = self.counted(at).filter(|one| one.attempt.ended <= until);
        let busy: u64 = within.map(|one| self.busy(one)).sum();
        let buses = self.record.groups[at].bus_count().max(1) as f64;
        let time = until.since(first).get().max(1) as f64;
        busy as f64 / time / buses
    }

    fn steps(&self, at: usize) -> Vec<StepFigures> {
        let mut steps: BTreeMap<Step, (u64, u64, u64)> = BTreeMap::new();
        for one in self.counted(at) {
            let (frames, bytes, busy) = steps.entry(one.step).or_default();
            *frames += 1;
            *bytes += payload(one);
            *busy += self.busy(one);
        }
        let figures = steps
            .into_iter()
            .map(|(step, (frames, bytes, busy))| StepFigures {
                step: step_name(step),
                frames,
                bytes,
                bus_ms: picos_ms(busy),
            });
        figures.collect()
    }

    fn parts(&self, at: usize) -> Vec<Part> {
        let mut parts: BTreeMap<_, (Part, u64)> = BTreeMap::new();
        for one in self.counted(at) {
            let (name, addresses) = match one.step {
                Step::Finish | Step::Acknowledge | Step::Report | Step::Start => {
                    (step_name(one.step), None)
                }
                Step::MasterSignature | Step::MasterSecret => {
                    ("distribution", Some(addresses(one)))
                }
                // The freshness that announces the distribution names no logical ECU.
                _ if one.header.result == Address::NONE => ("distribution", Some(addresses(one))),
                _ => ("exchange", Some(addresses(one))),
            };
            let (from, to) = (ms(one.attempt.started), ms(one.attempt.ended));
            let (part, busy) = parts.entry((name, addresses)).or_insert_with(|| {
                let part = Part {
                    part: name,
                    addresses,
                    between: Vec::new(),
                    from_ms: from,
                    to_ms: to,
                    frames: 0,
                    bytes: 0,
                    bus_ms: 0.0,
                };
                (part, 0)
            });
            part.from_ms = part.from_ms.min(from);
            part.to_ms = part.to_ms.max(to);
            part.frames += 1;
            part.bytes += payload(one);
            *busy += self.busy(one);
            part.bus_ms = picos_ms(*busy);
            let order = matches!(one.step, Step::Freshness | Step::Orchestration);
            let sender = self.ecu(one.attempt.ecu.0);
            if one.origin == Origin::Own && !order && !part.between.contains(&sender) {
                part.between.push(sender);
            }
        }
        let mut parts: Vec<Part> = parts.into_values().map(|(part, _)| part).collect();
        parts.sort_by(|one, other| one.from_ms.total_cmp(&other.from_ms));
        parts
    }

    fn parties(&self, at: usize, figures: &GroupFigures) -> Vec<Party> {
        let parties = figures.parties.iter().enumerate().map(|(number, party)| {
            let ecu = party.ecu.0;
            let mut operations: BTreeMap<_, (u64, u64)> = BTreeMap::new();
            for one in self.computations(ecu) {
                let what = (one.operation.kind, one.operation.algorithm);
                let (jobs, busy) = operations.entry(what).or_default();
                *jobs += 1;
                *busy += one.busy.get();
            }
            let computed = operations.values().map(|(_, busy)| busy).sum();
            let operations = operations
                .into_iter()
                .map(|((kind, algorithm), (jobs, busy))| OperationFigures {
                    operation: kind.name(),
                    algorithm: algorithm.name(),
                    jobs,
                    ms: picos_ms(busy),
                });
            let sent = self.counted(at).filter(|one| one.attempt.ecu.0 == ecu);
            Party {
                ecu: self.ecu(ecu),
                address: party.address.0,
                part: if number == 0 {
                    "orchestrator"
                } else {
                    "member"
                },
                agreed_ms: party.first.map(ms),
                frames: sent.count() as u64,
                computed_ms: picos_ms(computed),
                operations: operations.collect(),
            }
        });
        parties.collect()
    }
}

fn payload(frame: &KeyFrame) -> u64 {
    frame.attempt.frame.data().len() as u64
}

fn addresses(frame: &KeyFrame) -> Addresses {
    Addresses {
        first: frame.header.first.0,
        second: frame.header.second.0,
        result: frame.header.result.0,
    }
}
