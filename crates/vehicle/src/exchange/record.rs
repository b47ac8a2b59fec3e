//! What is kept of a run while it goes on: key frames, computations and events, up to a bound.

use waywarden_can::node::Task;
use waywarden_can::timing::Picoseconds;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::cpu::Slice;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Event, Sink};
use waywarden_ecu_keys::group::{Header, Step, Transport};
use waywarden_work::Operation;

use crate::attempt::{Attempt, Attempts};
use crate::file::VehicleFile;
use crate::nodes::{KEYS, word};

/// How many frames, computations and events are kept of a run, together.
pub const ENTRIES_MAX: usize = 1 << 17;

/// Among how many entries a frame is looked for that a gateway forwards: more than the gateway's
/// queue holds, and what is computed meanwhile.
const FORWARDING_MAX: usize = 4_096;

/// A recording under way.
pub(super) struct Record {
    pub(super) groups: Vec<Watched>,
    pub(super) entries: Vec<Noticed>,
    pub(super) left_out: u64,
    /// By bus: the time between two frames.
    pub(super) intermissions: Vec<Picoseconds>,
    attempts: Attempts,
    /// Computations that were pre-empted, or run on several cores.
    computing: Vec<Computation>,
    now: Time,
}

/// A group that is looked at.
pub(super) struct Watched {
    /// Its place in the vehicle file.
    pub(super) at: usize,
    pub(super) name: String,
    transport: Transport,
    buses: Vec<usize>,
    ecus: Vec<usize>,
    gateway: Option<usize>,
}

/// What was noticed.
pub(super) enum Noticed {
    Frame(KeyFrame),
    Computation(Computation),
    Event(Happening),
}

/// A key frame that is over.
pub(super) struct KeyFrame {
    /// Its group, among those looked at.
    pub(super) group: usize,
    pub(super) step: Step,
    pub(super) header: Header,
    pub(super) attempt: Attempt,
    pub(super) origin: Origin,
    /// Into how many frames its message is cut.
    pub(super) cut: usize,
}

/// Whose a key frame is.
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

/// What an ECU told.
pub(super) struct Happening {
    pub(super) group: usize,
    pub(super) ecu: usize,
    pub(super) at: Time,
    pub(super) word: &'static str,
    pub(super) text: String,
}

impl Record {
    /// Looks at these groups of a vehicle, given by their places in the file.
    pub(super) fn of(file: &VehicleFile, config: &Config, groups: &[usize]) -> Self {
        let watched = |&at: &usize| {
            let group = file.groups.get(at)?;
            Some(Watched {
                at,
                name: group.name.value.clone(),
                transport: group.transport,
                buses: group.buses.iter().map(|bus| bus.0).collect(),
                ecus: group.parties().map(|party| party.ecu.0).collect(),
                gateway: group.gateway.map(|ecu| ecu.0),
            })
        };
        let intermissions = config.buses.iter().map(|bus| bus.timing.intermission());
        Record {
            groups: groups.iter().filter_map(watched).collect(),
            entries: Vec::new(),
            left_out: 0,
            intermissions: intermissions.collect(),
            attempts: Attempts::on(&config.buses),
            computing: Vec::new(),
            now: Time::ZERO,
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

    /// Keeps a frame that is over, if it is a key frame on a bus of a group.
    fn frame(&mut self, attempt: Attempt) {
        let on_bus = |group: &Watched| group.buses.contains(&attempt.bus.0);
        let Some(at) = self.groups.iter().position(on_bus) else {
            return;
        };
        let Some((step, header)) = Header::of(&attempt.frame) else {
            return;
        };
        let group = &self.groups[at];
        let forwards = group.gateway == Some(attempt.ecu.0) && self.is_forwarded(&attempt);
        let origin = match (forwards, group.ecus.contains(&attempt.ecu.0)) {
            (true, _) => Origin::Forwarded,
            (false, true) => Origin::Own,
            (false, false) => Origin::Foreign,
        };
        let cut = group.transport.frame_count(step);
        self.keep(Noticed::Frame(KeyFrame {
            group: at,
            step,
            header,
            attempt,
            origin,
            cut,
        }));
    }

    /// Whether a frame of a gateway is one that another ECU sent on another bus.
    ///
    /// The request's cause does not tell it: a frame that found no room is asked for later.
    fn is_forwarded(&self, attempt: &Attempt) -> bool {
        let mut recent = self.entries.iter().rev().take(FORWARDING_MAX);
        recent.any(|entry| match entry {
            Noticed::Frame(KeyFrame { attempt: one, .. }) => {
                one.bus != attempt.bus && one.ecu != attempt.ecu && one.frame == attempt.frame
            }
            _ => false,
        })
    }

    fn worked(&mut self, ecu: EcuIndex, slice: &Slice) {
        let takes_part = self.groups.iter().any(|group| group.ecus.contains(&ecu.0));
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
}

impl Sink for Record {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        self.now = at;
        let mut over = Vec::new();
        self.attempts
            .follow(at, event, &mut |attempt| over.push(attempt));
        over.into_iter().for_each(|attempt| self.frame(attempt));
        match event {
            Event::Worked { ecu, slice } => self.worked(*ecu, slice),
            // What it was computing it will not finish.
            Event::Reset { ecu } => self.computing.retain(|one| one.ecu != ecu.0),
            Event::Noted { ecu, note } if note.kind == KEYS => {
                let group = self.groups.iter().position(|group| group.name == note.by);
                if let Some(group) = group {
                    self.keep(Noticed::Event(Happening {
                        group,
                        ecu: ecu.0,
                        at,
                        word: word(note),
                        text: note.text.clone(),
                    }));
                }
            }
            _ => {}
        }
    }
}

impl Watched {
    /// Whether an ECU takes part.
    pub(super) fn has(&self, ecu: usize) -> bool {
        self.ecus.contains(&ecu)
    }

    /// Returns how many buses it has.
    pub(super) fn bus_count(&self) -> usize {
        self.buses.len()
    }
}

impl KeyFrame {
    /// Returns the bus.
    pub(super) const fn bus(&self) -> BusIndex {
        self.attempt.bus
    }
}
