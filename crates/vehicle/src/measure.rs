//! What a run amounts to: loads, latencies, losses, gathered from the trace as it passes.
//!
//! Memory is bounded by the number of buses, ECUs, identifiers and streams, and by a window of the
//! last [`WINDOW`] transmissions, in which a frame is followed from its request over every gateway
//! to its receivers.

pub mod histogram;
pub mod keys;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use waywarden_can::Id;
use waywarden_can::node::{BusState, Task};
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::controller::acceptance_key;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex, Event, Serial, Sink};
use waywarden_work::{Algorithm, Duration, OperationKind};

use crate::file::VehicleFile;
use crate::nodes::{Backlog, KEYS, Tidings};

use self::histogram::Histogram;
use self::keys::{Following, GroupFigures};
use self::window::{Track, Window};

pub use self::window::WINDOW;

/// How long the windows are in which a bus's load is followed over time.
pub const LOAD_WINDOW: Duration = Duration::from_millis(100);

/// A stream, as far as measuring needs to know it.
#[derive(Clone, Debug)]
pub struct Watched {
    /// Its name in reports.
    pub name: String,
    /// Who sends it first.
    pub sender: EcuIndex,
    /// On which bus.
    pub bus: BusIndex,
    /// With which identifier.
    pub id: Id,
    /// Who has to get it.
    pub receivers: Vec<EcuIndex>,
    /// From the release at the sender to the last receiver's hands.
    pub deadline: Duration,
}

/// What was measured of one bus.
#[derive(Clone, Debug, Default)]
pub struct BusFigures {
    /// Frames sent and acknowledged.
    pub frames: u64,
    /// Picoseconds of frames and their intermissions.
    pub busy: u64,
    /// The same by window of [`LOAD_WINDOW`], from the start on.
    pub windows: Vec<u64>,
    /// Errors detected, by any controller.
    pub errors: u64,
    /// Strikes of interferers.
    pub strikes: u64,
}

/// What was measured of one identifier on one bus.
#[derive(Clone, Debug, Default)]
pub struct IdFigures {
    /// Frames sent.
    pub frames: u64,
    /// From the node's request to the end of the frame.
    pub latency: Histogram,
    /// From the end of one to the end of the next.
    pub gaps: Histogram,
    last: Option<Time>,
}

/// What was measured of one ECU.
#[derive(Clone, Debug, Default)]
pub struct EcuFigures {
    /// Picoseconds of work by task: receive, send, crypto.
    pub busy: [u64; 3],
    /// Frames sent and acknowledged, on all buses.
    pub sent: u64,
    /// Received frames lost to a full queue.
    pub overruns: u64,
    /// Frames taken back by bus-off or reset, or by the node.
    pub withdrawn: u64,
    /// Boots.
    pub boots: u32,
    /// The worst fault confinement state on any bus.
    pub worst_state: &'static str,
}

/// What was measured of one stream, over all its receivers.
#[derive(Clone, Debug, Default)]
pub struct StreamFigures {
    /// Instances the sender asked for.
    pub requested: u64,
    /// Deliveries to receivers that count.
    pub delivered: u64,
    /// Deliveries later than the deadline.
    pub late: u64,
    /// From the release at the sender to a receiver's hands.
    pub latency: Histogram,
    /// How the slowest delivery spent its time.
    pub worst: Option<Worst>,
    /// When every receiver had it for the first time.
    pub complete: Option<Time>,
    /// Which receivers have had it.
    reached: Vec<bool>,
}

/// The slowest delivery of a stream and where its time went.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// When it arrived.
    pub at: Time,
    /// At which receiver.
    pub receiver: EcuIndex,
    /// How long it took.
    pub latency: Duration,
    /// The step that took longest.
    pub step: Step,
    /// How long that step took.
    pub share: Duration,
}

/// A part of a frame's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The sender's transmit queue had no room.
    QueueFull(EcuIndex),
    /// The sender's processor had other work before the driver call.
    SendTask(EcuIndex),
    /// Frames of higher priority, or frames before it in the queue, had the bus.
    Waiting(BusIndex, u32),
    /// Errors made it start again.
    Repeated(BusIndex, u32),
    /// The frame itself was on the wire.
    OnTheWire(BusIndex),
    /// The receiver's processor had other work before it took the frame out.
    ReceiveTask(EcuIndex),
}

