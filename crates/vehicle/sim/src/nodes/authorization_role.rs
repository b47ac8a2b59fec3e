//! Roles under a security module in a simulated ECU: ordered to begin, retire and enrol, given the
//! streams that they protect, with their events recorded.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id, MessageHandle};
use waywarden_ecu::{Guard, Withheld};
use waywarden_group_keys::Address;
use waywarden_key_suites::Secret;
use waywarden_lasan::{
    LasanEcu, LasanFrameReader, LasanSuite, ModuleEvent, Name, PartyDirectory, ProtectedOutcome,
    ReplaceError, SecurityModule, StreamId, StreamProtectError,
};
use waywarden_work::{Duration, Instant};

use super::key_role::KeyRole;
use super::session_keys::KeysInUse;
use waywarden_session_keys::Timetable;
use waywarden_vehicle_trace::{AuthorizationEvent, Fact, Facts, MessageIdentity, ProtectedEvent};

/// Administrative commands with their times.
pub type AdministrativeTimetable =
    Timetable<Vec<(Instant, AdministrativeCommand)>, AdministrativeCommand>;

/// Administrative command to a security module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdministrativeCommand {
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
pub trait LasanRole: Node + Send {
    /// Takes the oldest event.
    fn event(&mut self) -> Option<AuthorizationEvent>;
    /// Takes an order; only a security module does anything.
    ///
    /// # Errors
    /// [`ReplaceError`] for a part that it cannot shut out; nothing is changed then.
    fn take(&mut self, command: AdministrativeCommand) -> Result<(), ReplaceError>;
    /// Takes a frame to be sent protected.
    ///
    /// # Errors
    /// [`StreamProtectError`]; a security module has no key of any stream.
    fn protect(&mut self, port: Port, frame: &Frame) -> Result<(), StreamProtectError>;
    /// Takes the outcome of the oldest protected frame.
    fn received(&mut self) -> Option<ProtectedOutcome>;
    /// Returns the key of a stream, if it has one; a security module has none.
    fn stream_key(&self, stream: StreamId) -> Option<&Secret>;
    /// Returns for how many protected frames it had no room.
    fn frames_lost(&self) -> u32;
}

impl<S: LasanSuite, D: PartyDirectory> LasanRole for LasanEcu<'_, S, D>
where
    Self: Send,
{
    fn event(&mut self) -> Option<AuthorizationEvent> {
        LasanEcu::event(self).map(AuthorizationEvent::Ecu)
    }

    fn take(&mut self, _command: AdministrativeCommand) -> Result<(), ReplaceError> {
        Ok(())
    }

    fn protect(&mut self, port: Port, frame: &Frame) -> Result<(), StreamProtectError> {
        self.send(port, frame)
    }

    fn received(&mut self) -> Option<ProtectedOutcome> {
        LasanEcu::received(self)
    }

    fn stream_key(&self, stream: StreamId) -> Option<&Secret> {
        LasanEcu::stream_key(self, stream).map(|(_, key)| key)
    }

    fn frames_lost(&self) -> u32 {
        LasanEcu::frames_lost(self)
    }
}

impl<S: LasanSuite, D: PartyDirectory> LasanRole for SecurityModule<'_, S, D>
where
    Self: Send,
{
    fn event(&mut self) -> Option<AuthorizationEvent> {
        SecurityModule::event(self).map(AuthorizationEvent::Module)
    }

    fn take(&mut self, command: AdministrativeCommand) -> Result<(), ReplaceError> {
        match command {
            AdministrativeCommand::Start => self.start(),
            AdministrativeCommand::Retire(ecu) => self.retire(ecu),
            // There is room: the address has its place in the roster already.
            AdministrativeCommand::Enrol(ecu, name, digest) => {
                self.enrol(ecu, name, digest.as_ref());
            }
            AdministrativeCommand::Replace(ecu, name, digest) => {
                return self.replace(ecu, name, digest.as_ref());
            }
        }
        Ok(())
    }

    fn protect(&mut self, _port: Port, _frame: &Frame) -> Result<(), StreamProtectError> {
        Err(StreamProtectError::NoKey)
    }

    fn received(&mut self) -> Option<ProtectedOutcome> {
        None
    }

    fn stream_key(&self, _stream: StreamId) -> Option<&Secret> {
        None
    }

    fn frames_lost(&self) -> u32 {
        0
    }
}

