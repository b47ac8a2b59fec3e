//! vatiCAN and LeiA on another maker's CAN driver: no `std`, no allocator. A sensor sends its
//! speed, and behind each a frame with the tag; a dashboard shows a speed only if it is authentic.
//! `cargo xtask no-std` links this file as it stands; `vatican_driver/tests.rs` runs both.
#![no_std]

#[cfg(test)]
#[path = "vatican_driver/tests.rs"]
mod tests;

use waywarden_can::mailbox::{Device, Mailbox, NotIdle, PORT};
use waywarden_can::node::{Boot, Slot};
use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{
    OddIdError, PairedConnection, PairedReceiver, PairedSender, WireForm,
};
use waywarden_ecu::{Authenticator, CountersError, End, FreshnessRole, Guard, Withheld};

/// The identifier of the speed; the tag has the next one with vatiCAN.
pub const SPEED: StandardId = id(0x120);
/// The identifier under which the dashboard asks where the counter of the speed stands.
pub const QUESTIONS: StandardId = id(0x7E0);
/// The only key of this example.
const KEY: KeyId = KeyId(1);

/// An end of one key, `S` streams that are sent and `R` that are received.
type Tags<const S: usize, const R: usize> = Authenticator<
    Keyring<AesCmac, 1>,
    [End<PairedSender>; S],
    [End<PairedReceiver>; R],
    PairedSender,
    PairedReceiver,
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
    Stream(OddIdError),
    /// An error of the key.
    KeyStore(KeyStoreError),
    /// An error of the counters.
    Counters(CountersError),
}

/// The ECU that sends.
pub struct TagSensor(Mailbox<Tags<1, 0>>);

/// The ECU that receives.
pub struct TagDashboard(Mailbox<Tags<0, 1>>);

impl TagSensor {
    /// Starts with what earlier boots retained, a fresh seed and the key of both ECUs.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(boot: &Boot<'_>, key: &MacKey, wire: WireForm) -> Result<Self, SetupError> {
        let stream = PairedConnection::new(wire, SPEED, KEY).map_err(SetupError::Stream)?;
        let end = PairedSender::in_epoch(stream, 0);
        let senders = [End { port: PORT, end }];
        let freshness = FreshnessRole::Unsynchronised;
        let node = Authenticator::new(Slot(0), boot, freshness, keyring(key)?, senders, []);
        let node = node.map_err(SetupError::Counters)?;
        Ok(TagSensor(Mailbox::new(node, boot.now)))
    }

    /// Sends a speed, in hundredths of a metre a second; it leaves at the next
    /// [`TagSensor::serve`].
    ///
    /// # Errors
    /// [`Withheld`] if it cannot be protected: shortly after a boot, until the counter is stored.
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

impl TagDashboard {
    /// Starts with what earlier boots retained, a fresh seed and the key of both ECUs.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn new(boot: &Boot<'_>, key: &MacKey, wire: WireForm) -> Result<Self, SetupError> {
        let stream = PairedConnection::new(wire, SPEED, KEY).map_err(SetupError::Stream)?;
        let mut seed = [0; 16];
        seed.copy_from_slice(&boot.seed[..16]);
        let end = PairedReceiver::new(stream, QUESTIONS, &seed);
        let receivers = [End { port: PORT, end }];
        let freshness = FreshnessRole::Unsynchronised;
        let node = Authenticator::new(Slot(0), boot, freshness, keyring(key)?, [], receivers);
        let node = node.map_err(SetupError::Counters)?;
        Ok(TagDashboard(Mailbox::new(node, boot.now)))
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

fn keyring(key: &MacKey) -> Result<Keyring<AesCmac, 1>, SetupError> {
    let mut ring = Keyring::new();
    ring.insert(KEY, Usage::Both, key)
        .map_err(SetupError::KeyStore)?;
    Ok(ring)
}
