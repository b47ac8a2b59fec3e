//! One bus at a time: what its messages are to the analysis, what errors do to its controllers, and
//! which transmit queues may be full.

use waywarden_response_time::{
    AnalysedBus, AnalysedMessage, Errors, NoBound, PortQueue, ReleasePhase, response_times,
};
use waywarden_vehicle_file::{BusIndex, EcuIndex, Offset, QueueOrder};
use waywarden_work::Duration;

use super::{Solver, Time};
use crate::confinement::{Confined, SUSPENSION_BITS, confined};
use crate::hops::Source;
use crate::keys::in_hand;
use crate::timing::on_clock;

/// A latency above 100 s, in picoseconds, counts as one that grows without end.
const LONGEST: u64 = 100_000_000_000_000;
/// The flags, the delimiter and the intermission of an error, in bits [RTA §3.4].
const ERROR_BITS: u64 = 31;
/// Number of frames or times 11 bits that end bus-off.
const RECOVERY_SEQUENCES: u64 = 128;
/// The error that takes an unblemished sender off the bus.
const OFF_AFTER: u64 = 32;

impl Solver<'_> {
    pub(super) fn solve_bus(&mut self, bus: BusIndex) {
        let all = self.hops.hops.iter().enumerate();
        let own: Vec<usize> = all
            .filter(|(_, hop)| hop.bus == bus)
            .map(|(at, _)| at)
            .collect();
        let bit = self.hops.buses[bus.0].bit();
        let errors = self.options.errors.map(|(burst, interval)| Errors {
            burst: burst.max(1),
            interval: interval.max(1),
            overhead: ERROR_BITS * bit + self.suspensions(bus),
        });
        let mut set = AnalysedBus {
            bit,
            errors,
            messages: own.iter().map(|&at| self.message(at)).collect(),
            shared: Vec::new(),
        };
        for keys in &self.keys {
            let Some(message) = keys.message(bus, self.suspensions(bus)) else {
                continue;
            };
            let ecus = (0..self.hops.file.ecus.len()).map(EcuIndex);
            let holders = ecus.filter(|&ecu| keys.are_in(self.hops, (ecu, bus)));
            let at = set.messages.len();
            let shared = holders.map(|ecu| (at, self.port(ecu, bus)));
            set.shared.extend(shared);
            set.messages.push(message);
        }
        for (&at, response) in own.iter().zip(response_times(&set)) {
            self.let_escape(at, response, errors.as_ref());
            // Receivers have the frame before its intermission.
            let latency = response.map(|one| one + self.earliest[at] - 3 * bit);
            let latency = latency.and_then(|one| match one <= LONGEST {
                true => Ok(one),
                false => Err(NoBound::NotConverged),
            });
            self.latency[at] = self.queued(at).and(latency);
        }
        if let Some(errors) = &errors {
            self.confine(bus, errors);
        }
    }

    /// Returns true if a frame may be lost with the queue of a sender that goes bus-off, here or on
    /// its way here.
    pub(super) fn is_lost(&self, at: usize) -> bool {
        let hop = &self.hops.hops[at];
        let is_off = self.confined[self.port(hop.ecu, hop.bus)] == Confined::Off;
        is_off
            || match &hop.source {
                Source::Release | Source::Tagged => false,
                Source::Received(from) | Source::Checked(from, _) => {
                    from.iter().any(|&one| self.is_lost(one))
                }
            }
    }

    /// Returns how long a frame is kept at most while the controller of its sender is off: up to
    /// 128 frames or 1,408 idle bits [ISO 11898-1 §12.1.4]. A sender keeps one instance of a stream
    /// that is not protected until the next.
    fn kept(&self, at: usize) -> u64 {
        let hop = &self.hops.hops[at];
        let recovery = self.recovery(hop.bus);
        match hop.source {
            Source::Release => recovery.min(hop.period),
            _ => recovery,
        }
    }

    fn recovery(&self, bus: BusIndex) -> u64 {
        let hops = self.hops.hops.iter().filter(|hop| hop.bus == bus);
        let keys = self.keys.iter().filter_map(|keys| keys.frames[bus.0]);
        let longest = hops.map(|hop| hop.frame).chain(keys);
        let longest = longest.map(|frame| frame.longest).max().unwrap_or(0);
        let bit = self.hops.buses[bus.0].bit();
        // Each frame and each error ends with the eleven bits that count once.
        RECOVERY_SEQUENCES * (longest + (ERROR_BITS + 11) * bit)
    }

    /// Frames that are not through before their sender can be off again may come at any time.
    fn let_escape(&mut self, at: usize, response: Time, errors: Option<&Errors>) {
        let hop = &self.hops.hops[at];
        let Some(errors) = errors else { return };
        if self.confined[self.port(hop.ecu, hop.bus)] == Confined::Off {
            let again = OFF_AFTER
                .saturating_sub(errors.burst)
                .saturating_mul(errors.interval);
            let through = response.map(|one| one.saturating_add(self.recovery(hop.bus)));
            self.escaped[at] |= through.is_err() || through > Ok(again);
        }
    }

    /// Finds what errors may do to the senders of a bus.
    fn confine(&mut self, bus: BusIndex, errors: &Errors) {
        for ecu in (0..self.hops.file.ecus.len()).map(EcuIndex) {
            let mut hops = self.hops.hops.iter();
            let sends = hops.any(|hop| (hop.ecu, hop.bus) == (ecu, bus));
            let mut keys = self.keys.iter();
            if !sends && !keys.any(|keys| keys.are_in(self.hops, (ecu, bus))) {
                continue;
            }
            let latency = |at: usize| {
                let hop = &self.hops.hops[at];
                let latency = self.latency[at].ok().filter(|_| !self.is_lost(at))?;
                // At a full queue a sender keeps one instance of each stream until the next.
                let is_full = self.is_full[self.port(hop.ecu, hop.bus)];
                let is_kept = hop.source == Source::Release && latency + hop.jitter <= hop.period;
                (!is_full || is_kept).then_some(latency)
            };
            let confined = confined(self.hops, (ecu, bus), errors, latency);
            let port = self.port(ecu, bus);
            self.confined[port] = self.confined[port].max(confined);
        }
    }

    /// Returns what the bus may lose after a frame of an ECU: the suspension of an error-passive
    /// transmitter, and a frame of another ECU that begins in it.
    fn suspension(&self, (ecu, bus): (EcuIndex, BusIndex)) -> u64 {
        if self.confined[self.port(ecu, bus)] == Confined::Active {
            return 0;
        }
        let others = self.hops.hops.iter();
        let others = others.filter(|hop| hop.bus == bus && hop.ecu != ecu);
        let keys = self.keys.iter();
        let keys = keys.filter(|keys| keys.traffic.ecus.iter().any(|&other| other != ecu));
        let keys = keys.filter_map(|keys| keys.frames[bus.0]);
        let longest = others.map(|hop| hop.frame).chain(keys);
        let longest = longest.map(|frame| frame.longest).max().unwrap_or(0);
        SUSPENSION_BITS * self.hops.buses[bus.0].bit() + longest
    }

    /// Returns the longest one of a bus.
    fn suspensions(&self, bus: BusIndex) -> u64 {
        let ecus = (0..self.hops.file.ecus.len()).map(EcuIndex);
        let all = ecus.map(|ecu| self.suspension((ecu, bus)));
        all.max().unwrap_or(0)
    }

    fn message(&self, at: usize) -> AnalysedMessage {
        let hop = &self.hops.hops[at];
        let queued = self.queued(at);
        let late = queued.map_or(0, |queued| queued - self.earliest[at].min(queued));
        let port = self.port(hop.ecu, hop.bus);
        let is_off = self.confined[port] == Confined::Off;
        let kept = if is_off { self.kept(at) } else { 0 };
        let is_limited = queued.is_ok() && !self.escaped[at];
        AnalysedMessage {
            priority: hop.priority,
            queue: match self.hops.file.ecu(hop.ecu).queue.order {
                _ if self.is_full[port] => PortQueue::Unordered(port),
                QueueOrder::Fifo => PortQueue::Fifo(port),
                QueueOrder::Priority => PortQueue::Priority,
            },
            period: is_limited.then_some(hop.period),
            jitter: hop.jitter + late + kept,
            uncounted: hop.jitter,
            frame: hop.frame.longest,
            burst: 1,
            suspension: self.suspension((hop.ecu, hop.bus)),
            phase: self.phase(at).filter(|_| !is_off),
        }
    }

    /// Returns the place of a stream's frames in the timetable of its sender.
    fn phase(&self, at: usize) -> Option<ReleasePhase> {
        let hop = &self.hops.hops[at];
        let stream = self
            .hops
            .file
            .stream(hop.stream.filter(|_| self.options.offsets)?);
        // A stream of an unknown offset may come at any time of its sender's timetable.
        let Offset::Stated(stated) = stream.offset else {
            return None;
        };
        let ppm = self.hops.file.ecu(stream.sender).clock_ppm;
        let picoseconds = |span: Duration| span.as_nanos().checked_mul(1_000);
        let earliest = on_clock(self.earliest[at], ppm);
        Some(ReleasePhase {
            clock: stream.sender.0,
            ppm,
            offset: picoseconds(stated)?.checked_add(earliest)?,
            period: picoseconds(stream.period)?,
        })
    }

    fn port(&self, ecu: EcuIndex, bus: BusIndex) -> usize {
        ecu.0 * self.hops.buses.len() + bus.0
    }

    /// Finds the queues that may be full when a frame comes.
    pub(super) fn fill_queues(&mut self) {
        let mut waiting = vec![0_u64; self.is_full.len()];
        for (at, hop) in self.hops.hops.iter().enumerate() {
            let frames = self.latency[at].map_or(u64::MAX, |latency| {
                (latency + hop.jitter) / hop.period.max(1) + 1
            });
            let port = self.port(hop.ecu, hop.bus);
            waiting[port] = waiting[port].saturating_add(frames);
        }
        let buses = self.hops.buses.len();
        for (port, waiting) in waiting.iter_mut().enumerate() {
            let place = (EcuIndex(port / buses), BusIndex(port % buses));
            *waiting = waiting.saturating_add(in_hand(&self.keys, self.hops, place));
        }
        for (port, waiting) in waiting.into_iter().enumerate() {
            let length = self.hops.file.ecus[port / buses].queue.length as u64;
            self.is_full[port] |= waiting > length;
        }
    }
}
