//! A SecOC sender and a SecOC receiver on another maker's CAN driver: no `std`, no allocator. A
//! sensor sends its speed in secured I-PDUs and is the freshness master; a dashboard shows a speed
//! only if it is authentic. `cargo xtask no-std` links this file as it stands;
//! `secoc_driver/tests.rs` runs both and attacks them. `docs/embedding.md` goes through it.
#![no_std]

#[cfg(test)]
#[path = "secoc_driver/tests.rs"]
mod tests;

use waywarden_can::mailbox::{Device, Mailbox, NotIdle, PORT};
use waywarden_can::node::{Boot, Ports, Slot};
use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Layout, SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream,
    StreamError, Synchronisation, SynchronisationError,
};
use waywarden_ecu::{Authenticator, CountersError, End, FreshnessRole, Guard, Withheld};
use waywarden_work::Duration;

/// The identifier of the speed.
pub const SPEED: StandardId = id(0x120);
/// The identifier of the freshness master's announcements.
pub const ANNOUNCEMENTS: StandardId = id(0x00F);
/// The only key of this example.
const KEY: KeyId = KeyId(1);

/// A SecOC end of one key, `S` streams that are sent and `R` that are received.
type SecOc<const S: usize, const R: usize> = Authenticator<
    Keyring<AesCmac, 1>,
    [End<SecocSender>; S],
    [End<SecocReceiver>; R],
    SecocSender,
    SecocReceiver,
>;

const fn id(raw: u16) -> StandardId {
    match StandardId::new(raw) {
        Ok(id) => id,
        Err(_) => panic!("more than 11 bits"),
    }
}

/// An error of making an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupError {
    /// An error of the stream.
    Stream(StreamError),
    /// An error of the announcements.
    Synchronisation(SynchronisationError),
    /// An error of the key.
    KeyStore(KeyStoreError),
    /// An error of the counters.
    Counters(CountersError),
}

/// The ECU that sends.
pub struct Sensor(Mailbox<SecOc<1, 0>>);

/// The ECU that receives.
pub struct Dashboard(Mailbox<SecOc<0, 1>>);

impl Sensor {
    /// Starts with what earlier boots retained, a fresh seed and the key of both ECUs.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(boot: &Boot<'_>, key: &MacKey) -> Result<Self, SetupError> {
        let freshness = FreshnessRole::Master {
            ports: Ports::NONE.with(PORT),
            sync: announcements()?,
            pace: Duration::from_millis(100),
        };
        let end = SecocSender::under_fresh_key(speed()?);
        let senders = [End { port: PORT, end }];
        let node = Authenticator::new(Slot(0), boot, freshness, keyring(key)?, senders, []);
        let node = node.map_err(SetupError::Counters)?;
        Ok(Sensor(Mailbox::new(node, boot.now)))
    }

    /// Sends a speed, in hundredths of a metre a second; it leaves at the next [`Sensor::serve`].
    ///
    /// # Errors
    /// [`Withheld`] if it cannot be protected: shortly after a boot, until the number of the boot
    /// is stored.
    pub fn send(&mut self, speed: u32) -> Result<(), Withheld> {
        match Frame::classic(SPEED, &speed.to_be_bytes()) {
            Ok(frame) => self.0.node_mut().send(PORT, &frame),
            Err(_) => unreachable!("4 bytes fit"),
        }
    }

    /// Does whatever there is to do; call it at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }
}

impl Dashboard {
    /// Starts with what earlier boots retained, a fresh seed and the key of both ECUs.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(boot: &Boot<'_>, key: &MacKey) -> Result<Self, SetupError> {
        let freshness = FreshnessRole::Follower {
            port: PORT,
            sync: announcements()?,
            resets_ahead: 2,
        };
        let end = SecocReceiver::under_fresh_key(speed()?);
        let receivers = [End { port: PORT, end }];
        let node = Authenticator::new(Slot(0), boot, freshness, keyring(key)?, [], receivers);
        let node = node.map_err(SetupError::Counters)?;
        Ok(Dashboard(Mailbox::new(node, boot.now)))
    }

    /// Does whatever there is to do; call it at least every millisecond.
    ///
    /// # Errors
    /// [`NotIdle`].
    pub fn serve(&mut self, device: &mut dyn Device) -> Result<(), NotIdle> {
        self.0.serve(device)
    }

    /// The next verdict: an authentic speed, or the event that says why a frame is refused.
    pub fn verdict(&mut self) -> Option<Result<u32, FrameOutcome>> {
        let (_, event) = self.0.node_mut().event()?;
        Some(match &event {
            FrameOutcome::Authentic { payload, .. } => match payload.as_bytes().try_into() {
                Ok(bytes) => Ok(u32::from_be_bytes(bytes)),
                Err(_) => Err(event),
            },
            _ => Err(event),
        })
    }
}

/// The speed: 4 bytes, and behind them freshness and authenticator, in one classic frame.
fn speed() -> Result<SecocStream, SetupError> {
    let layout = Layout::fixed(SecocCarrier::Classic, 4);
    SecocStream::new(SecocProfile::PRODUCTION, layout, SPEED, KEY).map_err(SetupError::Stream)
}

fn announcements() -> Result<Synchronisation, SetupError> {
    let profile = &SecocProfile::PRODUCTION;
    let sync = Synchronisation::new(
        profile,
        AnnouncementFrame {
            carrier: SecocCarrier::Classic,
            id: ANNOUNCEMENTS,
            mac_bits: 28,
        },
        KEY,
    );
    sync.map_err(SetupError::Synchronisation)
}

fn keyring(key: &MacKey) -> Result<Keyring<AesCmac, 1>, SetupError> {
    let mut ring = Keyring::new();
    let inserted = ring.insert(KEY, Usage::Both, key);
    inserted.map_err(SetupError::KeyStore)?;
    Ok(ring)
}
