//! A bounded recording of a run, for the HTML report: short timeline windows in full, counts of
//! the rest.
//!
//! A timeline window is a few milliseconds of all buses, frame by frame: the first frames of the
//! run, those half-way through it, the first disturbance of each kind (the strike of an
//! interferer, a frame of an attacker, a remark, a reset, bus-off, an unexplained error), and the
//! first key of each group. Each lasts from [`BEFORE`] its cause to [`AFTER`] it and takes in later
//! causes. Over the whole run, destroyed frames, strikes and attackers' frames are counted by
//! [`LOAD_WINDOW`], and error counters are followed.

mod counters;
mod marks;
mod window;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use waywarden_can::node::BusState;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::config::Config;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};
use waywarden_lasan::{EcuEvent, ProtectedOutcome};
use waywarden_work::Duration;

use waywarden_vehicle_file::VehicleFile;
use waywarden_vehicle_report::attempt::{Attempt, AttemptOutcome, Attempts};
use waywarden_vehicle_report::identifiers::IdentifierNames;
use waywarden_vehicle_report::measure::{LOAD_WINDOW, watched};
use waywarden_vehicle_report::prose::{self, Prose};
use waywarden_vehicle_trace::{
    AuthorizationEvent, Fact, FactKind, GroupKeyEvent, JudgedFact, TraceSink, VehicleEvent,
};

pub(crate) use self::counters::{CounterLine, Step};
pub(crate) use self::marks::{Mark, MarkKind, Marks};
pub(crate) use self::window::TimelineWindow;
pub use self::window::{FRAMES_MAX, MARKS_MAX};

/// Limit on timeline windows that are kept.
pub const WINDOWS_MAX: usize = 16;

/// Time that a timeline window shows before its cause.
pub const BEFORE: Duration = Duration::from_millis(2);

/// Time that a timeline window shows after its cause.
pub const AFTER: Duration = Duration::from_millis(10);

/// Limit on remembered frames of the immediate past, for the timeline window that may begin: the
/// shortest frames on 20 buses of 1 Mbit/s for [`BEFORE`].
const PAST_MAX: usize = 1_024;

/// Limit on remembered marks of the immediate past, likewise.
const PAST_MARKS_MAX: usize = 256;

/// Records a run.
pub struct RunRecorder {
    recording: RunRecording,
    attempts: Attempts,
    past: VecDeque<Attempt>,
    past_marks: Marks,
    seen: BTreeSet<Cause>,
    ecus: Vec<String>,
    buses: Vec<String>,
    /// Time at which the run is half over.
    halfway: Time,
    now: Time,
    prose: Prose,
}

/// Recording of a finished run.
#[derive(Debug)]
pub struct RunRecording {
    pub(crate) windows: Vec<TimelineWindow>,
    /// Disturbances by bus.
    pub(crate) disturbances: Vec<DisturbancesByBus>,
    /// Error counters by bus and ECU, of those whose counters moved.
    pub(crate) counters: BTreeMap<(usize, usize), CounterLine>,
    identifiers: IdentifierNames,
    /// Attackers that send are the ECUs from this index on.
    attackers_from: usize,
}

/// Errors and forgeries on a bus, by window of [`LOAD_WINDOW`] from the start on.
#[derive(Clone, Debug, Default)]
pub(crate) struct DisturbancesByBus {
    /// Frames whose sender detected an error.
    pub(crate) destroyed: Vec<u32>,
    /// Strikes of interferers.
    pub(crate) strikes: Vec<u32>,
    /// Frames that attackers sent.
    pub(crate) forged: Vec<u32>,
}

/// Cause of a timeline window; each cause begins at most one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    FirstFrame,
    Halfway,
    Strike(String),
    Attacker(usize),
    Remark(usize, &'static str),
    Key(usize),
    StreamKey(usize),
    Reset(usize),
    BusOff(usize, usize),
    Error(usize),
}