/// Places in the vehicle file of the ECUs and streams of a security module's network.
#[derive(Debug, Default)]
pub struct NetworkPlaces {
    /// The places of ECUs in the vehicle file, by address.
    pub ecus: BTreeMap<Address, usize>,
    /// The places of protected streams there.
    pub streams: BTreeMap<StreamId, usize>,
}

/// An ECU's part in protected streams and granted keys.
#[derive(Clone)]
pub struct AuthorizationContext {
    /// The security module's network, by its place in the vehicle file.
    pub network: usize,
    /// Reader of its network's messages.
    pub frames: LasanFrameReader,
    /// Limit on the security module's time to authenticate all ECUs that are in progress at a time.
    pub authentication: Duration,
    /// The ports on which it hears the protocol's messages: one, unless it forwards them.
    pub ports: Ports,
    /// The protected streams that it sends.
    pub sends: Vec<Id>,
    /// Those that it receives, by which port.
    pub receives: Vec<(Id, Port)>,
    /// Places of its ECUs and streams in the vehicle file.
    pub places: Arc<NetworkPlaces>,
    /// The keys of message authentication that it is granted.
    pub granted: GrantedKeys,
    /// Recorder of its facts.
    pub facts: Facts,
}

/// The granted keys that an ECU's other roles use, and where they find them.
#[derive(Clone)]
pub struct GrantedKeys {
    /// Store of the keys in use.
    pub in_use: Arc<KeysInUse>,
    /// Streams whose keys they use.
    pub wanted: Vec<StreamId>,
}

/// A role under a security module with its place in the ECU.
pub struct AuthorizationRole {
    role: Box<dyn LasanRole>,
    timetable: AdministrativeTimetable,
    context: AuthorizationContext,
    /// ECUs authenticated in this epoch, as the security module knows it.
    authenticated: BTreeSet<Address>,
    /// Own messages that wait to be protected.
    handed_over: Vec<(StreamId, MessageHandle)>,
    /// The messages in the protected frames that wait to be opened, oldest first.
    waiting: VecDeque<MessageHandle>,
}

impl AuthorizationRole {
    /// Gives a role its place.
    #[must_use]
    pub fn new(
        role: Box<dyn LasanRole>,
        timetable: AdministrativeTimetable,
        context: AuthorizationContext,
    ) -> Self {
        AuthorizationRole {
            role,
            timetable,
            context,
            authenticated: BTreeSet::new(),
            handed_over: Vec::new(),
            waiting: VecDeque::new(),
        }
    }

    fn has_key(&self, stream: StreamId) -> bool {
        self.role.stream_key(stream).is_some()
    }

    /// Says which granted keys are in use.
    fn publish(&self) {
        let GrantedKeys { in_use, wanted } = &self.context.granted;
        for &stream in wanted {
            let key = self.role.stream_key(stream);
            in_use.set_grant((self.context.network, stream), key);
        }
    }

    fn report(&self, event: AuthorizationEvent) {
        let network = self.context.network;
        self.context
            .facts
            .push(Fact::Authorization { network, event });
    }

    /// Reports the outcome of a protected frame.
    fn report_frame(&self, stream: StreamId, event: ProtectedEvent, message: MessageHandle) {
        if let Some(&stream) = self.context.places.streams.get(&stream) {
            self.context.facts.push(Fact::Protected {
                stream,
                event,
                message,
            });
        }
    }

    /// Hears what the role tells. An epoch is under way as long as one ECU after the other is
    /// authenticated: an ECU that is not there does not keep the others from a new one.
    fn listen(&mut self, now: Instant) {
        while let Some(event) = self.role.event() {
            let goes_on = match event {
                AuthorizationEvent::Module(ModuleEvent::Started { .. }) => {
                    self.authenticated.clear();
                    true
                }
                AuthorizationEvent::Module(ModuleEvent::Authenticated(ecu)) => {
                    self.authenticated.insert(ecu)
                }
                _ => false,
            };
            if goes_on {
                self.timetable.release(now + self.context.authentication);
            }
            if matches!(event, AuthorizationEvent::Ecu(_)) {
                self.publish();
            }
            self.report(event);
        }
    }

