//! Both ends of both streams that one ECU of the test bench has, under any of the protocols.

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{Mac, MacKey};
use waywarden_can_auth::stream::PendingMessage;
use waywarden_can_auth::{leia, paired, secoc, vatican};
use waywarden_work::{Instant, Meter, NoMeter, RecordedOperations};

use super::quantity::VulcanProtocol;

/// Of the own stream, of the peer's, and of what either says about failures; LeiA puts the key of
/// an epoch beside each.
const OWN: KeyId = KeyId(1);
const OTHER: KeyId = KeyId(2);
const OWN_FAILURES: KeyId = KeyId(3);
const OTHER_FAILURES: KeyId = KeyId(4);
const KEYS: usize = 8;

/// The identifiers that an ECU sends and receives, for messages and for failures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    pub(crate) own: StandardId,
    pub(crate) other: StandardId,
    pub(crate) own_failures: StandardId,
    pub(crate) other_failures: StandardId,
}

/// Outcome of a received frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heard {
    /// Nothing for the application, or not yet.
    Nothing,
    /// A message for the application.
    Message(CanPayload),
}

/// An ECU's sender, receiver and keys.
pub(crate) struct Ends<M> {
    key_store: Keyring<M, KEYS>,
    kind: Kind,
}

// One a run, so their sizes do not matter.
#[allow(clippy::large_enum_variant)]
enum Kind {
    Plain {
        own: Id,
        other: Id,
    },
    Vatican {
        sender: vatican::VaticanSender,
        receiver: vatican::VaticanReceiver<[vatican::VaticanConnection; 1]>,
    },
    Leia {
        sender: leia::LeiaSender,
        receiver: leia::LeiaReceiver<[leia::LeiaConnection; 2]>,
    },
    Paired {
        sender: paired::PairedSender,
        receiver: paired::PairedReceiver,
    },
    SecOc {
        sender: secoc::SecocSender,
        receiver: secoc::SecocReceiver,
    },
}

/// Words an error of any protocol.
fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl<M: Mac> Ends<M> {
    /// Makes both ends, with keys that both ECUs have.
    ///
    /// # Errors
    /// The protocol's message, for identifiers that it cannot have.
    pub(crate) fn new(protocol: VulcanProtocol, ids: Ids) -> Result<Self, String> {
        let mut key_store = Keyring::new();
        // Keys go with streams, so that what is own here is the other's there.
        for (id, stream) in [
            (OWN, ids.own),
            (OTHER, ids.other),
            (OWN_FAILURES, ids.own_failures),
            (OTHER_FAILURES, ids.other_failures),
        ] {
            let key = MacKey::from_bytes([stream.raw() as u8; 16]);
            key_store.insert(id, Usage::Both, &key).map_err(words)?;
        }
        let kind = kind(protocol, ids, &mut key_store)?;
        Ok(Ends { key_store, kind })
    }

    /// Protects a message, metered.
    ///
    /// # Errors
    /// The protocol's message.
    pub(crate) fn protect(
        &mut self,
        data: &[u8],
        meter: &mut impl Meter,
    ) -> Result<PendingMessage, String> {
        let key_store = &mut self.key_store;
        let two = |message: paired::ProtectedMessage| PendingMessage {
            ahead: Some(message.data),
            sealed: message.tag,
        };
        let one = |sealed| PendingMessage {
            ahead: None,
            sealed,
        };
        match &mut self.kind {
            Kind::Plain { own, .. } => Frame::classic(*own, data).map(one).map_err(words),
            Kind::Vatican { sender, .. } => sender
                .protect(data, key_store, meter)
                .map(two)
                .map_err(words),
            Kind::Leia { sender, .. } => sender
                .protect(data, key_store, meter)
                .map(two)
                .map_err(words),
            Kind::Paired { sender, .. } => sender
                .protect(data, key_store, meter)
                .map(two)
                .map_err(words),
            Kind::SecOc { sender, .. } => {
                // Nothing is reset here, so it is enough to say that it was retained.
                if let Some(value) = sender.to_retain() {
                    sender.retained(value);
                }
                let freshness_state = secoc::FreshnessState::UNSYNCHRONISED;
                let frame = sender.protect(data, &freshness_state, key_store, meter);
                frame.map(one).map_err(words)
            }
        }
    }

    /// All frames of a message were sent.
    ///
    /// # Errors
    /// What the protocol says when its last counter is used up.
    pub(crate) fn sent(&mut self) -> Result<(), String> {
        match &mut self.kind {
            Kind::Vatican { sender, .. } => sender.sent(),
            Kind::Leia { sender, .. } => {
                let next = sender.sent(&mut self.key_store, &mut NoMeter);
                return next.map_err(words);
            }
            Kind::Plain { .. } | Kind::Paired { .. } | Kind::SecOc { .. } => {}
        }
        Ok(())
    }

    /// Takes any frame of the other ECU, metered.
    ///
    /// # Errors
    /// The protocol's message.
    pub(crate) fn accept(
        &mut self,
        now: Instant,
        frame: &Frame,
        meter: &mut impl Meter,
    ) -> Result<Heard, String> {
        let key_store = &mut self.key_store;
        let event = match &mut self.kind {
            Kind::Plain { other, .. } => {
                return Ok(match *other == frame.id() {
                    true => Heard::Message(CanPayload::new(frame.data())),
                    false => Heard::Nothing,
                });
            }
            Kind::Vatican { receiver, .. } => {
                receiver.accept(frame, key_store, meter).map_err(words)?
            }
            Kind::Leia { receiver, .. } => {
                match receiver.accept(frame, key_store, meter).map_err(words)?.0 {
                    Some(leia::LeiaOutcome::Event(event)) => Some(event),
                    _ => None,
                }
            }
            Kind::Paired { sender, receiver } => {
                sender.receive(frame);
                let event = receiver.accept(now, frame, key_store, meter);
                event.map_err(words)?
            }
            Kind::SecOc { receiver, .. } => {
                if let Some(value) = receiver.to_retain() {
                    receiver.retained(value);
                }
                let freshness_state = secoc::FreshnessState::UNSYNCHRONISED;
                let event = receiver.accept(frame, &freshness_state, key_store, meter);
                event.map_err(words)?
            }
        };
        Ok(match event {
            Some(FrameOutcome::Authentic { payload, .. }) => Heard::Message(payload),
            _ => Heard::Nothing,
        })
    }

    /// Returns the next frame that the protocol itself has to send, metered: questions of those who
    /// do not know yet where a stream stands, and answers.
    ///
    /// # Errors
    /// The protocol's message.
    pub(crate) fn outgoing(
        &mut self,
        now: Instant,
        meter: &mut impl Meter,
    ) -> Result<Option<Frame>, String> {
        let Kind::Paired { sender, receiver } = &mut self.kind else {
            return Ok(None);
        };
        while receiver.expire(now).is_some() {}
        if let Some(frame) = receiver.outgoing(now) {
            return Ok(Some(frame));
        }
        let frame = sender.outgoing(now, &mut self.key_store, meter);
        frame.map_err(words)
    }

    /// Returns the time at which [`Ends::outgoing`] has the next frame; none if it waits for
    /// nothing.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        match &self.kind {
            Kind::Paired { sender, receiver } => sender
                .next_deadline()
                .into_iter()
                .chain(receiver.next_deadline())
                .min(),
            _ => None,
        }
    }
}

