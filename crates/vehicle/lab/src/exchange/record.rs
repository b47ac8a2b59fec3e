//! The record of a run: frames of key protocols, computations and events, up to a bound.

use std::collections::{BTreeMap, HashMap};

use waywarden_can::Frame;
use waywarden_can::node::Task;
use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_group_keys::{self as group, Step, Transport};
use waywarden_lasan::{self as lasan, LasanKind};
use waywarden_work::Operation;

use waywarden_vehicle_file::{KeyGroup, KeyTable, Lasan, VehicleFile};
use waywarden_vehicle_report::attempt::{Attempt, Attempts};
use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_trace::{Fact, TraceSink, VehicleEvent};

/// Limit on the kept frames, computations and events of a run, together.
pub const ENTRIES_MAX: usize = 1 << 17;

/// Among how many entries a frame is looked for that a gateway forwards: more than the gateway's
/// queue holds, and what is computed meanwhile.
const FORWARDING_MAX: usize = 4_096;

/// A recording under way.
pub(super) struct Record {
    pub(super) watched: Vec<Watched>,
    pub(super) entries: Vec<Noticed>,
    pub(super) left_out: u64,
    /// By bus: the time between two frames.
    pub(super) intermissions: Vec<Picoseconds>,
    attempts: Attempts,
    /// By frame: the ECUs that sent it on a bus, and how many entries there were when each last
    /// did. A gateway's frame is looked up here, so that its cost does not grow with the entries.
    senders: HashMap<Frame, Vec<(BusIndex, EcuIndex, usize)>>,
    /// Computations that were pre-empted, or run on several cores.
    computing: Vec<Computation>,
    now: Time,
    prose: Prose,
}

/// A group or security module that is looked at.
pub(super) struct Watched {
    pub(super) table: KeyTable,
    pub(super) name: String,
    transport: Transport,
    reader: Reader,
    /// Number of frames into which the messages of a security module are cut, by kind.
    frames: BTreeMap<LasanKind, u64>,
    buses: Vec<usize>,
    ecus: Vec<usize>,
    gateway: Option<usize>,
}

/// Reader of the frames of a key protocol.
enum Reader {
    /// Those of a group; none of a group without a plan, of which the file was refused.
    Group(Option<Box<group::GroupFrameReader>>),
    Network(lasan::LasanFrameReader),
}

/// An entry of the record.
pub(super) enum Noticed {
    Frame(KeyFrame),
    Computation(Computation),
    Event(Happening),
}

/// A frame of a key protocol that is over.
pub(super) struct KeyFrame {
    /// Its protocol, among those looked at.
    pub(super) of: usize,
    pub(super) header: IdentifiedHeader,
    pub(super) attempt: Attempt,
    pub(super) origin: Origin,
    /// Number of frames into which its message is cut.
    pub(super) cut: usize,
}

/// Content of a frame's identifier.
#[derive(Clone, Copy)]
pub(super) enum IdentifiedHeader {
    Group(Step, group::GroupHeader),
    Lasan(lasan::LasanHeader),
}

/// Origin of a frame, from its protocol's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Own,
    Forwarded,
    Foreign,
}

/// A cryptographic operation.
#[derive(Clone, Copy)]
pub(super) struct Computation {
    pub(super) ecu: usize,
    pub(super) operation: Operation,
    pub(super) from: Time,
    pub(super) to: Time,
    pub(super) busy: Picoseconds,
}

/// Key event of an ECU.
pub(super) struct Happening {
    /// Index of its protocol, among those looked at.
    pub(super) of: usize,
    pub(super) ecu: usize,
    pub(super) at: Time,
    pub(super) code: &'static str,
    pub(super) text: String,
}

