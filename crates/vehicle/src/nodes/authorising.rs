//! Roles under a security module in a simulated ECU: told when to begin, retire and enrol, given
//! the streams that they protect, and heard when something happens to them.

mod names;

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id};
use waywarden_ecu::{Guard, Withheld};
use waywarden_ecu_keys::group::Address;
use waywarden_ecu_keys::lasan::{
    Directory, Ecu, EcuEvent, Header, ModuleEvent, Name, ProtectError, Received, ReplaceError,
    SecurityModule, StreamId, Suite,
};
use waywarden_work::{Duration, Instant};

use super::tidings::{KeyRole, News, Tidings};
use super::timetable::Timetable;

pub(crate) use names::event_word;
pub use names::{AUTHORISATION, Names};

/// What a security module is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decree {
    /// Begin a new epoch.
    Start,
    /// Take an ECU out of the roster.
    Retire(Address),
    /// Take an ECU into it, with the digest of the key that it must have, if that is known.
    Enrol(Address, Name, Option<[u8; 32]>),
    /// Take a new part of an ECU into it, likewise, and shut out the old one.
    Replace(Address, Name, Option<[u8; 32]>),
}

/// A role under a security module, or that of the security module itself, whatever its suite.
pub trait Authorised: Node {
    /// Takes the oldest event.
    fn news(&mut self) -> Option<News>;
    /// Takes an order; only a security module does anything.
    ///
    /// # Errors
    /// [`ReplaceError`] for a part that it cannot shut out; nothing is changed then.
    fn take(&mut self, decree: Decree) -> Result<(), ReplaceError>;
    /// Takes a frame to be sent protected.
    ///
    /// # Errors
    /// [`ProtectError`]; a security module has no key of any stream.
    fn protect(&mut self, port: Port, frame: &Frame) -> Result<(), ProtectError>;
    /// Takes what came of the oldest protected frame.
    fn received(&mut self) -> Option<Received>;
    /// Whether it has a key of a stream.
    fn has_key(&self, stream: StreamId) -> bool;
    /// Returns for how many protected frames it had no room.
    fn frames_lost(&self) -> u32;
}

impl<S: Suite, D: Directory, const W: usize> Authorised for Ecu<S, D, W> {
    fn news(&mut self) -> Option<News> {
        self.event().map(News::Authorisation)
    }

    fn take(&mut self, _decree: Decree) -> Result<(), ReplaceError> {
        Ok(())
    }

    fn protect(&mut self, port: Port, frame: &Frame) -> Result<(), ProtectError> {
        self.send(port, frame)
    }

    fn received(&mut self) -> Option<Received> {
        Ecu::received(self)
    }

    fn has_key(&self, stream: StreamId) -> bool {
        self.stream_key(stream).is_some()
    }

    fn frames_lost(&self) -> u32 {
        Ecu::frames_lost(self)
    }
}

impl<S: Suite, D: Directory, const E: usize, const H: usize, const G: usize> Authorised
    for SecurityModule<S, D, E, H, G>
{
    fn news(&mut self) -> Option<News> {
        self.event().map(News::Module)
    }

    fn take(&mut self, decree: Decree) -> Result<(), ReplaceError> {
        match decree {
            Decree::Start => self.start(),
            Decree::Retire(ecu) => self.retire(ecu),
            // There is room: the address has its place in the roster already.
            Decree::Enrol(ecu, name, digest) => {
                self.enrol(ecu, name, digest.as_ref());
            }
            Decree::Replace(ecu, name, digest) => {
                return self.replace(ecu, name, digest.as_ref());
            }
        }
        Ok(())
    }

    fn protect(&mut self, _port: Port, _frame: &Frame) -> Result<(), ProtectError> {
        Err(ProtectError::NoKey)
    }

    fn received(&mut self) -> Option<Received> {
        None
    }

    fn has_key(&self, _stream: StreamId) -> bool {
        false
    }

    fn frames_lost(&self) -> u32 {
        0
    }
}

