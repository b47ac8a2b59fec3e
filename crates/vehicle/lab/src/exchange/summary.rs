//! Summary of a recording as an [`Exchange`]: the end of each protocol's part, and its sums.

mod group;
mod network;

use std::collections::BTreeMap;

use waywarden_can::Id;
use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::clock::Time;
use waywarden_group_keys as of_group;
use waywarden_lasan as of_lasan;

use super::record::{Computation, Happening, IdentifiedHeader, KeyFrame, Noticed, Origin, Record};
use super::{
    ComputationEntry, EventEntry, Exchange, ExchangeFrames, FrameAddresses, FrameEntry,
    GroupExchange, NetworkExchange, OperationFigures, TimelineEntry, ms, picos_ms,
};
use crate::run::RunOutcome;
use waywarden_vehicle_file::{KeyTable, VehicleFile};
use waywarden_vehicle_report::attempt::AttemptOutcome as Ending;

/// Sources of a summary.
struct SummaryContext<'a> {
    file: &'a VehicleFile,
    record: &'a Record,
    outcome: &'a RunOutcome,
    /// By protocol looked at: the time at which its exchange was over.
    ends: Vec<Time>,
}

/// Sums up a recording.
pub(super) fn exchange(
    file: &VehicleFile,
    seed: u64,
    mut record: Record,
    outcome: &RunOutcome,
) -> Exchange {
    record.finish();
    let tables: Vec<KeyTable> = record.watched.iter().map(|one| one.table).collect();
    let measure = &outcome.measure;
    let ends = tables.iter().enumerate().map(|(of, table)| match *table {
        KeyTable::Group(at) => group::end(&record, outcome, of, &measure.groups()[at]),
        KeyTable::Lasan(at) => network::end(&record, outcome, of, &measure.networks()[at]),
    });
    let context = SummaryContext {
        ends: ends.collect(),
        file,
        record: &record,
        outcome,
    };
    let (mut groups, mut networks) = (Vec::new(), Vec::new());
    for (of, table) in tables.into_iter().enumerate() {
        match table {
            KeyTable::Group(at) => groups.push(context.group(of, at)),
            KeyTable::Lasan(at) => networks.push(context.network(of, at)),
        }
    }
    let mut time_line: Vec<(Time, TimelineEntry)> = context.entries().collect();
    time_line.sort_by_key(|(from, _)| *from);
    Exchange {
        vehicle: file.name.clone(),
        seed,
        agreed: all_through(&groups, &networks),
        end_ms: ms(outcome.end),
        groups,
        networks,
        time_line: time_line.into_iter().map(|(_, entry)| entry).collect(),
        left_out: record.left_out,
    }
}

fn all_through(groups: &[GroupExchange], networks: &[NetworkExchange]) -> bool {
    groups.iter().all(|group| group.agreed) && networks.iter().all(|one| one.authorized)
}

