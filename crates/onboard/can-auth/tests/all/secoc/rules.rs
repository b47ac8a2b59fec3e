//! Rules of SecOC: contradictory settings, retention before use, and limits.

mod layouts;
mod retained;

use waywarden_can::Frame;
use waywarden_can_auth::event::FrameOutcome;
use waywarden_can_auth::key_store::KeyId;
use waywarden_can_auth::secoc::{
    Epoch, FreshnessMaster, FreshnessState, SecocReceiver, SecocSender,
};
use waywarden_work::Instant;

use super::car::{CYCLE, Codes, Ecu, Kind, MasterEcu, STREAM, standard};

const SECRET: [u8; 16] = [0x11; 16];

const KEY: KeyId = KeyId(1);

/// A pair in a car, and its master.
struct Pair {
    kind: Kind,
    master: Option<MasterEcu>,
    sender: Ecu<SecocSender>,
    receiver: Ecu<SecocReceiver>,
    now: Instant,
}

impl Pair {
    fn new(kind: Kind, ahead: u32) -> Self {
        let codes = Codes::default();
        let mut pair = Pair {
            kind,
            master: MasterEcu::new(kind, SECRET, &codes),
            sender: Ecu::new(kind, STREAM, SECRET, &codes, ahead),
            receiver: Ecu::new(kind, STREAM, SECRET, &codes, ahead),
            now: Instant::ZERO,
        };
        pair.announce(true, true);
        pair
    }

    /// The next announcement, which one or the other may miss.
    fn announce(&mut self, to_sender: bool, to_receiver: bool) {
        let Some(master) = &mut self.master else {
            return self.retain();
        };
        master.write();
        master.written();
        self.now += CYCLE;
        let frame = master.outgoing(self.now).unwrap();
        if to_sender {
            self.sender.receive(&frame);
        }
        if to_receiver {
            self.receiver.receive(&frame);
        }
        self.retain();
    }

    fn retain(&mut self) {
        self.sender.write();
        self.sender.written();
        self.receiver.write();
        self.receiver.written();
    }

    fn send(&mut self) -> Frame {
        let frame = self.sender.send(&self.kind.payload(7)).unwrap();
        self.sender.write();
        self.sender.written();
        frame
    }

    fn is_taken(&mut self, frame: &Frame) -> bool {
        let event = self.receiver.take(frame).0;
        self.receiver.write();
        self.receiver.written();
        matches!(event, Some(FrameOutcome::Authentic { .. }))
    }
}

#[test]
fn so_many_lost_messages_in_a_row_are_borne_and_no_more() {
    for (kind, borne) in [
        (Kind::Counter, 511),
        (Kind::Implicit, 7),
        (Kind::Jaspar, 15),
    ] {
        for lost in [borne, borne + 1] {
            let mut pair = Pair::new(kind, 1);
            let first = pair.send();
            assert!(pair.is_taken(&first));
            for _ in 0..lost {
                pair.send();
            }
            let next = pair.send();
            let (event, codes) = pair.receiver.take(&next);
            assert_eq!(codes, usize::from(kind.profile().attempts()), "{kind:?}");
            // Above what is retained a counter's message is lost too, but shows where it stands.
            let expected = match (lost == borne, kind) {
                (false, _) => FrameOutcome::WrongTag(standard(STREAM)),
                (true, Kind::Counter) => FrameOutcome::OutOfStep(standard(STREAM)),
                (true, _) => continue,
            };
            assert_eq!(event, Some(expected), "{kind:?} after {lost}");
        }
    }
}

#[test]
fn messages_of_a_sender_that_missed_announcements_are_taken_and_of_one_that_heard_more() {
    for kind in [Kind::Jaspar, Kind::Production, Kind::Fd] {
        let mut pair = Pair::new(kind, 3);
        for (sender, receiver) in [
            (false, true),
            (false, true),
            (true, true),
            (true, false),
            (true, false),
        ] {
            pair.announce(sender, receiver);
            let frame = pair.send();
            assert!(pair.is_taken(&frame), "{kind:?}");
            assert!(!pair.is_taken(&frame), "{kind:?}: twice");
        }
        pair.announce(true, false);
        let frame = pair.send();
        assert!(
            !pair.is_taken(&frame),
            "{kind:?}: three ahead is beyond the flag"
        );
        pair.announce(true, true);
        let frame = pair.send();
        assert!(pair.is_taken(&frame));
    }
}

#[test]
fn without_a_flag_the_epoch_before_goes_on_until_a_message_of_the_new_one() {
    let mut pair = Pair::new(Kind::Implicit, 0);
    let [first, second, third] = [(); 3].map(|()| pair.send());
    assert!(pair.is_taken(&first));
    pair.announce(true, true);
    assert!(pair.is_taken(&second), "under way across an announcement");
    assert!(!pair.is_taken(&second), "twice");
    assert!(!pair.is_taken(&first), "behind a later one");
    let new = pair.send();
    assert!(pair.is_taken(&new));
    assert!(!pair.is_taken(&third), "its epoch is over");
    // Two announcements on an epoch is over, whether or not there was a message since.
    let old = pair.send();
    pair.announce(true, true);
    pair.announce(true, true);
    assert!(!pair.is_taken(&old));
    // So it is to an ECU that was reset since, which took nothing yet.
    let held = pair.send();
    assert!(pair.is_taken(&held));
    pair.receiver.write();
    pair.receiver.reset(Kind::Implicit, STREAM, 0);
    pair.announce(true, true);
    assert!(
        !pair.is_taken(&held),
        "its epoch was in use before the reset"
    );
    let new = pair.send();
    assert!(pair.is_taken(&new));
}

#[test]
fn the_masters_own_ecu_is_in_the_same_epoch() {
    let kind = Kind::Jaspar;
    let sync = kind.synchronisation().unwrap();
    let master = FreshnessMaster::new(sync, Some(4), CYCLE).unwrap();
    assert_eq!(master.to_retain(), Some(5));
    assert_ne!(master.freshness_state(), FreshnessState::UNSYNCHRONISED);
    assert!(Epoch { trip: 1, reset: 9 } < Epoch { trip: 2, reset: 1 });
}
