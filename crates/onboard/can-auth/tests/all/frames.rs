//! The published protocols frame by frame, as their published code has them (vectors of the Sancus
//! unit, 128-bit keys), and what each accepts and refuses without an attacker.

use crate::bench::{Protocol, Receiver, Sender, authentic, id};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{MacKey, SpongentMac};
use waywarden_can_auth::paired::{self, WireForm};
use waywarden_can_auth::{leia, vatican};
use waywarden_work::{Duration, Instant, NoMeter, RecordedOperations};

const SECRET: [u8; 16] = 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF_u128.to_be_bytes();
const PAYLOAD: [u8; 8] = [2, 1, 2, 3, 4, 5, 6, 7];

fn ring() -> Keyring<SpongentMac, 4> {
    let mut ring = Keyring::new();
    for key in [KeyId(1), KeyId(3)] {
        ring.insert(key, Usage::Both, &MacKey::from_bytes(SECRET))
            .unwrap();
    }
    ring
}

#[test]
fn vatican_sends_the_published_frames() {
    let (mut ring, mut meter) = (ring(), RecordedOperations::new());
    let connection = vatican::VaticanConnection::new(id(0x0F0), KeyId(1)).unwrap();
    let sender = vatican::VaticanSender::new(connection);
    let message = sender.protect(&PAYLOAD, &mut ring, &mut meter).unwrap();
    assert_eq!(message.data, Frame::classic(id(0x0F0), &PAYLOAD).unwrap());
    let tag = 0x7DDB_405E_434B_1C32_u64.to_be_bytes();
    assert_eq!(message.tag, Frame::classic(id(0x0F1), &tag).unwrap());
}

#[test]
fn leia_sends_the_published_frames() {
    let (mut ring, mut meter) = (ring(), RecordedOperations::new());
    let connection = leia::LeiaConnection::new(id(0x0F0), KeyId(1), KeyId(2)).unwrap();
    let connection = connection.begin(&mut ring, &mut meter).unwrap();
    let message = leia::LeiaSender::new(connection)
        .protect(&PAYLOAD, &mut ring, &mut meter)
        .unwrap();
    assert_eq!(message.data.id(), Id::extended(0x03C0_0001).unwrap());
    assert_eq!(message.tag.id(), Id::extended(0x03C5_0001).unwrap());
    assert_eq!(message.tag.data(), 0xE5EC_8711_0964_AD99_u64.to_be_bytes());
    let failures = leia::LeiaConnection::of_failures(id(0x0AA), KeyId(3), KeyId(4));
    let failures = failures.begin(&mut ring, &mut meter).unwrap();
    let [said, tag] = leia::LeiaSender::new(failures)
        .fail(0x0F0, &mut ring, &mut meter)
        .unwrap();
    assert_eq!(said.id(), Id::extended(0x02AA_0001).unwrap());
    assert_eq!(tag.id(), Id::extended(0x02AB_0001).unwrap());
    assert_eq!(said.data(), [2, 0, 0, 0, 0, 0, 0xF0, 0x00]);
}

/// A pair that has found each other.
fn pair(protocol: Protocol) -> (Sender, Receiver) {
    let mut sender = Sender::new(protocol, SECRET, 0);
    let mut receiver = Receiver::new(protocol, SECRET, 1);
    for question in receiver.wake(Instant::ZERO).1 {
        for frame in sender.receive(Instant::ZERO, &question) {
            receiver.take(Instant::ZERO, &frame);
        }
    }
    (sender, receiver)
}

#[test]
fn messages_of_every_length_come_as_they_were_sent() {
    for protocol in Protocol::ALL {
        let (mut sender, mut receiver) = pair(protocol);
        for round in 0..600 {
            let payload = &PAYLOAD[..round % 9];
            let [data, tag] = sender.send(payload);
            assert_eq!(data.data(), payload, "the message keeps its frame");
            assert_eq!(receiver.take(Instant::ZERO, &data).0, None);
            let came = authentic(receiver.take(Instant::ZERO, &tag).0);
            let came = came.unwrap_or_else(|| panic!("{protocol:?}, round {round}"));
            assert_eq!(came.as_bytes(), payload);
        }
    }
}

