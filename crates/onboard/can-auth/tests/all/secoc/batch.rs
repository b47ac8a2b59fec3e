//! Batches against one by one: the same frames, the same verdicts, the same state behind them.

use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, KeyStoreError, MacKeyStore, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey, Tag};
use waywarden_can_auth::secoc::{
    FreshnessState, Layout, ProtectError, SecocCarrier, SecocProfile, SecocReceiver, SecocSender,
    SecocStream,
};
use waywarden_testkit::Random;
use waywarden_work::{Instant, Meter, NoMeter};

use super::car::{CYCLE, Codes, Ecu, Kind, MasterEcu, STREAM, standard};
use crate::bench::random::each_seed;

const KEY: KeyId = KeyId(1);
const SECRET: [u8; 16] = [0x11; 16];
const NEXT: [u8; 16] = [0x22; 16];

type Ring = Keyring<AesCmac, 2>;

fn ring() -> Ring {
    let mut ring = Ring::new();
    ring.insert(KEY, Usage::Both, &MacKey::from_bytes(SECRET))
        .unwrap();
    ring
}

/// A freshness state some way into a trip.
fn freshness_state(kind: Kind, random: &mut Random) -> FreshnessState {
    let codes = Codes::default();
    let Some(mut master) = MasterEcu::new(kind, SECRET, &codes) else {
        return FreshnessState::UNSYNCHRONISED;
    };
    let mut ecu = Ecu::<SecocReceiver>::new(kind, STREAM, SECRET, &codes, 3);
    let mut now = Instant::ZERO;
    for _ in 0..=random.below(6) {
        master.write();
        master.written();
        now += CYCLE;
        ecu.receive(&master.outgoing(now).unwrap());
        ecu.write();
        ecu.written();
    }
    ecu.freshness_state()
}

/// Returns a stream's frames as a disturbed bus delivers them: some lost, some forged, some played
/// again or held back, some with a bit flipped, others between them.
fn disturb(kind: Kind, sent: &[Frame], random: &mut Random) -> Vec<Frame> {
    let often = [3, 20, 300, u64::MAX][random.below(4) as usize];
    let mut log = Vec::new();
    for (index, frame) in sent.iter().enumerate() {
        if random.once_in(often) {
            continue;
        }
        log.push(*frame);
        if random.once_in(often) {
            let past = &sent[random.below(index as u64 + 1) as usize];
            log.push(*past);
        }
        if random.once_in(often) {
            let length = frame.data_len();
            log.push(kind.frame(STREAM, &random.array::<64>()[..length]));
        }
        if random.once_in(often) {
            let mut data = frame.data().to_vec();
            data[random.below(frame.data_len() as u64) as usize] ^= 1 << random.below(8);
            log.push(kind.frame(STREAM, &data));
        }
        if random.once_in(often) {
            log.push(kind.frame(STREAM + 1, frame.data()));
        }
        if random.once_in(often) {
            log.push(Frame::classic(standard(STREAM), &[1, 2]).unwrap());
        }
        if random.once_in(often) && log.len() > 1 {
            let last = log.len() - 1;
            log.swap(last - 1, last);
        }
    }
    log
}

/// Returns true if the key before a roll-over is still accepted.
fn serves(ring: &mut Ring) -> bool {
    let tag: Tag = {
        let mut old = Ring::new();
        old.insert(KEY, Usage::Both, &MacKey::from_bytes(SECRET))
            .unwrap();
        old.tag(KEY, &[b"probe"], &mut NoMeter).unwrap()
    };
    let tag: [u8; 16] = tag.leading();
    ring.check(KEY, &[b"probe"], &tag, 128, &mut NoMeter)
        .unwrap()
}

/// Compares what a receiver makes of a log in both ways; returns how many messages it took, and how
/// many frames it refused.
fn compare(
    log: &[Frame],
    receiver: &SecocReceiver,
    freshness_state: &FreshnessState,
    rolls: bool,
) -> (u64, u64) {
    let keys = || {
        let mut ring = ring();
        if rolls {
            ring.roll_over(KEY, &MacKey::from_bytes(NEXT)).unwrap();
        }
        ring
    };
    let (mut single, mut single_keys) = (receiver.clone(), keys());
    let expected: Vec<Option<FrameOutcome>> = log
        .iter()
        .map(|frame| {
            single
                .accept(frame, freshness_state, &mut single_keys, &mut NoMeter)
                .unwrap()
        })
        .collect();
    let (mut batch, mut batch_keys, mut found) = (receiver.clone(), keys(), Vec::new());
    batch
        .accept_batch(log, freshness_state, &mut batch_keys, |index, event| {
            assert_eq!(index, found.len(), "in order");
            found.push(event);
        })
        .unwrap();
    assert_eq!(found, expected);
    assert_eq!(format!("{batch:?}"), format!("{single:?}"));
    assert_eq!(serves(&mut batch_keys), serves(&mut single_keys));
    let taken =
        |event: &&Option<FrameOutcome>| matches!(event, Some(FrameOutcome::Authentic { .. }));
    let taken = expected.iter().filter(taken).count() as u64;
    (taken, log.len() as u64 - taken)
}

