//! Message authentication as a role of an ECU: it guards the streams that its protocols protect,
//! checks those it receives, and says what came of them.
//!
//! What may leave ahead of its tag does; tags are computed one after another, in the order in which
//! they were asked for, as one crypto unit does. What a check found is said when its computation is
//! done. The ECU's part in the car's freshness goes first: announcements are heard, or made, once
//! for all streams. Nothing leaves before the number of this boot is retained.

mod freshness;
mod job;
mod memory;
mod node;
mod outbox;
mod queue;
mod report;
mod retention;
mod shield;
#[cfg(test)]
mod tests;

use core::marker::PhantomData;

#[cfg(feature = "attacks")]
use waywarden_can::Id;
use waywarden_can::node::{Boot, Port, Ports, Slot, Ticket};
use waywarden_can::{Frame, MessageHandle};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::MacKeyStore;
#[cfg(feature = "attacks")]
use waywarden_can_auth::stream::PendingMessage;
use waywarden_can_auth::stream::{Check, EcuMoment, Protect};
use waywarden_work::{Instant, NoMeter, RecordedOperations};

pub use self::freshness::FreshnessRole;
use self::freshness::Timekeeper;
use self::job::{Completion, Job};
use self::memory::Memory;
pub use self::memory::{AuthenticatorFault, COUNTERS, CountersError, SLOTS};
use self::outbox::Outbox;
use self::queue::Queue;
pub use self::report::CheckReport;
use self::report::Finding;
pub use self::shield::Shield;

use retention::begin;

/// Maximum number of frames that wait for room, and of computations. A frame that finds no place
/// among them is not processed, but counted.
pub const WAITING: usize = 16;
/// Maximum number of events that wait; one more displaces the oldest, which is counted.
pub const EVENTS: usize = 32;

/// One end, and the port that its streams are on.
#[derive(Clone, Debug)]
pub struct End<T> {
    /// The port of its streams.
    pub port: Port,
    /// The end of the protocol.
    pub end: T,
}

/// Up to any number of streams of one ECU. `P` and `C` are storage of ends that
/// send (`S`) and receive (`R`), `V` has the keys.
pub struct Authenticator<V, P, C, S, R> {
    keys: V,
    senders: P,
    receivers: C,
    timekeeper: Timekeeper,
    /// The retained memory, or the fault that stops the authenticator.
    memory: Result<Memory, AuthenticatorFault>,
    outbox: Outbox,
    jobs: Queue<Job, WAITING>,
    /// The computation under way.
    computing: Option<Ticket>,
    reports: Queue<CheckReport, EVENTS>,
    tickets: u32,
    tokens: u32,
    now: Instant,
    dropped: u64,
    shield: Option<Shield>,
    ends: PhantomData<(S, R)>,
}

