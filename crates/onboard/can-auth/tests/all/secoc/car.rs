//! Three ECUs of a car, a freshness master, a sender and a receiver, with the bus between them in
//! the test's hands; and what each retains.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::{CanPayload, FrameOutcome};
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey, Tag};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, Epoch, FreshnessFollower, FreshnessMaster, FreshnessState, Layout,
    PRODUCTION_ID, ProtectError, SecocCarrier, SecocProfile, SecocReceiver, SecocSender,
    SecocStream, Synchronisation,
};
use waywarden_work::{Duration, Instant, Meter, NoMeter, RecordedOperations};

/// The stream.
pub(crate) const STREAM: u16 = 0x131;
/// The time between two announcements of the master.
pub(crate) const CYCLE: Duration = Duration::from_millis(50);

const KEY: KeyId = KeyId(1);

/// The rows of every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// AUTOSAR's profile 2 as it stands: no freshness.
    Unfresh,
    /// Profile 1: a counter.
    Counter,
    /// Profile 2's frames with synchronised freshness that does not travel.
    Implicit,
    Jaspar,
    Production,
    /// As [`Kind::Production`] in FD frames, with a payload in front that is not authenticated.
    Fd,
}

impl Kind {
    pub(crate) const ALL: [Kind; 6] = [
        Kind::Unfresh,
        Kind::Counter,
        Kind::Implicit,
        Kind::Jaspar,
        Kind::Production,
        Kind::Fd,
    ];

    pub(crate) fn profile(self) -> SecocProfile {
        match self {
            Kind::Unfresh => SecocProfile::AUTOSAR_2_AS_PUBLISHED,
            Kind::Counter => SecocProfile::AUTOSAR_1,
            Kind::Implicit => SecocProfile::AUTOSAR_2_SYNCHRONISED,
            Kind::Jaspar => SecocProfile::JASPAR,
            Kind::Production | Kind::Fd => SecocProfile::PRODUCTION,
        }
    }

    /// Payloads of four bytes; in FD frames six more in front.
    pub(crate) fn stream(self, id: u16) -> SecocStream {
        let layout = match self {
            Kind::Fd => Layout::fixed(SecocCarrier::Fd, 10).secured(6..10),
            _ => Layout::fixed(SecocCarrier::Classic, 4),
        };
        SecocStream::new(self.profile(), layout, standard(id), KEY).unwrap()
    }

    pub(crate) fn is_synchronised(self) -> bool {
        self.profile().freshness().is_synchronised()
    }

    pub(crate) fn synchronisation(self) -> Option<Synchronisation> {
        let id = standard(PRODUCTION_ID);
        Synchronisation::new(
            &self.profile(),
            AnnouncementFrame {
                carrier: SecocCarrier::Classic,
                id,
                mac_bits: 28,
            },
            KEY,
        )
        .ok()
    }

    /// A frame of this kind's format.
    pub(crate) fn frame(self, id: u16, data: &[u8]) -> Frame {
        match self {
            Kind::Fd => Frame::fd(standard(id), data).unwrap(),
            _ => Frame::classic(standard(id), data).unwrap(),
        }
    }

    pub(crate) fn payload(self, number: u32) -> Vec<u8> {
        let mut payload = match self {
            Kind::Fd => vec![0xE2; 6],
            _ => Vec::new(),
        };
        payload.extend(number.to_le_bytes());
        payload
    }

    pub(crate) fn number(self, payload: &CanPayload) -> u32 {
        let bytes = payload.as_bytes();
        u32::from_le_bytes(bytes[bytes.len() - 4..].try_into().unwrap())
    }
}

pub(crate) fn standard(id: u16) -> StandardId {
    StandardId::new(id).unwrap()
}

/// The state of an ECU besides its role: keys, the time of the car, and the retained values.
pub(crate) struct Ecu<R> {
    pub(crate) role: R,
    pub(crate) follower: Option<FreshnessFollower>,
    ring: Keys,
    kept_epoch: Option<Epoch>,
    kept_counter: u64,
}

/// A role that retains a counter.
pub(crate) trait Retains {
    fn begin(stream: SecocStream, retained: u64) -> Self;
    fn to_retain(&self) -> Option<u64>;
    fn retained(&mut self, value: u64);
}

impl Retains for SecocSender {
    fn begin(stream: SecocStream, retained: u64) -> Self {
        SecocSender::resumed(stream, retained)
    }
    fn to_retain(&self) -> Option<u64> {
        self.to_retain()
    }
    fn retained(&mut self, value: u64) {
        self.retained(value);
    }
}

impl Retains for SecocReceiver {
    fn begin(stream: SecocStream, retained: u64) -> Self {
        SecocReceiver::resumed(stream, retained)
    }
    fn to_retain(&self) -> Option<u64> {
        self.to_retain()
    }
    fn retained(&mut self, value: u64) {
        self.retained(value);
    }
}

/// All messages that codes were ever computed over, in one car: a receiver that checks takes a code
/// for right only if it was made. A code of 24 bits is guessed now and then in ten thousand runs;
/// that is counted, and the run goes on as if the code were ideal.
#[derive(Clone, Default)]
pub(crate) struct Codes(Rc<RefCell<Made>>);

#[derive(Default)]
struct Made {
    over: HashSet<([u8; 16], Vec<u8>)>,
    guessed: u64,
}

