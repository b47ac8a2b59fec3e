//! The attack matrix: each attack against each protocol, with an attacker who has the bus and what
//! an expelled member once had, but not the key. What is published falls as it is known to; what is
//! hardened refuses, or loses availability and no more.

use crate::bench::{ASKS, Protocol, Receiver, STREAM, Sender, authentic, id, leia_id};
use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Event;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::leia::{self, Outcome};
use waywarden_can_auth::mac::{AesCmac, Key};
use waywarden_can_auth::paired::{self, Wire};
use waywarden_can_auth::vault::{KeyId, Usage};
use waywarden_work::{Duration, Instant, Meter};

const SECRET: [u8; 16] = [0x5A; 16];

/// What an attack came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The receiver took what its sender did not send, or took it again.
    Deceived,
    /// Nothing false was taken, but no later message either.
    SilencedForGood,
    /// Nothing false was taken; some messages were lost.
    Availability,
    /// Nothing false was taken and nothing lost.
    Refused,
}

use Verdict::{Availability, Deceived, Refused, SilencedForGood};

/// A stream under attack: every message is a number, so that each false one shows.
struct Scene {
    protocol: Protocol,
    sender: Sender,
    receiver: Receiver,
    now: Instant,
    sent: u64,
    taken: Vec<u64>,
    recorded: Vec<Frame>,
    deceived: bool,
}

impl Scene {
    fn new(protocol: Protocol) -> Self {
        let mut scene = Scene {
            protocol,
            sender: Sender::new(protocol, SECRET, 0),
            receiver: Receiver::new(protocol, SECRET, 1),
            now: Instant::ZERO,
            sent: 0,
            taken: Vec::new(),
            recorded: Vec::new(),
            deceived: false,
        };
        scene.pass(Duration::ZERO);
        scene
    }

    /// Time passes; what is due is asked and answered.
    fn pass(&mut self, time: Duration) {
        self.now += time;
        let (_, said) = self.receiver.wake(self.now);
        self.carry_to_sender(said);
        let answers = self.sender.outgoing(self.now);
        self.carry_to_receiver(&answers);
    }

    fn carry_to_sender(&mut self, frames: Vec<Frame>) {
        for frame in frames {
            self.recorded.push(frame);
            let answers = self.sender.hear(self.now, &frame);
            self.carry_to_receiver(&answers);
        }
    }

    fn carry_to_receiver(&mut self, frames: &[Frame]) {
        for frame in frames {
            self.recorded.push(*frame);
            self.inject(frame);
        }
    }

    /// A frame reaches the receiver; the sender hears it too.
    fn inject(&mut self, frame: &Frame) {
        let (event, said) = self.receiver.take(self.now, frame);
        if let Some(payload) = authentic(event) {
            let number = payload.as_bytes().try_into().map(u64::from_le_bytes);
            let number = number.unwrap_or(u64::MAX);
            let is_new = self.taken.last().is_none_or(|last| number > *last);
            self.deceived |= number >= self.sent || !is_new;
            self.taken.push(number);
        }
        self.carry_to_sender(said);
    }

    /// The next message, not yet on its way.
    fn message(&mut self) -> [Frame; 2] {
        let frames = self.sender.send(&self.sent.to_le_bytes());
        self.sent += 1;
        frames
    }

    fn send(&mut self, count: usize) {
        for _ in 0..count {
            self.pass(Duration::from_millis(10));
            let frames = self.message();
            self.carry_to_receiver(&frames);
        }
    }

    /// Everything is quiet again: what became of the stream?
    fn verdict(mut self) -> Verdict {
        self.pass(Duration::from_millis(500));
        let before = self.taken.len();
        self.send(20);
        if self.deceived {
            Deceived
        } else if self.taken.len() == before {
            SilencedForGood
        } else if self.taken.len() as u64 == self.sent {
            Refused
        } else {
            Availability
        }
    }

    fn data_id(&self, counter: u16) -> Id {
        match self.protocol {
            Protocol::VaticanPublished | Protocol::Vatican => id(STREAM).into(),
            Protocol::LeiaPublished | Protocol::Leia => leia_id(STREAM, 0, counter),
        }
    }

    fn tag_id(&self, counter: u16) -> Id {
        match self.protocol {
            Protocol::VaticanPublished | Protocol::Vatican => id(STREAM + 1).into(),
            Protocol::LeiaPublished | Protocol::Leia => leia_id(STREAM + 1, 1, counter),
        }
    }

