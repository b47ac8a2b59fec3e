//! Buses that programs take part in while they are simulated: each program has a mailbox, which is
//! an ECU with one controller and no cost of its own.
//!
//! Nothing here reads a clock: the caller says up to what time the network runs. Between two events
//! nothing happens, so an idle second costs no more than one call.

mod error;
mod mailbox;
mod statistics;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use waywarden_boards::Board;
use waywarden_can::Frame;
use waywarden_can::node::{Boot, BusState, Node, Port, Token};
use waywarden_can::timing::BitTiming;

use self::mailbox::{Mailbox, MailboxNode};
use self::statistics::Recorder;
use crate::clock::Time;
use crate::config::{Config, EcuConfig};
use crate::controller::{PortConfig, TransmitOrder};
use crate::remarks::{NoRemark, Remark};
use crate::trace::{BusIndex, EcuIndex, EventSink};
use crate::{MembershipError, Simulation, SimulationError};

pub use self::error::LiveError;
pub use self::mailbox::{LiveEvent, MailboxConfig};
pub use self::statistics::{BusStatistics, WireState};

/// A bus as programs see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveBus {
    /// Its name.
    pub name: String,
    /// Bit rates and sample points.
    pub timing: BitTiming,
}

/// Names a mailbox. It is refused after the mailbox has left, although another one may have its
/// place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MailboxId {
    ecu: usize,
    number: u64,
}

/// A network under way, whose nodes make remarks of type `R`.
pub struct LiveNetwork<R = NoRemark> {
    simulation: Simulation<R>,
    buses: Vec<LiveBus>,
    recorder: Recorder,
    joined: u64,
    /// ECUs whose programs have gone and whose frames are still to be sent.
    retiring: Vec<usize>,
    failure: Option<SimulationError>,
    board: Arc<Board>,
}

impl<R: Remark> LiveNetwork<R> {
    /// The longest that a network runs: 106 days.
    pub const TIME_MAX: Time = Time::from_picos(1 << 63);

    /// Begins a network at time zero.
    ///
    /// # Errors
    /// [`LiveError::Config`] by cause.
    pub fn new(config: Config<R>) -> Result<Self, LiveError> {
        let buses: Vec<LiveBus> = config
            .buses
            .iter()
            .map(|bus| LiveBus {
                name: bus.name.clone(),
                timing: bus.timing,
            })
            .collect();
        let board = Board::builtin("ideal").ok_or(LiveError::NoBoard)?;
        Ok(LiveNetwork {
            recorder: Recorder::new(&buses),
            simulation: Simulation::new(config)?,
            buses,
            joined: 0,
            retiring: Vec::new(),
            failure: None,
            board: Arc::new(board),
        })
    }

    /// Returns the buses, in the order of the configuration.
    #[must_use]
    pub fn buses(&self) -> &[LiveBus] {
        &self.buses
    }

    /// Returns a bus by its name.
    ///
    /// # Errors
    /// [`LiveError::NoSuchBus`] with the names that there are.
    pub fn bus(&self, name: &str) -> Result<BusIndex, LiveError> {
        let found = self.buses.iter().position(|bus| bus.name == name);
        found.map(BusIndex).ok_or_else(|| LiveError::NoSuchBus {
            name: name.to_owned(),
            buses: self.buses.iter().map(|bus| bus.name.clone()).collect(),
        })
    }

    /// Returns the time up to which the network has run.
    #[must_use]
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// Returns the time of the next event; [`Time::NEVER`] if nothing happens before a program
    /// sends.
    #[must_use]
    pub fn next_due(&self) -> Time {
        self.simulation.next_due()
    }

    /// Runs everything due up to and including `end`; a time that has passed changes nothing.
    ///
    /// # Errors
    /// [`LiveError::TooLong`]; [`LiveError::Stopped`], then and from then on.
    pub fn run_until(&mut self, end: Time) -> Result<(), LiveError> {
        self.is_running()?;
        if end > Self::TIME_MAX {
            return Err(LiveError::TooLong);
        }
        while !self.retiring.is_empty() && self.next_due() <= end {
            self.run_on(self.next_due())?;
            self.detach_drained();
        }
        self.run_on(end)
    }

    fn run_on(&mut self, end: Time) -> Result<(), LiveError> {
        let run = self.simulation.run_until(end, &mut self.recorder);
        run.map_err(|error| self.stop(error))
    }