impl Record {
    /// Looks at these key protocols of a vehicle.
    pub(super) fn of(file: &VehicleFile, config: &Config<Fact>, tables: &[KeyTable]) -> Self {
        let watched = |&table: &KeyTable| match table {
            KeyTable::Group(at) => Some(Watched::group(at, file.groups.get(at)?)),
            KeyTable::Lasan(at) => Some(Watched::network(at, file.lasan.get(at)?)),
        };
        let intermissions = config.buses.iter().map(|bus| bus.timing.intermission());
        Record {
            watched: tables.iter().filter_map(watched).collect(),
            entries: Vec::new(),
            left_out: 0,
            intermissions: intermissions.collect(),
            attempts: Attempts::on(&config.buses),
            senders: HashMap::new(),
            computing: Vec::new(),
            now: Time::ZERO,
            prose: Prose::of(file),
        }
    }

    /// Ends the recording: what is under way on the buses is cut off.
    pub(super) fn finish(&mut self) {
        let mut over = Vec::new();
        self.attempts
            .finish(self.now, &mut |attempt| over.push(attempt));
        over.into_iter().for_each(|attempt| self.frame(attempt));
    }

    fn keep(&mut self, noticed: Noticed) {
        match self.entries.len() < ENTRIES_MAX {
            true => self.entries.push(noticed),
            false => self.left_out += 1,
        }
    }

    /// Keeps a frame that is over, if it is one of a key protocol on one of its buses.
    fn frame(&mut self, attempt: Attempt) {
        let read = |(at, watched): (usize, &Watched)| {
            let on_bus = watched.buses.contains(&attempt.bus.0);
            let (header, cut) = watched.read(&attempt.frame).filter(|_| on_bus)?;
            Some((at, header, cut))
        };
        let Some((of, header, cut)) = self.watched.iter().enumerate().find_map(read) else {
            return;
        };
        if self.entries.len() == ENTRIES_MAX {
            self.left_out += 1;
            return;
        }
        let watched = &self.watched[of];
        let forwards = watched.gateway == Some(attempt.ecu.0) && self.is_forwarded(&attempt);
        let origin = match (forwards, watched.has(attempt.ecu.0)) {
            (true, _) => Origin::Forwarded,
            (false, true) => Origin::Own,
            (false, false) => Origin::Foreign,
        };
        self.note_sender(&attempt);
        self.keep(Noticed::Frame(KeyFrame {
            of,
            header,
            attempt,
            origin,
            cut,
        }));
    }

    /// Returns true if a frame of a gateway is one that another ECU sent on another bus.
    ///
    /// The request's cause does not tell it: a frame that found no room is asked for later.
    fn is_forwarded(&self, attempt: &Attempt) -> bool {
        let senders = self.senders.get(&attempt.frame);
        senders.into_iter().flatten().any(|&(bus, ecu, at)| {
            let is_recent = self.entries.len() - at <= FORWARDING_MAX;
            is_recent && bus != attempt.bus && ecu != attempt.ecu
        })
    }

    /// Remembers the next entry as the last of its frame by this ECU on this bus.
    fn note_sender(&mut self, attempt: &Attempt) {
        let (bus, ecu, at) = (attempt.bus, attempt.ecu, self.entries.len());
        let senders = self.senders.entry(attempt.frame).or_default();
        match senders.iter_mut().find(|one| (one.0, one.1) == (bus, ecu)) {
            Some(sender) => sender.2 = at,
            None => senders.push((bus, ecu, at)),
        }
    }

    fn worked(&mut self, ecu: EcuIndex, slice: &TimeSlice) {
        let takes_part = self.watched.iter().any(|one| one.has(ecu.0));
        if slice.task != Task::Crypto || !takes_part {
            return;
        }
        let same = |one: &Computation| one.ecu == ecu.0 && one.operation == slice.operation;
        let before = self.computing.iter().position(same);
        let mut job = match before {
            Some(at) => self.computing.remove(at),
            None => Computation {
                ecu: ecu.0,
                operation: slice.operation,
                from: slice.from,
                to: slice.to,
                busy: Picoseconds::new(0),
            },
        };
        job.to = slice.to;
        job.busy += slice.to.since(slice.from);
        match slice.finished {
            true => self.keep(Noticed::Computation(job)),
            false => self.computing.push(job),
        }
    }

