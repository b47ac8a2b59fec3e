//! A sender and a receiver of one stream, with the bus between them in the test's hands.

pub(crate) mod random;

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::leia::{self, LeiaOutcome};
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{self, ProtectedMessage, WireForm};
use waywarden_can_auth::vatican;
use waywarden_work::{Instant, RecordedOperations};

/// The stream.
pub(crate) const STREAM: u16 = 0x0F0;
/// The identifier under which the receiver asks or says what it refused.
pub(crate) const ASKS: u16 = 0x0AA;

const KEY: KeyId = KeyId(1);
const SESSION: KeyId = KeyId(2);
const FAILURES: KeyId = KeyId(3);
const FAILURES_SESSION: KeyId = KeyId(4);

/// The rows of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    VaticanPublished,
    LeiaPublished,
    Vatican,
    Leia,
}

impl Protocol {
    pub(crate) const ALL: [Protocol; 4] = [
        Protocol::VaticanPublished,
        Protocol::LeiaPublished,
        Protocol::Vatican,
        Protocol::Leia,
    ];

    pub(crate) fn is_published(self) -> bool {
        matches!(self, Protocol::VaticanPublished | Protocol::LeiaPublished)
    }
}

pub(crate) fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

/// The identifier in LeiA's layout.
pub(crate) fn leia_id(id: u16, command: u32, counter: u16) -> Id {
    Id::extended(u32::from(id) << 18 | command << 16 | u32::from(counter)).unwrap()
}

type Ring = Keyring<AesCmac, 4>;

fn ring(secret: [u8; 16]) -> Ring {
    let mut ring = Keyring::new();
    for key in [KEY, FAILURES] {
        ring.insert(key, Usage::Both, &MacKey::from_bytes(secret))
            .unwrap();
    }
    ring
}

enum SenderRole {
    Vatican(vatican::VaticanSender),
    Leia(
        leia::LeiaSender,
        leia::LeiaReceiver<[leia::LeiaConnection; 1]>,
    ),
    Paired(paired::PairedSender),
}

enum ReceiverRole {
    Vatican(vatican::VaticanReceiver<[vatican::VaticanConnection; 1]>),
    Leia(leia::LeiaReceiver<[leia::LeiaConnection; 1]>),
    Paired(Box<paired::PairedReceiver>),
}

/// The sending end.
pub(crate) struct Sender {
    role: SenderRole,
    ring: Ring,
    pub(crate) meter: RecordedOperations,
}

/// The receiving end.
pub(crate) struct Receiver {
    role: ReceiverRole,
    ring: Ring,
    pub(crate) meter: RecordedOperations,
}

fn leia(ring: &mut Ring) -> (leia::LeiaConnection, leia::LeiaConnection) {
    let mut meter = RecordedOperations::new();
    let stream = leia::LeiaConnection::new(id(STREAM), KEY, SESSION).unwrap();
    let failures = leia::LeiaConnection::of_failures(id(ASKS), FAILURES, FAILURES_SESSION);
    (
        stream.begin(ring, &mut meter).unwrap(),
        failures.begin(ring, &mut meter).unwrap(),
    )
}

fn paired_connection(protocol: Protocol, stream: u16) -> paired::PairedConnection {
    let wire = match protocol {
        Protocol::Leia => WireForm::Leia,
        _ => WireForm::Vatican,
    };
    paired::PairedConnection::new(wire, id(stream), KEY).unwrap()
}

impl Sender {
    pub(crate) fn new(protocol: Protocol, secret: [u8; 16], boot: u32) -> Self {
        Self::of(protocol, STREAM, secret, boot)
    }

    /// Of another stream; of the published protocols there is only one.
    pub(crate) fn of(protocol: Protocol, stream: u16, secret: [u8; 16], boot: u32) -> Self {
        let mut ring = ring(secret);
        let role = match protocol {
            Protocol::VaticanPublished => {
                let connection = vatican::VaticanConnection::new(id(stream), KEY).unwrap();
                SenderRole::Vatican(vatican::VaticanSender::new(connection))
            }
            Protocol::LeiaPublished => {
                let (stream, failures) = leia(&mut ring);
                let hears = leia::LeiaReceiver::new([failures], None);
                SenderRole::Leia(leia::LeiaSender::new(stream), hears)
            }
            Protocol::Vatican | Protocol::Leia => {
                let connection = paired_connection(protocol, stream);
                SenderRole::Paired(paired::PairedSender::in_epoch(connection, boot))
            }
        };
        Sender {
            role,
            ring,
            meter: RecordedOperations::new(),
        }
    }