    fn forged_data(&self, counter: u16) -> Frame {
        Frame::classic(self.data_id(counter), &[0xEE; 8]).unwrap()
    }

    fn forged_tag(&self, counter: u16) -> Frame {
        Frame::classic(self.tag_id(counter), &[counter as u8; 8]).unwrap()
    }
}

type Attack = fn(&mut Scene);

/// Data and a tag made up.
fn spoof(scene: &mut Scene) {
    for counter in [1, 5, 6, 7, 0x7FFF] {
        scene.inject(&scene.forged_data(counter));
        scene.inject(&scene.forged_tag(counter));
    }
}

/// Everything that was ever on the bus, again.
fn replay(scene: &mut Scene) {
    for frame in scene.recorded.clone() {
        scene.inject(&frame);
    }
}

/// A message held back until the next one was taken, then sent after it, more than once.
fn reorder(scene: &mut Scene) {
    let (held, next) = (scene.message(), scene.message());
    for frame in next.iter().chain(&held).chain(&next).chain(&held) {
        scene.inject(frame);
    }
}

/// Messages are swallowed, then the one after them comes, three times over.
fn counter_jump(scene: &mut Scene) {
    for _ in 0..5 {
        scene.message();
    }
    let last = scene.message();
    for frame in [last, last, last].as_flattened() {
        scene.inject(frame);
    }
}

/// An epoch far ahead, with a tag made up.
fn epoch_jump(scene: &mut Scene) {
    let far = 0x00FF_FFFF_FFFF_0000_u64.to_le_bytes();
    scene.inject(&Frame::classic(leia_id(STREAM, 2, 1), &far).unwrap());
    scene.inject(&Frame::classic(leia_id(STREAM + 1, 3, 1), &[7; 8]).unwrap());
}

/// Any node that says so is the nonce generator.
fn nonce_jump(scene: &mut Scene) {
    let generator = id(0x0AA);
    scene.inject(&Frame::classic(generator, &u32::MAX.to_be_bytes()).unwrap());
}

/// The nonce generator says what it said before the first message: then all that was recorded is
/// new.
fn nonce_rollback(scene: &mut Scene) {
    let generator = id(0x0AA);
    scene.inject(&Frame::classic(generator, &0u32.to_be_bytes()).unwrap());
    replay(scene);
}

/// A data frame between the sender's data and its tag.
fn injected_data(scene: &mut Scene) {
    let [data, tag] = scene.message();
    scene.inject(&scene.forged_data(100));
    scene.inject(&data);
    scene.inject(&scene.forged_data(100));
    scene.inject(&tag);
}

/// A tag frame to which there are no data, and one before the sender's own.
fn bare_tag(scene: &mut Scene) {
    scene.inject(&scene.forged_tag(9));
    let [data, tag] = scene.message();
    scene.inject(&data);
    scene.inject(&scene.forged_tag(9));
    scene.inject(&tag);
}

/// The tags' frames are destroyed until the sender is bus-off, for a while.
fn bus_off_on_tags(scene: &mut Scene) {
    for _ in 0..30 {
        scene.pass(Duration::from_millis(10));
        let [data, _] = scene.message();
        scene.inject(&data);
    }
}

/// Forgeries without a pause.
fn flood(scene: &mut Scene) {
    for counter in 0..2_000 {
        scene.pass(Duration::from_micros(500));
        scene.inject(&scene.forged_data(counter));
        scene.inject(&scene.forged_tag(counter));
    }
}

/// The attacker has a key, of another group, and the stream's identifier.
fn another_groups_key(scene: &mut Scene) {
    let mut other = Sender::new(scene.protocol, [0xA5; 16], 0);
    for _ in 0..20 {
        for frame in other.send(&[0xEE; 8]) {
            scene.inject(&frame);
        }
    }
}

/// A node that has the same key for another stream sends that stream's message under this stream's
/// identifier.
fn another_stream(scene: &mut Scene) {
    let mut other = Sender::of(scene.protocol, STREAM + 2, SECRET, 0);
    for counter in 0..20 {
        let [data, tag] = other.send(&[0xEE; 8]);
        scene.inject(&Frame::classic(scene.data_id(counter + 1), data.data()).unwrap());
        scene.inject(&Frame::classic(scene.tag_id(counter + 1), tag.data()).unwrap());
    }
}