/// Makes the ends of a protocol; LeiA's begin their first epoch.
fn kind<M: Mac>(
    protocol: VulcanProtocol,
    ids: Ids,
    key_store: &mut Keyring<M, KEYS>,
) -> Result<Kind, String> {
    let Ids { own, other, .. } = ids;
    Ok(match protocol {
        VulcanProtocol::Plain => Kind::Plain {
            own: own.into(),
            other: other.into(),
        },
        VulcanProtocol::PlainExtended => Kind::Plain {
            own: extended(own)?,
            other: extended(other)?,
        },
        VulcanProtocol::Vatican => {
            let sender = vatican::VaticanConnection::new(own, OWN).map_err(words)?;
            let receiver = vatican::VaticanConnection::new(other, OTHER).map_err(words)?;
            Kind::Vatican {
                sender: vatican::VaticanSender::new(sender),
                receiver: vatican::VaticanReceiver::new([receiver], false),
            }
        }
        VulcanProtocol::Leia => leia_ends(ids, key_store)?,
        VulcanProtocol::PairedVatican => paired_ends(paired::WireForm::Vatican, ids)?,
        VulcanProtocol::PairedLeia => paired_ends(paired::WireForm::Leia, ids)?,
        VulcanProtocol::SecOc => {
            let stream = |id, key| {
                let layout = secoc::Layout::fixed(secoc::SecocCarrier::Classic, 4);
                secoc::SecocStream::new(secoc::SecocProfile::AUTOSAR_1, layout, id, key)
                    .map_err(words)
            };
            Kind::SecOc {
                sender: secoc::SecocSender::under_fresh_key(stream(own, OWN)?),
                receiver: secoc::SecocReceiver::under_fresh_key(stream(other, OTHER)?),
            }
        }
    })
}

/// The identifier as LeiA shows it, without a counter.
fn extended(id: StandardId) -> Result<Id, String> {
    let id = waywarden_can::ExtendedId::new(u32::from(id.raw()) << 18);
    id.map(Id::Extended).map_err(words)
}

fn leia_ends<M: Mac>(ids: Ids, key_store: &mut Keyring<M, KEYS>) -> Result<Kind, String> {
    // What an epoch's key takes to compute is spent before the first message.
    let meter = &mut RecordedOperations::new();
    let session = |key: KeyId| KeyId(key.0 + 4);
    let sender = leia::LeiaConnection::new(ids.own, OWN, session(OWN)).map_err(words)?;
    let receiver = leia::LeiaConnection::new(ids.other, OTHER, session(OTHER)).map_err(words)?;
    let failures = |id, key| leia::LeiaConnection::of_failures(id, key, session(key));
    let [sender, receiver, own, other] = [
        sender,
        receiver,
        failures(ids.own_failures, OWN_FAILURES),
        failures(ids.other_failures, OTHER_FAILURES),
    ]
    .map(|connection| connection.begin(key_store, meter).map_err(words));
    let failures = leia::LeiaSender::new(own?);
    Ok(Kind::Leia {
        sender: leia::LeiaSender::new(sender?),
        receiver: leia::LeiaReceiver::new([receiver?, other?], Some(failures)),
    })
}

fn paired_ends(wire: paired::WireForm, ids: Ids) -> Result<Kind, String> {
    let sender = paired::PairedConnection::new(wire, ids.own, OWN).map_err(words)?;
    let receiver = paired::PairedConnection::new(wire, ids.other, OTHER).map_err(words)?;
    let seed = [ids.own.raw() as u8; 16];
    Ok(Kind::Paired {
        sender: paired::PairedSender::in_epoch(sender, 1),
        receiver: paired::PairedReceiver::new(receiver, ids.own_failures, &seed),
    })
}