/// Everything measured in a run.
#[derive(Debug)]
pub struct Measure {
    /// By bus.
    pub buses: Vec<BusFigures>,
    /// By bus and identifier, in order of both.
    pub ids: BTreeMap<(usize, u32), (Id, IdFigures)>,
    /// By ECU.
    pub ecus: Vec<EcuFigures>,
    /// The streams that are followed.
    pub watched: Vec<Watched>,
    /// By stream.
    pub streams: Vec<StreamFigures>,
    /// What was computed, by ECU and operation: jobs finished and picoseconds.
    pub work: BTreeMap<(usize, OperationKind, Algorithm), (u64, u64)>,
    /// How often each interferer struck, by name.
    pub strikes: BTreeMap<String, u64>,
    /// Interferers of which a frame is one strike, however many of its bits they change.
    pub by_frame: BTreeSet<String>,
    /// When the last frame began, by bus.
    began: Vec<Time>,
    /// When each of those last struck.
    struck: BTreeMap<String, Time>,
    /// How many remarks nodes made: by ECU, kind, and who is responsible.
    pub remarks: BTreeMap<(usize, &'static str, String), u64>,
    by_source: BTreeMap<(usize, usize, u32), usize>,
    intermission: Vec<u64>,
    window: Window,
    backlog: Rc<Backlog>,
    keys: Following,
}

impl Measure {
    /// Makes an empty measurement; `intermission` is three bits of each bus, in picoseconds. The
    /// ECUs of the run tell `backlog` what waits in them.
    #[must_use]
    pub fn new(
        ecus: usize,
        intermission: Vec<u64>,
        watched: Vec<Watched>,
        backlog: Rc<Backlog>,
    ) -> Self {
        let by_source = watched
            .iter()
            .enumerate()
            .map(|(at, one)| ((one.sender.0, one.bus.0, acceptance_key(one.id)), at))
            .collect();
        let streams = watched
            .iter()
            .map(|one| StreamFigures {
                reached: vec![false; one.receivers.len()],
                ..Default::default()
            })
            .collect();
        let active = EcuFigures {
            worst_state: state_name(BusState::Active),
            ..Default::default()
        };
        Measure {
            buses: vec![BusFigures::default(); intermission.len()],
            ids: BTreeMap::new(),
            ecus: vec![active; ecus],
            watched,
            streams,
            work: BTreeMap::new(),
            strikes: BTreeMap::new(),
            by_frame: BTreeSet::new(),
            began: vec![Time::ZERO; intermission.len()],
            struck: BTreeMap::new(),
            remarks: BTreeMap::new(),
            by_source,
            intermission,
            window: Window::default(),
            backlog,
            keys: Following::default(),
        }
    }

    /// Follows the groups of a vehicle too; its ECUs tell `tidings` what happens to their keys.
    pub fn follow_keys(&mut self, file: &VehicleFile, tidings: Rc<Tidings>) {
        self.keys = Following::of(file, tidings);
    }

    /// Returns what was measured of each group, in the vehicle file's order.
    #[must_use]
    pub fn groups(&self) -> &[GroupFigures] {
        &self.keys.groups
    }

    /// Returns when every stream had reached each of its receivers once, if that has happened.
    #[must_use]
    pub fn start_up(&self) -> Option<Time> {
        self.streams
            .iter()
            .zip(&self.watched)
            .filter(|(_, watched)| !watched.receivers.is_empty())
            .try_fold(Time::ZERO, |latest, (stream, _)| {
                Some(latest.max(stream.complete?))
            })
    }

    /// Returns how many instances of a stream never left their sender, whose transmit queue was
    /// full.
    #[must_use]
    pub fn skipped(&self, stream: usize) -> u64 {
        self.backlog.skipped(stream)
    }

    /// Returns the stream that this transmission is an instance of, over any number of gateways.
    #[must_use]
    pub fn stream_of(&self, serial: Serial) -> Option<usize> {
        self.window.track(serial).and_then(|track| track.stream)
    }

    fn requested(&mut self, at: Time, event: &Event<'_>) {
        let &Event::Requested {
            ecu,
            bus,
            serial,
            cause,
            frame,
            ..
        } = event
        else {
            return;
        };
        let source = (ecu.0, bus.0, acceptance_key(frame.id()));
        let before = cause.and_then(|cause| self.window.track(cause)).copied();
        let (stream, origin, previous) = match before {
            Some(before) if before.stream.is_some() => (before.stream, before.origin, cause),
            _ => match self.by_source.get(&source) {
                Some(&stream) => (Some(stream), before_by(at, self.backlog.waited()), None),
                None => (None, at, None),
            },
        };
        if previous.is_none()
            && let Some(stream) = stream
        {
            self.streams[stream].requested += 1;
        }
        self.window
            .open(serial, Track::new(stream, origin, previous, (ecu, bus), at));
    }

