//! SecOC against the bare AES-CMAC of the same bytes: the cost of a frame beyond its code.
//!
//! The peer is the crate `cmac` with its key taken up, as its documentation uses it: clone, update,
//! finalise. Ours is a whole step of a sender or a receiver: position, what the code is over,
//! keyring, meter, frame. Payloads have 8 bytes in FD frames, so that the code is over 18 bytes
//! with the counter of profile 1, and over 16 with the production format: two blocks, and one. Our
//! own bare code runs too. Whole logs are in `batch`.

mod batch;

use aes::Aes128;
use cmac::{Cmac, KeyInit, Mac as _};
use waywarden_can::{Frame, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, Mac as _, MacKey};
use waywarden_can_auth::secoc::{
    AnnouncementFrame, FreshnessFollower, FreshnessMaster, FreshnessState, Layout, PRODUCTION_ID,
    SecocCarrier, SecocProfile, SecocReceiver, SecocSender, SecocStream, Synchronisation,
};
use waywarden_work::{Duration, Instant, NoMeter, RecordedOperations};

use crate::race::{Case, Contestant};

const KEY: KeyId = KeyId(1);
const SECRET: [u8; 16] = 0x2B7E_1516_28AE_D2A6_ABF7_1588_09CF_4F3C_u128.to_be_bytes();
const IDENTIFIER: u16 = 0x131;
/// Payloads that a contestant rotates through.
const POOL: usize = 64;
/// Messages in an epoch of the production format.
const EPOCH: usize = 256;

type Ring = Keyring<AesCmac, 4>;

/// Both ends of a stream, with their keys and the time of the car.
struct Pair {
    sender: SecocSender,
    receiver: SecocReceiver,
    ring: Ring,
    freshness_state: FreshnessState,
}

fn identifier(id: u16) -> StandardId {
    StandardId::new(id).expect("11 bits")
}

fn ring() -> Ring {
    let mut ring = Keyring::new();
    ring.insert(KEY, Usage::Both, &MacKey::from_bytes(SECRET))
        .expect("an empty keyring has room");
    ring
}

fn pair(profile: SecocProfile) -> Pair {
    let layout = Layout::fixed(SecocCarrier::Fd, 8);
    let stream = SecocStream::new(profile, layout, identifier(IDENTIFIER), KEY).expect("it fits");
    let mut ring = ring();
    let freshness_state = freshness_state(&profile, &mut ring);
    let mut pair = Pair {
        sender: SecocSender::under_fresh_key(stream),
        receiver: SecocReceiver::under_fresh_key(stream),
        ring,
        freshness_state,
    };
    pair.sender.retained(u64::MAX);
    pair.receiver.retained(u64::MAX);
    pair
}

/// The first epoch, announced and retained.
fn freshness_state(profile: &SecocProfile, ring: &mut Ring) -> FreshnessState {
    let id = identifier(PRODUCTION_ID);
    let Ok(sync) = Synchronisation::new(
        profile,
        AnnouncementFrame {
            carrier: SecocCarrier::Classic,
            id,
            mac_bits: 28,
        },
        KEY,
    ) else {
        return FreshnessState::UNSYNCHRONISED;
    };
    let mut meter = RecordedOperations::new();
    let mut master = FreshnessMaster::new(sync, None, Duration::ZERO).expect("the first trip");
    master.retained(1);
    let frame = master.outgoing(Instant::ZERO, ring, &mut meter);
    let frame = frame.expect("it has the key").expect("it is due");
    let mut follower = FreshnessFollower::new(sync, None);
    follower
        .accept(&frame, ring, &mut meter)
        .expect("it has the key");
    let epoch = follower.to_retain().expect("the announcement is right");
    follower.retained(epoch);
    follower.freshness_state()
}

fn payloads() -> Vec<[u8; 8]> {
    let payload = |index: usize| {
        (index as u64)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .to_be_bytes()
    };
    (0..POOL).map(payload).collect()
}

