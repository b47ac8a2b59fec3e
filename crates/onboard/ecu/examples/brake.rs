//! The authenticator of a brake controller, as firmware has it: SecOC and paired ends beside each
//! other, a part in the car's freshness, everything in arrays. `cargo xtask no-std` links this file
//! as it stands: no `std`, no allocator. A driver feeds it as any [`Node`]; there is one in
//! `waywarden_can::mailbox`.
#![no_std]

use waywarden_can::node::{Boot, Input, Node, Output, Port, Ports, Slot};
use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{self, OddIdError, PairedConnection, WireForm};
use waywarden_can_auth::secoc::{
    self, AnnouncementFrame, Layout, SecocCarrier, SecocProfile, SecocStream, StreamError,
    Synchronisation, SynchronisationError,
};
use waywarden_can_auth::stream::{AnyReceiver, AnySender};
use waywarden_ecu::{
    Authenticator, AuthenticatorFault, CountersError, End, FreshnessRole, Guard, Withheld,
};
use waywarden_work::Instant;

type Protection = Authenticator<
    Keyring<AesCmac, 2>,
    [End<AnySender>; 2],
    [End<AnyReceiver>; 2],
    AnySender,
    AnyReceiver,
>;

/// Identifiers of the car's streams.
#[derive(Clone, Copy)]
pub struct Names {
    /// The pressure, which this ECU sends, and the pedal, which it receives: SecOC.
    pub secured: [StandardId; 2],
    /// The wear, which it sends, and the speed, which it receives: a tag of its own. Even.
    pub paired: [StandardId; 2],
    /// The identifier under which this ECU asks for a stream's position.
    pub asks: StandardId,
    /// The announcements of the freshness master.
    pub announcements: StandardId,
}

/// An error of making the brake's protection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrakeError {
    /// An error of a stream with SecOC.
    Stream(StreamError),
    /// An error of the announcements.
    Synchronisation(SynchronisationError),
    /// An error of a stream whose tags have frames of their own.
    Paired(OddIdError),
    /// An error of the keys.
    KeyStore(KeyStoreError),
    /// An error of the counters.
    Counters(CountersError),
}

/// The brake's protection.
pub struct Brake {
    protection: Protection,
}

const PORT: Port = Port(0);
const SECURED: KeyId = KeyId(1);
const PAIRED: KeyId = KeyId(2);

impl Brake {
    /// Starts with the keys of both kinds of streams.
    ///
    /// # Errors
    /// [`BrakeError`].
    pub fn new(boot: &Boot<'_>, names: &Names, keys: &[MacKey; 2]) -> Result<Self, BrakeError> {
        let mut ring = Keyring::new();
        for (id, key) in [SECURED, PAIRED].into_iter().zip(keys) {
            ring.insert(id, Usage::Both, key)
                .map_err(BrakeError::KeyStore)?;
        }
        let secured = names.secured.map(|id| {
            let layout = Layout::fixed(SecocCarrier::Classic, 4);
            SecocStream::new(SecocProfile::PRODUCTION, layout, id, SECURED)
        });
        let paired = names
            .paired
            .map(|id| PairedConnection::new(WireForm::Vatican, id, PAIRED));
        let (of, id) = (&SecocProfile::PRODUCTION, names.announcements);
        let sync = Synchronisation::new(
            of,
            AnnouncementFrame {
                carrier: SecocCarrier::Classic,
                id,
                mac_bits: 28,
            },
            SECURED,
        );
        let freshness = FreshnessRole::Follower {
            port: PORT,
            sync: sync.map_err(BrakeError::Synchronisation)?,
            resets_ahead: 2,
        };
        let mut seed = [0; 16];
        seed.copy_from_slice(&boot.seed[..16]);
        let [pressure, pedal] = secured;
        let [wear, speed] = paired;
        let pressure = secoc::SecocSender::under_fresh_key(pressure.map_err(BrakeError::Stream)?);
        let pedal = secoc::SecocReceiver::under_fresh_key(pedal.map_err(BrakeError::Stream)?);
        let wear = paired::PairedSender::in_epoch(wear.map_err(BrakeError::Paired)?, 0);
        let speed = speed.map_err(BrakeError::Paired)?;
        let speed = paired::PairedReceiver::new(speed, names.asks, &seed);
        let senders = [
            end(AnySender::Secoc(pressure)),
            end(AnySender::Paired(wear)),
        ];
        let receivers = [
            end(AnyReceiver::Secoc(pedal)),
            end(AnyReceiver::Paired(speed)),
        ];
        let protection = Authenticator::new(Slot(0), boot, freshness, ring, senders, receivers);
        Ok(Brake {
            protection: protection.map_err(BrakeError::Counters)?,
        })
    }

    /// Sends a value.
    ///
    /// # Errors
    /// [`Withheld`].
    pub fn send(&mut self, value: &Frame) -> Result<(), Withheld> {
        self.protection.send(PORT, value)
    }

    /// The next value that was received, and whose.
    pub fn received(&mut self) -> Option<(StandardId, CanPayload)> {
        loop {
            if let (_, FrameOutcome::Authentic { stream, payload }) = self.protection.event()? {
                return Some((stream, payload));
            }
        }
    }

    /// Returns the fault that stops sending and receiving, if there is one.
    #[must_use]
    pub fn fault(&self) -> Option<AuthenticatorFault> {
        self.protection.fault()
    }

    /// Returns true if a frame has to go through here.
    #[must_use]
    pub fn guards(&self, id: Id) -> bool {
        self.protection.guards(id)
    }
}

fn end<T>(end: T) -> End<T> {
    End { port: PORT, end }
}

impl Node for Brake {
    fn handle(&mut self, now: Instant, input: Input<'_>) {
        self.protection.handle(now, input);
    }

    fn poll(&mut self, now: Instant, room: Ports) -> Output {
        self.protection.poll(now, room)
    }
}