    /// Takes note of a frame that leaves: a message that waited is on its way.
    fn left(&mut self, frame: &Frame) {
        self.handed_over
            .retain(|(_, message)| *message != frame.message());
    }

    /// Reports messages that waited when the key of their stream went away.
    fn report_withheld(&mut self) {
        let (role, facts) = (&self.role, &self.context.facts);
        self.handed_over.retain(|(stream, message)| {
            let has_key = role.stream_key(*stream).is_some();
            if let (false, Some(message)) = (has_key, MessageIdentity::of(*message).genuine()) {
                facts.push(Fact::Withheld { message });
            }
            has_key
        });
    }

    /// Hands a frame of a stream to the role, and sees whether it takes it.
    fn hand_over(&mut self, now: Instant, port: Port, frame: &Frame) {
        let (stream, message) = (StreamId::of(frame.id()), frame.message());
        let (has_key, lost) = (self.has_key(stream), self.role.frames_lost());
        self.role.handle(now, Input::Frame { port, frame });
        let event = match has_key {
            false => ProtectedEvent::WithoutKey,
            true if self.role.frames_lost() == lost => {
                self.waiting.push_back(message);
                ProtectedEvent::Waiting
            }
            true => ProtectedEvent::NoRoom,
        };
        self.report_frame(stream, event, message);
    }

    fn take_received(&mut self, received: ProtectedOutcome) {
        let message = self.waiting.pop_front().unwrap_or_default();
        let (stream, is_authentic) = match received {
            ProtectedOutcome::Authentic { stream, .. } => (stream, true),
            ProtectedOutcome::WrongTag(stream)
            | ProtectedOutcome::Replay(stream)
            | ProtectedOutcome::UnknownKey(stream) => (stream, false),
            _ => return,
        };
        if !is_authentic && !self.has_key(stream) {
            return self.report_frame(stream, ProtectedEvent::TooLate, message);
        }
        self.report_frame(stream, ProtectedEvent::Opened(received), message);
        if !is_authentic {
            self.report(AuthorizationEvent::Refused(received));
        }
    }
}

impl Node for AuthorizationRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        match input {
            Input::Frame { port, frame } if self.context.frames.read(frame).is_none() => {
                self.hand_over(now, port, frame);
            }
            input => self.role.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        while let Some(command) = self.timetable.due(now) {
            if command == AdministrativeCommand::Start {
                // Until the epoch has begun: it has to be kept first.
                self.timetable.hold();
            }
            if let (Err(error), AdministrativeCommand::Replace(ecu, ..)) =
                (self.role.take(command), command)
            {
                self.report(AuthorizationEvent::NotReplaced { ecu, error });
            }
        }
        loop {
            let output = self.role.poll(now, room);
            self.listen(now);
            self.report_withheld();
            let received = self.role.received();
            let goes_on = received.is_some();
            if let Some(received) = received {
                self.take_received(received);
            }
            match output {
                // Nothing further is opened before the last is taken; few wait.
                Output::Idle(_) if goes_on => {}
                Output::Idle(next_deadline) => {
                    let next = self.timetable.next();
                    return Output::Idle(next_deadline.into_iter().chain(next).min());
                }
                output => {
                    if let Output::Transmit { frame, .. } = &output {
                        self.left(frame);
                    }
                    return output;
                }
            }
        }
    }
}

impl Guard for AuthorizationRole {
    /// A gateway brings messages to an ECU of two buses once more, and a stream comes by one of
    /// them.
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        match self.context.frames.read(frame) {
            Some(_) => self.context.ports.contains(port),
            None => self.context.receives.contains(&(frame.id(), port)),
        }
    }

    fn guards(&self, id: Id) -> bool {
        self.context.sends.contains(&id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        let protected = self.role.protect(port, frame);
        let (stream, message) = (StreamId::of(frame.id()), frame.message());
        match protected {
            Ok(()) => self.handed_over.push((stream, message)),
            Err(StreamProtectError::NoKey) => {
                self.report_frame(stream, ProtectedEvent::Unsent, message);
            }
            Err(_) => {}
        }
        protected.map_err(|error| match error {
            StreamProtectError::Busy => Withheld::Busy,
            _ => Withheld::Unauthorized,
        })
    }
}

impl KeyRole for AuthorizationRole {}
