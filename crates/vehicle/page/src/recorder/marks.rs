//! Errors and other events as marks; errors of the same frame are one.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::clock::Time;
use waywarden_can_sim::json::state_name;
use waywarden_can_sim::trace::{BusIndex, EcuIndex};

use waywarden_vehicle_report::prose::Prose;
use waywarden_vehicle_trace::{FactKind, JudgedFact, VehicleEvent};

/// Marks in order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    marks: VecDeque<Mark>,
    /// Start of the newest frame of each bus.
    newest: BTreeMap<usize, Time>,
}

/// Something that happened at one moment.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub(crate) at: Time,
    pub(crate) kind: MarkKind,
    /// `None` if it is of an ECU alone.
    pub(crate) bus: Option<BusIndex>,
    /// The first ECU it happened to.
    pub(crate) ecu: Option<EcuIndex>,
    pub(crate) text: String,
    /// Number of times it happened while the same frame was on the bus.
    pub(crate) times: usize,
}

/// Event that a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// An interferer struck.
    Strike,
    /// A controller detected an error.
    Error,
    /// A controller changed its fault confinement state.
    State,
    /// A node made a remark.
    Remark,
    /// Something happened to a group key.
    Key,
    /// An ECU was reset, or booted.
    Reset,
    /// A received frame was lost to a full queue.
    Loss,
}

impl Marks {
    /// Adds a mark for an event that has one.
    pub(super) fn add(&mut self, at: Time, event: &VehicleEvent<'_>, prose: &Prose) {
        if let VehicleEvent::Started { bus, .. } = event {
            self.newest.insert(bus.0, at);
        }
        if let Some(mark) = Mark::of(at, event, prose)
            && !self.joined(&mark)
        {
            self.marks.push_back(mark);
        }
    }

    /// Drops the oldest, until this many are left.
    pub(super) fn forget(&mut self, but: usize) {
        let more = self.marks.len().saturating_sub(but);
        self.marks.drain(..more);
    }

    /// Drops the newest, until this many are left; returns how many that were.
    pub(super) fn cut(&mut self, to: usize) -> usize {
        let more = self.marks.len().saturating_sub(to);
        self.marks.truncate(to);
        more
    }

    /// Returns those from a time on.
    pub(super) fn since(&self, from: Time) -> Marks {
        let marks = self
            .marks
            .iter()
            .filter(|mark| mark.at >= from)
            .cloned()
            .collect();
        Marks {
            marks,
            newest: self.newest.clone(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.marks.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    /// Every receiver of a broken frame detects an error: counts it towards the first one's mark.
    fn joined(&mut self, mark: &Mark) -> bool {
        if mark.kind != MarkKind::Error {
            return false;
        }
        let newest = mark.bus.and_then(|bus| self.newest.get(&bus.0));
        let same = |one: &&mut Mark| one.kind == MarkKind::Error && one.bus == mark.bus;
        let Some(first) = self.marks.iter_mut().rev().find(same) else {
            return false;
        };
        let joins = newest.is_none_or(|start| *start <= first.at);
        first.times += usize::from(joins);
        joins
    }
}

impl Mark {
    fn of(at: Time, event: &VehicleEvent<'_>, prose: &Prose) -> Option<Mark> {
        let (kind, bus, ecu, text) = match *event {
            VehicleEvent::Interfered {
                bus,
                by,
                place,
                only,
            } => {
                let text = format!("{by} strikes in {}, bit {}", place.field_name(), place.bit);
                (MarkKind::Strike, Some(bus), only, text)
            }
            VehicleEvent::Error {
                bus,
                ecu,
                kind,
                place,
            } => {
                let (kind, field) = (kind.name(), place.field_name());
                let text = format!("{kind} error in {field}, bit {}", place.bit);
                (MarkKind::Error, Some(bus), Some(ecu), text)
            }
            VehicleEvent::State { bus, ecu, state } => (
                MarkKind::State,
                Some(bus),
                Some(ecu),
                state_name(state).to_owned(),
            ),
            VehicleEvent::Noted { ecu, remark } => {
                let (kind, text) = Self::of_fact(remark, prose)?;
                (kind, None, Some(ecu), text)
            }
            VehicleEvent::Reset { ecu } => (MarkKind::Reset, None, Some(ecu), "reset".to_owned()),
            VehicleEvent::Boot { ecu, boots } => {
                (MarkKind::Reset, None, Some(ecu), format!("boot {boots}"))
            }
            VehicleEvent::Overrun { bus, ecu, .. } => {
                let text = "received frame lost, queue full".to_owned();
                (MarkKind::Loss, Some(bus), Some(ecu), text)
            }
            _ => return None,
        };
        Some(Mark {
            at,
            kind,
            bus,
            ecu,
            text,
            times: 1,
        })
    }

    fn of_fact(fact: &JudgedFact<'_>, prose: &Prose) -> Option<(MarkKind, String)> {
        // Of what is authentic there is no end.
        if fact.is_of_genuine_message() {
            return None;
        }
        let kind = fact.kind()?;
        let text = prose.text(fact)?;
        Some(match kind {
            FactKind::Keys | FactKind::Authorization => {
                let by = prose.responsible(fact.fact);
                (MarkKind::Key, format!("{by}: {text}"))
            }
            kind => (MarkKind::Remark, format!("{}: {text}", kind.name())),
        })
    }
}
