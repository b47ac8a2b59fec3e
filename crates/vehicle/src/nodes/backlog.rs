//! What a full transmit queue does to streams: instances that wait in the ECU's software, and
//! instances that never leave it. The bus sees neither, so the node itself has to tell.

use std::cell::Cell;
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_can_sim::notes::Notes;
use waywarden_ecu::{Ecu, Forwarded, Route, StreamState};
use waywarden_work::{Duration, Instant};

/// The kind of the remark about an instance that never left.
pub const SKIPPED: &str = "skipped";

/// The instances of a vehicle's streams that a full transmit queue held up or kept back.
#[derive(Debug, Default)]
pub struct Backlog {
    /// By stream of the vehicle.
    skipped: Vec<Cell<u64>>,
    waited: Cell<Duration>,
}

/// An ECU that tells what waits in it.
pub struct Telling {
    ecu: Ecu<Vec<StreamState>, Vec<Route>, Vec<Forwarded>>,
    /// By own stream: which of the vehicle's it is, its name, how many skips are told.
    streams: Vec<(usize, String, u64)>,
    told: u64,
    backlog: Rc<Backlog>,
    notes: Notes,
}

impl Backlog {
    /// Makes the record of so many streams.
    #[must_use]
    pub fn new(streams: usize) -> Self {
        Backlog {
            skipped: vec![Cell::new(0); streams],
            waited: Cell::default(),
        }
    }

    /// Returns how many instances of a stream never left their sender, over all its boots.
    #[must_use]
    pub fn skipped(&self, stream: usize) -> u64 {
        self.skipped.get(stream).map_or(0, Cell::get)
    }

    /// Returns how long, on its sender's clock, the instance waited for room in the queue that is
    /// asked to be sent right now.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.waited.get()
    }
}

impl Telling {
    /// Lets an ECU tell; `streams` are its own, by the vehicle's index and name.
    #[must_use]
    pub fn new(
        ecu: Ecu<Vec<StreamState>, Vec<Route>, Vec<Forwarded>>,
        streams: impl IntoIterator<Item = (usize, String)>,
        backlog: Rc<Backlog>,
        notes: Notes,
    ) -> Self {
        let streams = streams.into_iter().map(|(at, name)| (at, name, 0));
        Telling {
            ecu,
            streams: streams.collect(),
            told: 0,
            backlog,
            notes,
        }
    }

    fn tell(&mut self) {
        self.told = self.ecu.streams().skipped();
        let states = self.ecu.streams().states().iter();
        for ((at, name, told), state) in self.streams.iter_mut().zip(states) {
            let new = state.skipped() - *told;
            if new == 0 {
                continue;
            }
            *told = state.skipped();
            if let Some(count) = self.backlog.skipped.get(*at) {
                count.set(count.get() + new);
            }
            let text = format!("the transmit queue is full, {told} skipped since boot");
            self.notes.push(SKIPPED, name, text);
        }
    }
}

impl Node for Telling {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let output = self.ecu.poll(now, room);
        self.backlog.waited.set(self.ecu.waited());
        if self.ecu.streams().skipped() != self.told {
            self.tell();
        }
        output
    }
}
