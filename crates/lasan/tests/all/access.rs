//! Permissions, windows and lifetimes: what is refused, what is taken away and when, and what
//! becomes of protected frames.

use waywarden_can::frame::FD_LENGTHS;
use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_lasan::Address;
use waywarden_lasan::{
    CertificateError, Credentials, EcuEvent, Failure, FourQSchnorrQ, Header, Kind, ModuleEvent,
    PROTECTION_LENGTH, Profile, ProtectError, Reason, Received, Time, Validity,
};
use waywarden_work::Duration;

use crate::lab::{Lab, changed};
use crate::network::{Known, Recipe, identity, identity_secret, party, stream_of};

type Suite = FourQSchnorrQ;

const PROFILES: [Profile; 3] = [Profile::AsPublished, Profile::Hardened, Profile::Compact];
const SAFE: [Profile; 2] = [Profile::Hardened, Profile::Compact];

/// The time when the clocks of the tests show zero.
const ZERO: u64 = 1_000_000;

fn recipe(profile: Profile, ecus: u8) -> Recipe {
    println!("{profile:?}");
    Recipe::new(profile, Credentials::Certificates, ecus).everybody_sends()
}

fn authorised(recipe: &Recipe) -> Lab<Suite> {
    let mut lab = Lab::new(recipe);
    lab.run(1_000);
    let everybody: Vec<u8> = (1..=recipe.ecus).collect();
    lab.assert_authorised(&everybody);
    let _ = lab.module_events();
    for ecu in everybody {
        let _ = lab.ecu_events(ecu);
    }
    lab
}

fn denied(stream: u8, reason: Reason) -> EcuEvent {
    let stream = stream_of(stream);
    EcuEvent::Denied { stream, reason }
}

fn refused(stream: u8, ecu: u8, reason: Reason) -> ModuleEvent {
    let (stream, ecu) = (stream_of(stream), Address(ecu));
    ModuleEvent::Refused {
        stream,
        ecu,
        reason,
    }
}

#[test]
fn who_is_not_on_the_list_is_denied_for_good() {
    for profile in PROFILES {
        let mut lab = authorised(&recipe(profile, 2));
        let keys = [lab.stream_key(1, 2), lab.stream_key(2, 2)];
        // ECU 1 receives the stream of ECU 2, and may not send it.
        assert!(lab.ecus[0].borrow_mut().request(stream_of(2)));
        // And there is no stream of an ECU 9.
        assert!(lab.ecus[0].borrow_mut().request(stream_of(9)));
        lab.run(1_000);
        let told = lab.ecu_events(1);
        let said = lab.module_events();
        for stream in [2, 9] {
            assert!(
                told.contains(&denied(stream, Reason::NotAllowed)),
                "{told:?}"
            );
            assert!(said.contains(&refused(stream, 1, Reason::NotAllowed)));
        }
        let granted = |event: &ModuleEvent| matches!(event, ModuleEvent::Keyed { .. });
        assert!(!said.iter().any(granted), "{said:?}");
        assert_eq!([lab.stream_key(1, 2), lab.stream_key(2, 2)], keys);
        let mark = lab.heard.len();
        lab.run(5_000);
        assert!(lab.heard_of(Kind::Request, mark).is_empty(), "for good");
    }
}

#[test]
fn a_stream_is_keyed_within_its_window() {
    for profile in SAFE {
        let mut recipe = recipe(profile, 3);
        (recipe.streams[0].from, recipe.streams[0].until) =
            (Time(ZERO + 3_000), Time(ZERO + 6_000));
        let mut lab = Lab::<Suite>::new(&recipe);
        lab.run(2_990);
        for ecu in 1..=3 {
            assert_eq!(lab.stream_key(ecu, 1), None);
            assert!(lab.stream_key(ecu, 2).is_some());
        }
        assert!(lab.ecu_events(1).contains(&denied(1, Reason::NotNow)));
        assert!(lab.module_events().contains(&refused(1, 1, Reason::NotNow)));
        // It was told when to ask again.
        lab.run(30);
        lab.assert_authorised(&[1, 2, 3]);
        lab.run(2_979);
        lab.assert_authorised(&[1, 2, 3]);
        let _ = lab.module_events();
        lab.run(3);
        for ecu in 1..=3 {
            assert_eq!(lab.stream_key(ecu, 1), None, "the window is over");
            assert!(lab.stream_key(ecu, 2).is_some());
        }
        let said = lab.module_events();
        assert!(
            said.contains(&ModuleEvent::Revoked(stream_of(1))),
            "{said:?}"
        );
        // It was told that no other window opens.
        let mark = lab.heard.len();
        lab.run(2_000);
        assert!(lab.heard_of(Kind::Request, mark).is_empty());
    }
}

