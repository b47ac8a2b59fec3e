//! What contradicts itself, what waits for what, and how far things may go.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use waywarden_can::{Frame, Id};
use waywarden_can_auth::event::Event;
use waywarden_can_auth::keyring::Keyring;
use waywarden_can_auth::mac::{AesCmac, Key};
use waywarden_can_auth::secoc::{
    Carrier, Epoch, Freshness, FreshnessMaster, Horizon, Layout, Profile, ProfileError,
    ProtectError, RESERVE, Receiver, Sender, Stream, StreamError, Synchronisation,
    SynchronisationError, TripsExhaustedError,
};
use waywarden_can_auth::vault::{KeyId, Usage};
use waywarden_work::{Duration, Instant, Meter};

use super::car::{CYCLE, Codes, Ecu, Kind, MasterEcu, STREAM, standard};

const SECRET: [u8; 16] = [0x11; 16];
const KEY: KeyId = KeyId(1);

#[test]
fn every_contradiction_has_its_error() {
    let sync = Freshness::synchronised;
    let cases = [
        (
            sync(24, 20, 20, 1),
            4,
            28,
            1,
            ProfileError::FreshnessTooLong(65),
        ),
        (sync(25, 20, 8, 2), 4, 28, 1, ProfileError::EpochTooLong),
        (sync(0, 20, 8, 2), 4, 28, 1, ProfileError::HalfAnEpoch),
        (sync(16, 20, 0, 2), 2, 28, 1, ProfileError::NoMessageCounter),
        (sync(16, 20, 8, 3), 4, 28, 1, ProfileError::FlagTooLong(3)),
        (sync(16, 1, 8, 2), 4, 28, 1, ProfileError::FlagTooLong(2)),
        (
            sync(16, 20, 8, 2),
            11,
            28,
            1,
            ProfileError::TruncatedTooLong(11),
        ),
        (
            sync(16, 20, 8, 2),
            1,
            28,
            1,
            ProfileError::TruncatedWithinFlag(1),
        ),
        (sync(16, 20, 8, 2), 4, 23, 1, ProfileError::MacTooShort(23)),
        (sync(16, 20, 8, 2), 4, 129, 1, ProfileError::MacTooLong(129)),
        (sync(16, 20, 8, 2), 4, 28, 0, ProfileError::Attempts(0)),
        (sync(16, 20, 8, 2), 4, 28, 9, ProfileError::Attempts(9)),
        (
            Freshness::counter(64),
            5,
            24,
            1,
            ProfileError::WindowTooSmall(32),
        ),
    ];
    for (freshness, truncated, mac, attempts, error) in cases {
        let profile = Profile::new(freshness, truncated, mac, attempts);
        assert_eq!(profile, Err(error), "{error}");
    }
    let stream = |layout| Stream::new(Profile::PRODUCTION, layout, standard(1), KEY).err();
    let classic = |length| Layout::fixed(Carrier::Classic, length);
    let (shortest, longest) = (3, 2);
    let lengths = StreamError::Lengths { shortest, longest };
    assert_eq!(
        stream(Layout::between(Carrier::Classic, 3, 2)),
        Some(lengths)
    );
    assert_eq!(stream(classic(5)), Some(StreamError::TooLong(9)));
    assert_eq!(
        stream(Layout::fixed(Carrier::Fd, 61)),
        Some(StreamError::TooLong(65))
    );
    for (offset, length) in [(0, 0), (0, 5), (4, 1), (255, 255)] {
        let error = StreamError::SecuredArea { offset, length };
        assert_eq!(
            stream(classic(4).secured(offset, length)),
            Some(error),
            "{error}"
        );
    }
    let announced = |profile: &Profile, mac| {
        Synchronisation::new(profile, Carrier::Classic, standard(1), mac, KEY).err()
    };
    let error = SynchronisationError::Unsynchronised;
    assert_eq!(announced(&Profile::AUTOSAR_1, 28), Some(error), "{error}");
    let error = SynchronisationError::Mac(ProfileError::MacTooShort(8));
    assert_eq!(announced(&Profile::JASPAR, 8), Some(error), "{error}");
    let error = SynchronisationError::TooLong(9);
    assert_eq!(announced(&Profile::JASPAR, 29), Some(error), "{error}");
}