    /// Returns the frames of a message, committed.
    pub(crate) fn send(&mut self, payload: &[u8]) -> [Frame; 2] {
        let (ring, meter) = (&mut self.ring, &mut self.meter);
        let ProtectedMessage { data, tag } = match &mut self.role {
            SenderRole::Vatican(role) => {
                let message = role.protect(payload, ring, meter).unwrap();
                role.sent();
                message
            }
            SenderRole::Leia(role, _) => {
                let message = role.protect(payload, ring, meter).unwrap();
                role.sent(ring, meter).unwrap();
                message
            }
            SenderRole::Paired(role) => role.protect(payload, ring, meter).unwrap(),
        };
        meter.drain().for_each(drop);
        [data, tag]
    }

    /// Takes a frame; returns what it answers at once or by `now`.
    pub(crate) fn receive(&mut self, now: Instant, frame: &Frame) -> Vec<Frame> {
        let (ring, meter) = (&mut self.ring, &mut self.meter);
        let mut answer = Vec::new();
        match &mut self.role {
            SenderRole::Vatican(role) => {
                role.receive(frame);
            }
            SenderRole::Leia(role, hears) => {
                let (outcome, _) = hears.accept(frame, ring, meter).unwrap();
                if let Some(LeiaOutcome::Failed(failed)) = outcome
                    && let Some(ProtectedMessage { data, tag }) =
                        role.answer(failed, ring, meter).unwrap()
                {
                    answer = vec![data, tag];
                }
            }
            SenderRole::Paired(role) => {
                role.receive(frame);
                answer = self.outgoing(now);
            }
        }
        self.meter.drain().for_each(drop);
        answer
    }

    /// Returns the answers of a sender that are due by `now`.
    pub(crate) fn outgoing(&mut self, now: Instant) -> Vec<Frame> {
        let SenderRole::Paired(role) = &mut self.role else {
            return Vec::new();
        };
        let (ring, meter) = (&mut self.ring, &mut self.meter);
        let frames = core::iter::from_fn(|| role.outgoing(now, ring, meter).unwrap());
        let frames = frames.collect();
        meter.drain().for_each(drop);
        frames
    }
}

impl Receiver {
    pub(crate) fn new(protocol: Protocol, secret: [u8; 16], boot: u8) -> Self {
        let mut ring = ring(secret);
        let role = match protocol {
            Protocol::VaticanPublished => {
                let connection = vatican::VaticanConnection::new(id(STREAM), KEY).unwrap();
                ReceiverRole::Vatican(vatican::VaticanReceiver::new([connection], true))
            }
            Protocol::LeiaPublished => {
                let (stream, failures) = leia(&mut ring);
                let failures = leia::LeiaSender::new(failures);
                ReceiverRole::Leia(leia::LeiaReceiver::new([stream], Some(failures)))
            }
            Protocol::Vatican | Protocol::Leia => {
                let connection = paired_connection(protocol, STREAM);
                let seed = [boot; 16];
                ReceiverRole::Paired(Box::new(paired::PairedReceiver::new(
                    connection,
                    id(ASKS),
                    &seed,
                )))
            }
        };
        Receiver {
            role,
            ring,
            meter: RecordedOperations::new(),
        }
    }

    /// Takes a frame; returns the event and what it answers at once.
    pub(crate) fn take(
        &mut self,
        now: Instant,
        frame: &Frame,
    ) -> (Option<FrameOutcome>, Vec<Frame>) {
        let (ring, meter) = (&mut self.ring, &mut self.meter);
        let result = match &mut self.role {
            ReceiverRole::Vatican(role) => (role.accept(frame, ring, meter).unwrap(), Vec::new()),
            ReceiverRole::Leia(role) => {
                let (outcome, answer) = role.accept(frame, ring, meter).unwrap();
                let event = match outcome {
                    Some(LeiaOutcome::Event(event)) => Some(event),
                    _ => None,
                };
                (event, answer.into_iter().flatten().collect())
            }
            ReceiverRole::Paired(role) => {
                let event = role.accept(now, frame, ring, meter).unwrap();
                (event, role.outgoing(now).into_iter().collect())
            }
        };
        self.meter.drain().for_each(drop);
        result
    }

    /// Returns the results that are due by `now`: events of missing frames, and a question.
    pub(crate) fn wake(&mut self, now: Instant) -> (Vec<FrameOutcome>, Vec<Frame>) {
        match &mut self.role {
            ReceiverRole::Paired(role) => (
                core::iter::from_fn(|| role.expire(now)).collect(),
                role.outgoing(now).into_iter().collect(),
            ),
            _ => (Vec::new(), Vec::new()),
        }
    }
}

/// The payload of an authentic message.
pub(crate) fn authentic(event: Option<FrameOutcome>) -> Option<CanPayload> {
    match event {
        Some(FrameOutcome::Authentic { payload, .. }) => Some(payload),
        _ => None,
    }
}