/// Windows are the security module's, not the receivers': one whose clock stands still is told.
#[test]
fn the_end_of_a_window_is_said_to_all_holders() {
    for profile in SAFE {
        let mut recipe = recipe(profile, 3);
        recipe.streams[0].until = Time(ZERO + 3_000);
        let mut lab = authorised(&recipe);
        let slow = lab.ecus[1].clone();
        lab.stopped.insert(2, lab.now);
        lab.run(2_100);
        assert!(lab.ecu_events(2).contains(&denied(1, Reason::Revoked)));
        assert!(slow.borrow().stream_key(stream_of(1)).is_none());
        // Who was not reached is told when it is there again.
        assert_eq!(lab.stream_key(3, 1), None);
    }
}

/// An attacker who cuts an ECU off from what is said to it does not keep it from learning that a
/// stream was revoked: in its next session it is told.
#[test]
fn a_revocation_outlives_a_session() {
    for profile in SAFE {
        let mut lab = authorised(&recipe(profile, 3));
        lab.route = Some(Box::new(|from, frame| {
            let kind = Header::of(frame).map(|(header, _)| header.kind);
            let others = (0..4).filter(|&to| to != from);
            let cut = |to: usize| to == 2 && kind == Some(Kind::Deny);
            others
                .filter(|&to| !cut(to))
                .map(|to| (to, *frame))
                .collect()
        }));
        lab.module.borrow_mut().retire(Address(1));
        lab.run(500);
        assert_eq!(lab.stream_key(3, 1), None);
        assert!(lab.stream_key(2, 1).is_some(), "it was not told");
        // All are authenticated again, which is what ends its session.
        lab.module.borrow_mut().start();
        lab.run(1_500);
        assert!(lab.is_authenticated(2));
        lab.route = None;
        lab.run(1_000);
        assert_eq!(lab.stream_key(2, 1), None);
    }
}

#[test]
fn keys_come_to_an_end_when_nobody_renews_them() {
    for profile in PROFILES {
        let mut recipe = recipe(profile, 2);
        recipe.timing.stream_key = Duration::from_millis(3_000);
        let mut lab = authorised(&recipe);
        lab.unplugged.insert(0);
        lab.run(2_100);
        for ecu in [1, 2] {
            let told = lab.ecu_events(ecu);
            for sender in [1, 2] {
                assert_eq!(lab.stream_key(ecu, sender), None);
                assert!(told.contains(&EcuEvent::Expired(stream_of(sender))));
            }
        }
        let refused = lab.ecus[0].borrow_mut().send(Port(0), &clear(1, &[7; 4]));
        assert_eq!(refused, Err(ProtectError::NoKey));
    }
}

#[test]
fn keys_are_renewed_at_three_quarters_of_their_time() {
    for profile in SAFE {
        let mut recipe = recipe(profile, 2);
        recipe.timing.stream_key = Duration::from_millis(4_000);
        let mut lab = Lab::<Suite>::new(&recipe);
        let mut changes: Vec<(u64, u32)> = Vec::new();
        for at in 1..=13_000_u64 {
            lab.run(1);
            let Some((generation, key)) = lab.stream_key(1, 1) else {
                assert!(changes.is_empty(), "there is no time without a key");
                continue;
            };
            if changes.last().is_none_or(|&(_, last)| last != generation) {
                changes.push((at, generation));
            }
            // Receivers have it before the sender does.
            assert!(
                lab.stream_key(2, 1)
                    .is_some_and(|(other, _)| other >= generation)
            );
            assert_ne!(key, [0; 32]);
        }
        assert_eq!(changes.len(), 5, "{changes:?}");
        for pair in changes.windows(2) {
            let pause = pair[1].0 - pair[0].0;
            assert!((3_000..=3_020).contains(&pause), "{pause} ms");
        }
    }
}

/// The network with one party's certificate of another validity.
fn with_validity(lab: &Lab<Suite>, address: u8, first: u64, last: u64) -> Known {
    let recipe = Recipe {
        validity: Validity {
            first: Time(ZERO + first),
            last: Time(ZERO + last),
        },
        ..lab.recipe.clone()
    };
    let own = party::<Suite>(&recipe, address, &identity_secret(address, 0));
    changed(&lab.known, |network| {
        network.parties[usize::from(address) - 1] = own;
    })
}