impl RunRecorder {
    /// Makes a recorder for a run of this vehicle.
    #[must_use]
    pub fn new(file: &VehicleFile, config: &Config<Fact>, prose: Prose) -> Self {
        RunRecorder {
            recording: RunRecording {
                windows: Vec::new(),
                disturbances: vec![DisturbancesByBus::default(); config.buses.len()],
                counters: BTreeMap::new(),
                identifiers: IdentifierNames::of(&watched(file)),
                attackers_from: file.ecus.len() + file.replays.len(),
            },
            attempts: Attempts::on(&config.buses),
            past: VecDeque::new(),
            past_marks: Marks::default(),
            seen: BTreeSet::new(),
            ecus: config.ecus.iter().map(|ecu| ecu.name.clone()).collect(),
            buses: config.buses.iter().map(|bus| bus.name.clone()).collect(),
            halfway: Time::from_nanos(file.duration.as_nanos() / 2),
            now: Time::ZERO,
            prose,
        }
    }

    /// Returns the recording.
    #[must_use]
    pub fn finish(mut self) -> RunRecording {
        let mut over = Vec::new();
        self.attempts
            .finish(self.now, &mut |attempt| over.push(attempt));
        over.into_iter().for_each(|attempt| self.attempt(attempt));
        if let Some(window) = self.recording.windows.last_mut() {
            window.to = window.to.min(self.now.max(window.cause_at));
        }
        self.recording
    }

    fn attempt(&mut self, attempt: Attempt) {
        let forged = self.recording.is_attacker(attempt.ecu);
        if let Some(disturbances) = self.recording.disturbances.get_mut(attempt.bus.0) {
            match attempt.outcome {
                AttemptOutcome::Broken(_) => count(&mut disturbances.destroyed, attempt.ended),
                AttemptOutcome::Sent if forged => count(&mut disturbances.forged, attempt.ended),
                _ => {}
            }
        }
        if let Some(window) = self.recording.windows.last_mut() {
            window.add_frame(attempt);
        }
        if self.past.len() == PAST_MAX {
            self.past.pop_front();
        }
        self.past.push_back(attempt);
    }

    fn strike(&mut self, at: Time, bus: BusIndex) {
        if let Some(disturbances) = self.recording.disturbances.get_mut(bus.0) {
            count(&mut disturbances.strikes, at);
        }
    }

    /// Begins a timeline window, unless one is under way or this cause has had its own.
    fn begin_window(&mut self, at: Time, cause: &Cause) {
        let under_way = self
            .recording
            .windows
            .last()
            .is_some_and(|window| at < window.to);
        let full = self.recording.windows.len() == WINDOWS_MAX;
        self.seen.insert(cause.clone());
        if under_way || full {
            return;
        }
        let from = Time::from_picos(at.as_picos().saturating_sub(BEFORE.as_nanos() * 1_000));
        // What the window before shows is not shown again.
        let from = self
            .recording
            .windows
            .last()
            .map_or(from, |before| from.max(before.to));
        let marks = self.past_marks.since(from);
        let mut window = TimelineWindow::new(self.title(cause), at, (from, at + AFTER), marks);
        self.past
            .iter()
            .for_each(|attempt| window.add_frame(*attempt));
        self.recording.windows.push(window);
    }

    fn title(&self, cause: &Cause) -> String {
        match cause {
            Cause::FirstFrame => "The first frames".to_owned(),
            Cause::Halfway => "Half-way through the run".to_owned(),
            Cause::Strike(by) => format!("{by} strikes"),
            Cause::Attacker(ecu) => format!("{} sends its first frame", self.ecus[*ecu]),
            Cause::Remark(ecu, kind) => format!("{}: a frame is {kind}", self.ecus[*ecu]),
            Cause::Key(group) => {
                let group = self.prose.group(*group);
                format!("The first key of group {group} comes into use")
            }
            Cause::StreamKey(network) => {
                let network = self.prose.network(*network);
                format!("The first stream key of {network} is held")
            }
            Cause::Reset(ecu) => format!("{} is reset", self.ecus[*ecu]),
            Cause::BusOff(bus, ecu) => {
                format!("{} goes bus-off on {}", self.ecus[*ecu], self.buses[*bus])
            }
            Cause::Error(bus) => format!("The first error on {}", self.buses[*bus]),
        }
    }

