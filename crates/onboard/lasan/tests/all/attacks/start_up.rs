//! Replays of the message with which the security module starts up.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_lasan::{
    Address, AuthenticationSuite, EcuEvent, FourQSchnorrQ, HandshakeFailure, LasanHeader,
    LasanKind, LasanProfile, MlKem768MlDsa44, PartyIdentity,
};

use super::{both, driven, network_config, stranger};
use crate::lab::Lab;
use crate::network::{TestModule, identity};

/// Replays the messages that the security module once sent to all ECUs.
fn replay_start<S: AuthenticationSuite>(lab: &mut Lab<S>, drive: &[(usize, Frame)], to: usize) {
    for kind in [LasanKind::ModuleCertificate, LasanKind::Startup] {
        let frames = drive.iter().filter(|(from, frame)| {
            *from == 0 && LasanHeader::of(frame).is_some_and(|(header, _)| header.kind == kind)
        });
        for (_, frame) in frames {
            lab.deliver(to, frame);
        }
    }
}

/// Puts an attacker's security module in the place of the real one; its messages to all ECUs are
/// suppressed, for it could sign nothing.
fn usurp<S: AuthenticationSuite>(
    lab: &mut Lab<S>,
    identity: PartyIdentity,
) -> Rc<RefCell<TestModule<S>>> {
    let known = lab.known.clone();
    lab.unplugged.insert(0);
    let (place, module) = lab.add_module(identity, &known);
    lab.route = Some(Box::new(move |from, frame| {
        let (header, _) = LasanHeader::of(frame).expect("nothing else is sent");
        match (from == place, header.kind.is_broadcast()) {
            (true, true) => Vec::new(),
            (true, false) => vec![(1, *frame), (2, *frame)],
            (false, _) => vec![(place, *frame)],
        }
    }));
    module
}

/// (b) What the security module said at its last start makes an ECU trust any node that says it
/// again.
fn replays_the_start<S: AuthenticationSuite>(profile: LasanProfile) {
    let (mut lab, heard) = driven::<S>(&network_config(profile));
    let drive = lab.heard[..heard].to_vec();
    let usurper = usurp(&mut lab, stranger(3));
    // Another drive.
    let known = lab.known.clone();
    lab.reset_ecu(1, identity(1), &known);
    for _ in 0..4 {
        replay_start(&mut lab, &drive, 1);
        lab.run(1_000);
    }
    let published = profile == LasanProfile::AsPublished;
    let events = lab.ecu_events(1);
    assert_eq!(lab.ecus[0].borrow().is_authenticated(), published);
    assert_eq!(usurper.borrow().is_authenticated(Address(1)), published);
    // The attacker then gives it what keys it likes.
    assert_eq!(lab.stream_key(1, 1).is_some(), published);
    if !published {
        // The message is genuine and of the last epoch that the ECU has seen; but the attacker
        // cannot show that the offer is its own.
        let failed = |event: &EcuEvent| matches!(event, EcuEvent::Failed(_));
        assert!(events.iter().any(failed), "{events:?}");
    }
}

#[test]
fn the_start_up_message_replays() {
    both(|profile, suite| match suite {
        "fourq" => replays_the_start::<FourQSchnorrQ>(profile),
        _ => replays_the_start::<MlKem768MlDsa44>(profile),
    });
}

/// The start-up message of an epoch that is over is not even answered.
fn replays_an_old_start<S: AuthenticationSuite>(profile: LasanProfile) {
    let (mut lab, heard) = driven::<S>(&network_config(profile));
    let drive = lab.heard[..heard].to_vec();
    let known = lab.known.clone();
    lab.module.borrow_mut().start();
    lab.run(1_500);
    lab.assert_authorized(&[1, 2]);
    let _usurper = usurp(&mut lab, stranger(3));
    lab.reset_ecu(1, identity(1), &known);
    let mark = lab.heard.len();
    replay_start(&mut lab, &drive, 1);
    lab.run(1_000);
    assert!(lab.heard_of(LasanKind::Register, mark).is_empty());
    let events = lab.ecu_events(1);
    assert!(
        events.contains(&EcuEvent::Failed(HandshakeFailure::Epoch)),
        "{events:?}"
    );
    assert!(!lab.ecus[0].borrow().is_authenticated());
}

#[test]
fn the_start_up_message_of_an_epoch_before_is_refused() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        replays_an_old_start::<FourQSchnorrQ>(profile);
        replays_an_old_start::<MlKem768MlDsa44>(profile);
    }
}