fn run(seed: u64) -> (u64, u64) {
    let mut random = Random::new(seed);
    let kind = Kind::ALL[random.below(6) as usize];
    let freshness_state = freshness_state(kind, &mut random);
    let mut sender = SecocSender::under_fresh_key(kind.stream(STREAM));
    let mut receiver = SecocReceiver::under_fresh_key(kind.stream(STREAM));
    sender.retained(u64::MAX);
    // What is not retained is not taken.
    receiver.retained([u64::MAX, 40][random.below(2) as usize]);
    let rolls = random.once_in(3);
    let mut keys = ring();
    let mut sent = Vec::new();
    // With the production format 256 messages are all there are.
    let count = random.below(256);
    let rolls_at = random.below(2 * count + 1);
    for number in 0..count {
        if rolls && number == rolls_at {
            keys.roll_over(KEY, &MacKey::from_bytes(NEXT)).unwrap();
        }
        let payload = kind.payload(number as u32);
        let frame = sender.protect(&payload, &freshness_state, &mut keys, &mut NoMeter);
        sent.push(frame.unwrap());
    }
    let log = disturb(kind, &sent, &mut random);
    compare(&log, &receiver, &freshness_state, rolls)
}

#[test]
fn a_receiver_takes_of_a_log_what_it_takes_one_by_one() {
    let (taken, refused) = each_seed(600, run);
    println!("{taken} messages taken, {refused} frames refused");
    if std::env::var_os("WAYWARDEN_SEED").is_none() {
        assert!(taken > 1000 && refused > 1000, "{taken}, {refused}");
    }
}

/// Messages above what is retained lead a receiver's look ahead on, but not the receiver: of those
/// far ahead it must not say more than it does one by one.
#[test]
fn what_is_not_retained_leads_no_further() {
    let (kind, freshness_state) = (Kind::Counter, FreshnessState::UNSYNCHRONISED);
    let mut sender = SecocSender::under_fresh_key(kind.stream(STREAM));
    let mut receiver = SecocReceiver::under_fresh_key(kind.stream(STREAM));
    sender.retained(u64::MAX);
    receiver.retained(40);
    let payloads: Vec<Vec<u8>> = (0..4000).map(|number| kind.payload(number)).collect();
    let mut sent = Vec::new();
    sender
        .protect_batch(&payloads, &freshness_state, &mut ring(), |_, frame| {
            sent.push(frame);
        })
        .unwrap();
    for step in [1, 30, 100, 200, 256, 300] {
        let log: Vec<Frame> = sent.iter().step_by(step).copied().collect();
        compare(&log, &receiver, &freshness_state, false);
    }
}