/// What an ECU has to do with protected streams, and where.
#[derive(Clone, Debug)]
pub struct Post {
    /// The security module's network, by its place in the vehicle file.
    pub network: usize,
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// How long the security module takes at most to authenticate those that are at it at a time.
    pub authentication: Duration,
    /// The ports on which it hears the protocol's messages: one, unless it forwards them.
    pub ports: Ports,
    /// The protected streams that it sends.
    pub sends: Vec<Id>,
    /// Those that it receives, by which port.
    pub receives: Vec<(Id, Port)>,
    /// The protected streams whose permission has an end, at which they are without a key.
    pub ending: Vec<StreamId>,
    /// What everybody and everything is called.
    pub names: Rc<Names>,
    /// Where it counts what it receives.
    pub tidings: Rc<Tidings>,
}

/// A role under a security module with its place in the ECU.
pub struct Authorising {
    role: Box<dyn Authorised>,
    timetable: Timetable<Decree>,
    post: Post,
    /// Who has been authenticated in this epoch, as the security module knows it.
    authenticated: BTreeSet<Address>,
    /// What the role told and no caller has fetched yet: at most as much as it remembers, and one
    /// for each order.
    told: VecDeque<News>,
    /// What became of frames that were refused, and no caller has fetched yet: at most as many as
    /// one input brings.
    refused: VecDeque<Received>,
    /// The streams of which it has had a key since it booted, and none has been taken away.
    granted: BTreeSet<StreamId>,
    /// The protected frames that wait in the role, in the order in which it opens them, and whether
    /// they are their senders': at most as many as it has room for.
    waiting: VecDeque<bool>,
}

