//! Message authentication in a simulated ECU: what its role finds is held against the truth, and
//! told.

use std::collections::VecDeque;
use std::rc::Rc;

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::{Event, Payload};
use waywarden_can_auth::mac::Key;
use waywarden_can_auth::stream::{Check, Message, Protect};
use waywarden_can_auth::vault::{KeyId, Usage, Vault};
use waywarden_ecu::{Authenticator, End, Guard, Withheld};
use waywarden_work::Instant;

use super::group_keys::{FollowingKeys, RenewableKeys};
use super::ledger::Ledger;
use super::tidings::{KeyRole, News};
use super::verdict::{Found, Verdict};

/// A role of message authentication, whatever its protocol.
pub trait Authenticating: Guard + RenewableKeys {
    /// Takes the oldest event.
    fn event(&mut self) -> Option<(Port, Event)>;

    /// Whether a frame is for one of its receiving ends.
    fn checks(&self, port: Port, frame: &Frame) -> bool;

    /// How many frames and events found no place, ever.
    fn dropped(&self) -> u64;

    /// Whether it checks frames at all.
    fn is_ready(&self) -> bool;

    /// Makes a message of a stream that it receives, with the keys that it has.
    fn impersonate(&mut self, port: Port, stream: StandardId, payload: &[u8]) -> Option<Message>;
}

impl<V, P, C, S, R> RenewableKeys for Authenticator<V, P, C, S, R>
where
    V: Vault + RenewableKeys,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn renew(&mut self, id: KeyId, usage: Usage, key: &Key) {
        self.vault_mut().renew(id, usage, key);
    }

    fn forget_previous(&mut self, id: KeyId) {
        self.vault_mut().forget_previous(id);
    }
}

impl<V, P, C, S, R> Authenticating for Authenticator<V, P, C, S, R>
where
    V: Vault + RenewableKeys,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
{
    fn event(&mut self) -> Option<(Port, Event)> {
        Authenticator::event(self)
    }

    fn checks(&self, port: Port, frame: &Frame) -> bool {
        let mut ends = self.receivers().iter();
        ends.any(|end| end.port == port && end.end.knows(frame))
    }

    fn dropped(&self) -> u64 {
        Authenticator::dropped(self)
    }

    fn is_ready(&self) -> bool {
        self.fault().is_none()
    }

    fn impersonate(&mut self, port: Port, stream: StandardId, payload: &[u8]) -> Option<Message> {
        Authenticator::impersonate(self, port, stream, payload)
    }
}

/// What an ECU has to do with the streams of an authentication.
#[derive(Clone, Debug)]
pub struct Desk {
    /// The ECU, by its place in the vehicle file.
    pub ecu: usize,
    /// The streams of the authentication: identifier, place in the vehicle file, name.
    pub streams: Vec<(Id, usize, String)>,
    /// The truth.
    pub ledger: Rc<Ledger>,
}

/// An own message that is with the role.
struct UnderWay {
    stream: usize,
    /// What it says and what caused it, unless an intruder made it up.
    own: Option<(Payload, Option<u64>)>,
}

/// A role of message authentication with its desk.
pub struct Authentic {
    role: Box<dyn Authenticating>,
    desk: Desk,
    /// Where its keys come from, unless they were in place at the boot.
    keys: Option<FollowingKeys>,
    /// Own messages that are with the role, oldest first: the stream, and what it is, if it is the
    /// ECU's own software that sends it.
    under_way: VecDeque<UnderWay>,
    /// What caused the messages that are handed over now.
    cause: Option<u64>,
    told: VecDeque<Verdict>,
    accepted: VecDeque<(usize, Payload)>,
}

impl Authentic {
    /// Puts a role at its desk.
    #[must_use]
    pub fn new(role: Box<dyn Authenticating>, desk: Desk) -> Self {
        Authentic {
            role,
            desk,
            keys: None,
            under_way: VecDeque::new(),
            cause: None,
            told: VecDeque::new(),
            accepted: VecDeque::new(),
        }
    }

    /// Has its keys follow a group's.
    #[must_use]
    pub fn following(self, keys: Option<FollowingKeys>) -> Self {
        Authentic { keys, ..self }
    }

    /// Brings its keys up to the time.
    fn renew_keys(&mut self, now: Instant) {
        if let Some(keys) = &mut self.keys {
            keys.renew(now, &mut *self.role);
        }
    }

    /// Whether it can check anything.
    fn is_ready(&self) -> bool {
        self.role.is_ready() && self.keys.as_ref().is_none_or(FollowingKeys::is_there)
    }

    fn stream(&self, id: Id) -> Option<usize> {
        let mut streams = self.desk.streams.iter();
        streams.find(|(one, ..)| *one == id).map(|(_, at, _)| *at)
    }

    /// Returns the stream of a frame that the role checks: a message, or what belongs to one and
    /// has the identifier above.
    fn checked(&self, port: Port, frame: &Frame) -> Option<usize> {
        if !self.role.checks(port, frame) {
            return None;
        }
        let base = match frame.id() {
            Id::Standard(id) => id.raw(),
            Id::Extended(id) => id.base(),
        };
        let data = || StandardId::new(base & !1).ok().map(Id::Standard);
        self.stream(frame.id()).or_else(|| self.stream(data()?))
    }