#[test]
fn frames_may_have_29_bits_and_the_code_is_the_same() {
    let long = Id::extended(0x09FD_0269).unwrap();
    let layout = Layout::fixed(Carrier::Fd, 8);
    let short = Stream::new(Profile::AUTOSAR_2_AS_PUBLISHED, layout, standard(1), KEY).unwrap();
    let stream = short.with_frame_id(long);
    assert_eq!((stream.frame_id(), stream.id()), (long, standard(1)));
    let mut ring = Keyring::<AesCmac, 1>::new();
    ring.insert(KEY, Usage::Both, &Key::from_bytes(SECRET))
        .unwrap();
    let mut protect = |stream| {
        let mut sender = Sender::new(stream, 0);
        let (payload, horizon) = (&[7; 8], &Horizon::UNSYNCHRONISED);
        sender
            .protect(payload, horizon, &mut ring, &mut Meter::new())
            .unwrap()
    };
    let (one, other) = (protect(stream), protect(short));
    assert_eq!((one.id(), one.data()), (long, other.data()));
    let mut receiver = Receiver::new(stream, 0);
    assert!(receiver.knows(&one) && !receiver.knows(&other));
    let mut accept = |frame| {
        let horizon = &Horizon::UNSYNCHRONISED;
        receiver
            .accept(frame, horizon, &mut ring, &mut Meter::new())
            .unwrap()
    };
    assert!(matches!(accept(&one), Some(Event::Authentic { stream, .. }) if stream == standard(1)));
    assert_eq!(accept(&other), None);
}