impl Authorising {
    /// Gives a role its place.
    #[must_use]
    pub fn new(role: Box<dyn Authorised>, timetable: Timetable<Decree>, post: Post) -> Self {
        Authorising {
            role,
            timetable,
            post,
            authenticated: BTreeSet::new(),
            told: VecDeque::new(),
            refused: VecDeque::new(),
            granted: BTreeSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Whether a frame is one that the role is to hear: a gateway brings messages to an ECU of two
    /// buses once more, and a stream comes by one of them.
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        match Header::of(frame) {
            Some(_) => self.post.ports.contains(port),
            None => self.post.receives.contains(&(frame.id(), port)),
        }
    }

    /// Hears what the role tells. An epoch is under way as long as one ECU after the other is
    /// authenticated: an ECU that is not there does not keep the others from a new one.
    fn listen(&mut self, now: Instant) {
        while let Some(news) = self.role.news() {
            self.note(&news);
            let goes_on = match news {
                News::Module(ModuleEvent::Started { .. }) => {
                    self.authenticated.clear();
                    true
                }
                News::Module(ModuleEvent::Authenticated(ecu)) => self.authenticated.insert(ecu),
                _ => false,
            };
            if goes_on {
                self.timetable.release(now + self.post.authentication);
            }
            self.told.push_back(news);
        }
    }

    /// Notes who has keys, and who is to have them.
    fn note(&mut self, news: &News) {
        let (tidings, network) = (&self.post.tidings, self.post.network);
        match news {
            News::Authorisation(EcuEvent::Granted { stream, .. }) => {
                if tidings.note_key(network, self.post.ecu) {
                    self.granted.clear();
                }
                self.granted.insert(*stream);
            }
            News::Authorisation(EcuEvent::Denied { stream, .. }) => {
                self.granted.remove(stream);
            }
            News::Module(ModuleEvent::Retired(ecu)) => {
                if let Some(place) = self.post.names.places.get(ecu) {
                    tidings.note_roster(network, *place, true);
                }
            }
            News::Module(ModuleEvent::Enrolled(ecu)) => {
                if let Some(place) = self.post.names.places.get(ecu) {
                    tidings.note_roster(network, *place, false);
                }
            }
            _ => {}
        }
    }

    /// Notes a protected frame that leaves.
    fn note_sent(&self, output: &Output) {
        if let Output::Transmit { frame, .. } = output
            && self.post.sends.contains(&frame.id())
            && let Some((at, _)) = self.post.names.streams.get(&StreamId::of(frame.id()))
        {
            self.post.tidings.sealed().sent(*at, frame.data(), None);
        }
    }

    /// Counts a frame that was received or was to be sent without a key.
    fn lack(&self, stream: StreamId, sent: bool) {
        if let Some((at, _)) = self.post.names.streams.get(&stream) {
            let between = self.granted.contains(&stream) && self.is_to_have(stream);
            let tidings = &self.post.tidings;
            tidings.count_without_key((*at, self.post.ecu), sent, between);
        }
    }

    /// Whether this ECU is to have the key of a stream until the end of the run.
    fn is_to_have(&self, stream: StreamId) -> bool {
        let Post { network, ecu, .. } = self.post;
        !self.post.ending.contains(&stream) && !self.post.tidings.is_away(network, ecu)
    }

    /// Hands a frame of a stream to the role, and sees whether it takes it.
    fn hand_over(&mut self, now: Instant, port: Port, frame: &Frame) {
        let stream = StreamId::of(frame.id());
        let place = self.post.names.streams.get(&stream).map(|(at, _)| *at);
        let sealed = self.post.tidings.sealed();
        let brought = place.and_then(|at| sealed.taken(at, self.post.ecu, frame.data()));
        let genuine = brought.is_some();
        let (has_key, lost) = (self.role.has_key(stream), self.role.frames_lost());
        self.role.handle(now, Input::Frame { port, frame });
        if !has_key {
            self.lack(stream, false);
        } else if self.role.frames_lost() == lost {
            self.waiting.push_back(genuine);
        } else if let Some(at) = place {
            let genuine = genuine && self.is_to_have(stream);
            let tidings = &self.post.tidings;
            tidings.count_no_room((at, self.post.ecu), genuine);
        }
    }

    fn take_received(&mut self, received: Received) {
        let genuine = self.waiting.pop_front().unwrap_or(false);
        let (stream, authentic) = match received {
            Received::Authentic { stream, .. } => (stream, true),
            Received::Forged(stream)
            | Received::Replayed(stream)
            | Received::UnknownKey(stream) => (stream, false),
            _ => return,
        };
        if !authentic && !self.role.has_key(stream) {
            // Its time was over before the frame was opened.
            return self.lack(stream, false);
        }
        if let Some((at, _)) = self.post.names.streams.get(&stream) {
            let genuine = genuine && self.is_to_have(stream);
            let tidings = &self.post.tidings;
            tidings.count((*at, self.post.ecu), &received, genuine);
        }
        if !authentic {
            self.refused.push_back(received);
        }
    }
}

impl Node for Authorising {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        if let Input::Frame { port, frame } = input
            && !self.hears(port, frame)
        {
            return;
        }
        match input {
            Input::Frame { port, frame } if Header::of(frame).is_none() => {
                self.hand_over(now, port, frame);
            }
            input => self.role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        while let Some(decree) = self.timetable.due(now) {
            if decree == Decree::Start {
                // Until the epoch has begun: it has to be kept first.
                self.timetable.hold();
            }
            if let (Err(error), Decree::Replace(ecu, ..)) = (self.role.take(decree), decree) {
                self.told.push_back(News::NotReplaced { ecu, error });
            }
        }
        loop {
            let output = self.role.poll(now, room);
            self.listen(now);
            let received = self.role.received();
            let goes_on = received.is_some();
            if let Some(received) = received {
                self.take_received(received);
            }
            match output {
                // Nothing further is opened before the last is taken; few wait.
                Output::Idle(_) if goes_on => {}
                Output::Idle(wish) => {
                    let next = self.timetable.next();
                    return Output::Idle(wish.into_iter().chain(next).min());
                }
                output => {
                    self.note_sent(&output);
                    return output;
                }
            }
        }
    }
}

impl Guard for Authorising {
    fn guards(&self, id: Id) -> bool {
        self.post.sends.contains(&id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let protected = self.role.protect(port, frame);
        if protected == Err(ProtectError::NoKey) {
            self.lack(StreamId::of(frame.id()), true);
        }
        protected.map_err(|error| match error {
            ProtectError::Busy => Withheld::Busy,
            _ => Withheld::Unauthorised,
        })
    }
}

impl KeyRole for Authorising {
    fn news(&mut self) -> Option<(News, String)> {
        let refused = self.refused.pop_front().map(News::Refused);
        let news = refused.or_else(|| self.told.pop_front())?;
        let text = self.post.names.text(&news);
        Some((news, text))
    }
}