    fn cause_of(&self, event: &VehicleEvent<'_>) -> Option<Cause> {
        match *event {
            VehicleEvent::Started { ecu, .. } if self.recording.is_attacker(ecu) => {
                Some(Cause::Attacker(ecu.0))
            }
            VehicleEvent::Started { .. } if self.now >= self.halfway => Some(Cause::Halfway),
            VehicleEvent::Started { .. } => Some(Cause::FirstFrame),
            VehicleEvent::Interfered { by, .. } => {
                let known = |cause: &Cause| matches!(cause, Cause::Strike(name) if name == by);
                (!self.seen.iter().any(known)).then(|| Cause::Strike(by.to_owned()))
            }
            VehicleEvent::Noted { ecu, remark } => self.cause_of_fact(ecu, remark),
            VehicleEvent::Reset { ecu } => Some(Cause::Reset(ecu.0)),
            VehicleEvent::State {
                bus,
                ecu,
                state: BusState::Off,
            } => Some(Cause::BusOff(bus.0, ecu.0)),
            VehicleEvent::Error { bus, .. } => Some(Cause::Error(bus.0)),
            _ => None,
        }
    }
}

impl RunRecorder {
    fn cause_of_fact(&self, ecu: EcuIndex, fact: &JudgedFact<'_>) -> Option<Cause> {
        match fact.fact {
            &Fact::GroupKey { group, event } => {
                matches!(event, GroupKeyEvent::InUse { .. }).then_some(Cause::Key(group))
            }
            &Fact::Authorization { network, event } => match event {
                AuthorizationEvent::Ecu(EcuEvent::Granted { .. }) => {
                    Some(Cause::StreamKey(network))
                }
                AuthorizationEvent::Refused(
                    ProtectedOutcome::WrongTag(_) | ProtectedOutcome::Replay(_),
                ) => Some(Cause::Remark(ecu.0, event.code())),
                _ => None,
            },
            Fact::Checked { outcome, .. } => {
                let word = prose::check_outcome(outcome, fact.is_forged());
                (!fact.is_of_genuine_message()).then_some(Cause::Remark(ecu.0, word))
            }
            _ => match fact.kind()? {
                FactKind::Display | FactKind::Input => None,
                kind => Some(Cause::Remark(ecu.0, kind.name())),
            },
        }
    }
}

impl TraceSink for RunRecorder {
    fn record(&mut self, at: Time, event: &VehicleEvent<'_>) {
        self.now = at;
        let mut over = Vec::new();
        self.attempts
            .follow(at, event, &mut |attempt| over.push(attempt));
        over.into_iter().for_each(|attempt| self.attempt(attempt));
        if let Some(cause) = self
            .cause_of(event)
            .filter(|cause| !self.seen.contains(cause))
        {
            self.begin_window(at, &cause);
        }
        match *event {
            VehicleEvent::Interfered { bus, .. } => self.strike(at, bus),
            VehicleEvent::Counters { bus, ecu, tec, rec } => {
                let line = self.recording.counters.entry((bus.0, ecu.0)).or_default();
                line.add(at, tec, rec);
            }
            _ => {}
        }
        // Only now: this event may have begun a timeline window.
        self.past_marks.add(at, event, &self.prose);
        self.past_marks.forget(PAST_MARKS_MAX);
        if let Some(window) = self.recording.windows.last_mut() {
            window.add_event(at, event, &self.prose);
        }
    }
}

impl RunRecording {
    /// Returns true if an ECU is an attacker that sends.
    #[must_use]
    pub fn is_attacker(&self, ecu: EcuIndex) -> bool {
        ecu.0 >= self.attackers_from
    }

    /// Returns the name of an identifier on a bus.
    pub(crate) fn stream(&self, bus: BusIndex, id: waywarden_can::Id) -> Option<&str> {
        self.identifiers.name(bus, id)
    }
}

fn count(windows: &mut Vec<u32>, at: Time) {
    let window = (at.as_picos() / (LOAD_WINDOW.as_nanos() * 1_000)) as usize;
    if window >= windows.len() {
        windows.resize(window + 1, 0);
    }
    windows[window] = windows[window].saturating_add(1);
}
