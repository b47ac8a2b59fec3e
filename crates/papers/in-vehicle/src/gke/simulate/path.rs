//! The causal chain of a run, from its end back to its start: it accounts for all the time.
//!
//! A stretch of work began when the processor had done the one before it, or when a frame came; a
//! frame began when the one before it was over, or when its sender had put it into the controller.
//! So every picosecond between two points in time belongs to one stretch. What is not on the chain
//! ran beside it and made nothing later.

use waywarden_can::node::Task;
use waywarden_group_keys::Step;
use waywarden_work::OperationKind;

use super::record::{Record, Work};

/// Kind of a stretch of the chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathPart {
    /// An operation, and whether it is an order's signature.
    Computed(OperationKind, bool),
    /// A driver call.
    Driver,
    /// A frame on the bus.
    Wire(Step),
    /// A frame was ready and the bus was not.
    Waiting,
    /// Nothing that the trace knows of.
    Idle,
}

/// A point in the chain.
#[derive(Clone, Copy, Debug)]
enum Cause {
    /// The work of an ECU up to this point.
    Ecu(usize),
    /// A frame, as an index into the record.
    Frame(usize),
}

/// Goes back from what an ECU finished at `end` to `begin`; returns each stretch with its length
/// in picoseconds. The lengths add up to `end - begin`.
pub(super) fn chain(record: &Record, ecu: usize, begin: u64, end: u64) -> Vec<(PathPart, u64)> {
    let mut walk = Walk {
        record,
        begin,
        at: end,
        resumed: None,
        stretches: Vec::new(),
    };
    let mut cause = Cause::Ecu(ecu);
    // Every step but the one from an ECU to a frame goes back in time, so this ends.
    while walk.at > begin {
        cause = match cause {
            Cause::Ecu(ecu) => walk.ecu(ecu),
            Cause::Frame(index) => walk.frame(index),
        };
    }
    walk.stretches
}

struct Walk<'a> {
    record: &'a Record,
    begin: u64,
    at: u64,
    /// The end of the first part of a computation that was interrupted: up to there the
    /// interruptions belong to the chain, what caused them does not.
    resumed: Option<u64>,
    stretches: Vec<(PathPart, u64)>,
}

impl Walk<'_> {
    fn push(&mut self, what: PathPart, from: u64) {
        let from = from.clamp(self.begin, self.at);
        if from < self.at {
            self.stretches.push((what, self.at - from));
            self.at = from;
        }
    }

    fn ecu(&mut self, ecu: usize) -> Cause {
        let all = &self.record.work[ecu];
        let before = all.partition_point(|work| work.to <= self.at);
        let (earlier, last) = match all[..before].split_last() {
            Some((last, earlier)) => (earlier, Some(last)),
            None => (&all[..0], None),
        };
        if let Some(work) = last.filter(|work| work.to == self.at) {
            return self.work(ecu, work, earlier);
        }
        if let Some(index) = self.record.arrival(ecu, self.at) {
            return Cause::Frame(index);
        }
        let worked = last.map_or(0, |work| work.to);
        let wires = &self.record.wires;
        let sent = wires.partition_point(|wire| wire.sent < self.at);
        let sent = wires[..sent].last().map_or(0, |wire| wire.sent);
        self.push(PathPart::Idle, worked.max(sent).max(self.begin));
        Cause::Ecu(ecu)
    }

    fn work(&mut self, ecu: usize, work: &Work, earlier: &[Work]) -> Cause {
        let what = match work.task {
            Task::Crypto => {
                let order = work.kind == OperationKind::Sign && self.record.is_order(ecu, work.to);
                PathPart::Computed(work.kind, order)
            }
            _ => PathPart::Driver,
        };
        self.push(what, work.from);
        let interrupted = earlier
            .iter()
            .rev()
            .find(|other| other.task == Task::Crypto);
        if work.task == Task::Crypto {
            self.resumed = interrupted
                .filter(|other| !other.finished)
                .map(|other| other.to);
        }
        let inside = self.resumed.is_some_and(|end| end <= self.at);
        if work.task == Task::Receive
            && !inside
            && let Some(index) = self.record.arrival(ecu, self.at)
        {
            return Cause::Frame(index);
        }
        Cause::Ecu(ecu)
    }

    fn frame(&mut self, index: usize) -> Cause {
        let wire = self.record.wires[index];
        self.push(PathPart::Wire(wire.step), wire.started);
        let before = index.checked_sub(1);
        if let Some(before) = before
            && let Some(own) = self.record.wires.get(before)
            && own.sent > wire.queued
            && (own.ecu, own.id) == (wire.ecu, wire.id)
        {
            // The frame before it of the same message: part of sending that message.
            self.push(PathPart::Waiting, own.sent);
            return Cause::Frame(before);
        }
        self.push(PathPart::Waiting, wire.queued);
        self.resumed = None;
        Cause::Ecu(wire.ecu)
    }
}