/// Compares what a sender makes of payloads in both ways, with the same keys.
fn compare_sender(
    sender: &SecocSender,
    payloads: &[Vec<u8>],
    freshness_state: &FreshnessState,
    keys: impl Fn() -> Ring,
) {
    let (mut single, mut single_keys) = (sender.clone(), keys());
    let mut protect = |payload: &Vec<u8>| {
        single.protect(payload, freshness_state, &mut single_keys, &mut NoMeter)
    };
    let mut expected = Vec::new();
    let mut outcome = Ok(());
    for payload in payloads {
        match protect(payload) {
            Ok(frame) => expected.push(Some(frame)),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    let (mut batch, mut found) = (sender.clone(), vec![None; expected.len()]);
    let done = batch.protect_batch(payloads, freshness_state, &mut keys(), |index, frame| {
        assert_eq!(found[index].replace(frame), None, "message {index} twice");
    });
    assert_eq!(done, outcome);
    assert_eq!(found, expected);
    assert_eq!(format!("{batch:?}"), format!("{single:?}"));
}

#[test]
fn a_sender_protects_a_log_as_one_by_one() {
    each_seed(100, |seed| {
        let mut random = Random::new(seed);
        for kind in Kind::ALL {
            let freshness_state = match random.once_in(8) {
                true => FreshnessState::UNSYNCHRONISED,
                false => freshness_state(kind, &mut random),
            };
            let mut sender = SecocSender::under_fresh_key(kind.stream(STREAM));
            sender.retained([u64::MAX, 100][random.below(2) as usize]);
            // With the production format 256 messages are all there are.
            let mut payloads: Vec<Vec<u8>> = (0..random.below(300))
                .map(|number| kind.payload(number as u32))
                .collect();
            if random.once_in(3) && !payloads.is_empty() {
                let wrong = random.below(payloads.len() as u64) as usize;
                payloads[wrong].push(0);
            }
            compare_sender(&sender, &payloads, &freshness_state, ring);
            compare_sender(&sender, &payloads, &freshness_state, Ring::new);
        }
        (0, 0)
    });
}

#[test]
fn lengths_may_vary_within_a_batch() {
    let layout = Layout::variable(SecocCarrier::Fd, 0..=60);
    let stream = SecocStream::new(SecocProfile::AUTOSAR_1, layout, standard(STREAM), KEY).unwrap();
    let (mut sender, mut receiver) = (
        SecocSender::under_fresh_key(stream),
        SecocReceiver::under_fresh_key(stream),
    );
    sender.retained(u64::MAX);
    receiver.retained(u64::MAX);
    let lengths = [60, 0, 44, 1, 28, 2, 20, 3, 16, 4, 12, 8];
    let payloads: Vec<Vec<u8>> = (0..200usize)
        .map(|index| vec![index as u8; lengths[index * 7 % lengths.len()]])
        .collect();
    compare_sender(&sender, &payloads, &FreshnessState::UNSYNCHRONISED, ring);
    let mut frames = vec![None; payloads.len()];
    let protected = sender.protect_batch(
        &payloads,
        &FreshnessState::UNSYNCHRONISED,
        &mut ring(),
        |index, frame| frames[index] = Some(frame),
    );
    assert_eq!(protected, Ok(()));
    let frames: Vec<Frame> = frames.into_iter().map(Option::unwrap).collect();
    let (taken, _) = compare(&frames, &receiver, &FreshnessState::UNSYNCHRONISED, false);
    assert_eq!(taken, 200);
}

/// A key store that knows nothing of batches, and gives out so many tags.
struct Plain {
    ring: Ring,
    left: usize,
}

impl MacKeyStore for Plain {
    fn tag(
        &mut self,
        key: KeyId,
        message: &[&[u8]],
        meter: &mut dyn Meter,
    ) -> Result<Tag, KeyStoreError> {
        self.left = self.left.checked_sub(1).ok_or(KeyStoreError::Access)?;
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
        self.left = self.left.checked_sub(1).ok_or(KeyStoreError::Access)?;
        self.ring.check(key, message, received, bits, meter)
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

#[test]
fn a_key_store_that_refuses_midway_gives_no_freshness_twice() {
    let (kind, freshness_state) = (Kind::Counter, FreshnessState::UNSYNCHRONISED);
    let mut sender = SecocSender::under_fresh_key(kind.stream(STREAM));
    let mut receiver = SecocReceiver::under_fresh_key(kind.stream(STREAM));
    sender.retained(u64::MAX);
    receiver.retained(u64::MAX);
    let payloads: Vec<Vec<u8>> = (0..10).map(|number| kind.payload(number)).collect();
    let mut plain = Plain {
        ring: ring(),
        left: 4,
    };
    let mut frames = Vec::new();
    let refused = sender.protect_batch(&payloads, &freshness_state, &mut plain, |_, frame| {
        frames.push(frame);
    });
    assert_eq!(refused, Err(ProtectError::KeyStore(KeyStoreError::Access)));
    plain.left = 6;
    let rest = sender.protect_batch(&payloads[4..], &freshness_state, &mut plain, |_, frame| {
        frames.push(frame);
    });
    assert_eq!((rest, frames.len()), (Ok(()), 10));
    plain.left = 7;
    let mut taken = 0;
    let refused = receiver.accept_batch(&frames, &freshness_state, &mut plain, |_, event| {
        assert!(
            matches!(event, Some(FrameOutcome::Authentic { .. })),
            "{event:?}"
        );
        taken += 1;
    });
    assert_eq!((refused, taken), (Err(KeyStoreError::Access), 7));
}

#[test]
fn a_key_in_the_wrong_direction_serves_no_batch() {
    let (kind, freshness_state) = (Kind::Counter, FreshnessState::UNSYNCHRONISED);
    let mut sender = SecocSender::under_fresh_key(kind.stream(STREAM));
    sender.retained(u64::MAX);
    let with = |usage| {
        let mut ring = Ring::new();
        ring.insert(KEY, usage, &MacKey::from_bytes(SECRET))
            .unwrap();
        ring
    };
    let payloads = [kind.payload(1), kind.payload(2)];
    compare_sender(&sender, &payloads, &freshness_state, || with(Usage::Check));
    let mut frames = Vec::new();
    let mut keys = with(Usage::Protect);
    let protected = sender.protect_batch(&payloads, &freshness_state, &mut keys, |_, frame| {
        frames.push(frame);
    });
    assert_eq!(protected, Ok(()));
    let mut receiver = SecocReceiver::under_fresh_key(kind.stream(STREAM));
    receiver.retained(u64::MAX);
    let refused = receiver.accept_batch(&frames, &freshness_state, &mut keys, |_, _| {
        panic!("nothing is taken")
    });
    assert_eq!(refused, Err(KeyStoreError::Usage(KEY)));
}