    fn sent(&mut self, at: Time, event: &Event<'_>) {
        let &Event::Sent {
            bus,
            ecu,
            serial,
            started,
            frame,
        } = event
        else {
            return;
        };
        self.ecus[ecu.0].sent += 1;
        let figures = &mut self.buses[bus.0];
        let busy = at.since(started).get() + self.intermission[bus.0];
        figures.frames += 1;
        figures.busy += busy;
        add_to_window(&mut figures.windows, at, busy);
        self.keys.sent(bus, ecu, frame, busy);
        let key = (bus.0, acceptance_key(frame.id()));
        let (_, id) = self
            .ids
            .entry(key)
            .or_insert_with(|| (frame.id(), IdFigures::default()));
        id.frames += 1;
        if let Some(last) = id.last.replace(at) {
            id.gaps.add(span(last, at));
        }
        if let Some(track) = self.window.track_mut(serial) {
            track.sent = at;
            id.latency.add(span(track.requested, at));
        }
    }

    fn delivered(&mut self, at: Time, receiver: EcuIndex, serial: Serial) {
        let Some(&Track {
            stream: Some(stream),
            origin,
            ..
        }) = self.window.track(serial)
        else {
            return;
        };
        let watched = &self.watched[stream];
        let Some(who) = watched.receivers.iter().position(|&one| one == receiver) else {
            return;
        };
        let latency = span(origin, at);
        let figures = &mut self.streams[stream];
        figures.delivered += 1;
        figures.late += u64::from(latency > watched.deadline);
        if figures
            .latency
            .greatest()
            .is_none_or(|greatest| latency > greatest)
        {
            let (step, share) = self.window.longest_step(serial, receiver, at);
            figures.worst = Some(Worst {
                at,
                receiver,
                latency,
                step,
                share,
            });
        }
        figures.latency.add(latency);
        if !figures.reached[who] {
            figures.reached[who] = true;
            if figures.reached.iter().all(|&reached| reached) {
                figures.complete = Some(at);
            }
        }
    }
}

impl Sink for Measure {
    fn record(&mut self, at: Time, event: &Event<'_>) {
        match *event {
            Event::Requested { .. } => self.requested(at, event),
            Event::Sent { .. } => self.sent(at, event),
            Event::Delivered { ecu, serial, .. } => self.delivered(at, ecu, serial),
            Event::Queued { serial, .. } => self.window.change(serial, |track| track.queued = at),
            Event::Started { bus, serial, .. } => {
                self.began[bus.0] = at;
                self.window.change(serial, |track| {
                    track.started = at;
                    track.attempts += 1;
                });
            }
            Event::ArbitrationLost { serial, .. } => {
                self.window.change(serial, |track| track.losses += 1);
            }
            Event::Worked { ecu, slice } => {
                let task = match slice.task {
                    Task::Receive => 0,
                    Task::Send => 1,
                    Task::Crypto => 2,
                };
                let busy = slice.to.since(slice.from).get();
                self.ecus[ecu.0].busy[task] += busy;
                let operation = (ecu.0, slice.operation.kind, slice.operation.algorithm);
                let (jobs, picos) = self.work.entry(operation).or_default();
                *jobs += u64::from(slice.finished);
                *picos += busy;
            }
            Event::Overrun { ecu, .. } => self.ecus[ecu.0].overruns += 1,
            Event::Withdrawn { ecu, .. } => self.ecus[ecu.0].withdrawn += 1,
            Event::Boot { ecu, boots } => self.ecus[ecu.0].boots = boots,
            Event::State { ecu, state, .. } => {
                let worst = &mut self.ecus[ecu.0].worst_state;
                if state == BusState::Off || *worst == state_name(BusState::Active) {
                    *worst = state_name(state);
                }
            }
            Event::Error { bus, .. } => self.buses[bus.0].errors += 1,
            Event::Interfered { bus, by, .. } => {
                self.buses[bus.0].strikes += 1;
                if self.by_frame.contains(by) {
                    let before = self.struck.insert(by.to_owned(), at);
                    if before.is_some_and(|before| before >= self.began[bus.0]) {
                        return;
                    }
                }
                *self.strikes.entry(by.to_owned()).or_default() += 1;
            }
            Event::Noted { ecu, note } => {
                let key = (ecu.0, note.kind, note.by.clone());
                *self.remarks.entry(key).or_default() += 1;
                if note.kind == KEYS {
                    let ecus = &self.ecus;
                    self.keys.told(at, |ecu| ecus[ecu.0].busy[2]);
                }
            }
            _ => {}
        }
    }
}

/// Returns the time between two points in nanoseconds, rounded down.
pub(crate) fn span(from: Time, to: Time) -> Duration {
    Duration::from_nanos(to.since(from).get() / 1_000)
}

/// Returns the time this much before a point.
fn before_by(at: Time, duration: Duration) -> Time {
    let picos = duration.as_nanos().saturating_mul(1_000);
    Time::from_picos(at.as_picos().saturating_sub(picos))
}

fn add_to_window(windows: &mut Vec<u64>, at: Time, busy: u64) {
    let window = (at.as_picos() / (LOAD_WINDOW.as_nanos() * 1_000)) as usize;
    if window >= windows.len() {
        windows.resize(window + 1, 0);
    }
    windows[window] += busy;
}
