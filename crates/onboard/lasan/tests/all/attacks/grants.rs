//! Confirmations, grants and registrations: unbound, replayed, and after an ECU is retired.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_lasan::{
    Address, AuthenticationSuite, Credentials, EcdheEcdsa, FourQSchnorrQ, LasanHeader, LasanKind,
    LasanProfile, MlKem768MlDsa44, ModuleEvent,
};
use waywarden_work::Duration;

use super::{PROFILES, both, driven, network_config, stranger};
use crate::lab::{Lab, key_of, readdressed};
use crate::network::{Known, NetworkConfig, TestEcu, TestModule, identity};

/// A man in the middle between the security module and ECU 1. It passes on the module's broadcasts
/// and answers all other messages itself.
struct Middle<S: AuthenticationSuite> {
    lab: Lab<S>,
    /// Its roles: an ECU towards the security module, a security module towards ECU 1.
    as_ecu: Rc<RefCell<TestEcu<S>>>,
    as_module: Rc<RefCell<TestModule<S>>>,
}

impl<S: AuthenticationSuite> Middle<S> {
    fn new(network_config: &NetworkConfig) -> Self {
        let mut lab = Lab::new(network_config);
        let known: Known = lab.known.clone();
        let (ecu, as_ecu) = lab.add_ecu(stranger(1), &known);
        let (module, as_module) = lab.add_module(stranger(3), &known);
        lab.route = Some(Box::new(move |from, frame| {
            let (header, _) = LasanHeader::of(frame).expect("nothing else is sent");
            let to: &[usize] = match (from, header.target) {
                (0, Address(1)) => &[ecu],
                (0, Address(2)) => &[2],
                (0, _) => &[1, 2, ecu],
                (1, _) => &[module],
                (from, _) if from == module && header.kind.is_broadcast() => &[],
                (from, _) if from == module => &[1],
                _ => &[0],
            };
            to.iter().map(|&to| (to, *frame)).collect()
        }));
        Middle {
            lab,
            as_ecu,
            as_module,
        }
    }
}

/// (c) The confirmations have names, which are public, and nothing of the shares.
fn stands_between<S: AuthenticationSuite>(profile: LasanProfile) {
    let mut middle = Middle::<S>::new(&network_config(profile));
    middle.lab.run(6_000);
    let lab = &middle.lab;
    let published = profile == LasanProfile::AsPublished;
    let one = Address(1);
    assert_eq!(lab.ecus[0].borrow().is_authenticated(), published);
    assert_eq!(lab.module.borrow().is_authenticated(one), published);
    assert_eq!(middle.as_module.borrow().is_authenticated(one), published);
    assert!(lab.is_authenticated(2));
    for sender in [1, 2] {
        let his = key_of(&middle.as_ecu.borrow(), sender).map(|(_, key)| key);
        let real = lab.stream_key(2, sender).map(|(_, key)| key);
        assert_eq!(his.is_some(), published);
        if published {
            assert_eq!(his, real, "he reads the stream of {sender}");
        }
    }
    // ECU 1 sends under a key that he gave it.
    let given = lab.stream_key(1, 1).map(|(_, key)| key);
    assert_eq!(given.is_some(), published);
    assert!(!published || given != lab.stream_key(2, 1).map(|(_, key)| key));
}

#[test]
fn confirmations_bind_nothing() {
    both(|profile, suite| match suite {
        "fourq" => stands_between::<FourQSchnorrQ>(profile),
        _ => stands_between::<MlKem768MlDsa44>(profile),
    });
}

