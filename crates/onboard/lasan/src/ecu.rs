//! An ECU of the network: authenticates itself to the security module, asks for the keys of the
//! streams that it sends, and gets those of the streams that it receives.

mod authenticate;
mod clock;
mod node;
mod published;
mod request;
mod storage;
mod trust;

use waywarden_can::Frame;
use waywarden_can::node::{Boot, Port, Ports, Slot};
use waywarden_work::{Duration, Instant};

use super::access::StreamId;
use super::certificate::Validity;
use super::event::{EcuEvent, HandshakeFailure};
use super::identifier::{LasanHeader, LasanKind};
use super::inbox::Assembly;
use super::length::{Lengths, PROOF_LENGTH};
use super::name::NetworkTime;
use super::outbox::{Content, Kept};
use super::session::{Opened, SEALED_MAX, Sealed, Session};
use super::settings::PartyDirectory;
use super::station::Station;
use super::stream::{ProtectedOutcome, StreamProtectError, Streams};
use super::suites::LasanSuite;
use super::transcript::Digest;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_roles::events::EventQueue;
use waywarden_key_suites::Secret;

use clock::{Clock, read_kept};
use request::Wants;
pub use storage::{EcuArrays, EcuStorage};

/// Number of messages that can wait to be sent: a credential, a registration, and short ones.
const WAITING_MAX: usize = 6;

/// Number of unanswered tries of a confirmation or a request before the session counts as lost.
const TRIES_MAX: u8 = 6;

/// The part of the configuration in which one party differs from the others.
pub struct PartyIdentity {
    /// Its address, one of the directory's.
    pub address: Address,
    /// The ports on which the network's buses are.
    pub ports: Ports,
    /// 32 random bytes that no other party knows, of which its key pair is made: see
    /// [`public_key`](super::public_key).
    pub secret: Secret,
    /// The slot that keeps the epoch over a reset, and in an ECU the time. The security module
    /// keeps its enrolled ECUs in the slots after it, one for each.
    pub slot: Slot,
}

/// An ECU. Its [storage](super::EcuStorage) limits the number of its streams.
pub struct LasanEcu<'a, S: LasanSuite, D> {
    directory: D,
    suite: S,
    station: Station<WAITING_MAX>,
    slot: Slot,
    /// In `compact` its static offer comes of this, else its signing key.
    secret: Secret,
    signing_key: S::SigningKey,
    /// The security module's long messages: certificates and answers, start-up messages and offers.
    inbound: [Assembly<Storage<'a, u8>>; 2],
    short: Assembly<[u8; SEALED_MAX]>,
    /// Bytes of the ECU's long message.
    outgoing: Storage<'a, u8>,
    outgoing_length: usize,
    /// The security module's key, where it is not enrolled itself; and when it holds, once it is
    /// believed.
    module_key: Storage<'a, u8>,
    module_validity: Option<Validity>,
    stage: Stage<S>,
    /// The end of the session, as reported by the security module, which knows the time.
    session_end: Option<Instant>,
    clock: Clock,
    later: Option<Later<S>>,
    /// The highest epoch that was signed.
    epoch: u64,
    retain: bool,
    /// The time of the next hello, or of the next repetition of a confirmation.
    repeat: Repeat,
    /// End of the time in which no beacon makes it ask for the start-up message.
    deaf_until: Instant,
    wants: Wants<'a>,
    streams: Streams<'a>,
    received: Option<ProtectedOutcome>,
    events: EventQueue<EcuEvent>,
    now: Instant,
}

/// The stage of the authentication.
enum Stage<S: LasanSuite> {
    /// There is no start-up message.
    Idle,
    /// A start-up message is verified, and its offer answered: that stands in `outgoing`.
    Ready(Prepared),
    /// The registration is on its way.
    Registered {
        prepared: Prepared,
        register: Digest,
        since: Instant,
    },
    /// As published: the offer is out.
    Offered(S::Pending),
    /// As published with a key encapsulation: the security module's offer is waited for.
    Halfway(Secret),
    /// As published: the security module's confirmation is waited for.
    Unconfirmed(Session),
    /// The session is in use.
    Authenticated {
        session: Session,
        /// End of the security module's certificate, on which the session rests.
        rests_until: NetworkTime,
        /// Repeated until the security module has shown that it has the session; none as published.
        proof: Option<[u8; PROOF_LENGTH]>,
        /// It has shown that.
        shared: bool,
    },
}