    fn detach_drained(&mut self) {
        let (simulation, recorder) = (&mut self.simulation, &mut self.recorder);
        self.retiring.retain(|&ecu| {
            let waits = recorder.waiting_of(ecu);
            if !waits {
                // It is attached: it retires.
                let _: Result<(), MembershipError> = simulation.detach(EcuIndex(ecu), recorder);
                recorder.remove(ecu);
            }
            waits
        });
    }

    /// Puts a mailbox on a bus. Before anything ran it takes part at once, later after eleven
    /// recessive bits.
    ///
    /// # Errors
    /// [`LiveError::Config`] for a bus that is full, or a mailbox without room.
    pub fn join(&mut self, bus: BusIndex, config: MailboxConfig) -> Result<MailboxId, LiveError> {
        self.is_running()?;
        let mailbox = Mailbox::new(&config);
        let outgoing = mailbox.outgoing.clone();
        let port = PortConfig {
            order: config.order,
            ..PortConfig::on(bus.0)
        };
        let build = move |_: &Boot<'_>| -> Box<dyn Node + Send> {
            Box::new(MailboxNode::new(outgoing.clone()))
        };
        let mut ecu = EcuConfig::new(config.name, self.board.clone(), vec![port], build);
        ecu.start = self.simulation.now();
        let index = self.simulation.attach(ecu)?;
        self.joined += 1;
        let id = MailboxId {
            ecu: index.0,
            number: self.joined,
        };
        self.recorder.put(id, mailbox);
        // It boots now.
        self.run_until(self.simulation.now())?;
        Ok(id)
    }

    /// Takes a mailbox off its bus, with all that it holds. One that has left already is ignored.
    pub fn leave(&mut self, id: MailboxId) {
        if self.recorder.mailbox(id).is_none() {
            return;
        }
        if self.failure.is_none() {
            // It is attached: the recorder has it.
            let _: Result<(), MembershipError> =
                self.simulation.detach(EcuIndex(id.ecu), &mut self.recorder);
        }
        self.recorder.remove(id.ecu);
    }

    /// Ends a mailbox for its program, and takes it off its bus when its last frame is sent. One
    /// that has left already is ignored.
    pub fn retire(&mut self, id: MailboxId) {
        if self.failure.is_some() || !self.recorder.retire(id) {
            self.leave(id);
            return;
        }
        self.retiring.push(id.ecu);
        self.detach_drained();
    }

    /// Hands a frame in at the present time. It waits until the bus is free and no frame of
    /// higher priority competes.
    ///
    /// # Errors
    /// [`LiveError::Full`] if too many wait; [`LiveError::Left`].
    pub fn send(&mut self, id: MailboxId, frame: Frame) -> Result<(), LiveError> {
        self.is_running()?;
        let mailbox = self.recorder.mailbox_mut(id).ok_or(LiveError::Left)?;
        mailbox.push(frame)?;
        self.wake(id)
    }

    /// Has the controller of a mailbox send an error flag at the present time, ahead of the frames
    /// that wait; see [`Simulation::raise_error_flag`].
    ///
    /// # Errors
    /// [`LiveError::NoPart`] if it is in bus-off or has not seen eleven recessive bits yet;
    /// [`LiveError::Left`].
    pub fn raise_error_flag(&mut self, id: MailboxId) -> Result<(), LiveError> {
        self.is_running()?;
        self.recorder.mailbox(id).ok_or(LiveError::Left)?;
        match self.simulation.raise_error_flag(EcuIndex(id.ecu), Port(0)) {
            Ok(true) => Ok(()),
            Ok(false) => Err(LiveError::NoPart),
            Err(_) => Err(LiveError::Left),
        }
    }

    /// Takes the oldest event of a mailbox, with its time.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn take(&mut self, id: MailboxId) -> Result<Option<(Time, LiveEvent)>, LiveError> {
        let mailbox = self.recorder.mailbox_mut(id).ok_or(LiveError::Left)?;
        Ok(mailbox.take())
    }

    /// Returns the number of events that mailboxes ever got: it tells a caller that ran the network
    /// if there is something to take.
    #[must_use]
    pub fn delivered(&self) -> u64 {
        self.recorder.delivered()
    }

    /// Returns the number of frames handed in that are neither sent nor withdrawn.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn waiting(&self, id: MailboxId) -> Result<usize, LiveError> {
        let mailbox = self.recorder.mailbox(id).ok_or(LiveError::Left)?;
        Ok(mailbox.waiting())
    }

    /// Withdraws the frames of a mailbox that its controller does not have yet; the controller
    /// holds up to 32.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn flush(&mut self, id: MailboxId) -> Result<(), LiveError> {
        let mailbox = self.recorder.mailbox_mut(id).ok_or(LiveError::Left)?;
        mailbox.flush();
        Ok(())
    }

    /// Takes back a frame of [`LiveEvent::ArbitrationLost`] at the present time. Returns false if
    /// the controller does not have it.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn withdraw(&mut self, id: MailboxId, token: Token) -> Result<bool, LiveError> {
        self.is_running()?;
        let mailbox = self.recorder.mailbox_mut(id).ok_or(LiveError::Left)?;
        let is_there = mailbox.withdraw(token);
        if is_there {
            self.wake(id)?;
        }
        Ok(is_there)
    }

    fn wake(&mut self, id: MailboxId) -> Result<(), LiveError> {
        match self.simulation.wake(EcuIndex(id.ecu), &mut self.recorder) {
            Ok(_) => Ok(()),
            Err(MembershipError::NoSuchEcu { .. }) => Err(LiveError::Left),
            Err(MembershipError::Simulation(error)) => Err(self.stop(error)),
        }
    }

    /// Returns the state of a mailbox's controller and its transmit and receive error counters.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn state(&self, id: MailboxId) -> Result<(BusState, u16, u16), LiveError> {
        let mailbox = self.recorder.mailbox(id).ok_or(LiveError::Left)?;
        Ok((mailbox.state, mailbox.tec, mailbox.rec))
    }

    /// Returns the number of events that a mailbox dropped because no program took them.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn dropped(&self, id: MailboxId) -> Result<u64, LiveError> {
        let mailbox = self.recorder.mailbox(id).ok_or(LiveError::Left)?;
        Ok(mailbox.dropped)
    }

    /// Returns the number of arbitrations that a mailbox lost.
    ///
    /// # Errors
    /// [`LiveError::Left`].
    pub fn arbitrations_lost(&self, id: MailboxId) -> Result<u64, LiveError> {
        let mailbox = self.recorder.mailbox(id).ok_or(LiveError::Left)?;
        Ok(mailbox.arbitrations_lost)
    }

    /// Returns true if a mailbox takes part on its bus: it has integrated and is not in bus-off.
    #[must_use]
    pub fn takes_part(&self, id: MailboxId) -> bool {
        let is_there = self.recorder.mailbox(id).is_some();
        is_there && self.simulation.takes_part(EcuIndex(id.ecu), Port(0))
    }

    /// Returns the figures of a bus from the start of the network up to now.
    #[must_use]
    pub fn statistics(&self, bus: BusIndex) -> BusStatistics {
        self.recorder.statistics(bus)
    }

    /// Returns true if a frame, an error or an overload flag is on the wire of a bus.
    #[must_use]
    pub fn is_busy(&self, bus: BusIndex) -> bool {
        self.simulation.is_busy(bus)
    }

    /// Returns the last frame on the wire of a bus.
    #[must_use]
    pub fn wire(&self, bus: BusIndex) -> WireState {
        self.recorder.wire(bus)
    }

    fn is_running(&self) -> Result<(), LiveError> {
        match &self.failure {
            None => Ok(()),
            Some(error) => Err(LiveError::Stopped(error.clone())),
        }
    }

    fn stop(&mut self, error: SimulationError) -> LiveError {
        self.failure = Some(error.clone());
        LiveError::Stopped(error)
    }
}

impl<R: Remark> EventSink<R> for Recorder {
    fn record(&mut self, at: Time, event: &crate::trace::TraceEvent<'_, R>) {
        if let Some(event) = event.without_remark() {
            self.take(at, &event);
        }
    }
}

impl Default for MailboxConfig {
    fn default() -> Self {
        MailboxConfig {
            name: "program".to_owned(),
            order: TransmitOrder::Priority,
            hears_itself: false,
            hears_errors: true,
            hears_arbitration: false,
            inbox: 1 << 16,
            outbox: 1 << 16,
        }
    }
}