impl<V, P, C, S, R> Authenticator<V, P, C, S, R>
where
    V: MacKeyStore,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    /// Begins a boot with the ends of streams, each as under fresh keys, and the keys they name.
    /// Each end gets what earlier boots retained; the slots from `slot` on, [`SLOTS`] of them,
    /// are the authenticator's own.
    ///
    /// A boot without anything retained is the first of a new ECU: then the keys must be new. With
    /// an [`AuthenticatorFault`] nothing is sent or taken, see [`Authenticator::fault`].
    ///
    /// # Errors
    /// [`CountersError`] if more than [`COUNTERS`] ends count for themselves.
    pub fn new(
        slot: Slot,
        boot: &Boot<'_>,
        freshness: FreshnessRole,
        key_store: V,
        mut senders: P,
        mut receivers: C,
    ) -> Result<Self, CountersError> {
        let names = || {
            let sending = senders.as_ref().iter().filter_map(|end| end.end.counter());
            let receiving = receivers.as_ref().iter();
            sending.chain(receiving.filter_map(|end| end.end.counter()))
        };
        let count = names().count();
        if count > COUNTERS {
            return Err(CountersError(count));
        }
        let mut memory = Memory::read(slot, boot, names());
        let mut timekeeper = Timekeeper::None;
        if let Ok(read) = &memory {
            let mut counters = read.kept().counters.into_iter();
            begin(senders.as_mut(), read.boot(), &mut counters);
            begin(receivers.as_mut(), read.boot(), &mut counters);
            match Timekeeper::new(freshness, read.kept().epoch) {
                Ok(begun) => timekeeper = begun,
                Err(_) => memory = Err(AuthenticatorFault::TripsExhausted),
            }
        }
        Ok(Authenticator {
            keys: key_store,
            senders,
            receivers,
            timekeeper,
            memory,
            outbox: Outbox::new(),
            jobs: Queue::new(),
            computing: None,
            reports: Queue::new(),
            tickets: 0,
            tokens: 0,
            now: boot.now,
            dropped: 0,
            shield: None,
            ends: PhantomData,
        })
    }

    /// Has it shield other buses: authentic messages of the streams it receives go on there, and
    /// nothing else does.
    #[must_use]
    pub const fn shielding(mut self, shield: Shield) -> Self {
        self.shield = Some(shield);
        self
    }

    /// Returns the oldest event that was not taken, with the port of its stream. Announcements
    /// bring some, too, under their own identifier.
    pub fn event(&mut self) -> Option<(Port, FrameOutcome)> {
        self.report().map(|report| (report.port, report.event))
    }

    /// Returns the oldest event that was not taken, with the message that it is about.
    pub fn report(&mut self) -> Option<CheckReport> {
        self.reports.pop()
    }

    /// Returns the number of frames and events that found no place, ever.
    #[must_use]
    pub const fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Returns the fault that stops sending and receiving, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<AuthenticatorFault> {
        self.memory.as_ref().err().copied()
    }

    /// Returns true if messages can leave, as far as this ECU's memory is concerned.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.memory.as_ref().is_ok_and(Memory::has_begun)
    }

    /// Returns true if the car's epoch is known: with [`FreshnessRole::Unsynchronised`] never.
    #[must_use]
    pub fn is_synchronised(&self) -> bool {
        self.timekeeper.freshness_state().is_synchronised()
    }

    /// Returns the keys, to put others in.
    pub const fn key_store_mut(&mut self) -> &mut V {
        &mut self.keys
    }

    /// Makes the frames of a message of a stream that is received by this port, as an attacker can
    /// who took this ECU over and reads its keys: see [`Check::impersonate`]. For simulations;
    /// nothing here is changed by it.
    #[cfg(feature = "attacks")]
    pub fn impersonate(&mut self, port: Port, id: Id, payload: &[u8]) -> Option<PendingMessage> {
        let moment = self.moment();
        let (receivers, key_store) = (self.receivers.as_ref(), &mut self.keys);
        let mut own = receivers.iter().filter(|end| end.port == port);
        own.find_map(|end| end.end.impersonate(id, payload, &moment, key_store))
    }

    /// Returns the sending ends.
    pub fn senders(&self) -> &[End<S>] {
        self.senders.as_ref()
    }

    /// Returns the receiving ends.
    pub fn receivers(&self) -> &[End<R>] {
        self.receivers.as_ref()
    }

    fn moment(&self) -> EcuMoment {
        EcuMoment {
            now: self.now,
            freshness_state: self.timekeeper.freshness_state(),
        }
    }

    /// Returns true if a frame concerns any of them, or goes on as it is.
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        let mut senders = self.senders.as_ref().iter();
        let mut receivers = self.receivers.as_ref().iter();
        self.timekeeper.knows(port, frame)
            || senders.any(|end| end.port == port && end.end.hears(frame))
            || receivers.any(|end| end.port == port && end.end.knows(frame))
            || self
                .shield
                .is_some_and(|shield| shield.leaks(port).is_some())
    }

    /// Dispatches a frame to the timekeeper first, so that streams have its new epoch; to senders;
    /// to receivers. Without room for its computation it is lost.
    fn receive(&mut self, port: Port, frame: &Frame) {
        if self.memory.is_err() {
            return;
        }
        if self.timekeeper.knows(port, frame) {
            self.examine(port, |own, meter| {
                let heard = own.timekeeper.accept(port, frame, &mut own.keys, meter);
                Some((heard.unwrap_or(None)?, frame.message()))
            });
        }
        for index in 0..self.senders.as_ref().len() {
            let sender = &mut self.senders.as_mut()[index];
            if sender.port != port {
                continue;
            }
            if sender.end.checks(frame) {
                self.examine(port, |own, meter| {
                    let sender = &mut own.senders.as_mut()[index];
                    let heard = sender.end.receive(frame, &mut own.keys, meter);
                    Some((heard.unwrap_or(None)?, frame.message()))
                });
            } else {
                let _ = sender.end.receive(frame, &mut self.keys, &mut NoMeter);
            }
        }
        let mut is_known = false;
        for index in 0..self.receivers.as_ref().len() {
            let receiver = &self.receivers.as_ref()[index];
            if receiver.port == port && receiver.end.knows(frame) {
                is_known = true;
                let moment = self.moment();
                self.examine(port, |own, meter| {
                    let receiver = &mut own.receivers.as_mut()[index];
                    let found = receiver.end.accept(frame, &moment, &mut own.keys, meter);
                    // Without its key nothing can be said of the message.
                    let found = found.unwrap_or(Some(FrameOutcome::UnknownId(frame.id())))?;
                    if let FrameOutcome::Authentic { payload, .. } = &found {
                        return Some((found, payload.message()));
                    }
                    let about = Some(receiver.end.about());
                    let about = about.filter(|about| *about != MessageHandle::NONE);
                    Some((found, about.unwrap_or(frame.message())))
                });
            }
        }
        let leaks = self.shield.filter(|_| !is_known);
        if let Some(ports) = leaks.and_then(|shield| shield.leaks(port)) {
            self.dropped += u64::from(!self.outbox.push(ports, *frame));
        }
    }

    /// Lets a frame be looked at if there is room for that; reports the finding once computed.
    fn examine(
        &mut self,
        port: Port,
        look: impl FnOnce(&mut Self, &mut RecordedOperations) -> Option<Finding>,
    ) {
        if self.jobs.is_full() {
            self.dropped += 1;
            return;
        }
        let mut meter = RecordedOperations::new();
        let found = look(self, &mut meter);
        let completion = found.map_or(Completion::Nothing, |(event, message)| {
            Completion::Report(CheckReport {
                port,
                event,
                message,
                is_stopped: false,
            })
        });
        self.after(&mut meter, completion);
    }

    /// Has something happen when what the meter says is computed; at once if that is nothing and
    /// nothing is to be computed before.
    fn after(&mut self, meter: &mut RecordedOperations, completion: Completion) {
        let job = Job::new(meter, completion);
        if job.is_computed() && self.jobs.is_empty() && self.computing.is_none() {
            self.finish(completion);
        } else if self.jobs.push(job).is_err() {
            self.dropped += 1;
        }
    }

    fn finish(&mut self, completion: Completion) {
        let has_room = match completion {
            Completion::Send(ports, frame) => self.outbox.push(ports, frame),
            Completion::Announce(ports, frame) => self.outbox.announce(ports, frame),
            Completion::Report(report) => {
                self.add(report);
                true
            }
            Completion::Nothing => true,
        };
        self.dropped += u64::from(!has_room);
    }

    fn add(&mut self, mut report: CheckReport) {
        let now = self.now;
        let shield = self.shield.as_mut();
        let passed = shield.and_then(|shield| shield.pass(now, report.port, &report.event));
        if let Some((ports, frame)) = passed
            && !self.outbox.push(ports, frame)
        {
            self.dropped += 1;
            report.is_stopped = true;
        }
        if self.reports.is_full() {
            self.reports.pop();
            self.dropped += 1;
        }
        let _: Result<(), CheckReport> = self.reports.push(report);
    }

    /// Collects all due events and frames, as far as there is room for them; nothing that needs
    /// this boot's number before that is retained.
    fn gather(&mut self) {
        if self.memory.is_err() {
            return;
        }
        for index in 0..self.receivers.as_ref().len() {
            let port = self.receivers.as_ref()[index].port;
            while let Some(event) = self.receivers.as_mut()[index].end.expire(self.now) {
                let message = self.receivers.as_ref()[index].end.about();
                self.add(CheckReport {
                    port,
                    event,
                    message,
                    is_stopped: false,
                });
            }
            while !self.jobs.is_full() && !self.outbox.is_full() {
                let said = self.receivers.as_mut()[index].end.outgoing(self.now);
                let Some(frame) = said else { break };
                let ports = Ports::NONE.with(port);
                let nothing = &mut RecordedOperations::new();
                self.after(nothing, Completion::Send(ports, frame));
            }
        }
        if !self.has_begun() {
            return;
        }
        while !self.jobs.is_full() {
            let mut meter = RecordedOperations::new();
            let said = self
                .timekeeper
                .outgoing(self.now, &mut self.keys, &mut meter);
            let Some((ports, frame)) = said else { break };
            self.after(&mut meter, Completion::Announce(ports, frame));
        }
        let moment = self.moment();
        for index in 0..self.senders.as_ref().len() {
            while !self.jobs.is_full() && !self.outbox.is_full() {
                let mut meter = RecordedOperations::new();
                let sender = &mut self.senders.as_mut()[index];
                let ports = Ports::NONE.with(sender.port);
                let said = sender.end.outgoing(&moment, &mut self.keys, &mut meter);
                let Ok(Some(frame)) = said else { break };
                self.after(&mut meter, Completion::Send(ports, frame));
            }
        }
    }
}