/// (d) A request is answered as often as it comes while it is not a second old, and a key that was
/// granted once can be granted again.
#[test]
fn requests_and_grants_replay() {
    for profile in PROFILES {
        let mut network_config = network_config(profile);
        network_config.timing.stream_key = Duration::from_millis(2_000);
        let mut lab = Lab::<EcdheEcdsa>::new(&network_config);
        lab.run(700);
        lab.assert_authorized(&[1, 2]);
        let published = profile == LasanProfile::AsPublished;
        let requests = lab.heard_of(LasanKind::Request, 0);
        let mark = lab.heard.len();
        let again = |lab: &mut Lab<EcdheEcdsa>| {
            for (_, frame) in &requests {
                lab.deliver(0, frame);
            }
            lab.run(50);
        };
        again(&mut lab);
        let answers = lab.heard_of(LasanKind::Grant, mark).len();
        assert_eq!(answers > 0, published, "{answers} answers");
        let (_, first) = lab.stream_key(2, 1).unwrap();
        lab.run(2_000);
        let (_, second) = lab.stream_key(2, 1).unwrap();
        assert_ne!(first, second, "renewed at three quarters");
        let mark = lab.heard.len();
        again(&mut lab);
        assert!(
            lab.heard_of(LasanKind::Grant, mark).is_empty(),
            "it is too old"
        );
        let grants = lab.heard_of(LasanKind::Grant, 0).into_iter();
        let to_two = |frame: &Frame| LasanHeader::of(frame).unwrap().0.target == Address(2);
        for (_, frame) in grants.filter(|(_, frame)| to_two(frame)) {
            let (_, key) = lab.stream_key(2, 1).unwrap();
            lab.deliver(2, &frame);
            if key == second && lab.stream_key(2, 1).is_some_and(|(_, key)| key == first) {
                assert!(published);
                break;
            }
        }
        let (_, now) = lab.stream_key(2, 1).unwrap();
        assert_eq!(now == first, published, "the first key is back");
    }
}

/// An ECU that is retired hears everything, knows all that it ever received and goes on as if
/// nothing had happened; frames for others are even shown to it as if they were for itself.
fn retired<S: AuthenticationSuite>(profile: LasanProfile) {
    let network_config = NetworkConfig::new(profile, Credentials::Keys, 3).all_send();
    let mut lab = Lab::<S>::new(&network_config);
    lab.run(1_500);
    lab.assert_authorized(&[1, 2, 3]);
    let old = lab.stream_key(3, 1).unwrap();
    let mark = lab.heard.len();
    lab.module.borrow_mut().retire(Address(3));
    lab.run(1_500);
    lab.assert_authorized(&[1, 2]);
    let new = lab.stream_key(2, 1).unwrap();
    assert!(new.0 > old.0 && new.1 != old.1);
    // The stream that it sent belongs to no ECU any more.
    assert_eq!(lab.stream_key(1, 3), None);
    let sealed = lab.heard[mark..].to_vec();
    for (_, frame) in sealed {
        let mine = readdressed(&frame, |header| header.target = Address(3));
        lab.deliver(3, &mine);
    }
    lab.run(100);
    for sender in [1, 2] {
        let held = lab.stream_key(3, sender).map(|(_, key)| key);
        let current = lab.stream_key(1, sender).map(|(_, key)| key);
        assert!(current.is_some() && held != current, "stream of {sender}");
    }
    // And it does not come back, in this drive or another.
    let known = lab.known.clone();
    lab.reset_ecu(3, identity(3), &known);
    lab.run(2_000);
    assert!(!lab.ecus[2].borrow().is_authenticated());
    lab.reset_module(&known);
    lab.run(4_000);
    lab.assert_authorized(&[1, 2]);
    assert!(!lab.ecus[2].borrow().is_authenticated());
    assert_eq!(lab.stream_key(3, 1), None);
}

#[test]
fn who_is_retired_gets_no_new_stream_keys() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        retired::<FourQSchnorrQ>(profile);
        retired::<MlKem768MlDsa44>(profile);
    }
}

/// A registration that was recorded is refused in every other turn: it is to another nonce.
#[test]
fn registrations_do_not_replay() {
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
        let (mut lab, heard) = driven::<FourQSchnorrQ>(&network_config(profile));
        let drive = lab.heard[..heard].to_vec();
        let _ = lab.module_events();
        let hello = lab.heard_of(LasanKind::Hello, 0);
        let (_, last) = *hello.iter().rfind(|(from, _)| *from == 1).unwrap();
        lab.unplugged.insert(1);
        for (_, frame) in &drive {
            let (header, _) = LasanHeader::of(frame).unwrap();
            if header.source == Address(1) && header.kind == LasanKind::Certificate {
                // It asks for a turn, and the attacker takes it.
                lab.deliver(0, &last);
                lab.run(1);
            }
            if header.source == Address(1) {
                lab.deliver(0, frame);
            }
        }
        lab.run(1_000);
        let events = lab.module_events();
        let again = ModuleEvent::Authenticated(Address(1));
        assert!(!events.contains(&again), "{events:?}");
        let failed = |event: &ModuleEvent| {
            matches!(
                event,
                ModuleEvent::Failed {
                    ecu: Address(1),
                    ..
                }
            )
        };
        assert!(events.iter().any(failed), "{events:?}");
    }
}
