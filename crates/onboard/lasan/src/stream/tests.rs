//! Protected frames against vectors made elsewhere, and what becomes of keys and counters.

use waywarden_testkit::bytes_of;
use waywarden_work::NoMeter;

use super::*;
use waywarden_testkit::{blocks, flipped};

const VECTORS: &str = include_str!("../../../../../vectors/lasan.txt");

const STREAM: StreamId = StreamId(0x101);
const SENDER: Address = Address(1);
const PORT: Port = Port(0);

fn after(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

fn granted(generation: u32, key: [u8; 32]) -> Granted {
    Granted {
        stream: STREAM,
        sender: SENDER,
        generation,
        expires: Instant::ZERO + Duration::from_millis(1_000),
        overlap: Duration::from_millis(100),
        key: Secret::from_bytes(key),
    }
}

fn clear(payload: &[u8]) -> Frame {
    Frame::fd(Id::standard(0x101).unwrap(), payload).unwrap()
}

fn protected(streams: &mut Streams<'_>, payload: &[u8]) -> Frame {
    streams.send(SENDER, PORT, &clear(payload)).unwrap();
    let (_, frame) = streams.protect(&mut NoMeter).unwrap();
    frame
}

fn open(streams: &mut Streams<'_>, frame: &Frame) -> ProtectedOutcome {
    streams.take(frame);
    streams.open(&mut NoMeter).unwrap()
}

fn is_authentic(received: ProtectedOutcome) -> bool {
    matches!(received, ProtectedOutcome::Authentic { .. })
}

/// A sender and a receiver with the same key.
fn pair() -> [Streams<'static>; 2] {
    [0, 1].map(|_| {
        let mut streams = Streams::new(Storage::boxed(2, || None));
        assert!(streams.hold(Instant::ZERO, granted(1, [7; 32])));
        streams
    })
}

#[test]
fn known_answers_are_met() {
    let mut count = 0;
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "session") {
        let key = bytes_of(fields["stream-key"]).try_into().unwrap();
        let [mut sender, mut receiver] = [0, 1].map(|_| Streams::new(Storage::boxed(2, || None)));
        for streams in [&mut sender, &mut receiver] {
            assert!(streams.hold(Instant::ZERO, granted(0x0001_0001, key)));
        }
        let payload = bytes_of(fields["clear"]);
        let frame = protected(&mut sender, &payload);
        assert_eq!(frame.data(), bytes_of(fields["protected"]));
        let received = open(&mut receiver, &frame);
        let ProtectedOutcome::Authentic {
            stream: STREAM,
            payload: opened,
            length: 5,
        } = received
        else {
            panic!("{received:?}");
        };
        assert_eq!(opened[..5], payload);
        count += 1;
    }
    assert_eq!(count, 2);
}

#[test]
fn frames_of_any_stream_and_length_are_met() {
    let mut count = 0;
    for fields in blocks(VECTORS).filter(|fields| fields["kind"] == "stream") {
        let field = |name: &str| bytes_of(fields[name]);
        let number = |name: &str| u32::from_be_bytes(field(name).try_into().unwrap());
        let stream = StreamId(number("stream"));
        let id = match stream.0 >> 31 {
            0 => Id::standard(stream.0 as u16).unwrap(),
            _ => Id::extended(stream.0 & !(1 << 31)).unwrap(),
        };
        assert_eq!(StreamId::of(id), stream);
        let sender = Address(field("sender")[0]);
        let [mut sends, mut receives] = [0, 1].map(|_| {
            let mut streams = Streams::new(Storage::boxed(2, || None));
            let granted = Granted {
                stream,
                sender,
                ..granted(number("generation"), field("key").try_into().unwrap())
            };
            assert!(streams.hold(Instant::ZERO, granted));
            streams.of_mut(stream).unwrap().current.counter = number("counter") - 1;
            streams
        });
        let clear = Frame::fd(id, &field("clear")).unwrap();
        sends.send(sender, PORT, &clear).unwrap();
        let (_, frame) = sends.protect(&mut NoMeter).unwrap();
        assert_eq!(frame.data(), field("protected"));
        let mut padded = field("clear");
        padded.resize(frame.data().len() - PROTECTION_LENGTH, 0);
        let ProtectedOutcome::Authentic {
            payload, length, ..
        } = open(&mut receives, &frame)
        else {
            panic!("not authentic: {fields:?}");
        };
        assert_eq!(payload[..length], padded);
        assert_eq!(payload[length..], [0; 64][length..]);
        count += 1;
    }
    assert_eq!(count, 4);
}

