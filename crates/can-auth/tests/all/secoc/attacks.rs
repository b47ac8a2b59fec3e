//! The attack matrix: each attack against each kind of stream, with an attacker who has the bus and
//! what an expelled member once had, but not the key.

use waywarden_can::Frame;
use waywarden_can_auth::event::Event;
use waywarden_can_auth::secoc::{ATTEMPTS_MAX, PRODUCTION_ID, Receiver, Sender};
use waywarden_testkit::Random;
use waywarden_work::{Duration, Instant};

use super::car::{Codes, Ecu, Kind, MasterEcu, STREAM};

const SECRET: [u8; 16] = [0x5A; 16];

/// What an attack came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// The receiver took what its sender did not send, took it again, or behind a later one.
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
    kind: Kind,
    codes: Codes,
    master: Option<MasterEcu>,
    sender: Ecu<Sender>,
    receiver: Ecu<Receiver>,
    now: Instant,
    sent: u32,
    taken: Vec<u32>,
    recorded: Vec<Frame>,
    deceived: bool,
    /// Announcements are destroyed on the bus.
    is_cut: bool,
    codes_max: usize,
}

impl Scene {
    fn new(kind: Kind) -> Self {
        let codes = Codes::default();
        let mut scene = Scene {
            kind,
            master: MasterEcu::new(kind, SECRET, &codes),
            sender: Ecu::new(kind, STREAM, SECRET, &codes, 1),
            receiver: Ecu::new(kind, STREAM, SECRET, &codes, 1),
            now: Instant::ZERO,
            sent: 0,
            taken: Vec::new(),
            recorded: Vec::new(),
            deceived: false,
            is_cut: false,
            codes,
            codes_max: 0,
        };
        scene.pass(2);
        scene
    }

    /// Milliseconds pass; what is due is announced and retained.
    fn pass(&mut self, milliseconds: u64) {
        for _ in 0..milliseconds {
            self.now += Duration::from_millis(1);
            self.retain();
            let frame = self
                .master
                .as_mut()
                .and_then(|master| master.outgoing(self.now));
            if let Some(frame) = frame.filter(|_| !self.is_cut) {
                self.recorded.push(frame);
                self.inject(&frame);
            }
        }
    }

    fn retain(&mut self) {
        if let Some(master) = &mut self.master {
            master.write();
            master.written();
        }
        self.sender.write();
        self.sender.written();
        self.receiver.write();
        self.receiver.written();
    }

    /// A frame reaches all of them.
    fn inject(&mut self, frame: &Frame) {
        self.sender.hear(frame);
        self.receiver.hear(frame);
        let (event, codes) = self.receiver.take(frame);
        self.codes_max = self.codes_max.max(codes);
        if let Some(Event::Authentic { payload, .. }) = event {
            let number = self.kind.number(&payload);
            let is_new = self.taken.last().is_none_or(|last| number > *last);
            self.deceived |= number >= self.sent || !is_new;
            self.taken.push(number);
        }
        self.retain();
    }

    /// The next message, not yet on its way; none while the sender has no freshness for it.
    fn message(&mut self) -> Option<Frame> {
        let frame = self.sender.send(&self.kind.payload(self.sent)).ok();
        self.sent += 1;
        frame
    }

    fn send(&mut self, count: usize) {
        for _ in 0..count {
            self.pass(10);
            if let Some(frame) = self.message() {
                self.recorded.push(frame);
                self.inject(&frame);
            }
        }
    }

    /// Everything is quiet again: what became of the stream?
    fn verdict(mut self) -> Verdict {
        self.is_cut = false;
        self.pass(200);
        let before = self.taken.len();
        self.send(60);
        assert!(
            self.codes_max <= ATTEMPTS_MAX,
            "{} codes for a frame",
            self.codes_max
        );
        if self.deceived {
            Deceived
        } else if self.taken.len() == before {
            SilencedForGood
        } else if self.taken.len() == self.sent as usize {
            Refused
        } else {
            Availability
        }
    }

    /// What everybody on the bus can make: the right form, numbers of one's choice.
    fn forged(&self, seed: u64) -> Frame {
        let bytes = Random::new(seed).array::<64>();
        match self.kind {
            Kind::Fd => self
                .kind
                .frame(STREAM, &[&bytes[..14], &[0, 0][..]].concat()),
            Kind::Unfresh | Kind::Implicit => self.kind.frame(STREAM, &bytes[..7]),
            Kind::Counter | Kind::Jaspar | Kind::Production => self.kind.frame(STREAM, &bytes[..8]),
        }
    }

    /// A message of another stream or key, under this stream's identifier.
    fn transplanted(&mut self, id: u16, secret: [u8; 16]) {
        let mut other = Ecu::<Sender>::new(self.kind, id, secret, &self.codes, 1);
        let mut master = MasterEcu::new(self.kind, secret, &self.codes);
        for _ in 0..20 {
            let announced = master.as_mut().and_then(|master| {
                master.write();
                master.written();
                master.outgoing(self.now)
            });
            if secret != SECRET {
                announced.iter().for_each(|frame| self.inject(frame));
            }
            for frame in announced.iter().chain(&self.recorded) {
                other.hear(frame);
            }
            other.write();
            other.written();
            if let Ok(frame) = other.send(&self.kind.payload(u32::MAX)) {
                self.inject(&self.kind.frame(STREAM, frame.data()));
            }
        }
    }
}

type Attack = fn(&mut Scene);