/// A receiver of a log asks nothing, takes what its sender sent in this epoch, and nothing else.
#[test]
fn a_receiver_in_step_asks_nothing() {
    for wire in [WireForm::Vatican, WireForm::Leia] {
        let mut ring = ring();
        let connection = paired::PairedConnection::new(wire, id(0x0F0), KeyId(1)).unwrap();
        let mut sender = paired::PairedSender::in_epoch(connection, 7);
        let mut receiver = paired::PairedReceiver::in_step(
            connection,
            paired::StreamPosition {
                epoch: 7,
                counter: 0,
            },
        );
        let mut behind = paired::PairedReceiver::in_step(
            connection,
            paired::StreamPosition {
                epoch: 6,
                counter: 0,
            },
        );
        assert!(receiver.is_synchronised());
        for round in 0..300 {
            assert_eq!(
                (receiver.next_deadline(), receiver.outgoing(Instant::ZERO)),
                (None, None)
            );
            let message = sender.protect(&PAYLOAD, &mut ring, &mut NoMeter).unwrap();
            let mut take = |receiver: &mut paired::PairedReceiver, frame| {
                let event = receiver.accept(Instant::ZERO, frame, &mut ring, &mut NoMeter);
                event.unwrap()
            };
            take(&mut behind, &message.data);
            let refused = take(&mut behind, &message.tag);
            assert!(authentic(refused).is_none(), "another epoch, round {round}");
            assert_eq!(take(&mut receiver, &message.data), None);
            assert!(authentic(take(&mut receiver, &message.tag)).is_some());
            take(&mut receiver, &message.data);
            let again = take(&mut receiver, &message.tag);
            assert_eq!(again, Some(FrameOutcome::Replay(id(0x0F0))));
            take(&mut receiver, &message.data);
            while receiver
                .expire(Instant::ZERO + paired::TAG_WITHIN)
                .is_some()
            {}
        }
    }
}

/// One frame is lost: vatiCAN as published never recovers, LeiA goes on or asks for a new epoch.
#[test]
fn a_lost_frame_costs_one_message_but_vatican_as_published_the_stream() {
    for protocol in Protocol::ALL {
        for lost in 0..2 {
            let (mut sender, mut receiver) = pair(protocol);
            let frames = sender.send(&PAYLOAD);
            let _ = receiver.take(Instant::ZERO, &frames[1 - lost]);
            let mut accepted = 0;
            for _ in 0..20 {
                for frame in sender.send(&PAYLOAD) {
                    let (event, said) = receiver.take(Instant::ZERO, &frame);
                    accepted += usize::from(authentic(event).is_some());
                    for question in said {
                        for frame in sender.receive(Instant::ZERO, &question) {
                            receiver.take(Instant::ZERO, &frame);
                        }
                    }
                }
            }
            match protocol {
                Protocol::VaticanPublished => assert_eq!(accepted, 0),
                Protocol::LeiaPublished => assert!(accepted >= 16, "{accepted}"),
                Protocol::Vatican | Protocol::Leia => assert_eq!(accepted, 20),
            }
        }
    }
}

/// A run of lost messages longer than the low bits of the counter can tell: the receiver asks.
#[test]
fn after_a_long_silence_a_receiver_asks() {
    for (protocol, lost) in [(Protocol::Vatican, 200), (Protocol::Leia, 40_000)] {
        let (mut sender, mut receiver) = pair(protocol);
        for _ in 0..lost {
            sender.send(&PAYLOAD);
        }
        let mut now = Instant::ZERO;
        let mut first = None;
        for round in 0..10 {
            now += Duration::from_millis(10);
            for frame in sender.send(&PAYLOAD) {
                let (event, said) = receiver.take(now, &frame);
                if authentic(event).is_some() {
                    first = first.or(Some(round));
                }
                for question in said {
                    for frame in sender.receive(now, &question) {
                        let (event, _) = receiver.take(now, &frame);
                        let resynced = matches!(event, None | Some(FrameOutcome::Resynced(_)));
                        assert!(resynced, "{event:?}");
                    }
                }
            }
        }
        assert_eq!(
            first,
            Some(3),
            "{protocol:?}: three failures, then a question"
        );
    }
}
