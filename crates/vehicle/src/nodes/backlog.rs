//! What the bus does not see of an ECU, so that the node itself has to tell: instances of streams
//! that wait in its software or never leave it, for the transmit queue is full, and how its group
//! keys are.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_can::node::{Input, Node, Output, Port, Ports, Token};
use waywarden_can_sim::notes::Notes;
use waywarden_ecu::{Ecu, Forwarded, Guard, Role, Route, StreamState, Withheld};
use waywarden_work::{Duration, Instant};

use super::application::{Application, IntrusionRound};
use super::tidings::{KeyRole, KeyTable, News, RoleTable, Tiding, Tidings};
use super::verdict::Found;
use super::{AUTHENTICATION, AUTHORISATION, KEYS};

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
    pub names: Vec<(RoleTable, String)>,
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
    application: Application,
    /// What an intruder sends next, past everything else.
    intruded: VecDeque<(Port, Frame)>,
    tokens: u32,
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
        application: Application,
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
            application,
            intruded: VecDeque::new(),
            tokens: 0,
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
        let mut verdicts = Vec::new();
        let mut accepted = Vec::new();
        let roles = self.ecu.roles_mut().iter_mut().zip(names.iter());
        for ((role, (table, name)), awaited) in roles.zip(awaited.iter_mut()) {
            // At most as many as a role remembers.
            while let Some((news, text)) = role.node_mut().news() {
                let (table, ecu) = (*table, *ecu);
                let kind = match table {
                    RoleTable::Keys(KeyTable::Group(_)) => KEYS,
                    RoleTable::Keys(KeyTable::Lasan(_)) => AUTHORISATION,
                    RoleTable::Authentication(_) => AUTHENTICATION,
                };
                if let News::Checked(verdict) = news {
                    verdicts.push(verdict);
                }
                if tidings.push(Tiding { table, ecu, news }) {
                    self.notes.push(kind, name, text);
                }
                if let News::InUse { .. } = news {
                    waited |= std::mem::take(awaited);
                }
            }
            while let Some(payload) = role.node_mut().accepted() {
                accepted.push(payload);
            }
        }
        // One payload was accepted for each that was found authentic, in the same order.
        let mut accepted = accepted.into_iter();
        for verdict in verdicts {
            match verdict.found {
                Found::Authentic(genuine) => {
                    if let Some((stream, payload)) = accepted.next() {
                        self.application.accept(stream, payload, genuine);
                    }
                }
                Found::BadTag | Found::Replay | Found::Missing => {
                    self.application.refuse(verdict.stream);
                }
                Found::UnexpectedTag
                | Found::Desync
                | Found::Resynced
                | Found::NoRoom
                | Found::NotReady => {}
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
            // The role that guards the stream could not protect it: no key, or nothing retained
            // or announced yet.
            let unauthorised = state.unauthorised() + state.unready();
            add(&self.backlog.unauthorised, unauthorised - told.unauthorised);
            told.unauthorised = unauthorised;
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
        let streams = self.ecu.streams();
        streams.skipped() + streams.unauthorised() + streams.unready()
    }
}

/// The place in a token that neither the ECU nor a role has.
const INTRUDERS: u32 = 0xF << 28;

/// Whether the token of a request from an ECU of the vehicle is an attacker's who runs code there.
#[must_use]
pub fn is_intruders(token: Token) -> bool {
    token.0 & INTRUDERS == INTRUDERS
}

impl Telling {
    /// Has the program do what is due, and the intruder what it can.
    fn run_application(&mut self, now: Instant) {
        let payloads = self.application.tick(now);
        for (id, payload) in payloads {
            self.ecu.streams_mut().set_payload(id, payload);
        }
        let cause = self.application.cause();
        for role in self.ecu.roles_mut() {
            role.node_mut().caused_by(cause);
        }
        let Some(actions) = self.application.intrude(now) else {
            return;
        };
        let IntrusionRound {
            messages,
            others,
            mut sent,
            received,
        } = actions;
        for (port, frame) in others {
            let roles = self.ecu.roles_mut().iter_mut();
            let made = roles.map(|role| role.node_mut().impersonate(port, &frame));
            let made = made.flatten().map(|frame| (port, frame));
            sent.extend(made);
        }
        for (port, frame) in messages {
            let mut roles = self.ecu.roles_mut().iter_mut();
            if let Some(role) = roles.find(|role| role.node().guards(frame.id())) {
                // What it has no keys for it cannot have protected.
                let _: Result<(), Withheld> = role.node_mut().forge(port, &frame);
            }
        }
        for (port, frame) in received {
            let frame = &frame;
            self.application.hear(port, frame);
            self.ecu.handle(now, Input::Frame { port, frame });
        }
        // One round at a time: what found no room is not made up for.
        self.intruded = sent.into();
    }

    /// Takes the intruder's next frame for a port with room.
    fn intruded(&mut self, room: Ports) -> Option<Output> {
        let mut waiting = self.intruded.iter();
        let at = waiting.position(|(port, _)| room.contains(*port))?;
        let (port, frame) = self.intruded.remove(at)?;
        self.application.forged(port, &frame);
        self.tokens = self.tokens.wrapping_add(1);
        let token = Token(INTRUDERS | self.tokens & !INTRUDERS);
        Some(Output::Transmit { port, token, frame })
    }
}

impl Node for Telling {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Sent { token, .. } | Input::Withdrawn { token, .. } if is_intruders(token) => {
                return;
            }
            Input::Frame { port, frame } => self.application.hear(port, frame),
            _ => {}
        }
        self.ecu.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.run_application(now);
        if let Some(output) = self.intruded(room) {
            return output;
        }
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
        match output {
            Output::Transmit { port, frame, .. } => {
                self.application.leaves(port, &frame);
                if let Some(port) = self.application.announced(&frame) {
                    let frame = &frame;
                    self.ecu.handle(now, Input::Frame { port, frame });
                }
                output
            }
            Output::Idle(wish) => {
                let application = self.application.wish();
                Output::Idle(wish.into_iter().chain(application).min())
            }
            output => output,
        }
    }
}
