//! The security module: the root of trust that authenticates every ECU and grants the keys of
//! streams.

mod access;
mod delivery;
mod error;
mod handshake;
mod node;
mod published;
mod roster;
mod rule;
mod startup;
mod storage;
mod turns;
mod workshop;

use waywarden_can::node::{Boot, Slot};
use waywarden_work::{Duration, Instant};

use super::access::StreamId;
use super::ecu::PartyIdentity;
use super::event::{HandshakeFailure, ModuleEvent};
use super::identifier::{LasanHeader, LasanKind};
use super::length::{Lengths, PROOF_LENGTH};
use super::outbox::Content;
use super::session::Sealed;
use super::settings::{PARTIES_MAX, PartyDirectory};
use super::station::Station;
use super::suites::LasanSuite;
use super::transcript::Digest;
use waywarden_key_roles::Address;
use waywarden_key_roles::Storage;
use waywarden_key_roles::events::EventQueue;
use waywarden_key_suites::Secret;

use access::Line;
use delivery::Delivery;
use handshake::Answered;
use handshake::Handshake;
use roster::Roster;

pub use rule::ReplaceError;
pub use storage::{ModuleArrays, ModuleCapacity, ModuleMessages, ModuleStorage};

pub use error::ModuleError;

/// Number of messages that can wait to be sent. Invitations and confirmations need two for each
/// handshake.
const WAITING_MAX: usize = 16;

/// Number of repetitions of an ECU's request after which its answer comes before handshakes. The
/// ECU takes its session for lost when it has repeated one thrice.
const REQUESTS_UNANSWERED: u8 = 2;

/// A security module. Its [storage](super::ModuleStorage) limits the numbers of ECUs, permissions
/// and simultaneous authentications.
pub struct SecurityModule<'a, S: LasanSuite, D> {
    directory: D,
    suite: S,
    station: Station<WAITING_MAX>,
    slot: Slot,
    signing_key: S::SigningKey,
    roster: Roster<'a>,
    handshakes: Storage<'a, Handshake<'a, S>>,
    lines: Storage<'a, Line>,
    start: Start,
    epoch: u64,
    /// The bytes of the start-up message.
    startup: Storage<'a, u8>,
    startup_length: usize,
    startup_digest: Digest,
    pending: Option<S::Pending>,
    /// An ECU lacks the start-up message, and one lacks the credential too.
    asked: Asked,
    sent_startup_at: Option<Instant>,
    /// The time of the next beacon; never as published.
    beacon_at: Option<Instant>,
    /// End of the time in which ECUs may have keys that were given before a reset.
    unknown_until: Instant,
    /// End of the time in which ECUs may go over from the epoch before to this one, counted from
    /// the last that did.
    settled_at: Instant,
    /// End of the time in which a slow bus held up messages: no handshake is late because of that.
    held_up: Instant,
    /// The index of the ECU that is served first.
    turn: usize,
    later: Option<Later<S>>,
    events: EventQueue<ModuleEvent>,
    now: Instant,
}

/// The progress of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Not begun.
    Stopped,
    /// To begin: the epoch has to be kept first.
    Wanted,
    /// The epoch is being kept.
    Retaining,
    /// It is kept: the start-up message can be made.
    Retained,
    /// The start-up message is out.
    Running,
}

/// Facts that ECUs have reported as missing.
#[derive(Clone, Copy, Default)]
struct Asked {
    startup: bool,
    credential: bool,
}

/// The continuation of the protocol after the work is done.
enum Later<S: LasanSuite> {
    Started {
        digest: Digest,
        pending: Option<S::Pending>,
        length: usize,
    },
    Failed(usize, HandshakeFailure),
    Verified(usize, Digest),
    Answered(usize, Answered),
    /// The handshake, and the ECU's proof; none as published.
    Authenticated(usize, Option<[u8; PROOF_LENGTH]>),
    Send(LasanHeader, Sealed),
    Deliver(LasanHeader, Sealed, Delivery),
    Request(usize, StreamId),
    Acknowledged(usize, StreamId, u32),
    // As published.
    Certified(usize),
    Answering(usize, Secret, Option<S::Pending>),
    Confirming(usize, Answered, Sealed),
}

impl<S: LasanSuite> Later<S> {
    /// Returns the handshake to which it belongs.
    const fn handshake(&self) -> Option<usize> {
        match self {
            Later::Failed(at, _)
            | Later::Verified(at, _)
            | Later::Answered(at, _)
            | Later::Authenticated(at, _)
            | Later::Certified(at)
            | Later::Answering(at, ..)
            | Later::Confirming(at, ..) => Some(*at),
            _ => None,
        }
    }
}