/// Frames made up, with each value that can travel.
fn spoof(scene: &mut Scene) {
    (0..256).for_each(|seed| scene.inject(&scene.forged(seed)));
}

/// Everything that was ever on the bus, again.
fn replay(scene: &mut Scene) {
    for frame in scene.recorded.clone() {
        scene.inject(&frame);
    }
}

/// A message held back until the next one was taken, then sent after it, more than once.
fn reorder(scene: &mut Scene) {
    let (held, next) = (scene.message().unwrap(), scene.message().unwrap());
    [next, held, next, held]
        .iter()
        .for_each(|frame| scene.inject(frame));
}

/// Messages are swallowed, then the one after them comes, three times over.
fn counter_jump(scene: &mut Scene) {
    for _ in 0..3 {
        scene.message();
    }
    let last = scene.message().unwrap();
    [last; 3].iter().for_each(|frame| scene.inject(frame));
}

/// So many messages are swallowed that the bits which travel come round.
fn counter_wrap(scene: &mut Scene) {
    let held = scene.message().unwrap();
    for count in 0..600 {
        let frame = scene.message();
        // The sender's counter of messages may be at its end for a while.
        let Some(frame) = frame.filter(|_| count > 0 && count % 4 == 3) else {
            continue;
        };
        scene.inject(&frame);
        scene.inject(&held);
    }
}

/// An announcement far ahead, made up; and one that leads back.
fn forged_announcements(scene: &mut Scene) {
    for counters in [u64::MAX, 0xFFFF_FFFF_FFFF_0000, 0x0001_0000_1000_0000, 0] {
        let data = counters.to_be_bytes();
        scene.inject(&Frame::classic(super::car::standard(PRODUCTION_ID), &data).unwrap());
    }
}

/// Announcements of before, then everything that belonged to them.
fn announcement_rollback(scene: &mut Scene) {
    let (announced, messages): (Vec<Frame>, Vec<Frame>) = scene
        .recorded
        .iter()
        .partition(|frame| frame.id().raw() == u32::from(PRODUCTION_ID));
    for frame in announced.iter().chain(&messages) {
        scene.inject(frame);
    }
}

/// No announcement comes through for half a second; then messages of before are played.
fn announcements_cut(scene: &mut Scene) {
    scene.is_cut = true;
    scene.send(50);
    replay(scene);
}

/// An announcement as a message, a message as an announcement.
fn swapped(scene: &mut Scene) {
    for frame in scene.recorded.clone() {
        let to = if frame.id().raw() == u32::from(STREAM) {
            PRODUCTION_ID
        } else {
            STREAM
        };
        if let Ok(frame) = Frame::classic(super::car::standard(to), frame.data()) {
            scene.inject(&frame);
        }
    }
}

/// Every bit of a message, one at a time; of the FD payload what is not authenticated may change.
fn bit_flips(scene: &mut Scene) {
    let message = scene.message().unwrap();
    let first = if scene.kind == Kind::Fd { 6 * 8 } else { 0 };
    for bit in first..8 * message.data().len() {
        let mut data = message.data().to_vec();
        data[bit / 8] ^= 0x80 >> (bit % 8);
        let before = scene.taken.len();
        scene.inject(&scene.kind.frame(STREAM, &data));
        assert_eq!(scene.taken.len(), before, "{:?}: bit {bit}", scene.kind);
    }
    scene.inject(&message);
}

/// A message with bytes taken away or added, and in frames of another format.
fn another_form(scene: &mut Scene) {
    let message = scene.message().unwrap();
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
                scene.inject(&frame);
            }
        });
    }
    scene.inject(&message);
}

/// Forgeries without a pause.
fn flood(scene: &mut Scene) {
    for seed in 0..2_000 {
        if seed % 2 == 0 {
            scene.pass(1);
        }
        scene.inject(&scene.forged(seed));
        let announced = Random::new(seed).u64().to_be_bytes();
        scene.inject(&Frame::classic(super::car::standard(PRODUCTION_ID), &announced).unwrap());
    }
}

/// The attacker has a key, of another group, and the identifiers.
fn another_groups_key(scene: &mut Scene) {
    scene.transplanted(STREAM, [0xA5; 16]);
}

/// A node that has the same key for another stream sends that stream's message under this stream's
/// identifier.
fn another_stream(scene: &mut Scene) {
    scene.transplanted(STREAM + 2, SECRET);
}

/// The receiver is reset, hears nothing new, and everything from before is played to it.
fn rollback_of_the_receiver(scene: &mut Scene) {
    scene.receiver.reset(scene.kind, STREAM, 1);
    replay(scene);
}

/// The sender is reset and hears old announcements; what it says then is let in with what it said
/// before.
fn rollback_of_the_sender(scene: &mut Scene) {
    let held = scene.message().unwrap();
    scene.sender.reset(scene.kind, STREAM, 1);
    replay(scene);
    if let Some(frame) = scene.message() {
        scene.inject(&frame);
    }
    scene.inject(&held);
}

/// All three are reset.
fn rollback_of_all(scene: &mut Scene) {
    if let Some(master) = &mut scene.master {
        master.reset();
    }
    scene.sender.reset(scene.kind, STREAM, 1);
    rollback_of_the_receiver(scene);
}

/// A message of before is held back, and comes when its epoch is over.
fn held_back(scene: &mut Scene) {
    let held = scene.message().unwrap();
    scene.send(12);
    scene.inject(&held);
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
            let mut scene = Scene::new(kind);
            scene.send(12);
            attack(&mut scene);
            let verdict = scene.verdict();
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
