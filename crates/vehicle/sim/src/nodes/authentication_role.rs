//! Message authentication in a simulated ECU: the role reports its findings.

use std::collections::VecDeque;

use waywarden_can::node::{Input, Node, Output, Port, Ports};
use waywarden_can::{Frame, Id, MessageHandle, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::MacKeyStore;
use waywarden_can_auth::stream::{Check, PendingMessage, Protect};
use waywarden_ecu::{Authenticator, CheckReport, End, Guard, Withheld};
use waywarden_work::Instant;

use super::key_role::{CheckedMessage, KeyRole};
use super::session_keys::FollowingKeys;
use waywarden_session_keys::RenewableKeys;
use waywarden_vehicle_trace::{CheckOutcome, CheckRefusal, Fact, Facts, MessageIdentity};

/// A role of message authentication, whatever its protocol.
pub trait MessageAuthenticator: Guard + RenewableKeys + Send {
    /// Takes the oldest finding.
    fn report(&mut self) -> Option<CheckReport>;

    /// Returns true if a frame is for one of its receiving ends.
    fn checks(&self, port: Port, frame: &Frame) -> bool;

    /// Returns the number of frames and events that found no place, ever.
    fn dropped(&self) -> u64;

    /// Returns true if it checks frames at all.
    fn is_ready(&self) -> bool;

    /// Makes a message of a stream that it receives, with the keys that it has.
    fn impersonate(&mut self, port: Port, stream: Id, payload: &[u8]) -> Option<PendingMessage>;
}

impl<V, P, C, S, R> MessageAuthenticator for Authenticator<V, P, C, S, R>
where
    V: MacKeyStore + RenewableKeys,
    P: AsMut<[End<S>]> + AsRef<[End<S>]>,
    C: AsMut<[End<R>]> + AsRef<[End<R>]>,
    S: Protect,
    R: Check,
    Self: Send,
{
    fn report(&mut self) -> Option<CheckReport> {
        Authenticator::report(self)
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

    fn impersonate(&mut self, port: Port, stream: Id, payload: &[u8]) -> Option<PendingMessage> {
        Authenticator::impersonate(self, port, stream, payload)
    }
}

/// An ECU's part in the streams of an authentication.
#[derive(Clone, Debug)]
pub struct AuthenticationContext {
    /// The authentication, by its place in the vehicle file.
    pub authentication: usize,
    /// The bus to which the role sends on what it finds authentic; none of a receiver's.
    pub passes_to: Option<usize>,
    /// The streams of the authentication on the buses of the ECU: port, identifier, and place in
    /// the vehicle file. Two buses may have one identifier for different streams.
    pub streams: Vec<(Port, Id, usize)>,
    /// Recorder of its facts.
    pub facts: Facts,
}

impl AuthenticationContext {
    fn stream(&self, port: Port, id: Id) -> Option<usize> {
        let mut streams = self.streams.iter();
        let own = streams.find(|(on, one, _)| (*on, *one) == (port, id));
        own.map(|(.., at)| *at)
    }

    fn report(&self, stream: usize, outcome: CheckOutcome, message: MessageHandle) {
        self.facts.push(Fact::Checked {
            authentication: self.authentication,
            stream,
            passes_to: self.passes_to,
            outcome,
            message,
        });
    }

    /// Returns the stream of a frame: that of a message, or of what belongs to one and has the
    /// identifier above.
    pub(super) fn stream_of(&self, port: Port, frame: &Frame) -> Option<usize> {
        let base = match frame.id() {
            Id::Standard(id) => id.raw(),
            Id::Extended(id) => id.base(),
        };
        let data = || StandardId::new(base & !1).ok().map(Id::Standard);
        self.stream(port, frame.id())
            .or_else(|| self.stream(port, data()?))
    }

    /// Reports that a frame was handed to the check of its stream.
    pub(super) fn report_handed_in(&self, stream: usize, message: MessageHandle) {
        self.facts.push(Fact::HandedIn {
            stream,
            passes_to: self.passes_to,
            message,
        });
    }

    /// Reports that the check of a stream did not look at a message.
    pub(super) fn report_unchecked(
        &self,
        stream: usize,
        why: CheckRefusal,
        message: MessageHandle,
    ) {
        self.report(stream, CheckOutcome::Refused(why), message);
    }

    /// Reports a finding; returns it as the ECU's program hears of it.
    pub(super) fn judge(&self, report: CheckReport) -> Option<CheckedMessage> {
        let CheckReport {
            port,
            event,
            message,
            is_stopped,
        } = report;
        let refused = |id, why| (id, CheckOutcome::Refused(why));
        let (id, outcome) = match event {
            FrameOutcome::Authentic { stream, payload } => {
                (stream, CheckOutcome::Authentic(payload))
            }
            FrameOutcome::WrongTag(id) => refused(id, CheckRefusal::WrongTag),
            FrameOutcome::Replay(id) => refused(id, CheckRefusal::Replay),
            FrameOutcome::Missing(id) => refused(id, CheckRefusal::Missing),
            FrameOutcome::TagWithoutData(id) => refused(id, CheckRefusal::TagWithoutData),
            FrameOutcome::OutOfStep(id) => refused(id, CheckRefusal::OutOfStep),
            FrameOutcome::Resynced(id) => (id, CheckOutcome::Resynced),
            _ => {
                self.report_discarded(message);
                return None;
            }
        };
        let stream = self.stream(port, Id::Standard(id))?;
        self.report(stream, outcome, message);
        if is_stopped {
            let port = None;
            self.facts.push(Fact::Dropped { port, message });
        }
        match outcome {
            CheckOutcome::Authentic(payload) => Some(CheckedMessage::Accepted(stream, payload)),
            CheckOutcome::Refused(
                CheckRefusal::WrongTag | CheckRefusal::Replay | CheckRefusal::Missing,
            ) => Some(CheckedMessage::Refused(stream)),
            _ => None,
        }
    }

    /// Reports a frame that the check made nothing of, if it is of a stream of the authentication.
    fn report_discarded(&self, message: MessageHandle) {
        let stream = MessageIdentity::of(message)
            .message
            .map(|message| message.stream);
        let mut streams = self.streams.iter();
        if let Some(&(.., stream)) = streams.find(|(.., at)| Some(*at) == stream) {
            self.facts.push(Fact::Discarded {
                stream,
                passes_to: self.passes_to,
                message,
            });
        }
    }
}

/// A role of message authentication with its context.
pub struct AuthenticationRole {
    role: Box<dyn MessageAuthenticator>,
    context: AuthenticationContext,
    /// Source of its keys, unless they were in place at the boot.
    keys: Option<FollowingKeys>,
    /// Results of checks that the ECU's program has not fetched yet.
    checked: VecDeque<CheckedMessage>,
}

impl AuthenticationRole {
    /// Puts a role in its context.
    #[must_use]
    pub fn new(role: Box<dyn MessageAuthenticator>, context: AuthenticationContext) -> Self {
        AuthenticationRole {
            role,
            context,
            keys: None,
            checked: VecDeque::new(),
        }
    }

    /// Has its keys follow session keys.
    #[must_use]
    pub fn following(self, keys: Option<FollowingKeys>) -> Self {
        AuthenticationRole { keys, ..self }
    }

    /// Brings its keys up to the time.
    fn renew_keys(&mut self, now: Instant) {
        if let Some(keys) = &mut self.keys {
            keys.renew(now, &mut *self.role);
        }
    }

    /// Returns true if it can check the messages of a stream.
    fn is_ready(&self, stream: usize) -> bool {
        let keys = self.keys.as_ref();
        self.role.is_ready() && keys.is_none_or(|keys| keys.is_there(stream))
    }

    /// Returns the stream of a frame that the role checks.
    fn stream_to_check(&self, port: Port, frame: &Frame) -> Option<usize> {
        let checks = self.role.checks(port, frame);
        checks.then(|| self.context.stream_of(port, frame))?
    }

    /// Hands a frame of a stream to the role, which tells of what it checks and of nothing else.
    fn hand_in(
        &mut self,
        now: Instant,
        (stream, message): (usize, MessageHandle),
        input: Input<'_>,
    ) {
        let dropped = self.role.dropped();
        self.role.handle(now, input);
        self.context.report_handed_in(stream, message);
        let why = match self.is_ready(stream) {
            false => CheckRefusal::NotReady,
            true if self.role.dropped() > dropped => CheckRefusal::NoRoom,
            true => return,
        };
        self.context.report_unchecked(stream, why, message);
    }

    fn listen(&mut self) {
        while let Some(report) = self.role.report() {
            self.checked.extend(self.context.judge(report));
        }
    }
}

impl Node for AuthenticationRole {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.renew_keys(now);
        let stream = match input {
            Input::Frame { port, frame } => {
                let stream = self.stream_to_check(port, frame);
                stream.map(|stream| (stream, frame.message()))
            }
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
            Output::Idle(next_deadline) => {
                let keys = self.keys.as_ref().and_then(FollowingKeys::next_deadline);
                Output::Idle(next_deadline.into_iter().chain(keys).min())
            }
            output => output,
        }
    }
}

impl Guard for AuthenticationRole {
    fn hears(&self, port: Port, frame: &Frame) -> bool {
        self.role.hears(port, frame)
    }

    fn is_stirred(&self) -> bool {
        self.keys.as_ref().is_some_and(FollowingKeys::is_behind)
    }

    fn guards(&self, id: Id) -> bool {
        self.role.guards(id)
    }

    fn send(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        self.role.send(port, frame)
    }
}

impl KeyRole for AuthenticationRole {
    fn checked(&mut self) -> Option<CheckedMessage> {
        self.checked.pop_front()
    }

    fn forge(&mut self, port: Port, frame: &Frame) -> Result<(), Withheld> {
        self.role.send(port, frame)
    }

    fn impersonate(&mut self, port: Port, frame: &Frame) -> Vec<Frame> {
        impersonated(&mut *self.role, port, frame)
    }
}

/// Makes the frames of a message of a stream that a role receives, with the keys that it has.
pub(super) fn impersonated(
    role: &mut dyn MessageAuthenticator,
    port: Port,
    frame: &Frame,
) -> Vec<Frame> {
    let made = role.impersonate(port, frame.id(), frame.data());
    let made = made.map(|made| made.ahead.into_iter().chain([made.sealed]));
    made.into_iter().flatten().collect()
}
