//! SecOC with a cryptographic PDU of its own: what arrives whole is taken once, whatever else is
//! lost, injected, changed or sent again.

use waywarden_can::{Frame, Id, StandardId};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{CANDIDATES, TAG_WITHIN};
use waywarden_can_auth::secoc::{
    FreshnessState, Layout, ProfileParameters, SecocCarrier, SecocProfile, SecocStream,
    SeparateMessage, SeparateReceiver, SeparateSender, SeparateStream, StreamError,
};
use waywarden_testkit::{Random, each_seed};
use waywarden_work::{Duration, Instant, NoMeter};

const KEY: KeyId = KeyId(1);

/// A sender, a receiver, and their key.
struct Pair {
    keys: Keyring<AesCmac, 1>,
    sender: SeparateSender,
    receiver: SeparateReceiver,
    now: Instant,
}

fn id(raw: u16) -> StandardId {
    StandardId::new(raw).unwrap()
}

fn stream(carrier: SecocCarrier, length: u8) -> SeparateStream {
    let cryptographic = Id::Standard(id(0x201));
    let ids = (id(0x120), cryptographic);
    SeparateStream::new(SecocProfile::AUTOSAR_1, (carrier, length), ids, KEY).unwrap()
}

impl Pair {
    fn new(stream: SeparateStream) -> Self {
        let mut keys = Keyring::new();
        keys.insert(KEY, Usage::Both, &MacKey::from_bytes([7; 16]))
            .unwrap();
        let (sender, receiver) = (
            SeparateSender::under_fresh_key(stream),
            SeparateReceiver::under_fresh_key(stream),
        );
        let mut pair = Pair {
            keys,
            sender,
            receiver,
            now: Instant::ZERO,
        };
        pair.retain();
        pair
    }

    /// Memory that is written at once.
    fn retain(&mut self) {
        if let Some(value) = self.sender.to_retain() {
            self.sender.retained(value);
        }
        if let Some(value) = self.receiver.to_retain() {
            self.receiver.retained(value);
        }
    }

    fn send(&mut self, payload: &[u8]) -> SeparateMessage {
        let (freshness_state, meter) = (FreshnessState::UNSYNCHRONISED, &mut NoMeter);
        let message = self
            .sender
            .protect(payload, &freshness_state, &mut self.keys, meter);
        self.retain();
        message.unwrap()
    }

    fn receive(&mut self, frame: &Frame) -> Option<FrameOutcome> {
        let (freshness_state, meter) = (FreshnessState::UNSYNCHRONISED, &mut NoMeter);
        let heard = self
            .receiver
            .accept(self.now, frame, &freshness_state, &mut self.keys, meter);
        self.retain();
        heard.unwrap()
    }

    fn both(&mut self, message: &SeparateMessage) -> Option<FrameOutcome> {
        assert_eq!(self.receive(&message.authentic), None);
        self.receive(&message.cryptographic)
    }

    fn wait(&mut self, time: Duration) {
        self.now += time;
    }
}

fn is_authentic(event: Option<FrameOutcome>, expected: &[u8]) -> bool {
    matches!(event, Some(FrameOutcome::Authentic { payload, .. }) if payload.as_bytes() == expected)
}

#[test]
fn the_authentic_pdu_is_the_plain_message_and_the_code_is_that_of_the_other_form() {
    let payload = [1, 2, 3, 4];
    let mut pair = Pair::new(stream(SecocCarrier::Classic, 4));
    let message = pair.send(&payload);
    assert_eq!(
        message.authentic,
        Frame::classic(Id::Standard(id(0x120)), &payload).unwrap()
    );
    // Eight bits of freshness and 24 of code, as behind the payload in one frame.
    let layout = Layout::fixed(SecocCarrier::Classic, 4);
    let together = SecocStream::new(SecocProfile::AUTOSAR_1, layout, id(0x120), KEY).unwrap();
    let mut sender = waywarden_can_auth::secoc::SecocSender::under_fresh_key(together);
    sender.retained(sender.to_retain().unwrap());
    let freshness_state = FreshnessState::UNSYNCHRONISED;
    let sealed = sender.protect(&payload, &freshness_state, &mut pair.keys, &mut NoMeter);
    assert_eq!(sealed.unwrap().data()[4..], *message.cryptographic.data());
    assert!(is_authentic(pair.both(&message), &payload));
    // A payload that fills its frame has room now.
    let mut full = Pair::new(stream(SecocCarrier::Classic, 8));
    let message = full.send(&[9; 8]);
    assert!(is_authentic(full.both(&message), &[9; 8]));
    let mut wide = Pair::new(stream(SecocCarrier::Fd, 64));
    let message = wide.send(&[5; 64]);
    assert!(is_authentic(wide.both(&message), &[5; 64]));
}