/// Frames that are cut, changed, of another sender or under another stream's identifier.
#[test]
fn what_is_cut_changed_or_of_another_is_refused() {
    let [mut sender, mut receiver] = pair();
    let genuine = protected(&mut sender, &[1, 2, 3, 4, 5]);
    for bit in 0..8 * genuine.data().len() {
        let changed = clear(&flipped(genuine.data(), bit));
        let expected = match bit / 8 {
            0 => ProtectedOutcome::UnknownKey(STREAM),
            // A counter that is further ahead than half of its bits can say seems to be behind.
            1 if bit % 8 == 7 => ProtectedOutcome::Replay(STREAM),
            2 if bit % 8 == 0 => ProtectedOutcome::Replay(STREAM),
            _ => ProtectedOutcome::WrongTag(STREAM),
        };
        assert_eq!(open(&mut receiver, &changed), expected, "bit {bit}");
    }
    for &length in FD_LENGTHS.iter().filter(|&&length| length < 16) {
        let cut = clear(&genuine.data()[..usize::from(length)]);
        assert!(!is_authentic(open(&mut receiver, &cut)), "{length} bytes");
    }
    let mut other = Streams::new(Storage::boxed(2, || None));
    let another = Granted {
        sender: Address(2),
        ..granted(1, [7; 32])
    };
    assert!(other.hold(Instant::ZERO, another));
    assert_eq!(
        open(&mut other, &genuine),
        ProtectedOutcome::WrongTag(STREAM)
    );
    let elsewhere = Granted {
        stream: StreamId(0x102),
        ..granted(1, [7; 32])
    };
    assert!(receiver.hold(Instant::ZERO, elsewhere));
    let moved = Frame::fd(Id::standard(0x102).unwrap(), genuine.data()).unwrap();
    assert_eq!(
        open(&mut receiver, &moved),
        ProtectedOutcome::WrongTag(StreamId(0x102))
    );
    assert!(
        is_authentic(open(&mut receiver, &genuine)),
        "nothing of that did harm"
    );
}

/// The counter is known from its low 16 bits as long as fewer than 2^15 frames are missed.
#[test]
fn counters_go_on_beyond_sixteen_bits() {
    for (from, missed, found) in [
        (0_u32, 1_u32, true),
        (0, 0x7FFF, true),
        (0, 0x8000, false),
        (0xFFFF, 1, true),
        (0x1_FFF0, 0x20, true),
        (u32::MAX - 1, 1, true),
    ] {
        let [mut sender, mut receiver] = pair();
        sender.of_mut(STREAM).unwrap().current.counter = from + missed - 1;
        receiver.of_mut(STREAM).unwrap().current.counter = from;
        let frame = protected(&mut sender, &[1]);
        let received = open(&mut receiver, &frame);
        assert_eq!(is_authentic(received), found, "{from} and {missed}");
    }
}

#[test]
fn no_counter_is_used_twice() {
    let [mut sender, _] = pair();
    sender.of_mut(STREAM).unwrap().current.counter = u32::MAX;
    sender.send(SENDER, PORT, &clear(&[1])).unwrap();
    assert!(sender.protect(&mut NoMeter).is_none());
}