/// An answer to the start-up message, ready for the ECU's turn.
struct Prepared {
    startup: Digest,
    secret: Secret,
}

/// The continuation of the protocol after the work is done.
enum Later<S: LasanSuite> {
    /// The key in the place for it is the security module's.
    ModuleKey(Validity),
    Refused(HandshakeFailure),
    Started {
        epoch: u64,
        time: NetworkTime,
        prepared: Prepared,
    },
    Registered {
        register: Digest,
        presents: bool,
    },
    Confirmed {
        session: Session,
        proof: [u8; PROOF_LENGTH],
    },
    /// As published.
    Offered(S::Pending),
    Halfway(Secret),
    Unconfirmed {
        session: Session,
        answers: bool,
    },
    ConfirmedAsPublished(Option<Sealed>),
    Send(LasanHeader, Sealed),
    Opened(LasanKind, Opened, usize),
    Transmit(Port, Frame),
    Received(ProtectedOutcome),
}

/// Something that is done again and again, at growing intervals.
#[derive(Clone, Copy)]
struct Repeat {
    at: Option<Instant>,
    tries: u8,
}

impl Repeat {
    const NEVER: Repeat = Repeat { at: None, tries: 0 };

    const fn from(at: Instant) -> Self {
        let at = Some(at);
        Repeat { at, tries: 0 }
    }

    /// Notes a try, and when the next one is due.
    fn tried(&mut self, now: Instant, first: Duration, longest: Duration) {
        let pause = first.times(1 << self.tries.min(16)).min(longest);
        self.tries = self.tries.saturating_add(1);
        self.at = Some(now + pause);
    }

    fn is_due(&self, now: Instant) -> bool {
        self.at.is_some_and(|at| at <= now)
    }
}

impl<'a, S: LasanSuite, D: PartyDirectory> LasanEcu<'a, S, D> {
    /// Starts an ECU. Too little storage for the messages of the suite leaves it unable to
    /// authenticate itself.
    pub fn new(
        boot: &Boot<'_>,
        suite: S,
        identity: PartyIdentity,
        directory: D,
        storage: EcuStorage<'a>,
    ) -> Self {
        let PartyIdentity {
            address,
            ports,
            secret,
            slot,
        } = identity;
        let (epoch, time) = boot.retained(slot).map_or((0, NetworkTime(0)), read_kept);
        let timing = directory.settings().timing;
        // An ECU that hears no start-up message asks for one, each a little later than the last.
        let turn = Duration::from_millis(u64::from(address.0));
        let hardened = !directory.settings().profile.is_as_published();
        let repeat = match hardened {
            true => Repeat::from(boot.now + timing.authentication + turn),
            false => Repeat::NEVER,
        };
        LasanEcu {
            station: Station::new(boot, address, ports),
            slot,
            signing_key: suite.signing_key(&secret),
            suite,
            secret,
            inbound: storage.inbound.map(Assembly::new),
            short: Assembly::new([0; SEALED_MAX]),
            outgoing: storage.outgoing,
            outgoing_length: 0,
            module_key: storage.module_key,
            module_validity: None,
            stage: Stage::Idle,
            session_end: None,
            clock: Clock::new(time, boot.now),
            later: None,
            epoch,
            retain: false,
            repeat,
            deaf_until: boot.now,
            wants: Wants::new(storage.wanted),
            streams: Streams::new(storage.held),
            received: None,
            events: EventQueue::new(),
            now: boot.now,
            directory,
        }
    }

    /// Asks for the key of a stream as soon as that is possible, and again before it comes to its
    /// end; false if there is no room for another stream.
    pub fn request(&mut self, stream: StreamId) -> bool {
        self.wants.add(stream, self.now)
    }

    /// Says what time it is by a clock that the ECU has. It judges the security module's
    /// certificate by the latest time that it has received, has kept over a reset or was sent by a
    /// security module whose certificate held then; an earlier one changes nothing. Without a clock
    /// it learns the time from the security module alone.
    pub fn tell_time(&mut self, time: NetworkTime) {
        self.clock.learn(time, self.now);
    }

