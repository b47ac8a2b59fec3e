//! Grants that a gateway holds back and lets through when their time is over: no ECU that was
//! retired is heard by them, and no key begins again; nor by a revocation that a reset came before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use waywarden_can::node::Port;
use waywarden_can::{Frame, Id};
use waywarden_lasan::Address;
use waywarden_lasan::{
    Credentials, DenialReason, EcuEvent, FourQSchnorrQ, LasanHeader, LasanKind, LasanProfile,
    NetworkTime, ProtectedOutcome, StreamProtectError,
};
use waywarden_work::Duration;

use crate::lab::Lab;
use crate::network::{NetworkConfig, permission, stream_of};

const SAFE: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];

fn clear(data: &[u8]) -> Frame {
    let id = Id::standard(stream_of(1).0 as u16).unwrap();
    Frame::fd(id, data).unwrap()
}

/// Whom a frame with a grant is for.
fn granted(frame: &Frame) -> Option<Address> {
    let (header, _) = LasanHeader::of(frame)?;
    (header.kind == LasanKind::Grant).then_some(header.target)
}

/// ECU 2 only receives, and is cut off behind a gateway that keeps its grants. The sender is
/// retired, its keys are the attacker's; much later the grants are let through.
#[test]
fn a_retired_sender_is_not_heard_by_a_grant_from_before() {
    for profile in SAFE {
        let mut network_config = NetworkConfig::new(profile, Credentials::Certificates, 3);
        network_config.streams = vec![permission(1, [2, 3].map(Address).into_iter().collect())];
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
        let held: Rc<RefCell<Vec<Frame>>> = Rc::default();
        let cut = Rc::new(Cell::new(false));
        let (kept, is_cut) = (held.clone(), cut.clone());
        lab.route = Some(Box::new(move |from, frame| {
            let mut passed = Vec::new();
            for to in (0..4).filter(|&to| to != from) {
                let behind = from == 0 && to == 2;
                if behind && !is_cut.get() && granted(frame) == Some(Address(2)) {
                    kept.borrow_mut().push(*frame);
                } else if !(behind && is_cut.get()) {
                    passed.push((to, *frame));
                }
            }
            passed
        }));
        lab.run(3_000);
        assert!(lab.is_authenticated(2) && lab.stream_key(1, 1).is_some());
        assert!(lab.stream_key(2, 1).is_none());
        lab.stopped.insert(1, lab.now);
        cut.set(true);
        lab.module.borrow_mut().retire(Address(1));
        lab.run(2_000);
        assert!(lab.stream_key(3, 1).is_none(), "ECU 3 was told");
        for _ in 0..2 {
            lab.module.borrow_mut().start();
            lab.run(100_000);
        }
        assert!(!held.borrow().is_empty());
        for frame in held.take() {
            lab.deliver(2, &frame);
            lab.settle();
            assert!(
                lab.stream_key(2, 1).is_none(),
                "{profile:?}: a key from before"
            );
        }
        let _: Result<(), StreamProtectError> = lab.ecus[0]
            .borrow_mut()
            .send(Port(0), &clear(b"full torque!"));
        lab.run(1);
        let heard = lab.ecus[1].borrow_mut().received();
        assert!(
            !matches!(heard, Some(ProtectedOutcome::Authentic { .. })),
            "{profile:?}: {heard:?}"
        );
    }
}

