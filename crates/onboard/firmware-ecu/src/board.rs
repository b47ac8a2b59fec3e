//! The device of the image: its controller, its clock and its memory, all behind the link.

use core::cell::{Cell, RefCell};

use waywarden_can::mailbox::Device;
use waywarden_can::node::{BusState, Retained, Slot};
use waywarden_can::{Frame, MessageHandle};
use waywarden_firmware_link::{Answer, Link, Request, Status};
use waywarden_work::{Duration, Instant};

use crate::Start;

/// The link, and the state of the world as the last answer told it.
pub struct Board<L> {
    link: RefCell<L>,
    status: Cell<Status>,
    /// The instruction after that answer.
    since: Cell<u64>,
    picoseconds: u32,
    /// True while a frame of the node is in the transmit mailbox, as far as the node knows.
    is_sending: Cell<bool>,
    is_finished: Cell<bool>,
}

impl<L: Link> Board<L> {
    /// Makes the board of a boot.
    pub fn new<R>(mut link: L, start: &Start<R>) -> Self {
        let since = link.instructions();
        Board {
            link: RefCell::new(link),
            status: Cell::new(start.status),
            since: Cell::new(since),
            picoseconds: start.picoseconds,
            is_sending: Cell::new(false),
            is_finished: Cell::new(false),
        }
    }

    /// Returns true if the run is over.
    pub fn is_finished(&self) -> bool {
        self.is_finished.get()
    }

    /// Sends a request; returns the part of the answer that is no state of the world.
    ///
    /// # Panics
    /// If the answer is none to this request.
    fn exchange(&self, request: &Request<'_>) -> Option<Frame> {
        self.uncounted(|| self.exchange_uncounted(request))
    }

    #[inline(never)]
    fn exchange_uncounted(&self, request: &Request<'_>) -> Option<Frame> {
        let mut link = self.link.borrow_mut();
        let (status, frame) = match link.exchange(request) {
            Answer::Status(status) => (status, None),
            Answer::Received { status, frame } => (status, frame),
            Answer::Finish => {
                self.is_finished.set(true);
                return None;
            }
            _ => panic!("the answer does not belong to its request"),
        };
        self.status.set(status);
        self.since.set(link.instructions());
        frame
    }

    /// Makes a request for the simulation alone.
    pub fn report(&self, request: &Request<'_>) {
        self.exchange(request);
    }

    /// Asks for the name of an instance of a stream.
    pub(crate) fn name(&self, stream: u8) -> MessageHandle {
        self.uncounted(|| {
            let mut link = self.link.borrow_mut();
            match link.exchange(&Request::Released { stream }) {
                Answer::Named(message) => message,
                Answer::Finish => {
                    self.is_finished.set(true);
                    MessageHandle::NONE
                }
                _ => panic!("the answer to a released instance is no name"),
            }
        })
    }

    /// Does something that is no work of the ECU: it is not counted.
    pub fn uncounted<T>(&self, work: impl FnOnce() -> T) -> T {
        let has_counted = self.link.borrow_mut().pause();
        let done = work();
        if has_counted {
            self.link.borrow_mut().resume();
        }
        done
    }

    /// Returns true if there is something to do before the node may wait until this instant.
    pub(crate) fn has_more(&self, until: Option<Instant>) -> bool {
        let status = self.status.get();
        status.has_frame
            || self.is_sending.get() && (status.is_sent || status.state == BusState::Off)
            || until.is_some_and(|until| until <= self.now())
    }

    /// Stands still until something happens, or until this instant.
    pub(crate) fn wait(&self, until: Option<Instant>) {
        self.exchange(&Request::Wait { until });
    }

    /// Reads the clock, which is counted, as a microcontroller has to do so, too.
    fn now(&self) -> Instant {
        let executed = self.link.borrow_mut().instructions() - self.since.get();
        let picoseconds = executed * u64::from(self.picoseconds);
        self.status.get().now + Duration::from_nanos(picoseconds / 1_000)
    }
}

impl<L: Link> Device for &Board<L> {
    fn now(&self) -> Instant {
        Board::now(self)
    }

    fn receive(&mut self) -> Option<Frame> {
        self.status
            .get()
            .has_frame
            .then(|| self.exchange(&Request::Receive))?
    }

    fn send(&mut self, frame: &Frame) {
        self.is_sending.set(true);
        self.exchange(&Request::Send(*frame));
    }

    fn is_sent(&self) -> bool {
        let is_sent = self.status.get().is_sent;
        self.is_sending.set(!is_sent);
        is_sent
    }

    fn store(&mut self, slot: Slot, value: &Retained) {
        let value = *value;
        self.exchange(&Request::Store { slot, value });
    }

    fn bus_state(&self) -> BusState {
        let state = self.status.get().state;
        if state == BusState::Off {
            // The controller has emptied its mailbox.
            self.is_sending.set(false);
        }
        state
    }
}