    /// Takes a frame of a stream in clear; it is sent, protected, when the processor is free.
    ///
    /// # Errors
    /// [`StreamProtectError`]; then it is not sent.
    pub fn send(&mut self, port: Port, frame: &Frame) -> Result<(), StreamProtectError> {
        self.streams.send(self.station.me, port, frame)
    }

    /// Takes what came of the oldest protected frame. Nothing further is opened before that.
    pub fn received(&mut self) -> Option<ProtectedOutcome> {
        self.received.take()
    }

    /// Returns the key of a stream, and which generation it is: 32 bytes, for a caller that
    /// authenticates the stream's frames by other means.
    pub fn stream_key(&self, stream: StreamId) -> Option<(u32, &Secret)> {
        let (generation, _, key) = self.streams.key(stream)?;
        Some((generation, key))
    }

    /// Returns a secret that the security module has too and nothing else uses; none as published.
    pub fn exporter(&self) -> Option<&Secret> {
        match &self.stage {
            Stage::Authenticated { session, .. } => session.exporter(),
            _ => None,
        }
    }

    /// Returns true if this ECU and the security module have authenticated each other.
    pub const fn is_authenticated(&self) -> bool {
        matches!(self.stage, Stage::Authenticated { .. })
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<EcuEvent> {
        self.events.pop()
    }

    /// Returns how many events were lost because the caller did not take them.
    pub const fn events_lost(&self) -> u32 {
        self.events.lost()
    }

    /// Returns how many protected frames were lost because the processor was busy.
    pub const fn frames_lost(&self) -> u32 {
        self.streams.lost()
    }

    fn lengths(&self) -> Lengths {
        self.directory.settings().lengths(self.suite.sizes())
    }

    fn module(&self) -> Address {
        self.directory.settings().security_module
    }

    /// Takes one step if there is one to take; the processor is at rest.
    fn step(&mut self) -> bool {
        if let Some(later) = self.later.take() {
            self.settle(later);
            return true;
        }
        self.later = match self.directory.settings().profile.is_as_published() {
            true => self.step_as_published(),
            false => self.step_hardened(),
        };
        self.later = self.later.take().or_else(|| self.step_streams());
        self.later.is_some()
    }

    /// Does what follows from finished work.
    fn settle(&mut self, later: Later<S>) {
        match later {
            Later::ModuleKey(validity) => self.module_validity = Some(validity),
            Later::Refused(failure) => self.events.push(EcuEvent::Failed(failure)),
            Later::Started {
                epoch,
                time,
                prepared,
            } => self.settle_started(epoch, time, prepared),
            Later::Registered { register, presents } => self.settle_registered(register, presents),
            Later::Confirmed { session, proof } => self.settle_confirmed(session, proof),
            Later::Offered(pending) => self.settle_offered(pending),
            Later::Halfway(secret) => self.stage = Stage::Halfway(secret),
            Later::Unconfirmed { session, answers } => self.settle_unconfirmed(session, answers),
            Later::ConfirmedAsPublished(sealed) => self.settle_confirmed_as_published(sealed),
            Later::Send(header, (bytes, length)) => {
                self.station
                    .outbox
                    .push(header, Content::Short(bytes, length));
            }
            Later::Opened(kind, bytes, length) => self.settle_opened(kind, &bytes[..length]),
            Later::Transmit(port, frame) => self.wants.frame = Some((port, frame)),
            Later::Received(received) => self.received = Some(received),
        }
    }

    fn push(&mut self, kind: LasanKind, content: Content) {
        let settings = self.directory.settings();
        let header = self
            .station
            .header(settings, kind, settings.security_module);
        self.station.outbox.push(header, content);
    }
}

/// Finds the bytes of what an ECU sends at length.
fn kept_bytes<'a, D: PartyDirectory>(
    directory: &'a D,
    me: Address,
    outgoing: &'a [u8],
    length: usize,
    kept: Kept,
) -> &'a [u8] {
    match kept {
        Kept::Credential => super::credential::own(directory, me),
        _ => outgoing.get(..length).unwrap_or(&[]),
    }
}