/// A key that is granted again does not begin again; one of a generation before is not taken back.
#[test]
fn keys_do_not_go_back() {
    let [mut sender, mut receiver] = pair();
    let first = protected(&mut sender, &[1]);
    assert!(is_authentic(open(&mut receiver, &first)));
    assert!(receiver.hold(after(1), granted(1, [7; 32])));
    assert_eq!(
        open(&mut receiver, &first),
        ProtectedOutcome::Replay(STREAM)
    );
    assert!(receiver.hold(after(1), granted(2, [8; 32])));
    assert!(receiver.hold(after(1), granted(1, [7; 32])));
    let (generation, _, key) = receiver.key(STREAM).unwrap();
    assert_eq!((generation, *key.as_bytes()), (2, [8; 32]));
}

#[test]
fn the_key_before_has_its_time() {
    let [mut sender, mut receiver] = pair();
    let [one, two, three] = [1, 2, 3].map(|at| protected(&mut sender, &[at]));
    assert!(receiver.hold(after(10), granted(2, [8; 32])));
    assert_eq!(receiver.expire(after(109)), None);
    assert!(is_authentic(open(&mut receiver, &one)));
    assert_eq!(receiver.expire(after(110)), None);
    assert_eq!(
        open(&mut receiver, &two),
        ProtectedOutcome::UnknownKey(STREAM)
    );
    // Or less, when something has come under the new one.
    assert!(receiver.hold(after(200), granted(3, [9; 32])));
    for at in [2, 3] {
        assert!(sender.hold(after(200), granted(at, [6 + at as u8; 32])));
        let frame = protected(&mut sender, &[at as u8]);
        assert!(is_authentic(open(&mut receiver, &frame)));
    }
    let held = receiver.of_mut(STREAM).unwrap();
    assert!(held.previous.is_none());
    assert_eq!(
        open(&mut receiver, &three),
        ProtectedOutcome::UnknownKey(STREAM)
    );
}

#[test]
fn keys_expire() {
    let [mut sender, _] = pair();
    assert_eq!(sender.next_expiry(), Some(after(1_000)));
    assert_eq!(sender.expire(after(999)), None);
    assert_eq!(sender.expire(after(1_000)), Some(STREAM));
    assert_eq!(sender.expire(after(1_000)), None);
    let refused = sender.send(SENDER, PORT, &clear(&[1]));
    assert_eq!(refused, Err(StreamProtectError::NoKey));
}

#[test]
fn room_is_bounded() {
    let mut streams = Streams::new(Storage::boxed(2, || None));
    for (stream, fits) in [(1, true), (2, true), (3, false)] {
        let stream = StreamId(stream);
        let other = Granted {
            stream,
            ..granted(1, [7; 32])
        };
        assert_eq!(streams.hold(Instant::ZERO, other), fits);
    }
    assert!(streams.forget(StreamId(1)) && !streams.forget(StreamId(1)));
    assert!(streams.hold(Instant::ZERO, granted(1, [7; 32])));
    for _ in 0..10 {
        streams.take(&clear(&[0; 16]));
    }
    assert_eq!(streams.lost(), 10 - RECEIVED_MAX as u32);
}

/// Bytes of any kind and length come to an answer, and to no payload.
#[test]
fn hostile_frames_are_refused() {
    let mut entropy = waywarden_key_suites::Entropy::new(waywarden_testkit::seeded_bytes(
        "hostile stream frames",
    ));
    let [_, mut receiver] = pair();
    for _ in 0..waywarden_testkit::cases(200) {
        for length in FD_LENGTHS.map(usize::from) {
            let mut data = [0; 64];
            for chunk in data.chunks_mut(32) {
                chunk.copy_from_slice(entropy.draw().as_bytes());
            }
            // Of the generation in use, and ahead.
            (data[0], data[1]) = (1, data[1] & 0x3F);
            assert!(!is_authentic(open(&mut receiver, &clear(&data[..length]))));
        }
    }
}
