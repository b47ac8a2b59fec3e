//! The attack matrix: each attack against each kind of stream, with an attacker who has the bus and
//! what an expelled member once had, but not the key.

mod stream;

use waywarden_can::Frame;
use waywarden_can_auth::secoc::PRODUCTION_ID;
use waywarden_testkit::Random;

use super::car::{Kind, STREAM};

use Verdict::{Availability, Deceived, Refused};

use stream::AttackedStream;

const SECRET: [u8; 16] = [0x5A; 16];

/// The result of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The receiver took a message that its sender did not send, or one again, or behind a later
    /// one.
    Deceived,
    /// Nothing false was taken, but no later message either.
    SilencedForGood,
    /// Nothing false was taken; some messages were lost.
    Availability,
    /// Nothing false was taken and nothing lost.
    Refused,
}

type Attack = fn(&mut AttackedStream);

/// Frames made up, with each value that can travel.
fn spoof(attacked: &mut AttackedStream) {
    (0..256).for_each(|seed| attacked.inject(&attacked.forged(seed)));
}

/// Everything that was ever on the bus, again.
fn replay(attacked: &mut AttackedStream) {
    for frame in attacked.recorded.clone() {
        attacked.inject(&frame);
    }
}

/// A message held back until the next one was taken, then sent after it, more than once.
fn reorder(attacked: &mut AttackedStream) {
    let (held, next) = (attacked.message().unwrap(), attacked.message().unwrap());
    [next, held, next, held]
        .iter()
        .for_each(|frame| attacked.inject(frame));
}

/// Messages are swallowed, then the one after them comes, three times over.
fn counter_jump(attacked: &mut AttackedStream) {
    for _ in 0..3 {
        attacked.message();
    }
    let last = attacked.message().unwrap();
    [last; 3].iter().for_each(|frame| attacked.inject(frame));
}

/// So many messages are swallowed that the bits which travel come round.
fn counter_wrap(attacked: &mut AttackedStream) {
    let held = attacked.message().unwrap();
    for count in 0..600 {
        let frame = attacked.message();
        // The sender's counter of messages may be at its end for a while.
        let Some(frame) = frame.filter(|_| count > 0 && count % 4 == 3) else {
            continue;
        };
        attacked.inject(&frame);
        attacked.inject(&held);
    }
}

/// An announcement far ahead, made up; and one that leads back.
fn forged_announcements(attacked: &mut AttackedStream) {
    for counters in [u64::MAX, 0xFFFF_FFFF_FFFF_0000, 0x0001_0000_1000_0000, 0] {
        let data = counters.to_be_bytes();
        attacked.inject(&Frame::classic(super::car::standard(PRODUCTION_ID), &data).unwrap());
    }
}

/// Announcements of before, then everything that belonged to them.
fn announcement_rollback(attacked: &mut AttackedStream) {
    let (announced, messages): (Vec<Frame>, Vec<Frame>) = attacked
        .recorded
        .iter()
        .partition(|frame| frame.id().raw() == u32::from(PRODUCTION_ID));
    for frame in announced.iter().chain(&messages) {
        attacked.inject(frame);
    }
}

/// No announcement comes through for half a second; then messages of before are played.
fn announcements_cut(attacked: &mut AttackedStream) {
    attacked.is_cut = true;
    attacked.send(50);
    replay(attacked);
}

/// An announcement as a message, a message as an announcement.
fn swapped(attacked: &mut AttackedStream) {
    for frame in attacked.recorded.clone() {
        let to = if frame.id().raw() == u32::from(STREAM) {
            PRODUCTION_ID
        } else {
            STREAM
        };
        if let Ok(frame) = Frame::classic(super::car::standard(to), frame.data()) {
            attacked.inject(&frame);
        }
    }
}

/// Every bit of a message, one at a time; of the FD payload what is not authenticated may change.
fn bit_flips(attacked: &mut AttackedStream) {
    let message = attacked.message().unwrap();
    let first = if attacked.kind == Kind::Fd { 6 * 8 } else { 0 };
    for bit in first..8 * message.data().len() {
        let mut data = message.data().to_vec();
        data[bit / 8] ^= 0x80 >> (bit % 8);
        let before = attacked.taken.len();
        attacked.inject(&attacked.kind.frame(STREAM, &data));
        assert_eq!(
            attacked.taken.len(),
            before,
            "{:?}: bit {bit}",
            attacked.kind
        );
    }
    attacked.inject(&message);
}

