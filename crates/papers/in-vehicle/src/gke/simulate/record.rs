//! The part of a run's trace that explains its duration.

use std::collections::HashMap;

use waywarden_can::Id;
use waywarden_can::node::Task;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::trace::{EventSink, Serial, TraceEvent};
use waywarden_group_keys::{Address, GroupHeader, Step};
use waywarden_work::OperationKind;

/// A stretch of work on an ECU's one core. Never empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) task: Task,
    pub(super) kind: OperationKind,
    /// Picoseconds since the start of the run, as all times here.
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) finished: bool,
}

/// A frame on the bus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wire {
    pub(super) ecu: usize,
    pub(super) id: Id,
    pub(super) step: Step,
    pub(super) result: Address,
    /// Time at which it began to compete for the bus.
    pub(super) queued: u64,
    pub(super) started: u64,
    pub(super) sent: u64,
}

/// The trace of one run.
#[derive(Debug)]
pub(super) struct Record {
    /// By ECU, in order of time.
    pub(super) work: Vec<Vec<Work>>,
    /// In order of time.
    pub(super) wires: Vec<Wire>,
    /// The steps an ECU asked to send, and when, by ECU.
    pub(super) requests: Vec<Vec<(u64, Step)>>,
    /// Frame that reached an ECU at a time, the acknowledgement of its own frames included.
    arrivals: HashMap<(usize, u64), Serial>,
    queued: HashMap<Serial, u64>,
    index: HashMap<Serial, usize>,
}

impl Record {
    pub(super) fn new(ecus: usize) -> Self {
        Record {
            work: vec![Vec::new(); ecus],
            wires: Vec::new(),
            requests: vec![Vec::new(); ecus],
            arrivals: HashMap::new(),
            queued: HashMap::new(),
            index: HashMap::new(),
        }
    }

    /// Returns the frame that reached an ECU at this time.
    pub(super) fn arrival(&self, ecu: usize, at: u64) -> Option<usize> {
        let serial = self.arrivals.get(&(ecu, at))?;
        self.index.get(serial).copied()
    }

    /// Returns the orchestrator, the last ECU.
    pub(super) const fn orchestrator(&self) -> usize {
        self.work.len().saturating_sub(1)
    }

    /// Returns true if a signature of the orchestrator that ended then belongs to an order: the
    /// next message that it sends is one.
    pub(super) fn is_order(&self, ecu: usize, signed: u64) -> bool {
        let mut requests = self.requests[ecu].iter();
        let next = requests.find(|(at, _)| *at >= signed);
        ecu == self.orchestrator() && next.is_some_and(|(_, step)| *step == Step::Orchestration)
    }

    /// Returns how many frames have the result of the first order, its own included.
    pub(super) fn first_exchange(&self) -> usize {
        let first = self.wires.first().map(|wire| wire.result);
        let wires = self.wires.iter().filter(|wire| Some(wire.result) == first);
        wires.count()
    }

    /// Returns the time that the frames of the first exchange occupy the bus, in picoseconds, its
    /// order excluded.
    pub(super) fn first_exchange_time(&self) -> u64 {
        let first = self.wires.first().map(|wire| wire.result);
        let wires = self
            .wires
            .iter()
            .filter(|wire| Some(wire.result) == first && wire.step != Step::Orchestration);
        wires.map(|wire| wire.sent - wire.started).sum()
    }

    /// Returns the time that frames of these steps occupy the bus, in picoseconds.
    pub(super) fn bus_time(&self, counts: impl Fn(Step) -> bool) -> u64 {
        let wires = self.wires.iter().filter(|wire| counts(wire.step));
        wires.map(|wire| wire.sent - wire.started).sum()
    }
}

impl EventSink for Record {
    fn record(&mut self, at: Time, event: &TraceEvent<'_>) {
        let at = at.as_picos();
        match *event {
            TraceEvent::Requested { ecu, frame, .. } => {
                if let Some((step, _)) = GroupHeader::of(frame) {
                    self.requests[ecu.0].push((at, step));
                }
            }
            TraceEvent::Queued { serial, .. } => {
                self.queued.insert(serial, at);
            }
            TraceEvent::Sent {
                ecu,
                serial,
                started,
                frame,
                ..
            } => {
                let Some((step, header)) = GroupHeader::of(frame) else {
                    return;
                };
                let started = started.as_picos();
                self.index.insert(serial, self.wires.len());
                self.arrivals.insert((ecu.0, at), serial);
                self.wires.push(Wire {
                    ecu: ecu.0,
                    id: frame.id(),
                    step,
                    result: header.result,
                    queued: self.queued.remove(&serial).unwrap_or(started),
                    started,
                    sent: at,
                });
            }
            TraceEvent::Received { ecu, serial, .. } => {
                self.arrivals.insert((ecu.0, at), serial);
            }
            TraceEvent::Worked { ecu, slice } => self.work[ecu.0].push(Work {
                task: slice.task,
                kind: slice.operation.kind,
                from: slice.from.as_picos(),
                to: slice.to.as_picos(),
                finished: slice.finished,
            }),
            _ => {}
        }
    }
}