impl SummaryContext<'_> {
    fn bus(&self, at: usize) -> String {
        self.outcome.names.buses[at].clone()
    }

    fn ecu(&self, at: usize) -> String {
        self.outcome.names.ecus[at].clone()
    }

    fn frames(&self, of: usize) -> impl Iterator<Item = &KeyFrame> {
        let end = self.ends[of];
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Frame(one) if one.of == of && one.attempt.started < end => Some(one),
                _ => None,
            })
    }

    /// Frames that count: sent, by its own ECUs and its gateway.
    fn counted(&self, of: usize) -> impl Iterator<Item = &KeyFrame> {
        let counts =
            |one: &&KeyFrame| one.origin != Origin::Foreign && one.attempt.outcome == Ending::Sent;
        self.frames(of).filter(counts)
    }

    fn busy(&self, frame: &KeyFrame) -> u64 {
        let attempt = &frame.attempt;
        let on_wire = attempt.ended.since(attempt.started);
        (on_wire + self.record.intermissions[frame.bus().0]).get()
    }

    fn events(&self, of: usize) -> impl Iterator<Item = &Happening> {
        let end = self.ends[of];
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Event(one) if one.of == of && one.at < end => Some(one),
                _ => None,
            })
    }

    /// Computations of an ECU until the last of its protocols is through.
    fn computations(&self, ecu: usize) -> impl Iterator<Item = &Computation> {
        let end = self.protocols_of(ecu).map(|of| self.ends[of]).max();
        self.record
            .entries
            .iter()
            .filter_map(move |entry| match entry {
                Noticed::Computation(one) if one.ecu == ecu && Some(one.from) < end => Some(one),
                _ => None,
            })
    }

    fn protocols_of(&self, ecu: usize) -> impl Iterator<Item = usize> {
        let watched = self.record.watched.iter().enumerate();
        watched
            .filter(move |(_, one)| one.has(ecu))
            .map(|(of, _)| of)
    }

    fn entries(&self) -> impl Iterator<Item = (Time, TimelineEntry)> {
        let watched = 0..self.record.watched.len();
        let frames = watched.clone().flat_map(|of| {
            let entry = |one: &KeyFrame| (one.attempt.started, self.frame(one));
            self.frames(of).map(entry)
        });
        let events = watched.flat_map(|of| {
            let entry = |one: &Happening| (one.at, self.event(one));
            self.events(of).map(entry)
        });
        let computations = (0..self.outcome.names.ecus.len()).flat_map(|ecu| {
            let entry = |one: &Computation| (one.from, self.computation(one));
            self.computations(ecu).map(entry)
        });
        // Among things of one moment, what an ECU tells comes before what it does then.
        events.chain(frames).chain(computations)
    }

    fn frame(&self, one: &KeyFrame) -> TimelineEntry {
        let attempt = &one.attempt;
        let data = attempt.frame.data();
        TimelineEntry::Frame(FrameEntry {
            from_ms: ms(attempt.started),
            to_ms: ms(attempt.ended),
            group: self.record.watched[one.of].name.clone(),
            bus: self.bus(one.bus().0),
            ecu: self.ecu(attempt.ecu.0),
            origin: match one.origin {
                Origin::Own => "own",
                Origin::Forwarded => "forwarded",
                Origin::Foreign => "foreign",
            },
            step: one.header.name(),
            identifier: attempt.frame.id().into(),
            addresses: one.header.addresses(),
            bytes: data.len(),
            data: hexadecimal(data),
            outcome: attempt.outcome.name(),
            message: one.header.message(attempt.frame.id()),
            cut: one.cut,
        })
    }

    fn computation(&self, one: &Computation) -> TimelineEntry {
        let protocols = self.protocols_of(one.ecu);
        TimelineEntry::Computation(ComputationEntry {
            from_ms: ms(one.from),
            to_ms: ms(one.to),
            groups: protocols
                .map(|of| self.record.watched[of].name.clone())
                .collect(),
            ecu: self.ecu(one.ecu),
            operation: one.operation.kind.name(),
            algorithm: one.operation.algorithm.name(),
            bytes: one.operation.bytes,
            computed_ms: picos_ms(one.busy.get()),
        })
    }

    fn event(&self, one: &Happening) -> TimelineEntry {
        TimelineEntry::Event(EventEntry {
            at_ms: ms(one.at),
            group: self.record.watched[one.of].name.clone(),
            ecu: self.ecu(one.ecu),
            event: one.code,
            text: one.text.clone(),
        })
    }

    /// The load of its buses from its first frame to its last, with the intermission after it.
    fn load(&self, at: usize) -> f64 {
        let over = |one: &KeyFrame| one.attempt.started + Picoseconds::new(self.busy(one));
        let first = self.counted(at).map(|one| one.attempt.started).min();
        let (Some(first), Some(last)) = (first, self.counted(at).map(over).max()) else {
            return 0.0;
        };
        let busy: u64 = self.counted(at).map(|one| self.busy(one)).sum();
        let buses = self.record.watched[at].bus_count().max(1) as f64;
        let time = last.since(first).get().max(1) as f64;
        busy as f64 / time / buses
    }

    /// Frames by what they belong to, in order of time: `belongs` names that, with addresses, and
    /// tells whether the sender is one of those between whom it is.
    fn parts(
        &self,
        at: usize,
        belongs: impl Fn(&KeyFrame) -> Option<(&'static str, Option<FrameAddresses>, bool)>,
    ) -> Vec<ExchangeFrames> {
        let mut parts: BTreeMap<_, (ExchangeFrames, u64)> = BTreeMap::new();
        for one in self.counted(at) {
            let Some((name, addresses, names_sender)) = belongs(one) else {
                continue;
            };
            let (from, to) = (ms(one.attempt.started), ms(one.attempt.ended));
            let (part, busy) = parts.entry((name, addresses)).or_insert_with(|| {
                let part = ExchangeFrames {
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
            let sender = self.ecu(one.attempt.ecu.0);
            if one.origin == Origin::Own && names_sender && !part.between.contains(&sender) {
                part.between.push(sender);
            }
        }
        let mut parts: Vec<ExchangeFrames> = parts.into_values().map(|(part, _)| part).collect();
        parts.sort_by(|one, other| one.from_ms.total_cmp(&other.from_ms));
        parts
    }

    /// Returns the time that an ECU computed, in milliseconds, and the same by operation.
    fn computed(&self, ecu: usize) -> (f64, Vec<OperationFigures>) {
        let mut operations: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        for one in self.computations(ecu) {
            let what = (one.operation.kind, one.operation.algorithm);
            let (jobs, busy) = operations.entry(what).or_default();
            *jobs += 1;
            *busy += one.busy.get();
        }
        let all = operations.values().map(|(_, busy)| busy).sum();
        let operations = operations
            .into_iter()
            .map(|((kind, algorithm), (jobs, busy))| OperationFigures {
                operation: kind.name(),
                algorithm: algorithm.name(),
                jobs,
                ms: picos_ms(busy),
            });
        (picos_ms(all), operations.collect())
    }

    /// Counts the frames of the protocol that an ECU sent.
    fn sent(&self, at: usize, ecu: usize) -> u64 {
        let sent = self.counted(at).filter(|one| one.attempt.ecu.0 == ecu);
        sent.count() as u64
    }

    /// Counts the frames destroyed on the bus, and the foreign ones.
    fn disturbed(&self, at: usize) -> (u64, u64) {
        let frames = || self.frames(at);
        let foreign = |one: &&KeyFrame| one.origin == Origin::Foreign;
        let destroyed =
            |one: &&KeyFrame| !foreign(one) && matches!(one.attempt.outcome, Ending::Broken(_));
        let [destroyed, foreign] = [
            frames().filter(destroyed).count(),
            frames().filter(foreign).count(),
        ];
        (destroyed as u64, foreign as u64)
    }
}

fn payload(frame: &KeyFrame) -> u64 {
    frame.attempt.frame.data().len() as u64
}

impl IdentifiedHeader {
    fn name(self) -> &'static str {
        match self {
            IdentifiedHeader::Group(step, _) => step.name(),
            IdentifiedHeader::Lasan(header) => header.kind.name(),
        }
    }

    fn addresses(self) -> FrameAddresses {
        match self {
            IdentifiedHeader::Group(_, header) => header.into(),
            IdentifiedHeader::Lasan(header) => header.into(),
        }
    }

    /// Returns the identifier that all frames of one message share: without the number of the part.
    fn message(self, id: Id) -> u32 {
        match self {
            IdentifiedHeader::Group(..) => raw(id),
            IdentifiedHeader::Lasan(header) => raw(header.identifier(0)),
        }
    }
}

fn raw(id: Id) -> u32 {
    match id {
        Id::Standard(id) => u32::from(id.raw()),
        Id::Extended(id) => id.raw(),
    }
}

impl From<of_group::GroupHeader> for FrameAddresses {
    fn from(header: of_group::GroupHeader) -> Self {
        FrameAddresses::Exchange {
            first: header.first.0,
            second: header.second.0,
            result: header.result.0,
        }
    }
}

impl From<of_lasan::LasanHeader> for FrameAddresses {
    fn from(header: of_lasan::LasanHeader) -> Self {
        FrameAddresses::Message {
            source: header.source.0,
            target: header.target.0,
        }
    }
}

/// Writes bytes in hexadecimal, with the prefix that keeps programs from taking them for a number.
fn hexadecimal(data: &[u8]) -> String {
    let digits = data.iter().map(|byte| format!("{byte:02X}"));
    ["0x".to_owned()].into_iter().chain(digits).collect()
}