/// The receiver is reset and everything from before is played to it.
fn rollback_of_a_receiver(scene: &mut Scene) {
    scene.receiver = Receiver::new(scene.protocol, SECRET, 2);
    for frame in scene.recorded.clone() {
        scene.inject(&frame);
    }
}

/// Both are reset, the sender with the epoch it retained, and everything is played.
fn rollback_of_both(scene: &mut Scene) {
    scene.sender = Sender::new(scene.protocol, SECRET, 1);
    rollback_of_a_receiver(scene);
}

/// Questions without a pause, under many names.
fn flood_of_questions(scene: &mut Scene) {
    for count in 0..2_000u16 {
        scene.pass(Duration::from_micros(500));
        let data = [STREAM as u8, 0, 0, 0, 0, 0, count as u8, (count >> 8) as u8];
        let frame = Frame::classic(leia_id(ASKS, 2, count), &data).unwrap();
        for answer in scene.sender.hear(scene.now, &frame) {
            scene.inject(&answer);
        }
    }
}

/// A payload that ends in zeros, cut short: what is filled up with zeros looks the same.
fn shortened(scene: &mut Scene) {
    let [data, tag] = scene.message();
    let counter = match data.id() {
        Id::Extended(id) => id.raw() as u16,
        Id::Standard(_) => 0,
    };
    let short = Frame::classic(scene.data_id(counter), &data.data()[..4]).unwrap();
    scene.inject(&short);
    scene.inject(&tag);
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
            let mut scene = Scene::new(protocol);
            scene.send(6);
            attack(&mut scene);
            let verdict = scene.verdict();
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

/// The tag of a message in a frame that shows another counter.
#[test]
fn the_counter_of_a_tags_frame_counts() {
    for (protocol, expected) in [(Protocol::LeiaPublished, true), (Protocol::Leia, false)] {
        let mut scene = Scene::new(protocol);
        scene.send(6);
        let [data, tag] = scene.message();
        let (taken, moved) = (scene.taken.len(), scene.tag_id(0x0102));
        scene.inject(&data);
        scene.inject(&Frame::classic(moved, tag.data()).unwrap());
        assert_eq!(scene.taken.len() > taken, expected, "{protocol:?}");
    }
}

/// An AUTH_FAIL about a stream above 0xFF reaches its sender in one byte of two: no sender answers.
/// The question of the hardened protocols has both.
#[test]
fn who_fails_above_0xff_is_never_answered_as_published() {
    let (mut ring, mut meter) = (Keyring::<AesCmac, 4>::new(), Meter::new());
    for key in [KeyId(1), KeyId(3)] {
        ring.insert(key, Usage::Both, &Key::from_bytes(SECRET))
            .unwrap();
    }
    let failures = leia::Connection::of_failures(id(ASKS), KeyId(1), KeyId(2));
    let failures = failures.begin(&mut ring, &mut meter).unwrap();
    let stream = leia::Connection::new(id(0x280), KeyId(3), KeyId(4)).unwrap();
    let mut sender = leia::Sender::new(stream.begin(&mut ring, &mut meter).unwrap());
    let mut hears = leia::Receiver::new([failures], None);
    let said = leia::Sender::new(failures)
        .fail(0x280, &mut ring, &mut meter)
        .unwrap();
    let mut heard = said.map(|frame| hears.accept(&frame, &mut ring, &mut meter).unwrap().0);
    assert_eq!(heard[1].take(), Some(Outcome::Failed(0x80)));
    assert_eq!(sender.answer(0x80, &mut ring, &mut meter), Ok(None));

    let connection = paired::Connection::new(Wire::Leia, id(0x280), KeyId(3)).unwrap();
    let mut receiver = paired::Receiver::new(connection, id(ASKS), &[1; 16]);
    let question = receiver
        .outgoing(Instant::ZERO)
        .expect("it asks as it starts");
    assert!(paired::Sender::new(connection, 0).hear(&question));
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
        assert_eq!(event, Some(Event::Desync(id(STREAM))));
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
                assert_eq!(event, Some(Event::Desync(id(STREAM))));
            }
            for _ in 0..unanswered {
                let [data, _] = sender.send(&[9]);
                receiver.take(Instant::ZERO, &data);
            }
            let (missing, _) = receiver.wake(Instant::ZERO + paired::TAG_WITHIN);
            let expected = vec![Event::Missing(id(STREAM)); unanswered];
            assert_eq!(missing, expected, "{unanswered} data frames without a tag");
        }
    }
}