impl<'a, S: LasanSuite, D: PartyDirectory> SecurityModule<'a, S, D> {
    /// Starts a security module; nothing is sent before [`SecurityModule::start`].
    ///
    /// # Errors
    /// [`ModuleError`] if the directory names more than there is room for.
    pub fn new(
        boot: &Boot<'_>,
        suite: S,
        identity: PartyIdentity,
        directory: D,
        storage: ModuleStorage<'a, S>,
    ) -> Result<Self, ModuleError> {
        let PartyIdentity {
            address,
            ports,
            secret,
            slot,
        } = identity;
        let ModuleStorage {
            registrants,
            mut handshakes,
            mut lines,
            startup,
        } = storage;
        if directory.permissions().len() > lines.len() {
            return Err(ModuleError::TooManyPermissions);
        }
        if handshakes.len() > PARTIES_MAX {
            return Err(ModuleError::TooManyPlaces);
        }
        lines.iter_mut().for_each(|line| *line = Line::new());
        handshakes.iter_mut().for_each(Handshake::reset);
        let roster = Roster::new(boot, slot, &directory, registrants)?;
        let kept = boot.retained(slot).and_then(|value| value.first_chunk());
        Ok(SecurityModule {
            station: Station::new(boot, address, ports),
            slot,
            signing_key: suite.signing_key(&secret),
            suite,
            roster,
            handshakes,
            lines,
            start: Start::Stopped,
            epoch: kept.map_or(0, |bytes| u64::from_be_bytes(*bytes)),
            startup,
            startup_length: 0,
            startup_digest: [0; 32],
            pending: None,
            asked: Asked::default(),
            sent_startup_at: None,
            beacon_at: None,
            // Receivers may have a key for longer by what a registration takes.
            unknown_until: boot.now
                + directory.settings().timing.stream_key
                + directory.settings().timing.authentication,
            settled_at: Instant::ZERO,
            held_up: Instant::ZERO,
            turn: 0,
            later: None,
            events: EventQueue::new(),
            now: boot.now,
            directory,
        })
    }

    /// Begins a new epoch: all ECUs are authenticated again. Sessions and stream keys go on until
    /// they are replaced.
    pub const fn start(&mut self) {
        self.start = Start::Wanted;
    }

    /// Returns true if an ECU is authenticated.
    pub fn is_authenticated(&self, ecu: Address) -> bool {
        let index = self.roster.position(ecu);
        let registrant = index.and_then(|index| self.roster.of(index));
        registrant.is_some_and(|registrant| registrant.session.is_some())
    }

    /// Returns a secret that an ECU has too and nothing else uses; none as published.
    pub fn exporter(&self, ecu: Address) -> Option<&Secret> {
        let registrant = self.roster.of(self.roster.position(ecu)?)?;
        registrant.session.as_ref()?.exporter()
    }

    /// Takes the oldest event.
    pub fn event(&mut self) -> Option<ModuleEvent> {
        self.events.pop()
    }

    /// Returns how many events were lost because the caller did not take them.
    pub const fn events_lost(&self) -> u32 {
        self.events.lost()
    }

    fn lengths(&self) -> Lengths {
        self.directory.settings().lengths(self.suite.sizes())
    }

    fn handshake_of(&self, index: usize) -> Option<usize> {
        let mut handshakes = self.handshakes.iter();
        handshakes.position(|handshake| handshake.ecu == Some(index))
    }

    /// Takes one step if there is one to take; the processor is at rest. Handshakes come before
    /// what is said to those who are authenticated, so that sender and receivers get a key
    /// together. But what is said to ECUs that have asked without an answer comes before
    /// handshakes. Where many ECUs begin, these would otherwise take their sessions for lost, begin
    /// again, and so keep the handshakes going for ever.
    fn step(&mut self) -> bool {
        if let Some(later) = self.later.take() {
            self.settle(later);
            return true;
        }
        self.later = self
            .step_start()
            .or_else(|| self.step_short())
            .or_else(|| self.step_deliveries(REQUESTS_UNANSWERED))
            .or_else(|| self.step_handshakes())
            .or_else(|| self.step_deliveries(0));
        self.later.is_some()
    }

    /// Does what follows from finished work.
    fn settle(&mut self, later: Later<S>) {
        match later {
            Later::Started {
                digest,
                pending,
                length,
            } => self.settle_started(digest, pending, length),
            Later::Failed(at, failure) => self.settle_failed(at, failure),
            Later::Verified(at, register) => self.handshakes[at].verified(register),
            Later::Answered(at, answered) => self.settle_answered(at, answered),
            Later::Authenticated(at, proof) => self.settle_authenticated(at, proof),
            Later::Send(header, (bytes, length)) => {
                self.station
                    .outbox
                    .push(header, Content::Short(bytes, length));
            }
            Later::Deliver(header, sealed, delivery) => {
                self.settle_delivery(header, sealed, delivery);
            }
            Later::Request(index, stream) => self.settle_request(index, stream),
            Later::Acknowledged(index, stream, generation) => {
                self.settle_acknowledged(index, stream, generation);
            }
            Later::Certified(at) => self.handshakes[at].certified(),
            Later::Answering(at, secret, pending) => self.settle_answering(at, secret, pending),
            Later::Confirming(at, answered, sealed) => self.settle_confirming(at, answered, sealed),
        }
    }

    /// Opens what ECUs say in few bytes, one after the other so that none keeps out the others.
    fn step_short(&mut self) -> Option<Later<S>> {
        for turn in 0..self.roster.len() {
            let index = (self.turn + turn) % self.roster.len();
            let Some(registrant) = self.roster.of_mut(index) else {
                continue;
            };
            let Some(kind) = registrant.short.complete() else {
                continue;
            };
            self.turn = (index + 1) % self.roster.len();
            let later = match kind {
                LasanKind::EcuConfirmation => self.take_proof(index),
                _ => self.open_short(index, kind),
            };
            if let Some(registrant) = self.roster.of_mut(index) {
                registrant.short.clear();
            }
            if later.is_some() {
                return later;
            }
        }
        None
    }

    /// Returns the pause after so many tries.
    fn pause(&self, tries: u8) -> Duration {
        let timing = self.directory.settings().timing;
        let pause = timing.answer.times(1 << tries.min(16));
        pause.min(timing.patience)
    }
}
