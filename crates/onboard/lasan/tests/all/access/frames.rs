//! Protected frames of a stream: modified, replayed, and under an earlier key.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_lasan::{
    Address, LasanHeader, LasanKind, LasanProfile, PROTECTION_LENGTH, ProtectedOutcome,
    StreamProtectError,
};
use waywarden_work::Duration;

use super::{PROFILES, Suite, authorized, network_config};
use crate::lab::Lab;
use crate::network::{identity, stream_of};

/// A frame of a stream in clear.
pub(super) fn clear(sender: u8, payload: &[u8]) -> Frame {
    let id = Id::standard(0x100 + u16::from(sender)).unwrap();
    Frame::fd(id, payload).unwrap()
}

/// Has an ECU send a payload, and returns the protected frame; no ECU receives it yet.
fn protected(lab: &mut Lab<Suite>, sender: u8, payload: &[u8]) -> Frame {
    let frame = clear(sender, payload);
    let role = lab.ecus[usize::from(sender) - 1].clone();
    role.borrow_mut().send(Port(0), &frame).unwrap();
    let again = role.borrow_mut().send(Port(0), &frame);
    assert_eq!(again, Err(StreamProtectError::Busy));
    let (mark, route) = (lab.heard.len(), lab.route.take());
    let places = lab.known.parties.len();
    lab.route = Some(Box::new(move |from, frame| {
        // Streams are cut, and everything else is not.
        let others = (0..places).filter(|&to| to != from && LasanHeader::of(frame).is_some());
        others.map(|to| (to, *frame)).collect()
    }));
    lab.run(1);
    lab.route = route;
    let mut sent = lab.heard[mark..].iter();
    let (_, sent) = sent.find(|(_, sent)| sent.id() == frame.id()).unwrap();
    *sent
}

fn receive(lab: &mut Lab<Suite>, receiver: u8, frame: &Frame) -> ProtectedOutcome {
    lab.deliver(usize::from(receiver), frame);
    let received = lab.ecus[usize::from(receiver) - 1].borrow_mut().received();
    received.expect("something comes of every frame")
}

fn is_authentic(received: ProtectedOutcome, expected: &[u8]) -> bool {
    matches!(received, ProtectedOutcome::Authentic { payload, length, .. }
        if payload[..length].starts_with(expected)
            && payload[expected.len()..].iter().all(|&byte| byte == 0))
}

#[test]
fn stream_data_of_every_length_arrive_once() {
    for profile in PROFILES {
        let mut lab = authorized(&network_config(profile, 2));
        for length in FD_LENGTHS.map(usize::from) {
            let payload: Vec<u8> = (0..length).map(|at| at as u8 | 0x80).collect();
            if length + PROTECTION_LENGTH > 64 {
                let frame = clear(1, &payload);
                let refused = lab.ecus[0].borrow_mut().send(Port(0), &frame);
                assert_eq!(refused, Err(StreamProtectError::TooLong), "{length}");
                continue;
            }
            let frame = protected(&mut lab, 1, &payload);
            assert!(frame.data().len() >= length + PROTECTION_LENGTH);
            let in_clear = frame
                .data()
                .windows(length.max(4))
                .any(|part| part == payload);
            assert!(!in_clear, "{length}");
            assert!(is_authentic(receive(&mut lab, 2, &frame), &payload));
            let again = receive(&mut lab, 2, &frame);
            assert_eq!(again, ProtectedOutcome::Replay(stream_of(1)), "{length}");
        }
        let classic = Frame::classic(Id::standard(0x101).unwrap(), &[1]).unwrap();
        let refused = lab.ecus[0].borrow_mut().send(Port(0), &classic);
        assert_eq!(refused, Err(StreamProtectError::TooLong));
        let other = lab.ecus[0].borrow_mut().send(Port(0), &clear(2, &[1]));
        assert_eq!(other, Err(StreamProtectError::NotSender));
        let unknown = lab.ecus[0].borrow_mut().send(Port(0), &clear(9, &[1]));
        assert_eq!(unknown, Err(StreamProtectError::NoKey));
    }
}

#[test]
fn changed_frames_are_refused() {
    let mut lab = authorized(&network_config(LasanProfile::Hardened, 2));
    let payload = [0xA5; 12];
    let frame = protected(&mut lab, 1, &payload);
    for bit in 0..8 * frame.data().len() {
        let mut data = frame.data().to_vec();
        data[bit / 8] ^= 1 << (bit % 8);
        let received = receive(&mut lab, 2, &Frame::fd(frame.id(), &data).unwrap());
        let expected = match bit {
            0..8 => ProtectedOutcome::UnknownKey(stream_of(1)),
            // A counter that is far ahead is behind.
            15 => ProtectedOutcome::Replay(stream_of(1)),
            16 if frame.data()[2] & 1 == 1 => received,
            _ => ProtectedOutcome::WrongTag(stream_of(1)),
        };
        assert_eq!(received, expected, "bit {bit}");
        assert!(!is_authentic(received, &[]));
    }
    for length in FD_LENGTHS.map(usize::from) {
        let data = [&frame.data()[..3], &[0; 61]].concat();
        let cut = Frame::fd(frame.id(), &data[..length]).unwrap();
        assert!(!is_authentic(receive(&mut lab, 2, &cut), &[]), "{length}");
    }
    // Another's stream, under another's key.
    let other = Frame::fd(Id::standard(0x102).unwrap(), frame.data()).unwrap();
    let received = receive(&mut lab, 1, &other);
    assert_eq!(received, ProtectedOutcome::WrongTag(stream_of(2)));
    assert!(is_authentic(receive(&mut lab, 2, &frame), &payload));
}