    fn noted(&mut self, at: Time, ecu: EcuIndex, fact: &Fact) {
        let (table, code) = match fact {
            Fact::GroupKey { group, event } => (KeyTable::Group(*group), event.code()),
            Fact::Authorization { network, event } => (KeyTable::Lasan(*network), event.code()),
            _ => return,
        };
        let Some(of) = self.watched.iter().position(|one| one.table == table) else {
            return;
        };
        let text = match fact {
            Fact::GroupKey { event, .. } => Prose::group_key(event),
            Fact::Authorization { network, event } => {
                self.prose.authorization_text(*network, event)
            }
            _ => String::new(),
        };
        self.keep(Noticed::Event(Happening {
            of,
            ecu: ecu.0,
            at,
            code,
            text,
        }));
    }
}

impl TraceSink for Record {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        self.now = at;
        let mut over = Vec::new();
        self.attempts
            .follow(at, event, &mut |attempt| over.push(attempt));
        over.into_iter().for_each(|attempt| self.frame(attempt));
        match event {
            VehicleEvent::Worked { ecu, slice } => self.worked(*ecu, slice),
            // What it was computing it will not finish.
            VehicleEvent::Reset { ecu } => self.computing.retain(|one| one.ecu != ecu.0),
            VehicleEvent::Noted { ecu, remark } => self.noted(at, *ecu, remark.fact),
            _ => {}
        }
    }
}

impl Watched {
    fn group(at: usize, group: &KeyGroup) -> Self {
        Watched {
            table: KeyTable::Group(at),
            name: group.name.value.clone(),
            transport: group.transport,
            reader: Reader::Group(group.frames().ok().map(Box::new)),
            frames: BTreeMap::new(),
            buses: group.buses.iter().map(|bus| bus.0).collect(),
            ecus: group.parties().map(|party| party.ecu.0).collect(),
            gateway: group.gateway.map(|ecu| ecu.0),
        }
    }

    fn network(at: usize, network: &Lasan) -> Self {
        Watched {
            table: KeyTable::Lasan(at),
            name: network.name.value.clone(),
            transport: network.transport,
            reader: Reader::Network(network.frames()),
            frames: frames(network),
            buses: network.buses.iter().map(|bus| bus.0).collect(),
            ecus: network.parties().map(|party| party.ecu.0).collect(),
            gateway: network.gateway.map(|ecu| ecu.0),
        }
    }

    /// Reads a frame, if it is one of this protocol, and says into how many its message is cut.
    fn read(&self, frame: &Frame) -> Option<(IdentifiedHeader, usize)> {
        match &self.reader {
            Reader::Group(frames) => {
                let (step, header) = frames.as_ref()?.read(frame)?;
                Some((
                    IdentifiedHeader::Group(step, header),
                    step.frame_count(self.transport),
                ))
            }
            Reader::Network(frames) => {
                let (header, _) = frames.read(frame)?;
                // A kind that the profile does not have is a foreign sender's: one frame each.
                let cut = self.frames.get(&header.kind).copied().unwrap_or(1);
                Some((IdentifiedHeader::Lasan(header), cut as usize))
            }
        }
    }

    /// Returns true if an ECU takes part.
    pub(super) fn has(&self, ecu: usize) -> bool {
        self.ecus.contains(&ecu)
    }

    /// Returns how many buses it has.
    pub(super) fn bus_count(&self) -> usize {
        self.buses.len()
    }
}

fn frames(network: &Lasan) -> BTreeMap<LasanKind, u64> {
    let lengths = network.lengths().into_iter();
    let lengths = lengths.flat_map(|lengths| {
        let kinds = LasanKind::ALL.iter();
        kinds.filter_map(move |kind| Some((*kind, lengths.of(*kind)?)))
    });
    lengths
        .map(|(kind, length)| (kind, network.frame_count(length)))
        .collect()
}

impl KeyFrame {
    /// Returns the bus.
    pub(super) const fn bus(&self) -> BusIndex {
        self.attempt.bus
    }
}
