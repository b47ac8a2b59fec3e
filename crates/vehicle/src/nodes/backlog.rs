//! What the bus does not see of an ECU, so that the node itself has to tell: instances of streams
//! that wait in its software or never leave it, for the transmit queue is full, and how its group
//! keys are.

use std::cell::Cell;
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Ports};
use waywarden_can_sim::notes::Notes;
use waywarden_ecu::{Ecu, Forwarded, Role, Route, StreamState};
use waywarden_ecu_keys::group::Event;
use waywarden_work::{Duration, Instant};

use super::tidings::{KeyRole, KeyTable, News, Tiding, Tidings};
use super::{AUTHORISATION, KEYS};

/// The kind of the remark about an instance that never left.
pub const SKIPPED: &str = "skipped";

/// The instances of a vehicle's streams that a full transmit queue held up or kept back.
#[derive(Debug, Default)]
pub struct Backlog {
    /// By stream of the vehicle: instances that never left because the queue was full, and because
    /// their sender had no key of the stream.
    skipped: Vec<Cell<u64>>,
    unauthorised: Vec<Cell<u64>>,
    waited: Cell<Duration>,
}

/// An ECU of a vehicle.
pub type VehicleEcu = Ecu<
    Vec<StreamState>,
    Vec<Route>,
    Vec<Forwarded>,
    Vec<Role<Box<dyn KeyRole>>>,
    Box<dyn KeyRole>,
>;

/// The key protocols that an ECU tells of.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// By role: the protocol's place in the vehicle file, and its name.
    pub names: Vec<(KeyTable, String)>,
    /// By role: whether the ECU's streams wait for its first key.
    pub awaited: Vec<bool>,
    /// Where the news go.
    pub tidings: Rc<Tidings>,
}

/// An ECU that tells what waits in it, and of its keys.
pub struct Telling {
    ecu: VehicleEcu,
    groups: Groups,
    streams: Vec<Told>,
    /// How many instances of all streams never left, for either reason.
    told: u64,
    backlog: Rc<Backlog>,
    notes: Notes,
}

/// An own stream: which of the vehicle's it is, its name, what is told of it.
struct Told {
    at: usize,
    name: String,
    skipped: u64,
    unauthorised: u64,
}

impl Backlog {
    /// Makes the record of so many streams.
    #[must_use]
    pub fn new(streams: usize) -> Self {
        Backlog {
            skipped: vec![Cell::new(0); streams],
            unauthorised: vec![Cell::new(0); streams],
            waited: Cell::default(),
        }
    }

    /// Returns how many instances of a stream never left their sender, over all its boots.
    #[must_use]
    pub fn skipped(&self, stream: usize) -> u64 {
        self.skipped.get(stream).map_or(0, Cell::get)
    }

    /// Returns how many instances of a stream never left because their sender had no key of it,
    /// over all its boots.
    #[must_use]
    pub fn unauthorised(&self, stream: usize) -> u64 {
        self.unauthorised.get(stream).map_or(0, Cell::get)
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
        mut ecu: VehicleEcu,
        groups: Groups,
        streams: impl IntoIterator<Item = (usize, String)>,
        backlog: Rc<Backlog>,
        notes: Notes,
    ) -> Self {
        let streams = streams.into_iter().map(|(at, name)| Told {
            at,
            name,
            skipped: 0,
            unauthorised: 0,
        });
        if groups.awaited.contains(&true) {
            ecu.hold_streams();
        }
        Telling {
            ecu,
            groups,
            streams: streams.collect(),
            told: 0,
            backlog,
            notes,
        }
    }

    /// Tells what happened to the key roles; true if that let the streams go.
    fn tell_of_keys(&mut self, now: Instant) -> bool {
        let Groups {
            ecu,
            names,
            awaited,
            tidings,
        } = &mut self.groups;
        let mut waited = false;
        let roles = self.ecu.roles_mut().iter_mut().zip(names.iter());
        for ((role, (table, name)), awaited) in roles.zip(awaited.iter_mut()) {
            // At most as many as a role remembers.
            while let Some((news, text)) = role.node_mut().news() {
                let (table, ecu) = (*table, *ecu);
                let kind = match table {
                    KeyTable::Group(_) => KEYS,
                    KeyTable::Lasan(_) => AUTHORISATION,
                };
                if tidings.push(Tiding { table, ecu, news }) {
                    self.notes.push(kind, name, text);
                }
                if let News::Told(Event::Confirmed { .. }) = news {
                    waited |= std::mem::take(awaited);
                }
            }
        }
        let released = waited && !awaited.contains(&true);
        if released {
            self.ecu.release_streams(now);
        }
        released
    }

    fn tell(&mut self) {
        self.told = self.kept_back();
        let states = self.ecu.streams().states().iter();
        for (told, state) in self.streams.iter_mut().zip(states) {
            let add = |counts: &[Cell<u64>], new: u64| {
                if let Some(count) = counts.get(told.at) {
                    count.set(count.get() + new);
                }
            };
            add(
                &self.backlog.unauthorised,
                state.unauthorised() - told.unauthorised,
            );
            told.unauthorised = state.unauthorised();
            let new = state.skipped() - told.skipped;
            add(&self.backlog.skipped, new);
            told.skipped = state.skipped();
            if new > 0 {
                let text = format!(
                    "the transmit queue is full, {} skipped since boot",
                    told.skipped
                );
                self.notes.push(SKIPPED, &told.name, text);
            }
        }
    }

    fn kept_back(&self) -> u64 {
        self.ecu.streams().skipped() + self.ecu.streams().unauthorised()
    }
}

impl Node for Telling {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        let mut output = self.ecu.poll(now, room);
        let released = self.tell_of_keys(now);
        if released && matches!(output, Output::Idle(_)) {
            // The streams have a wish of their own now.
            output = self.ecu.poll(now, room);
        }
        self.backlog.waited.set(self.ecu.waited());
        if self.kept_back() != self.told {
            self.tell();
        }
        output
    }
}