/// A pair in a car, and its master.
struct Pair {
    kind: Kind,
    master: Option<MasterEcu>,
    sender: Ecu<Sender>,
    receiver: Ecu<Receiver>,
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
            self.sender.hear(&frame);
        }
        if to_receiver {
            self.receiver.hear(&frame);
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
        matches!(event, Some(Event::Authentic { .. }))
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
                (false, _) => Event::BadTag(standard(STREAM)),
                (true, Kind::Counter) => Event::Desync(standard(STREAM)),
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
fn nothing_goes_on_before_it_is_retained() {
    let kind = Kind::Production;
    let codes = Codes::default();
    let mut master = MasterEcu::new(kind, SECRET, &codes).unwrap();
    assert_eq!(
        master.outgoing(Instant::ZERO),
        None,
        "the trip is not retained"
    );
    master.write();
    master.written();
    let first = master.outgoing(Instant::ZERO).unwrap();
    let mut sender = Ecu::<Sender>::new(kind, STREAM, SECRET, &codes, 0);
    let mut receiver = Ecu::<Receiver>::new(kind, STREAM, SECRET, &codes, 0);
    assert_eq!(sender.send(&[0; 4]), Err(ProtectError::Unsynchronised));
    for ecu in [sender.hear(&first), receiver.hear(&first)] {
        assert!(matches!(ecu, Some(Event::Resynced(_))));
    }
    assert_eq!(sender.send(&[0; 4]), Err(ProtectError::Unsynchronised));
    sender.write();
    sender.written();
    let message = sender.send(&[0; 4]).unwrap();
    let desync = Some(Event::Desync(standard(STREAM)));
    assert_eq!(receiver.take(&message), (desync, 0));
    receiver.write();
    receiver.written();
    assert!(matches!(
        receiver.take(&message).0,
        Some(Event::Authentic { .. })
    ));
    // The next epoch begins once it is retained; until then the one before goes on.
    let second = master.outgoing(Instant::ZERO + CYCLE).unwrap();
    sender.hear(&second);
    let message = sender.send(&[0; 4]).unwrap();
    assert!(matches!(
        receiver.take(&message).0,
        Some(Event::Authentic { .. })
    ));
    receiver.hear(&second);
    assert!(matches!(receiver.hear(&second), Some(Event::Replay(_))));
    assert!(matches!(receiver.hear(&first), Some(Event::Replay(_))));
    // An ECU that was reset hears what it knew already, and stays silent.
    receiver.write();
    receiver.reset(kind, STREAM, 0);
    assert!(matches!(receiver.hear(&second), Some(Event::Replay(_))));
    assert_eq!(receiver.take(&message).0, desync);
}

#[test]
fn a_counter_uses_no_more_than_is_retained() {
    let stream = Kind::Counter.stream(STREAM);
    let codes = Codes::default();
    let mut ecu = Ecu::<Sender>::new(Kind::Counter, STREAM, SECRET, &codes, 0);
    assert_eq!(ecu.role.to_retain(), Some(RESERVE));
    assert_eq!(ecu.send(&[0; 4]), Err(ProtectError::Unretained));
    ecu.write();
    ecu.written();
    let sent = (0..100).take_while(|_| ecu.send(&[0; 4]).is_ok()).count();
    assert_eq!(sent as u64, RESERVE);
    assert_eq!(ecu.role.to_retain(), Some(2 * RESERVE));
    let sender = Sender::new(stream, u64::MAX - 1);
    assert_eq!(sender.to_retain(), Some(u64::MAX));
    ecu.role = sender;
    ecu.role.retained(u64::MAX);
    assert!(ecu.send(&[0; 4]).is_ok(), "the last of all");
    assert_eq!(ecu.send(&[0; 4]), Err(ProtectError::Exhausted));
}

#[test]
fn counters_at_their_end_stay_there() {
    let mut pair = Pair::new(Kind::Production, 1);
    for _ in 0..256 {
        let frame = pair.send();
        assert!(pair.is_taken(&frame));
    }
    let payload = pair.kind.payload(7);
    assert_eq!(pair.sender.send(&payload), Err(ProtectError::Exhausted));
    pair.announce(true, true);
    let frame = pair.send();
    assert!(pair.is_taken(&frame), "a new epoch");

    let profile = Profile::new(Freshness::synchronised(2, 2, 8, 2), 4, 28, 1).unwrap();
    let sync = Synchronisation::new(&profile, Carrier::Classic, standard(1), 28, KEY).unwrap();
    let full = FreshnessMaster::new(sync, Some(3), CYCLE).err();
    assert_eq!(full, Some(TripsExhaustedError));
    let mut master = FreshnessMaster::new(sync, Some(1), Duration::ZERO).unwrap();
    let mut announced = Vec::new();
    let mut ring = Keyring::<AesCmac, 1>::new();
    ring.insert(KEY, Usage::Protect, &Key::from_bytes(SECRET))
        .unwrap();
    for _ in 0..40 {
        if let Some(trip) = master.to_retain() {
            master.retained(trip);
        }
        let mut meter = Meter::new();
        let frame = master
            .outgoing(Instant::ZERO, &mut ring, &mut meter)
            .unwrap();
        announced.extend(frame.map(|frame| frame.data()[0] >> 4));
    }
    // Trip 2 with resets 1 to 3, then trip 3: two bits each.
    assert_eq!(announced, [0b1001, 0b1010, 0b1011, 0b1101, 0b1110, 0b1111]);
    assert_eq!(master.wish(), None);
}

#[test]
fn outside_the_secured_area_anybody_may_write() {
    let mut pair = Pair::new(Kind::Fd, 1);
    let frame = pair.send();
    let mut data = frame.data().to_vec();
    data[..6].fill(0x99);
    let (event, _) = pair.receiver.take(&Frame::fd(frame.id(), &data).unwrap());
    match event {
        Some(Event::Authentic { payload, .. }) => assert_eq!(payload.as_bytes(), &data[..10]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lengths_may_vary_where_the_frame_tells_them() {
    for (carrier, lengths) in [
        (Carrier::Classic, vec![0, 1, 2, 3, 4]),
        (Carrier::Fd, vec![0, 1, 2, 3, 4, 8, 12, 16, 20, 28, 44, 60]),
    ] {
        let mut pair = Pair::new(Kind::Counter, 0);
        let longest = if carrier == Carrier::Fd { 60 } else { 4 };
        let layout = Layout::between(carrier, 0, longest);
        let stream = Stream::new(Profile::AUTOSAR_1, layout, standard(STREAM), KEY).unwrap();
        (pair.sender.role, pair.receiver.role) = (Sender::new(stream, 0), Receiver::new(stream, 0));
        for length in 0..=64 {
            pair.retain();
            let payload = vec![length as u8; length];
            let sent = pair.sender.send(&payload);
            if !lengths.contains(&length) {
                assert_eq!(sent, Err(ProtectError::Length(length)));
                continue;
            }
            match pair.receiver.take(&sent.unwrap()).0 {
                Some(Event::Authentic { payload: came, .. }) => {
                    assert_eq!(came.as_bytes(), payload);
                }
                other => panic!("{length} bytes: {other:?}"),
            }
        }
    }
}

#[test]
fn the_masters_own_ecu_is_in_the_same_epoch() {
    let kind = Kind::Jaspar;
    let sync = kind.synchronisation().unwrap();
    let master = FreshnessMaster::new(sync, Some(4), CYCLE).unwrap();
    assert_eq!(master.to_retain(), Some(5));
    assert_ne!(master.horizon(), Horizon::UNSYNCHRONISED);
    assert!(Epoch { trip: 1, reset: 9 } < Epoch { trip: 2, reset: 1 });
}