/// A message with bytes taken away or added, and in frames of another format.
fn another_form(attacked: &mut AttackedStream) {
    let message = attacked.message().unwrap();
    let id = super::car::standard(STREAM);
    let mut data = message.data().to_vec();
    data.resize(64, 0);
    for length in (0..message.data().len()).chain([12, 16, 24, 64]) {
        let other = [
            Frame::classic(id, &data[..length]),
            Frame::fd(id, &data[..length]),
        ];
        other.into_iter().flatten().for_each(|frame| {
            if frame != message {
                attacked.inject(&frame);
            }
        });
    }
    attacked.inject(&message);
}

/// Forgeries without a pause.
fn flood(attacked: &mut AttackedStream) {
    for seed in 0..2_000 {
        if seed % 2 == 0 {
            attacked.pass(1);
        }
        attacked.inject(&attacked.forged(seed));
        let announced = Random::new(seed).u64().to_be_bytes();
        attacked.inject(&Frame::classic(super::car::standard(PRODUCTION_ID), &announced).unwrap());
    }
}

/// The attacker has a key, of another group, and the identifiers.
fn another_groups_key(attacked: &mut AttackedStream) {
    attacked.transplanted(STREAM, [0xA5; 16]);
}

/// A node that has the same key for another stream sends that stream's message under this stream's
/// identifier.
fn another_stream(attacked: &mut AttackedStream) {
    attacked.transplanted(STREAM + 2, SECRET);
}

/// The receiver is reset, hears nothing new, and everything from before is played to it.
fn rollback_of_the_receiver(attacked: &mut AttackedStream) {
    attacked.receiver.reset(attacked.kind, STREAM, 1);
    replay(attacked);
}

/// The sender is reset and hears old announcements; what it says then is let in with what it said
/// before.
fn rollback_of_the_sender(attacked: &mut AttackedStream) {
    let held = attacked.message().unwrap();
    attacked.sender.reset(attacked.kind, STREAM, 1);
    replay(attacked);
    if let Some(frame) = attacked.message() {
        attacked.inject(&frame);
    }
    attacked.inject(&held);
}

/// All three are reset.
fn rollback_of_all(attacked: &mut AttackedStream) {
    if let Some(master) = &mut attacked.master {
        master.reset();
    }
    attacked.sender.reset(attacked.kind, STREAM, 1);
    rollback_of_the_receiver(attacked);
}

/// A message of before is held back, and comes when its epoch is over.
fn held_back(attacked: &mut AttackedStream) {
    let held = attacked.message().unwrap();
    attacked.send(12);
    attacked.inject(&held);
}

/// The attack, and what it comes to: without freshness, with a counter, and with freshness that is
/// synchronised, in whatever frames.
#[rustfmt::skip]
const MATRIX: [(&str, Attack, [Verdict; 3]); 18] = [
    ("spoof", spoof, [Refused, Refused, Refused]),
    ("replay", replay, [Deceived, Refused, Refused]),
    ("reorder", reorder, [Deceived, Availability, Availability]),
    ("counter jump", counter_jump, [Deceived, Availability, Availability]),
    ("counter wrap", counter_wrap, [Deceived, Availability, Availability]),
    ("forged announcements", forged_announcements, [Refused, Refused, Refused]),
    ("announcement rollback", announcement_rollback, [Deceived, Refused, Refused]),
    ("announcements cut", announcements_cut, [Deceived, Refused, Refused]),
    ("announcement as message", swapped, [Refused, Refused, Refused]),
    ("bit flips", bit_flips, [Refused, Refused, Refused]),
    ("another form", another_form, [Refused, Refused, Refused]),
    ("flood", flood, [Refused, Refused, Refused]),
    ("key of another group", another_groups_key, [Refused, Refused, Refused]),
    ("another stream's codes", another_stream, [Refused, Refused, Refused]),
    ("rollback of the receiver", rollback_of_the_receiver, [Deceived, Availability, Refused]),
    ("rollback of the sender", rollback_of_the_sender, [Deceived, Availability, Availability]),
    ("rollback of all", rollback_of_all, [Deceived, Availability, Refused]),
    ("held back", held_back, [Deceived, Availability, Availability]),
];

#[test]
fn the_matrix_holds() {
    let mut wrong = 0;
    for (name, attack, expected) in MATRIX {
        for kind in Kind::ALL {
            let expected = match kind {
                Kind::Unfresh => expected[0],
                Kind::Counter => expected[1],
                _ => expected[2],
            };
            let mut attacked = AttackedStream::new(kind);
            attacked.send(12);
            attack(&mut attacked);
            let verdict = attacked.verdict();
            println!("{name:24} {kind:?}: {verdict:?}");
            if verdict != expected {
                println!("    expected {expected:?}");
                wrong += 1;
            }
            assert!(
                kind == Kind::Unfresh || matches!(verdict, Refused | Availability),
                "{name} against {kind:?}: {verdict:?}"
            );
        }
    }
    assert_eq!(wrong, 0, "cells that are not as expected");
}
