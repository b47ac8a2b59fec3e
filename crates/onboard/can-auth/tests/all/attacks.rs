//! The attack matrix: each attack against each protocol, with an attacker who has the bus and what
//! an expelled member once had, but not the key. What is published falls as it is known to; what is
//! hardened refuses, or loses availability and no more.

mod resynchronisation;
mod stream;

use crate::bench::{ASKS, Protocol, Receiver, STREAM, Sender, id, leia_id};
use waywarden_can::{Frame, Id};
use waywarden_work::Duration;

use Verdict::{Availability, Deceived, Refused, SilencedForGood};

use stream::AttackedStream;

const SECRET: [u8; 16] = [0x5A; 16];

/// The result of an attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The receiver took a message that its sender did not send, or took one again.
    Deceived,
    /// Nothing false was taken, but no later message either.
    SilencedForGood,
    /// Nothing false was taken; some messages were lost.
    Availability,
    /// Nothing false was taken and nothing lost.
    Refused,
}

type Attack = fn(&mut AttackedStream);

/// Data and a tag made up.
fn spoof(attacked: &mut AttackedStream) {
    for counter in [1, 5, 6, 7, 0x7FFF] {
        attacked.inject(&attacked.forged_data(counter));
        attacked.inject(&attacked.forged_tag(counter));
    }
}

/// Everything that was ever on the bus, again.
fn replay(attacked: &mut AttackedStream) {
    for frame in attacked.recorded.clone() {
        attacked.inject(&frame);
    }
}

/// A message held back until the next one was taken, then sent after it, more than once.
fn reorder(attacked: &mut AttackedStream) {
    let (held, next) = (attacked.message(), attacked.message());
    for frame in next.iter().chain(&held).chain(&next).chain(&held) {
        attacked.inject(frame);
    }
}

/// Messages are swallowed, then the one after them comes, three times over.
fn counter_jump(attacked: &mut AttackedStream) {
    for _ in 0..5 {
        attacked.message();
    }
    let last = attacked.message();
    for frame in [last, last, last].as_flattened() {
        attacked.inject(frame);
    }
}

/// An epoch far ahead, with a tag made up.
fn epoch_jump(attacked: &mut AttackedStream) {
    let far = 0x00FF_FFFF_FFFF_0000_u64.to_le_bytes();
    attacked.inject(&Frame::classic(leia_id(STREAM, 2, 1), &far).unwrap());
    attacked.inject(&Frame::classic(leia_id(STREAM + 1, 3, 1), &[7; 8]).unwrap());
}

/// Any node that says so is the nonce generator.
fn nonce_jump(attacked: &mut AttackedStream) {
    let generator = id(0x0AA);
    attacked.inject(&Frame::classic(generator, &u32::MAX.to_be_bytes()).unwrap());
}

/// The nonce generator says what it said before the first message: then all that was recorded is
/// new.
fn nonce_rollback(attacked: &mut AttackedStream) {
    let generator = id(0x0AA);
    attacked.inject(&Frame::classic(generator, &0u32.to_be_bytes()).unwrap());
    replay(attacked);
}

/// A data frame between the sender's data and its tag.
fn injected_data(attacked: &mut AttackedStream) {
    let [data, tag] = attacked.message();
    attacked.inject(&attacked.forged_data(100));
    attacked.inject(&data);
    attacked.inject(&attacked.forged_data(100));
    attacked.inject(&tag);
}

/// A tag frame to which there are no data, and one before the sender's own.
fn bare_tag(attacked: &mut AttackedStream) {
    attacked.inject(&attacked.forged_tag(9));
    let [data, tag] = attacked.message();
    attacked.inject(&data);
    attacked.inject(&attacked.forged_tag(9));
    attacked.inject(&tag);
}

/// The tags' frames are destroyed until the sender is bus-off, for a while.
fn bus_off_on_tags(attacked: &mut AttackedStream) {
    for _ in 0..30 {
        attacked.pass(Duration::from_millis(10));
        let [data, _] = attacked.message();
        attacked.inject(&data);
    }
}

/// Forgeries without a pause.
fn flood(attacked: &mut AttackedStream) {
    for counter in 0..2_000 {
        attacked.pass(Duration::from_micros(500));
        attacked.inject(&attacked.forged_data(counter));
        attacked.inject(&attacked.forged_tag(counter));
    }
}

/// The attacker has a key, of another group, and the stream's identifier.
fn another_groups_key(attacked: &mut AttackedStream) {
    let mut other = Sender::new(attacked.protocol, [0xA5; 16], 0);
    for _ in 0..20 {
        for frame in other.send(&[0xEE; 8]) {
            attacked.inject(&frame);
        }
    }
}