/// As many bytes as ours is over, each time with a payload.
fn filled<const LENGTH: usize>() -> Vec<[u8; LENGTH]> {
    let fill = |payload: [u8; 8]| {
        let mut bytes = [0x5A; LENGTH];
        bytes[2..10].copy_from_slice(&payload);
        bytes
    };
    payloads().into_iter().map(fill).collect()
}

/// The bare code of as many bytes as ours is over, the first of them a payload.
fn bare<const LENGTH: usize>(name: &'static str) -> Contestant {
    let mac = Cmac::<Aes128>::new(&SECRET.into());
    Contestant::new(name, filled(), move |bytes: &[u8; LENGTH]| {
        let mut mac = mac.clone();
        mac.update(bytes);
        mac.finalize().into_bytes()
    })
}

/// Our own bare code of the same bytes.
fn own<const LENGTH: usize>() -> Contestant {
    let mac = AesCmac::new(&MacKey::from_bytes(SECRET));
    Contestant::new("waywarden, bare", filled(), move |bytes: &[u8; LENGTH]| {
        mac.compute(&[bytes])
    })
}

fn protect(profile: SecocProfile) -> Contestant {
    let mut pair = pair(profile);
    let fresh = pair.sender.clone();
    Contestant::new("waywarden", payloads(), move |payload| {
        let mut meter = RecordedOperations::new();
        let Pair {
            sender,
            ring,
            freshness_state,
            ..
        } = &mut pair;
        let frame = sender.protect(payload, freshness_state, ring, &mut meter);
        frame.unwrap_or_else(|_| {
            // A counter of messages at its end: once in an epoch.
            *sender = fresh.clone();
            sender
                .protect(payload, freshness_state, ring, &mut meter)
                .expect("a new epoch")
        })
    })
}

fn check(profile: SecocProfile) -> Contestant {
    let mut pair = pair(profile);
    let fresh = pair.receiver.clone();
    let payloads = payloads();
    let mut send = |index: usize| {
        let Pair {
            sender,
            ring,
            freshness_state,
            ..
        } = &mut pair;
        let payload = &payloads[index % POOL];
        sender
            .protect(payload, freshness_state, ring, &mut NoMeter)
            .expect("within the epoch")
    };
    let frames: Vec<(bool, Frame)> = (0..EPOCH).map(|index| (index == 0, send(index))).collect();
    Contestant::new("waywarden", frames, move |(is_first, frame)| {
        let Pair {
            receiver,
            ring,
            freshness_state,
            ..
        } = &mut pair;
        if *is_first {
            *receiver = fresh.clone();
        }
        let event = receiver.accept(frame, freshness_state, ring, &mut NoMeter);
        assert!(matches!(event, Ok(Some(FrameOutcome::Authentic { .. }))));
    })
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    let case = |name, what, ours, peers| Case {
        name,
        what,
        ours,
        peers,
    };
    let mut cases = vec![
        case(
            "secoc-protect",
            "a payload of 8 bytes, AUTOSAR's profile 1; the peer computes the code alone",
            protect(SecocProfile::AUTOSAR_1),
            vec![bare::<18>("cmac, bare"), own::<18>()],
        ),
        case(
            "secoc-check",
            "such a frame at its receiver",
            check(SecocProfile::AUTOSAR_1),
            vec![bare::<18>("cmac, bare"), own::<18>()],
        ),
        case(
            "secoc-protect-production",
            "a payload of 8 bytes, the production format: a code over one block",
            protect(SecocProfile::PRODUCTION),
            vec![bare::<16>("cmac, bare"), own::<16>()],
        ),
        case(
            "secoc-check-production",
            "such a frame at its receiver",
            check(SecocProfile::PRODUCTION),
            vec![bare::<16>("cmac, bare"), own::<16>()],
        ),
    ];
    cases.extend(batch::cases());
    cases
}