#[test]
fn certificates_hold_in_their_time_alone() {
    use CertificateError::{Expired, NotYet};
    for profile in SAFE {
        let plain = Lab::<Suite>::new(&recipe(profile, 2));
        // Of ECU 1's, the security module judges by its clock.
        let mut lab = Lab::<Suite>::with(&plain.recipe, &with_validity(&plain, 1, 2_000, 4_000));
        lab.run(1_500);
        let failed = |failure| ModuleEvent::Failed {
            ecu: Address(1),
            failure: Failure::Certificate(failure),
        };
        assert!(lab.module_events().contains(&failed(NotYet)));
        assert!(!lab.ecus[0].borrow().is_authenticated());
        lab.run(2_000);
        assert!(lab.is_authenticated(1), "it holds from 2 s on");
        lab.run(1_000);
        lab.module.borrow_mut().start();
        lab.run(1_500);
        assert!(lab.module_events().contains(&failed(Expired)));
        assert!(!lab.ecus[0].borrow().is_authenticated());
        assert!(lab.is_authenticated(2));
        // Of the security module's, ECUs judge by the time that it signs.
        for (first, last, error) in [(2_000, u64::MAX - ZERO, NotYet), (0, 500, Expired)] {
            let known = with_validity(&plain, 3, first, last);
            let mut lab = Lab::<Suite>::with(&plain.recipe, &known);
            lab.run(1_000);
            lab.module.borrow_mut().start();
            let _ = lab.ecu_events(2);
            lab.run(800);
            let told = lab.ecu_events(2);
            let wanted = EcuEvent::Failed(Failure::Certificate(error));
            assert!(told.contains(&wanted), "{told:?}");
        }
    }
}

/// A frame of a stream in clear.
fn clear(sender: u8, payload: &[u8]) -> Frame {
    let id = Id::standard(0x100 + u16::from(sender)).unwrap();
    Frame::fd(id, payload).unwrap()
}

/// Has an ECU send a payload, and returns the protected frame; no ECU receives it yet.
fn protected(lab: &mut Lab<Suite>, sender: u8, payload: &[u8]) -> Frame {
    let frame = clear(sender, payload);
    let role = lab.ecus[usize::from(sender) - 1].clone();
    role.borrow_mut().send(Port(0), &frame).unwrap();
    let again = role.borrow_mut().send(Port(0), &frame);
    assert_eq!(again, Err(ProtectError::Busy));
    let (mark, route) = (lab.heard.len(), lab.route.take());
    let places = lab.known.parties.len();
    lab.route = Some(Box::new(move |from, frame| {
        // Streams are cut, and everything else is not.
        let others = (0..places).filter(|&to| to != from && Header::of(frame).is_some());
        others.map(|to| (to, *frame)).collect()
    }));
    lab.run(1);
    lab.route = route;
    let mut sent = lab.heard[mark..].iter();
    let (_, sent) = sent.find(|(_, sent)| sent.id() == frame.id()).unwrap();
    *sent
}

fn receive(lab: &mut Lab<Suite>, receiver: u8, frame: &Frame) -> Received {
    lab.deliver(usize::from(receiver), frame);
    let received = lab.ecus[usize::from(receiver) - 1].borrow_mut().received();
    received.expect("something comes of every frame")
}

fn is_authentic(received: Received, expected: &[u8]) -> bool {
    matches!(received, Received::Authentic { payload, length, .. }
        if payload[..length].starts_with(expected)
            && payload[expected.len()..].iter().all(|&byte| byte == 0))
}