#[test]
fn what_is_changed_alone_late_or_sent_again_is_refused() {
    let mut pair = Pair::new(stream(SecocCarrier::Classic, 4));
    let first = pair.send(&[1; 4]);
    assert!(is_authentic(pair.both(&first), &[1; 4]));
    // Both frames again, or the second alone.
    assert_eq!(pair.both(&first), Some(FrameOutcome::WrongTag(id(0x120))));
    pair.wait(TAG_WITHIN);
    assert_eq!(
        pair.receiver.expire(pair.now),
        Some(FrameOutcome::Missing(id(0x120)))
    );
    assert_eq!(
        pair.receive(&first.cryptographic),
        Some(FrameOutcome::TagWithoutData(id(0x120)))
    );
    // Another payload under a genuine code; then the genuine one with it.
    let second = pair.send(&[2; 4]);
    let forged = Frame::classic(Id::Standard(id(0x120)), &[3; 4]).unwrap();
    pair.receive(&forged);
    assert_eq!(
        pair.receive(&second.cryptographic),
        Some(FrameOutcome::WrongTag(id(0x120)))
    );
    assert!(is_authentic(pair.both(&second), &[2; 4]));
    // Injected data do not displace a message while there are fewer than there is room for.
    let third = pair.send(&[4; 4]);
    pair.receive(&third.authentic);
    for _ in 1..CANDIDATES {
        assert_eq!(pair.receive(&forged), None);
    }
    assert!(is_authentic(pair.receive(&third.cryptographic), &[4; 4]));
    // A code that never comes is missed in time.
    let fourth = pair.send(&[5; 4]);
    pair.receive(&fourth.authentic);
    assert_eq!(pair.receiver.expire(pair.now), None);
    assert_eq!(pair.receiver.next_deadline(), Some(pair.now + TAG_WITHIN));
}

/// Frames are lost, repeated and injected by seed: a message is taken if and only if both its
/// frames came, the first before the second, and never twice.
#[test]
fn what_arrives_whole_is_taken_once() {
    each_seed(64, |seed| {
        let mut random = Random::new(seed);
        let mut pair = Pair::new(stream(SecocCarrier::Classic, 4));
        let mut old: Vec<Frame> = Vec::new();
        for number in 0..200_u32 {
            let payload = number.to_be_bytes();
            let message = pair.send(&payload);
            let lost = [random.once_in(5), random.once_in(5)];
            if !lost[0] {
                assert_eq!(pair.receive(&message.authentic), None, "{number}");
            }
            if let Some(frame) = old.get(random.index(old.len().max(1))).copied()
                && frame.id() != message.authentic.id()
            {
                let event = pair.receive(&frame);
                assert!(
                    !matches!(event, Some(FrameOutcome::Authentic { .. })),
                    "{number}: {event:?}"
                );
            }
            if !lost[1] {
                let event = pair.receive(&message.cryptographic);
                let is_taken = is_authentic(event, &payload);
                assert_eq!(is_taken, !lost[0], "{number}: {event:?}");
            }
            pair.wait(TAG_WITHIN);
            let missing = pair.receiver.expire(pair.now).is_some();
            assert_eq!(missing, !lost[0] && lost[1], "{number}");
            old.push(message.cryptographic);
        }
    });
}

#[test]
fn payloads_and_codes_need_room_in_their_frames() {
    let ids = (id(0x120), Id::Standard(id(0x201)));
    let new =
        |profile, length| SeparateStream::new(profile, (SecocCarrier::Classic, length), ids, KEY);
    assert_eq!(
        new(SecocProfile::AUTOSAR_1, 9).unwrap_err(),
        StreamError::TooLong(9)
    );
    let long = SecocProfile::new(ProfileParameters {
        freshness: SecocProfile::AUTOSAR_1.freshness(),
        truncated_bits: 8,
        mac_bits: 64,
        attempts: 2,
    })
    .unwrap();
    assert_eq!(new(long, 8).unwrap_err(), StreamError::TooLong(9));
    assert!(new(SecocProfile::AUTOSAR_1, 8).is_ok());
}