/// A grant is repeated under other counters, as the gateway does not let its acknowledgement
/// through; the repetitions are let through when the key is over: it must not be taken with its
/// counter at zero.
#[test]
fn a_key_whose_time_is_over_does_not_begin_again() {
    for profile in SAFE {
        let mut network_config = NetworkConfig::new(profile, Credentials::Certificates, 2);
        network_config.streams = vec![permission(1, [2].map(Address).into_iter().collect())];
        network_config.timing.stream_key = Duration::from_millis(20_000);
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
        let held: Rc<RefCell<Vec<(usize, Frame)>>> = Rc::default();
        let (kept, mut first) = (held.clone(), [true; 3]);
        lab.route = Some(Box::new(move |from, frame| {
            let mut passed = Vec::new();
            let kind = LasanHeader::of(frame).map(|(header, _)| header.kind);
            for to in (0..3).filter(|&to| to != from) {
                let own = from == 0 && granted(frame) == Some(Address(to as u8));
                if from != 0 && kind == Some(LasanKind::Acknowledge) {
                    continue;
                }
                if own && !core::mem::take(&mut first[to]) {
                    kept.borrow_mut().push((to, *frame));
                } else {
                    passed.push((to, *frame));
                }
            }
            passed
        }));
        for _ in 0..5_000 {
            if lab.stream_key(1, 1).is_none() || lab.stream_key(2, 1).is_none() {
                lab.run(1);
            }
        }
        let key = lab.stream_key(1, 1);
        assert!(key.is_some());
        let mark = lab.heard.len();
        lab.ecus[0]
            .borrow_mut()
            .send(Port(0), &clear(b"attack at dawn, "))
            .unwrap();
        lab.run(1);
        let recorded = lab.heard[mark..]
            .iter()
            .find(|(from, frame)| *from == 1 && LasanHeader::of(frame).is_none());
        let recorded = recorded.expect("a protected frame").1;
        let heard = lab.ecus[1].borrow_mut().received();
        assert!(matches!(heard, Some(ProtectedOutcome::Authentic { .. })));
        lab.run(14_000);
        let next = |to: usize| {
            let mut held = held.borrow_mut();
            let at = held.iter().position(|(of, _)| *of == to)?;
            Some(held.remove(at).1)
        };
        // Before three quarters of its time a repetition may move nothing.
        lab.deliver(1, &next(1).expect("a repetition"));
        lab.settle();
        assert_eq!(lab.stream_key(1, 1), key);
        lab.run(7_000);
        for to in [1, 2] {
            while let Some(frame) = next(to) {
                lab.deliver(to, &frame);
                lab.settle();
                assert_ne!(
                    lab.stream_key(to as u8, 1),
                    key,
                    "{profile:?}: the old key, anew"
                );
            }
        }
        lab.deliver(2, &recorded);
        let heard = lab.ecus[1].borrow_mut().received();
        assert!(
            !matches!(heard, Some(ProtectedOutcome::Authentic { .. })),
            "{profile:?}: {heard:?}"
        );
    }
}

/// A reset of the security module between a revocation and an ECU's hearing of it does not leave
/// that ECU with the key: nothing of it is kept, but it is found out again from list and roster.
#[test]
fn a_revocation_outlives_a_reset_of_the_security_module() {
    for profile in SAFE {
        for by_window in [false, true] {
            let network_config = NetworkConfig::new(profile, Credentials::Certificates, 3);
            let mut network_config = network_config.all_send();
            if by_window {
                network_config.streams[0].until =
                    NetworkTime(network_config.settings().time_at_zero.0 + 1_200);
            }
            let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
            lab.run(1_000);
            lab.assert_authorized(&[1, 2, 3]);
            let known = lab.known.clone();
            // ECU 2 does not hear of it; its clock stands still, so that it holds the key.
            lab.unplugged.insert(2);
            lab.stopped.insert(2, lab.now);
            if !by_window {
                lab.module.borrow_mut().retire(Address(1));
            }
            lab.run(300);
            assert!(lab.stream_key(2, 1).is_some() && lab.stream_key(3, 1).is_none());
            let _ = lab.ecu_events(3);
            lab.reset_module(&known);
            lab.unplugged.clear();
            lab.run(3_000);
            lab.stopped.clear();
            lab.run(1);
            let revoked = EcuEvent::Denied {
                stream: stream_of(1),
                reason: DenialReason::Revoked,
            };
            assert_eq!(lab.stream_key(2, 1), None, "{profile:?} {by_window}");
            assert!(lab.ecu_events(2).contains(&revoked));
            // Who knew it already is not bothered.
            assert!(!lab.ecu_events(3).contains(&revoked));
        }
    }
}