    /// Hands a frame of a stream to the role, which tells of what it checks and of nothing else.
    fn hand_in(&mut self, now: Instant, stream: usize, input: Input<'_>) {
        let dropped = self.role.dropped();
        self.role.handle(now, input);
        self.desk.ledger.hand(stream, self.desk.ecu);
        let found = match self.is_ready() {
            false => Found::NotReady,
            true if self.role.dropped() > dropped => Found::NoRoom,
            true => return,
        };
        self.told.push_back(Verdict { stream, found });
    }

    fn listen(&mut self) {
        while let Some((_, event)) = self.role.event() {
            let (id, found) = match event {
                Event::Authentic { stream, payload } => {
                    let Some(at) = self.stream(Id::Standard(stream)) else {
                        continue;
                    };
                    let bytes = payload.as_bytes();
                    let genuine = self.desk.ledger.taken(at, self.desk.ecu, bytes);
                    self.accepted.push_back((at, payload));
                    (stream, Found::Authentic(genuine))
                }
                Event::BadTag(id) => (id, Found::BadTag),
                Event::Replay(id) => (id, Found::Replay),
                Event::Missing(id) => (id, Found::Missing),
                Event::UnexpectedTag(id) => (id, Found::UnexpectedTag),
                Event::Desync(id) => (id, Found::Desync),
                Event::Resynced(id) => (id, Found::Resynced),
                _ => continue,
            };
            if let Some(stream) = self.stream(Id::Standard(id)) {
                self.told.push_back(Verdict { stream, found });
            }
        }
    }

    /// Notes that a frame leaves: if it carries a message, that one is sent.
    fn leaves(&mut self, port: Port, frame: &Frame) {
        let carried = self
            .role
            .carried(port, frame)
            .and_then(|id| self.stream(id));
        let Some(own) = carried else {
            return;
        };
        let mut waiting = self.under_way.iter();
        let at = waiting.position(|one| one.stream == own);
        let Some(UnderWay { stream, own }) = at.and_then(|at| self.under_way.remove(at)) else {
            return;
        };
        match own {
            Some((payload, cause)) => self.desk.ledger.sent(stream, payload.as_bytes(), cause),
            None => self.desk.ledger.forged(stream),
        }
    }

    fn hand_over(
        &mut self,
        port: Port,
        frame: &Frame,
        own: Option<(Payload, Option<u64>)>,
    ) -> Result<(), Withheld> {
        self.role.send(port, frame)?;
        if let Some(stream) = self.stream(frame.id()) {
            self.under_way.push_back(UnderWay { stream, own });
        }
        Ok(())
    }
}

impl Node for Authentic {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.renew_keys(now);
        let stream = match input {
            Input::Frame { port, frame } => self.checked(port, frame),
            _ => None,
        };
        match stream {
            Some(stream) => self.hand_in(now, stream, input),
            None => self.role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.renew_keys(now);
        let output = self.role.poll(now, room);
        self.listen();
        match output {
            Output::Transmit { port, frame, .. } => {
                self.leaves(port, &frame);
                output
            }
            Output::Idle(wish) => {
                let keys = self.keys.as_ref().and_then(FollowingKeys::wish);
                Output::Idle(wish.into_iter().chain(keys).min())
            }
            output => output,
        }
    }
}

impl Guard for Authentic {
    fn guards(&self, id: Id) -> bool {
        self.role.guards(id)
    }

    fn carried(&self, port: Port, frame: &Frame) -> Option<Id> {
        self.role.carried(port, frame)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let own = (Payload::new(frame.data()), self.cause);
        self.hand_over(port, frame, Some(own))
    }
}

impl KeyRole for Authentic {
    fn news(&mut self) -> Option<(News, String)> {
        let verdict = self.told.pop_front()?;
        let mut streams = self.desk.streams.iter();
        let name = streams.find(|(_, at, _)| *at == verdict.stream);
        let name = name.map_or("", |(_, _, name)| name.as_str());
        Some((
            News::Checked(verdict),
            format!("{name}: {}", verdict.found.words()),
        ))
    }

    fn accepted(&mut self) -> Option<(usize, Payload)> {
        self.accepted.pop_front()
    }

    fn caused_by(&mut self, cause: Option<u64>) {
        self.cause = cause;
    }

    fn forge(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        self.hand_over(port, frame, None)
    }

    fn impersonate(&mut self, port: Port, frame: &Frame) -> Vec<Frame> {
        impersonated(&mut *self.role, port, frame)
    }
}

/// Makes the frames of a message of a stream that a role receives, with the keys that it has.
pub(super) fn impersonated(role: &mut dyn Authenticating, port: Port, frame: &Frame) -> Vec<Frame> {
    let made = match frame.id() {
        Id::Standard(id) => role.impersonate(port, id, frame.data()),
        Id::Extended(_) => None,
    };
    let made = made.map(|made| made.ahead.into_iter().chain([made.sealed]));
    made.into_iter().flatten().collect()
}
