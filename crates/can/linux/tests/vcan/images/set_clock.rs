//! Drivers on CAN sockets whose clock is set, and whose sockets give one frame at a time: what they
//! send does not depend on how fast the computer is.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use waywarden_can_linux::link::{Handed, LinkEvent};
use waywarden_can_linux::{CanLink, SocketLink};

use super::*;

/// The state of a network that its hosts and links share.
#[derive(Default)]
struct Shared {
    now: Cell<Instant>,
    /// Number of frames that the kernel has taken from all.
    handed: Cell<usize>,
    /// The frames that came back to their senders, in their order.
    carried: RefCell<Vec<Frame>>,
}

/// A socket from which as many frames and echoes can be taken as the test lets through.
struct HeldBack {
    socket: SocketLink,
    due: Rc<Cell<usize>>,
    shared: Rc<Shared>,
}

impl CanLink for HeldBack {
    fn send(&mut self, frame: &Frame) -> Result<Handed, CanLinkError> {
        let handed = self.socket.send(frame)?;
        if handed == Handed::Taken {
            self.shared.handed.set(self.shared.handed.get() + 1);
        }
        Ok(handed)
    }

    fn receive(&mut self) -> Result<LinkEvent, CanLinkError> {
        if self.due.get() == 0 {
            return Ok(LinkEvent::Nothing);
        }
        let event = self.socket.receive()?;
        if let LinkEvent::Echo(frame) = event {
            self.shared.carried.borrow_mut().push(frame);
        }
        if matches!(event, LinkEvent::Frame(_) | LinkEvent::Echo(_)) {
            self.due.set(self.due.get() - 1);
        }
        Ok(event)
    }

    fn lost(&mut self) -> Result<u32, CanLinkError> {
        self.socket.lost()
    }

    fn is_up(&mut self) -> bool {
        self.socket.is_up()
    }
}

/// A host whose clock is set, and which never waits: it tells the test until when it would.
struct SetClock {
    shared: Rc<Shared>,
    boot: Instant,
    next_deadline: Rc<Cell<Option<Instant>>>,
}

impl Host for SetClock {
    type Link = HeldBack;

    fn now(&self) -> Instant {
        Instant::ZERO + self.shared.now.get().since(self.boot)
    }

    fn wait(&mut self, _: &[HeldBack], longest: Option<Duration>) -> io::Result<()> {
        let deadline = longest.map(|longest| self.shared.now.get() + longest);
        self.next_deadline.set(deadline);
        Ok(())
    }
}

/// An ECU that has booted.
struct RunningEcu {
    driver: Driver<SetClock, Acknowledged, Volatile>,
    due: Rc<Cell<usize>>,
    next_deadline: Rc<Cell<Option<Instant>>>,
}

impl RunningEcu {
    fn boot(party: &KnownParty, shared: &Rc<Shared>) -> Self {
        let mut links = socket::open(&[virtual_interface()]).unwrap();
        let (due, next_deadline) = (Rc::default(), Rc::<Cell<_>>::default());
        let link = HeldBack {
            socket: links.remove(0),
            due: Rc::clone(&due),
            shared: Rc::clone(shared),
        };
        let host = SetClock {
            shared: Rc::clone(shared),
            boot: shared.now.get(),
            next_deadline: Rc::clone(&next_deadline),
        };
        RunningEcu {
            driver: Acknowledged::boot(host, vec![link], party),
            due,
            next_deadline,
        }
    }

    /// Lets it do what is to be done now, and notes its next deadline.
    fn step(&mut self) {
        self.driver.step(None).unwrap();
        // A deadline that was set in a step is told in the next.
        self.driver.step(None).unwrap();
    }
}

/// The ECUs of known answers on one interface, with their clock.
pub(super) struct Network<'a> {
    known: &'a KnownAnswers,
    shared: Rc<Shared>,
    ecus: Vec<RunningEcu>,
}

impl<'a> Network<'a> {
    /// Makes a network whose ECUs boot at their times, or at once.
    pub(super) fn new(known: &'a KnownAnswers) -> Self {
        Network {
            known,
            shared: Rc::default(),
            ecus: Vec::new(),
        }
    }

    /// Sets the clock, after all boots and timeouts until then.
    pub(super) fn advance(&mut self, until: Instant) {
        // More timeouts than any role sets.
        for _ in 0..10_000 {
            let next = self.next_deadline().into_iter().chain(self.next_boot());
            let Some(next) = next.min().filter(|next| *next <= until) else {
                self.shared.now.set(until);
                return;
            };
            self.shared.now.set(next.max(self.shared.now.get()));
            // Those that boot together all hear the first frame of each.
            while self.next_boot().is_some_and(|boot| boot <= next) {
                let party = &self.known.parties[self.ecus.len()];
                self.ecus.push(RunningEcu::boot(party, &self.shared));
            }
            self.ecus.iter_mut().for_each(RunningEcu::step);
        }
        panic!("the timeouts do not end");
    }

    /// Lets each ECU take the next frame from its socket.
    pub(super) fn carry(&mut self) {
        for ecu in &mut self.ecus {
            ecu.due.set(1);
            let from = std::time::Instant::now();
            while ecu.due.get() > 0 {
                let at = self.shared.now.get();
                assert!(from.elapsed().as_secs() < 10, "no frame at {at:?}");
                ecu.step();
            }
        }
    }

    /// Lets each ECU take all frames, also those that follow from others.
    pub(super) fn carry_all(&mut self) {
        while self.carried().len() < self.shared.handed.get() {
            self.carry();
        }
    }

    /// Returns the frames that were carried.
    pub(super) fn carried(&self) -> Vec<Frame> {
        self.shared.carried.borrow().clone()
    }

    /// Returns the time at which the first ECU has something to do.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let deadlines = self.ecus.iter().map(|ecu| ecu.next_deadline.get());
        deadlines.flatten().min()
    }

    /// Returns true if each ECU has sent as many frames as are on record.
    pub(super) fn is_reached(&self) -> bool {
        let mut all = self.known.parties.iter().zip(&self.ecus);
        all.all(|(party, ecu)| party.is_reached(&ecu.driver.node().sent))
    }

    /// Compares what each ECU has sent with what is on record.
    pub(super) fn assert_sent(&self) {
        for (party, ecu) in self.known.parties.iter().zip(&self.ecus) {
            party.assert_sent(&ecu.driver.node().sent);
        }
    }

    fn next_boot(&self) -> Option<Instant> {
        let next = self.known.parties.get(self.ecus.len());
        next.map(|party| party.boot.unwrap_or(Instant::ZERO))
    }
}