impl Codes {
    pub(crate) fn guessed(&self) -> u64 {
        self.0.borrow().guessed
    }
}

/// The keys of an ECU.
struct Keys {
    ring: Keyring<AesCmac, 1>,
    secret: [u8; 16],
    codes: Codes,
}

impl Keys {
    fn new(secret: [u8; 16], codes: &Codes) -> Self {
        let mut ring = Keyring::new();
        ring.insert(KEY, Usage::Both, &MacKey::from_bytes(secret))
            .unwrap();
        Keys {
            ring,
            secret,
            codes: codes.clone(),
        }
    }
}

impl MacKeyStore for Keys {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.codes
            .0
            .borrow_mut()
            .over
            .insert((self.secret, message.concat()));
        self.ring.tag(key, message, meter)
    }

    fn check(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        received: &[u8],
        bits: usize,
        meter: &mut dyn Meter,
    ) -> Result<bool, KeyStoreError> {
        let is_right = self.ring.check(key, message, received, bits, meter)?;
        let mut made = self.codes.0.borrow_mut();
        let was_made = made.over.contains(&(self.secret, message.concat()));
        made.guessed += u64::from(is_right && !was_made);
        Ok(is_right && was_made)
    }

    fn derive(
        &mut self,
        from: KeyId,
        into: KeyId,
        context: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<(), KeyStoreError> {
        self.ring.derive(from, into, context, meter)
    }
}

impl<R: Retains> Ecu<R> {
    pub(crate) fn new(kind: Kind, id: u16, secret: [u8; 16], codes: &Codes, ahead: u32) -> Self {
        let sync = kind.synchronisation();
        Ecu {
            role: R::begin(kind.stream(id), 0),
            follower: sync.map(|sync| FreshnessFollower::new(sync, None).with_resets_ahead(ahead)),
            ring: Keys::new(secret, codes),
            kept_epoch: None,
            kept_counter: 0,
        }
    }

    /// Starts again with what was retained.
    pub(crate) fn reset(&mut self, kind: Kind, id: u16, ahead: u32) {
        self.role = R::begin(kind.stream(id), self.kept_counter);
        let sync = kind.synchronisation();
        self.follower =
            sync.map(|sync| FreshnessFollower::new(sync, self.kept_epoch).with_resets_ahead(ahead));
    }

    /// Writes what is to be retained.
    pub(crate) fn write(&mut self) {
        self.kept_counter = self.role.to_retain().unwrap_or(self.kept_counter);
        let epoch = self
            .follower
            .as_ref()
            .and_then(FreshnessFollower::to_retain);
        self.kept_epoch = epoch.or(self.kept_epoch);
    }

    /// Hears that it is written.
    pub(crate) fn written(&mut self) {
        self.role.retained(self.kept_counter);
        if let (Some(follower), Some(epoch)) = (&mut self.follower, self.kept_epoch) {
            follower.retained(epoch);
        }
    }

    pub(crate) fn freshness_state(&self) -> FreshnessState {
        let freshness_state = self
            .follower
            .as_ref()
            .map(FreshnessFollower::freshness_state);
        freshness_state.unwrap_or(FreshnessState::UNSYNCHRONISED)
    }

    /// Hears a frame that may be an announcement.
    pub(crate) fn receive(&mut self, frame: &Frame) -> Option<FrameOutcome> {
        let mut meter = RecordedOperations::new();
        let follower = self.follower.as_mut()?;
        follower.accept(frame, &mut self.ring, &mut meter).unwrap()
    }
}

impl Ecu<SecocSender> {
    pub(crate) fn send(&mut self, payload: &[u8]) -> Result<Frame, ProtectError> {
        let freshness_state = self.freshness_state();
        self.role
            .protect(payload, &freshness_state, &mut self.ring, &mut NoMeter)
    }
}

impl Ecu<SecocReceiver> {
    /// Takes a frame; returns the event and how many codes it took.
    pub(crate) fn take(&mut self, frame: &Frame) -> (Option<FrameOutcome>, usize) {
        let (freshness_state, mut meter) = (self.freshness_state(), RecordedOperations::new());
        let event = self
            .role
            .accept(frame, &freshness_state, &mut self.ring, &mut meter)
            .unwrap();
        (event, meter.len())
    }
}

/// The master's ECU.
pub(crate) struct MasterEcu {
    role: FreshnessMaster,
    ring: Keys,
    kept: Option<u32>,
    sync: Synchronisation,
}

impl MasterEcu {
    pub(crate) fn new(kind: Kind, secret: [u8; 16], codes: &Codes) -> Option<Self> {
        let sync = kind.synchronisation()?;
        Some(MasterEcu {
            role: FreshnessMaster::new(sync, None, CYCLE).unwrap(),
            ring: Keys::new(secret, codes),
            kept: None,
            sync,
        })
    }

    pub(crate) fn reset(&mut self) {
        self.role = FreshnessMaster::new(self.sync, self.kept, CYCLE).unwrap();
    }

    pub(crate) fn write(&mut self) {
        self.kept = self.role.to_retain().or(self.kept);
    }

    pub(crate) fn written(&mut self) {
        if let Some(kept) = self.kept {
            self.role.retained(kept);
        }
    }

    pub(crate) fn outgoing(&mut self, now: Instant) -> Option<Frame> {
        self.role
            .outgoing(now, &mut self.ring, &mut NoMeter)
            .unwrap()
    }
}