#[test]
fn what_is_overtaken_is_a_replay() {
    let mut lab = authorized(&network_config(LasanProfile::Hardened, 2));
    let frames: Vec<Frame> = (0..3).map(|at| protected(&mut lab, 1, &[at])).collect();
    assert!(is_authentic(receive(&mut lab, 2, &frames[1]), &[1]));
    let replayed = ProtectedOutcome::Replay(stream_of(1));
    assert_eq!(receive(&mut lab, 2, &frames[0]), replayed);
    assert!(is_authentic(receive(&mut lab, 2, &frames[2]), &[2]));
}

/// With a new key, what was sent under the one before is good until the sender has gone over, and
/// for a while at most.
#[test]
fn the_key_before_serves_what_was_under_way() {
    for overtaken in [false, true] {
        let mut network_config = network_config(LasanProfile::Hardened, 3);
        network_config.timing.stream_key = Duration::from_millis(6_000);
        let mut lab = authorized(&network_config);
        let before = lab.stream_key(1, 1).unwrap();
        let old: Vec<Frame> = (0..3).map(|at| protected(&mut lab, 1, &[at])).collect();
        lab.module.borrow_mut().retire(Address(3));
        lab.run(60);
        assert_ne!(lab.stream_key(1, 1).unwrap(), before);
        assert!(is_authentic(receive(&mut lab, 2, &old[0]), &[0]));
        if overtaken {
            let new = protected(&mut lab, 1, &[9]);
            assert!(is_authentic(receive(&mut lab, 2, &new), &[9]));
        } else {
            assert!(is_authentic(receive(&mut lab, 2, &old[1]), &[1]));
            lab.run(850);
        }
        // Who is retired knows that key, and could say anything under it.
        let late = receive(&mut lab, 2, &old[2]);
        assert_eq!(late, ProtectedOutcome::UnknownKey(stream_of(1)));
    }
}

/// An ECU that is reset has lost its counters: it is never given a key again that it may have had,
/// whatever of its acknowledgements came through.
#[test]
fn after_a_reset_there_is_another_key() {
    for profile in PROFILES {
        for (reset, deaf) in [(1, false), (2, false), (1, true), (2, true)] {
            let mut network_config = network_config(profile, 2);
            network_config.streams.truncate(1);
            let mut lab = Lab::<Suite>::new(&network_config);
            // What ECUs acknowledge is lost, and the session goes on for a while.
            lab.route = Some(Box::new(move |from, frame| {
                let kind = LasanHeader::of(frame).map(|(header, _)| header.kind);
                let lost = deaf && from != 0 && kind == Some(LasanKind::Acknowledge);
                let others = (0..3).filter(|&to| to != from && !lost);
                others.map(|to| (to, *frame)).collect()
            }));
            lab.run(600);
            let (generation, key) = lab.stream_key(1, 1).unwrap();
            let frame = protected(&mut lab, 1, &[1]);
            let known = lab.known.clone();
            lab.reset_ecu(reset, identity(reset), &known);
            if profile == LasanProfile::AsPublished {
                // No ECU that was reset is helped before the next start-up message.
                lab.module.borrow_mut().start();
            }
            lab.route = None;
            lab.run(2_500);
            lab.assert_authorized(&[1, 2]);
            let (later, other) = lab.stream_key(1, 1).unwrap();
            assert_ne!(other, key, "{profile:?} {reset} {deaf}");
            assert!(profile == LasanProfile::AsPublished || later > generation);
            let new = protected(&mut lab, 1, &[2]);
            assert!(is_authentic(receive(&mut lab, 2, &new), &[2]));
            assert!(!is_authentic(receive(&mut lab, 2, &frame), &[]));
        }
    }
}

/// A receiver that comes late finds the sender's counter, however far it has counted.
#[test]
fn a_receiver_that_comes_late_reads_the_stream() {
    let mut lab = authorized(&network_config(LasanProfile::Hardened, 2));
    let known = lab.known.clone();
    lab.unplugged.insert(2);
    lab.module.borrow_mut().start();
    lab.reset_module(&known);
    lab.run(1_000);
    assert!(lab.is_authenticated(1));
    let (_, before) = lab.stream_key(1, 1).unwrap();
    // A frame each millisecond for 35 s, which is more than half of the key's minute.
    for at in 0..35_000_u32 {
        let frame = protected(&mut lab, 1, &at.to_be_bytes());
        assert_eq!(frame.data()[1..3], (at as u16 + 1).to_be_bytes());
        lab.heard.clear();
    }
    assert_eq!(lab.stream_key(1, 1).unwrap().1, before);
    lab.unplugged.clear();
    lab.reset_ecu(2, identity(2), &known);
    lab.run(2_000);
    lab.assert_authorized(&[1, 2]);
    let frame = protected(&mut lab, 1, &[7]);
    assert!(is_authentic(receive(&mut lab, 2, &frame), &[7]));
}