/// A node that has the same key for another stream sends that stream's message under this stream's
/// identifier.
fn another_stream(attacked: &mut AttackedStream) {
    let mut other = Sender::of(attacked.protocol, STREAM + 2, SECRET, 0);
    for counter in 0..20 {
        let [data, tag] = other.send(&[0xEE; 8]);
        attacked.inject(&Frame::classic(attacked.data_id(counter + 1), data.data()).unwrap());
        attacked.inject(&Frame::classic(attacked.tag_id(counter + 1), tag.data()).unwrap());
    }
}

/// The receiver is reset and everything from before is played to it.
fn rollback_of_a_receiver(attacked: &mut AttackedStream) {
    attacked.receiver = Receiver::new(attacked.protocol, SECRET, 2);
    for frame in attacked.recorded.clone() {
        attacked.inject(&frame);
    }
}

/// Both are reset, the sender with the epoch it retained, and everything is played.
fn rollback_of_both(attacked: &mut AttackedStream) {
    attacked.sender = Sender::new(attacked.protocol, SECRET, 1);
    rollback_of_a_receiver(attacked);
}

/// Questions without a pause, under many names.
fn flood_of_questions(attacked: &mut AttackedStream) {
    for count in 0..2_000u16 {
        attacked.pass(Duration::from_micros(500));
        let data = [STREAM as u8, 0, 0, 0, 0, 0, count as u8, (count >> 8) as u8];
        let frame = Frame::classic(leia_id(ASKS, 2, count), &data).unwrap();
        for answer in attacked.sender.receive(attacked.now, &frame) {
            attacked.inject(&answer);
        }
    }
}

/// A payload that ends in zeros, cut short: what is filled up with zeros looks the same.
fn shortened(attacked: &mut AttackedStream) {
    let [data, tag] = attacked.message();
    let counter = match data.id() {
        Id::Extended(id) => id.raw() as u16,
        Id::Standard(_) => 0,
    };
    let short = Frame::classic(attacked.data_id(counter), &data.data()[..4]).unwrap();
    attacked.inject(&short);
    attacked.inject(&tag);
}

/// The attack, and what it comes to: vatiCAN and LeiA as published, then hardened.
const MATRIX: [(&str, Attack, [Verdict; 4]); 17] = [
    ("spoof", spoof, [Refused, Refused, Refused, Refused]),
    ("replay", replay, [Refused, Refused, Refused, Refused]),
    (
        "reorder",
        reorder,
        [Refused, Availability, Availability, Availability],
    ),
    (
        "counter jump",
        counter_jump,
        [SilencedForGood, Deceived, Availability, Availability],
    ),
    (
        "epoch jump",
        epoch_jump,
        [Refused, SilencedForGood, Refused, Refused],
    ),
    (
        "nonce jump",
        nonce_jump,
        [SilencedForGood, Refused, Refused, Refused],
    ),
    (
        "nonce rollback",
        nonce_rollback,
        [Deceived, Refused, Refused, Refused],
    ),
    (
        "injected data",
        injected_data,
        [SilencedForGood, Availability, Refused, Refused],
    ),
    (
        "bare tag",
        bare_tag,
        [SilencedForGood, Availability, Refused, Refused],
    ),
    (
        "bus-off on tags",
        bus_off_on_tags,
        [SilencedForGood, Availability, Availability, Availability],
    ),
    ("flood", flood, [Refused, Refused, Refused, Refused]),
    (
        "key of another group",
        another_groups_key,
        [Refused, Refused, Refused, Refused],
    ),
    (
        "another stream's tags",
        another_stream,
        [Refused, Refused, Refused, Refused],
    ),
    (
        "rollback of a receiver",
        rollback_of_a_receiver,
        [Deceived, Deceived, Refused, Refused],
    ),
    (
        "rollback of both",
        rollback_of_both,
        [Deceived, Deceived, Refused, Refused],
    ),
    (
        "flood of questions",
        flood_of_questions,
        [Refused, Refused, Refused, Refused],
    ),
    (
        "shortened payload",
        shortened,
        [Deceived, Deceived, Availability, Availability],
    ),
];

#[test]
fn the_matrix_holds() {
    let mut wrong = 0;
    for (name, attack, expected) in MATRIX {
        for (protocol, expected) in Protocol::ALL.into_iter().zip(expected) {
            let mut attacked = AttackedStream::new(protocol);
            attacked.send(6);
            attack(&mut attacked);
            let verdict = attacked.verdict();
            println!("{name:24} {protocol:?}: {verdict:?}");
            if verdict != expected {
                println!("    expected {expected:?}");
                wrong += 1;
            }
            assert!(
                protocol.is_published() || matches!(verdict, Refused | Availability),
                "{name} against {protocol:?}: {verdict:?}"
            );
        }
    }
    assert_eq!(wrong, 0, "cells that are not as expected");
}
