//! Causes and effects: the work that sent a frame, the frame, the work that received it.
//!
//! Work is known only by its end, where the trace reports it just before what it sets off. A
//! driver call that costs nothing leaves no slice, and then there is no arrow.

use std::collections::BTreeMap;

use waywarden_can::node::Task;
use waywarden_can_sim::clock::Time;
use waywarden_can_sim::cpu::TimeSlice;
use waywarden_can_sim::trace::{EcuIndex, Serial};

use super::items::Point;
use super::items::Track;

/// Limit on remembered frames under way, and on receptions; the oldest is forgotten first. A
/// simulation holds fewer unless its queues are huge.
const UNDER_WAY_MAX: usize = 1 << 16;

/// An arrow from one slice to another.
pub(super) type Arrow = (Point, Point);

#[derive(Debug)]
pub(super) struct Arrows {
    frames: BTreeMap<u64, Way>,
    /// Points at which a receiver accepted a frame, by transmission and ECU.
    receptions: BTreeMap<(u64, usize), Point>,
    /// The work of each ECU that was finished last.
    finished: Vec<Option<Work>>,
}

/// A frame's way so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    ecu: EcuIndex,
    pub(super) requested: Time,
    /// The work that made the node ask for it, where a received frame was the reason.
    caused_by: Option<Point>,
    /// The driver call that put it into the controller.
    pub(super) sent_by: Option<Point>,
    pub(super) losses: u32,
    pub(super) attempts: u32,
}

#[derive(Clone, Copy, Debug)]
struct Work {
    task: Task,
    ended: Time,
    point: Point,
}

impl Arrows {
    pub(super) fn new(ecus: usize) -> Self {
        Arrows {
            frames: BTreeMap::new(),
            receptions: BTreeMap::new(),
            finished: vec![None; ecus],
        }
    }

    pub(super) fn worked(&mut self, ecu: EcuIndex, slice: &TimeSlice, track: Track) {
        if let Some(last) = self.finished.get_mut(ecu.0).filter(|_| slice.finished) {
            let point = Point::within(track, slice.from, slice.to);
            *last = Some(Work {
                task: slice.task,
                ended: slice.to,
                point,
            });
        }
    }

    pub(super) fn requested(&mut self, at: Time, ecu: EcuIndex, serial: Serial, forwarded: bool) {
        let caused_by = self
            .ended_now(at, ecu)
            .filter(|_| forwarded)
            .map(|work| work.point);
        let way = Way {
            ecu,
            requested: at,
            caused_by,
            sent_by: None,
            losses: 0,
            attempts: 0,
        };
        self.frames.insert(serial.0, way);
        while self.frames.len() > UNDER_WAY_MAX {
            self.frames.pop_first();
        }
    }

    /// The frame is in the controller: returns the arrow from what a gateway received.
    pub(super) fn queued(&mut self, at: Time, ecu: EcuIndex, serial: Serial) -> Option<Arrow> {
        let work = self
            .ended_now(at, ecu)
            .filter(|work| work.task == Task::Send);
        let way = self.frames.get_mut(&serial.0)?;
        way.sent_by = work.map(|work| work.point);
        way.caused_by.zip(way.sent_by)
    }

    pub(super) fn lost(&mut self, serial: Serial) {
        self.frames
            .entry(serial.0)
            .and_modify(|way| way.losses += 1);
    }

    /// An attempt is over: returns the frame's way up to and with it.
    pub(super) fn attempted(&mut self, serial: Serial) -> Option<Way> {
        let way = self.frames.get_mut(&serial.0)?;
        way.attempts += 1;
        Some(*way)
    }

    /// The frame was sent, or taken back.
    pub(super) fn done(&mut self, serial: Serial) {
        self.frames.remove(&serial.0);
    }

    pub(super) fn received(&mut self, at: Time, ecu: EcuIndex, serial: Serial, track: Track) {
        self.receptions
            .insert((serial.0, ecu.0), Point { track, at });
        while self.receptions.len() > UNDER_WAY_MAX {
            self.receptions.pop_first();
        }
    }

    /// The node has it: returns the arrow from the frame to the work that fetched it.
    pub(super) fn delivered(&mut self, at: Time, ecu: EcuIndex, serial: Serial) -> Option<Arrow> {
        let from = self.receptions.remove(&(serial.0, ecu.0))?;
        let work = self
            .ended_now(at, ecu)
            .filter(|work| work.task == Task::Receive)?;
        Some((from, work.point))
    }

    /// Drops the frames under way and the receptions of an ECU.
    pub(super) fn reset(&mut self, ecu: EcuIndex) {
        self.frames.retain(|_, way| way.ecu != ecu);
        self.receptions
            .retain(|(_, receiver), _| *receiver != ecu.0);
    }

    fn ended_now(&self, at: Time, ecu: EcuIndex) -> Option<Work> {
        self.finished
            .get(ecu.0)
            .copied()
            .flatten()
            .filter(|work| work.ended == at)
    }
}