#[test]
fn stream_data_of_every_length_arrive_once() {
    for profile in PROFILES {
        let mut lab = authorised(&recipe(profile, 2));
        for length in FD_LENGTHS.map(usize::from) {
            let payload: Vec<u8> = (0..length).map(|at| at as u8 | 0x80).collect();
            if length + PROTECTION_LENGTH > 64 {
                let frame = clear(1, &payload);
                let refused = lab.ecus[0].borrow_mut().send(Port(0), &frame);
                assert_eq!(refused, Err(ProtectError::TooLong), "{length}");
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
            assert_eq!(again, Received::Replayed(stream_of(1)), "{length}");
        }
        let classic = Frame::classic(Id::standard(0x101).unwrap(), &[1]).unwrap();
        let refused = lab.ecus[0].borrow_mut().send(Port(0), &classic);
        assert_eq!(refused, Err(ProtectError::TooLong));
        let other = lab.ecus[0].borrow_mut().send(Port(0), &clear(2, &[1]));
        assert_eq!(other, Err(ProtectError::NotSender));
        let nobodys = lab.ecus[0].borrow_mut().send(Port(0), &clear(9, &[1]));
        assert_eq!(nobodys, Err(ProtectError::NoKey));
    }
}

#[test]
fn changed_frames_are_refused() {
    let mut lab = authorised(&recipe(Profile::Hardened, 2));
    let payload = [0xA5; 12];
    let frame = protected(&mut lab, 1, &payload);
    for bit in 0..8 * frame.data().len() {
        let mut data = frame.data().to_vec();
        data[bit / 8] ^= 1 << (bit % 8);
        let received = receive(&mut lab, 2, &Frame::fd(frame.id(), &data).unwrap());
        let expected = match bit {
            0..8 => Received::UnknownKey(stream_of(1)),
            // A counter that is far ahead is behind.
            15 => Received::Replayed(stream_of(1)),
            16 if frame.data()[2] & 1 == 1 => received,
            _ => Received::Forged(stream_of(1)),
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
    assert_eq!(received, Received::Forged(stream_of(2)));
    assert!(is_authentic(receive(&mut lab, 2, &frame), &payload));
}

#[test]
fn what_is_overtaken_is_a_replay() {
    let mut lab = authorised(&recipe(Profile::Hardened, 2));
    let frames: Vec<Frame> = (0..3).map(|at| protected(&mut lab, 1, &[at])).collect();
    assert!(is_authentic(receive(&mut lab, 2, &frames[1]), &[1]));
    let replayed = Received::Replayed(stream_of(1));
    assert_eq!(receive(&mut lab, 2, &frames[0]), replayed);
    assert!(is_authentic(receive(&mut lab, 2, &frames[2]), &[2]));
}

/// With a new key, what was sent under the one before is good until the sender has gone over, and
/// for a while at most.
#[test]
fn the_key_before_serves_what_was_under_way() {
    for overtaken in [false, true] {
        let mut recipe = recipe(Profile::Hardened, 3);
        recipe.timing.stream_key = Duration::from_millis(6_000);
        let mut lab = authorised(&recipe);
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
        assert_eq!(late, Received::UnknownKey(stream_of(1)));
    }
}

/// An ECU that is reset has lost its counters: it is never given a key again that it may have had,
/// whatever of its acknowledgements came through.
#[test]
fn after_a_reset_there_is_another_key() {
    for profile in PROFILES {
        for (reset, deaf) in [(1, false), (2, false), (1, true), (2, true)] {
            let mut recipe = recipe(profile, 2);
            recipe.streams.truncate(1);
            let mut lab = Lab::<Suite>::new(&recipe);
            // What ECUs acknowledge is lost, and the session goes on for a while.
            lab.route = Some(Box::new(move |from, frame| {
                let kind = Header::of(frame).map(|(header, _)| header.kind);
                let lost = deaf && from != 0 && kind == Some(Kind::Acknowledge);
                let others = (0..3).filter(|&to| to != from && !lost);
                others.map(|to| (to, *frame)).collect()
            }));
            lab.run(600);
            let (generation, key) = lab.stream_key(1, 1).unwrap();
            let frame = protected(&mut lab, 1, &[1]);
            let known = lab.known.clone();
            lab.reset_ecu(reset, identity(reset), &known);
            if profile == Profile::AsPublished {
                // No ECU that was reset is helped before the next start-up message.
                lab.module.borrow_mut().start();
            }
            lab.route = None;
            lab.run(2_500);
            lab.assert_authorised(&[1, 2]);
            let (later, other) = lab.stream_key(1, 1).unwrap();
            assert_ne!(other, key, "{profile:?} {reset} {deaf}");
            assert!(profile == Profile::AsPublished || later > generation);
            let new = protected(&mut lab, 1, &[2]);
            assert!(is_authentic(receive(&mut lab, 2, &new), &[2]));
            assert!(!is_authentic(receive(&mut lab, 2, &frame), &[]));
        }
    }
}

/// A receiver that comes late finds the sender's counter, however far it has counted.
#[test]
fn a_receiver_that_comes_late_reads_the_stream() {
    let mut lab = authorised(&recipe(Profile::Hardened, 2));
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
    lab.assert_authorised(&[1, 2]);
    let frame = protected(&mut lab, 1, &[7]);
    assert!(is_authentic(receive(&mut lab, 2, &frame), &[7]));
}
