//! A bus in memory under a clock that is moved by hand: for tests of nodes and of the driver.
//!
//! Frames are carried one at a time, the most urgent first, each in the same time; there are no
//! bits here, no errors but those put in by hand, and no bit rate. For the exact bus see
//! `waywarden-can-sim`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_work::{Duration, Instant};

use crate::error::CanLinkError;
use crate::link::{CanLink, Handed, Host, LinkEvent};

/// Maximum number of received frames and events that a station holds; further ones are lost.
pub const INBOX_MAX: usize = 256;

/// A bus, and the clock of all its stations. Clones are the same bus.
#[derive(Clone, Debug)]
pub struct MemoryBus(Rc<RefCell<Shared>>);

/// A station on a [`MemoryBus`].
#[derive(Debug)]
pub struct MemoryLink {
    bus: MemoryBus,
    station: usize,
}

/// The clock of a [`MemoryBus`], and waiting: time passes only while a caller waits.
#[derive(Clone, Debug)]
pub struct MemoryHost(MemoryBus);

#[derive(Debug)]
struct Shared {
    now: Instant,
    frame_time: Duration,
    /// Nothing is carried while the bus is held.
    held: bool,
    stations: Vec<Station>,
}

#[derive(Debug)]
struct Station {
    mailboxes: usize,
    outbox: VecDeque<Frame>,
    inbox: VecDeque<LinkEvent>,
    up: bool,
    lost: u32,
}

impl MemoryBus {
    /// Makes a bus that carries a frame in `frame_time`.
    #[must_use]
    pub fn new(frame_time: Duration) -> Self {
        MemoryBus(Rc::new(RefCell::new(Shared {
            now: Instant::ZERO,
            frame_time,
            held: false,
            stations: Vec::new(),
        })))
    }

    /// Adds a station whose controller holds `mailboxes` frames, and returns its link.
    #[must_use]
    pub fn attach(&self, mailboxes: usize) -> MemoryLink {
        let mut shared = self.0.borrow_mut();
        shared.stations.push(Station {
            mailboxes,
            outbox: VecDeque::new(),
            inbox: VecDeque::new(),
            up: true,
            lost: 0,
        });
        MemoryLink {
            bus: self.clone(),
            station: shared.stations.len() - 1,
        }
    }

    /// Returns a host for a driver of links of this bus.
    #[must_use]
    pub fn host(&self) -> MemoryHost {
        MemoryHost(self.clone())
    }

    /// Carries the most urgent frame of those that compete, each station's oldest; false if there
    /// is none or the bus is held.
    pub fn carry(&self) -> bool {
        let mut shared = self.0.borrow_mut();
        if shared.held {
            return false;
        }
        let competing = shared.stations.iter().enumerate();
        let winner = competing
            .filter_map(|(at, station)| Some((at, station.outbox.front()?.arbitration_key())))
            .min_by_key(|&(_, key)| key);
        let Some((sender, _)) = winner else {
            return false;
        };
        let Some(frame) = shared.stations[sender].outbox.pop_front() else {
            return false;
        };
        for (at, station) in shared.stations.iter_mut().enumerate() {
            station.put(if at == sender {
                LinkEvent::Echo(frame)
            } else {
                LinkEvent::Frame(frame)
            });
        }
        let frame_time = shared.frame_time;
        shared.now += frame_time;
        true
    }

    /// Holds the bus (a jam) or lets it go on.
    pub fn hold(&self, held: bool) {
        self.0.borrow_mut().held = held;
    }

    /// Moves the clock on.
    pub fn pass(&self, time: Duration) {
        self.0.borrow_mut().now += time;
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> Instant {
        self.0.borrow().now
    }
}

impl MemoryLink {
    /// Returns a second handle on the same station, for a caller that plays its controller.
    #[must_use]
    pub fn handle(&self) -> MemoryLink {
        MemoryLink {
            bus: self.bus.clone(),
            station: self.station,
        }
    }

    /// Puts something into the station's receive queue, as its controller would.
    pub fn put(&self, received: LinkEvent) {
        self.with(|station| station.put(received));
    }

    /// Takes the interface up or down; what it held is gone.
    pub fn set_up(&self, up: bool) {
        self.with(|station| {
            station.up = up;
            station.outbox.clear();
            if !up {
                station.put(LinkEvent::Down);
            }
        });
    }

    /// Forgets the frames that the controller holds, as bus-off does.
    pub fn clear(&self) {
        self.with(|station| station.outbox.clear());
    }

    /// Throws away what the station has received, as a kernel does for a process too slow.
    pub fn lose(&self) {
        self.with(|station| {
            station.lost += station.inbox.len() as u32;
            station.inbox.clear();
        });
    }

    /// Returns how many frames the controller holds.
    #[must_use]
    pub fn holds(&self) -> usize {
        self.with(|station| station.outbox.len())
    }

    fn with<T>(&self, act: impl FnOnce(&mut Station) -> T) -> T {
        act(&mut self.bus.0.borrow_mut().stations[self.station])
    }
}

impl CanLink for MemoryLink {
    fn send(&mut self, frame: &Frame) -> Result<Handed, CanLinkError> {
        Ok(self.with(|station| {
            if !station.up {
                Handed::Down
            } else if station.outbox.len() >= station.mailboxes {
                Handed::Full
            } else {
                station.outbox.push_back(*frame);
                Handed::Taken
            }
        }))
    }

    fn receive(&mut self) -> Result<LinkEvent, CanLinkError> {
        Ok(self.with(|station| station.inbox.pop_front().unwrap_or(LinkEvent::Nothing)))
    }

    fn lost(&mut self) -> Result<u32, CanLinkError> {
        Ok(self.with(|station| std::mem::take(&mut station.lost)))
    }

    fn is_up(&mut self) -> bool {
        self.with(|station| station.up)
    }
}

impl Host for MemoryHost {
    type Link = MemoryLink;

    fn now(&self) -> Instant {
        self.0.now()
    }

    /// Returns at once where a link has something; carries a frame where one waits; else lets
    /// `longest` pass.
    fn wait(&mut self, links: &[MemoryLink], longest: Option<Duration>) -> io::Result<()> {
        let ready = links
            .iter()
            .any(|link| link.with(|it| !it.inbox.is_empty()));
        if !ready && !self.0.carry() {
            self.0.pass(longest.unwrap_or(Duration::ZERO));
        }
        Ok(())
    }
}

impl Station {
    fn put(&mut self, received: LinkEvent) {
        if self.inbox.len() < INBOX_MAX {
            self.inbox.push_back(received);
        } else {
            self.lost += 1;
        }
    }
}
