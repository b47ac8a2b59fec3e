//! Re-synchronisation after lost or replayed frames: what the receiver takes before the answer.

use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::{KeyId, Usage};
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::leia::{self, LeiaOutcome};
use waywarden_can_auth::mac::{AesCmac, MacKey};
use waywarden_can_auth::paired::{self, WireForm};
use waywarden_work::{Instant, RecordedOperations};

use super::SECRET;
use super::stream::AttackedStream;
use crate::bench::{ASKS, Protocol, Receiver, STREAM, Sender, id};

/// The tag of a message in a frame that shows another counter.
#[test]
fn the_counter_of_a_tags_frame_counts() {
    for (protocol, expected) in [(Protocol::LeiaPublished, true), (Protocol::Leia, false)] {
        let mut attacked = AttackedStream::new(protocol);
        attacked.send(6);
        let [data, tag] = attacked.message();
        let (taken, moved) = (attacked.taken.len(), attacked.tag_id(0x0102));
        attacked.inject(&data);
        attacked.inject(&Frame::classic(moved, tag.data()).unwrap());
        assert_eq!(attacked.taken.len() > taken, expected, "{protocol:?}");
    }
}

/// An AUTH_FAIL about a stream above 0xFF reaches its sender in one byte of two: no sender answers.
/// The question of the hardened protocols has both.
#[test]
fn who_fails_above_0xff_is_never_answered_as_published() {
    let (mut ring, mut meter) = (Keyring::<AesCmac, 4>::new(), RecordedOperations::new());
    for key in [KeyId(1), KeyId(3)] {
        ring.insert(key, Usage::Both, &MacKey::from_bytes(SECRET))
            .unwrap();
    }
    let failures = leia::LeiaConnection::of_failures(id(ASKS), KeyId(1), KeyId(2));
    let failures = failures.begin(&mut ring, &mut meter).unwrap();
    let stream = leia::LeiaConnection::new(id(0x280), KeyId(3), KeyId(4)).unwrap();
    let mut sender = leia::LeiaSender::new(stream.begin(&mut ring, &mut meter).unwrap());
    let mut hears = leia::LeiaReceiver::new([failures], None);
    let said = leia::LeiaSender::new(failures)
        .fail(0x280, &mut ring, &mut meter)
        .unwrap();
    let mut heard = said.map(|frame| hears.accept(&frame, &mut ring, &mut meter).unwrap().0);
    assert_eq!(heard[1].take(), Some(LeiaOutcome::Failed(0x80)));
    assert_eq!(sender.answer(0x80, &mut ring, &mut meter), Ok(None));

    let connection = paired::PairedConnection::new(WireForm::Leia, id(0x280), KeyId(3)).unwrap();
    let mut receiver = paired::PairedReceiver::new(connection, id(ASKS), &[1; 16]);
    let question = receiver
        .outgoing(Instant::ZERO)
        .expect("it asks as it starts");
    assert!(paired::PairedSender::in_epoch(connection, 0).receive(&question));
}

/// Before a receiver has its answer nothing is taken, however right it is.
#[test]
fn nothing_is_taken_before_the_answer() {
    for protocol in [Protocol::Vatican, Protocol::Leia] {
        let mut sender = Sender::new(protocol, SECRET, 0);
        let mut receiver = Receiver::new(protocol, SECRET, 1);
        let [data, tag] = sender.send(&[1]);
        assert_eq!(receiver.take(Instant::ZERO, &data).0, None);
        let (event, _) = receiver.take(Instant::ZERO, &tag);
        assert_eq!(event, Some(FrameOutcome::OutOfStep(id(STREAM))));
    }
}

/// A tag that comes before the answer settles its data: only data whose tag never came are missing.
#[test]
fn data_whose_tag_came_before_the_answer_are_not_missing() {
    for protocol in [Protocol::Vatican, Protocol::Leia] {
        for unanswered in [0, 1] {
            let mut sender = Sender::new(protocol, SECRET, 0);
            let mut receiver = Receiver::new(protocol, SECRET, 1);
            for message in 0..3 {
                let [data, tag] = sender.send(&[message]);
                receiver.take(Instant::ZERO, &data);
                let (event, _) = receiver.take(Instant::ZERO, &tag);
                assert_eq!(event, Some(FrameOutcome::OutOfStep(id(STREAM))));
            }
            for _ in 0..unanswered {
                let [data, _] = sender.send(&[9]);
                receiver.take(Instant::ZERO, &data);
            }
            let (missing, _) = receiver.wake(Instant::ZERO + paired::TAG_WITHIN);
            let expected = vec![FrameOutcome::Missing(id(STREAM)); unanswered];
            assert_eq!(missing, expected, "{unanswered} data frames without a tag");
        }
    }
}
