//! Each known weakness of `as-published` in an attack that succeeds there and fails in `hardened`
//! and `compact`.
//!
//! The attacker knows everything that was ever sent and no secret but its own, and plays the roles
//! with that: what it lacks for `hardened` it cannot make up by deviating from them.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_can::Frame;
use waywarden_key_suites::Secret;
use waywarden_lasan::Address;
use waywarden_lasan::{
    CertificateError, Credentials, EcdheEcdsa, EcuEvent, Failure, FourQSchnorrQ, Header, Identity,
    Kind, MlKem768MlDsa44, ModuleEvent, Profile, Role, Statement, Suite, Validity, issue,
    public_key,
};
use waywarden_work::Duration;

use crate::lab::{Lab, changed, key_of, readdressed};
use crate::network::{
    AUTHORITY, Known, Recipe, TestEcu, TestModule, authority, identity, identity_secret, name,
};

const PROFILES: [Profile; 3] = [Profile::AsPublished, Profile::Hardened, Profile::Compact];

/// Two ECUs, each of which sends to the other. All keys are shown by certificates, so that the
/// attacker has as much to repeat as can be.
fn recipe(profile: Profile) -> Recipe {
    Recipe::new(profile, Credentials::Certificates, 2).everybody_sends()
}

/// The attacker at an address, with a secret of its own.
fn stranger(address: u8) -> Identity {
    Identity {
        secret: Secret::from_bytes([0xEE; 32]),
        ..identity(address)
    }
}

/// A drive in which everything goes well; returns how many frames there were.
fn driven<S: Suite>(recipe: &Recipe) -> (Lab<S>, usize) {
    let mut lab = Lab::new(recipe);
    lab.run(1_500);
    lab.assert_authorised(&[1, 2]);
    let heard = lab.heard.len();
    (lab, heard)
}

fn both(attack: impl Fn(Profile, &str)) {
    for profile in PROFILES {
        for suite in ["fourq", "ml-kem"] {
            println!("{profile:?} {suite}");
            attack(profile, suite);
        }
    }
}

/// The bytes of a message in the recording of one drive.
fn recorded<S: Suite>(lab: &Lab<S>, kind: Kind, source: Address) -> Vec<u8> {
    let frames = lab.heard_of(kind, 0);
    let own = frames.iter().filter(|(_, frame)| {
        let header = Header::of(frame).map(|(header, _)| header);
        header.is_some_and(|header| header.source == source)
    });
    let length = lab.known.settings.lengths(S::SIZES).of(kind).unwrap();
    let bytes: Vec<u8> = own.flat_map(|(_, frame)| frame.data().to_vec()).collect();
    bytes[..length].to_vec()
}

/// (a) An attacker who has heard an ECU's certificate is taken for that ECU, and gets its streams'
/// keys.
fn plays_an_ecu<S: Suite>(profile: Profile) {
    let (mut lab, _) = driven::<S>(&recipe(profile));
    let overheard = recorded(&lab, Kind::Certificate, Address(1));
    // Of ECU 1 the attacker has what was heard, and nothing else.
    let known = changed(&lab.known, |network| {
        network.parties[0].credential = overheard;
    });
    lab.unplugged.insert(1);
    let known_to_all = lab.known.clone();
    lab.reset_module(&known_to_all);
    lab.reset_ecu(2, identity(2), &known_to_all);
    let (_, attacker) = lab.add_ecu(stranger(1), &known);
    lab.run(4_000);
    let published = profile == Profile::AsPublished;
    let attacker = attacker.borrow();
    assert_eq!(lab.module.borrow().is_authenticated(Address(1)), published);
    assert_eq!(attacker.is_authenticated(), published);
    for sender in [1, 2] {
        let key = key_of(&attacker, sender).map(|(_, key)| key);
        assert_eq!(key.is_some(), published, "stream of {sender}");
        if published {
            assert_eq!(key, lab.stream_key(2, sender).map(|(_, key)| key));
        }
    }
    if published {
        return;
    }
    // It is noticed, and the others go on.
    let refused = lab.module_events().into_iter().any(|event| {
        matches!(event, ModuleEvent::Failed { ecu: Address(1), failure } if match profile {
            Profile::Hardened => matches!(failure, Failure::Signature(_)),
            _ => failure == Failure::Timeout,
        })
    });
    assert!(refused);
    assert!(lab.is_authenticated(2));
}

#[test]
fn whoever_has_an_ecus_certificate_is_taken_for_it() {
    both(|profile, suite| match suite {
        "fourq" => plays_an_ecu::<FourQSchnorrQ>(profile),
        _ => plays_an_ecu::<MlKem768MlDsa44>(profile),
    });
}

/// Says again what the security module once said to everybody.
fn replay_start<S: Suite>(lab: &mut Lab<S>, drive: &[(usize, Frame)], to: usize) {
    for kind in [Kind::ModuleCertificate, Kind::Startup] {
        let frames = drive.iter().filter(|(from, frame)| {
            *from == 0 && Header::of(frame).is_some_and(|(header, _)| header.kind == kind)
        });
        for (_, frame) in frames {
            lab.deliver(to, frame);
        }
    }
}

/// Puts an attacker's security module in the place of the real one; what it says to everybody is
/// suppressed, for it could sign nothing.
fn usurp<S: Suite>(lab: &mut Lab<S>, identity: Identity) -> Rc<RefCell<TestModule<S>>> {
    let known = lab.known.clone();
    lab.unplugged.insert(0);
    let (place, module) = lab.add_module(identity, &known);
    lab.route = Some(Box::new(move |from, frame| {
        let (header, _) = Header::of(frame).expect("nothing else is sent");
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
fn replays_the_start<S: Suite>(profile: Profile) {
    let (mut lab, heard) = driven::<S>(&recipe(profile));
    let drive = lab.heard[..heard].to_vec();
    let usurper = usurp(&mut lab, stranger(3));
    // Another drive.
    let known = lab.known.clone();
    lab.reset_ecu(1, identity(1), &known);
    for _ in 0..4 {
        replay_start(&mut lab, &drive, 1);
        lab.run(1_000);
    }
    let published = profile == Profile::AsPublished;
    let told = lab.ecu_events(1);
    assert_eq!(lab.ecus[0].borrow().is_authenticated(), published);
    assert_eq!(usurper.borrow().is_authenticated(Address(1)), published);
    // The attacker then gives it what keys it likes.
    assert_eq!(lab.stream_key(1, 1).is_some(), published);
    if !published {
        // The message is genuine and of the last epoch that the ECU has seen; but the attacker
        // cannot show that the offer is its own.
        let failed = |event: &EcuEvent| matches!(event, EcuEvent::Failed(_));
        assert!(told.iter().any(failed), "{told:?}");
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
fn replays_an_old_start<S: Suite>(profile: Profile) {
    let (mut lab, heard) = driven::<S>(&recipe(profile));
    let drive = lab.heard[..heard].to_vec();
    let known = lab.known.clone();
    lab.module.borrow_mut().start();
    lab.run(1_500);
    lab.assert_authorised(&[1, 2]);
    let _usurper = usurp(&mut lab, stranger(3));
    lab.reset_ecu(1, identity(1), &known);
    let mark = lab.heard.len();
    replay_start(&mut lab, &drive, 1);
    lab.run(1_000);
    assert!(lab.heard_of(Kind::Register, mark).is_empty());
    let told = lab.ecu_events(1);
    assert!(told.contains(&EcuEvent::Failed(Failure::Epoch)), "{told:?}");
    assert!(!lab.ecus[0].borrow().is_authenticated());
}

#[test]
fn the_start_up_message_of_an_epoch_before_is_refused() {
    for profile in [Profile::Hardened, Profile::Compact] {
        replays_an_old_start::<FourQSchnorrQ>(profile);
        replays_an_old_start::<MlKem768MlDsa44>(profile);
    }
}

/// A man in the middle between the security module and ECU 1. He passes on what is said to
/// everybody and ends everything else himself.
struct Middle<S: Suite> {
    lab: Lab<S>,
    /// What he is to the security module, and to ECU 1.
    as_ecu: Rc<RefCell<TestEcu<S>>>,
    as_module: Rc<RefCell<TestModule<S>>>,
}

impl<S: Suite> Middle<S> {
    fn new(recipe: &Recipe) -> Self {
        let mut lab = Lab::new(recipe);
        let known: Known = lab.known.clone();
        let (ecu, as_ecu) = lab.add_ecu(stranger(1), &known);
        let (module, as_module) = lab.add_module(stranger(3), &known);
        lab.route = Some(Box::new(move |from, frame| {
            let (header, _) = Header::of(frame).expect("nothing else is sent");
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

/// (c) The confirmations say names that everybody knows, and nothing of the shares.
fn stands_between<S: Suite>(profile: Profile) {
    let mut middle = Middle::<S>::new(&recipe(profile));
    middle.lab.run(6_000);
    let lab = &middle.lab;
    let published = profile == Profile::AsPublished;
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
        let mut recipe = recipe(profile);
        recipe.timing.stream_key = Duration::from_millis(2_000);
        let mut lab = Lab::<EcdheEcdsa>::new(&recipe);
        lab.run(700);
        lab.assert_authorised(&[1, 2]);
        let published = profile == Profile::AsPublished;
        let requests = lab.heard_of(Kind::Request, 0);
        let mark = lab.heard.len();
        let again = |lab: &mut Lab<EcdheEcdsa>| {
            for (_, frame) in &requests {
                lab.deliver(0, frame);
            }
            lab.run(50);
        };
        again(&mut lab);
        let answers = lab.heard_of(Kind::Grant, mark).len();
        assert_eq!(answers > 0, published, "{answers} answers");
        let (_, first) = lab.stream_key(2, 1).unwrap();
        lab.run(2_000);
        let (_, second) = lab.stream_key(2, 1).unwrap();
        assert_ne!(first, second, "renewed at three quarters");
        let mark = lab.heard.len();
        again(&mut lab);
        assert!(lab.heard_of(Kind::Grant, mark).is_empty(), "it is too old");
        let grants = lab.heard_of(Kind::Grant, 0).into_iter();
        let to_two = |frame: &Frame| Header::of(frame).unwrap().0.target == Address(2);
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

/// A certificate that the authority issued to ECU 1's part, for whatever network, under the name
/// that the security module has in this one.
fn namesake<S: Suite>(profile: Profile) -> Vec<u8> {
    let mut key = vec![0; 4096];
    let secret = identity_secret(1, 0);
    let length = public_key(&S::default(), profile, Role::Ecu, &secret, &mut key).unwrap();
    let mut certificate = vec![0; 8192];
    let statement = Statement {
        subject: name(3),
        role: Role::Ecu,
        validity: Validity::ALWAYS,
        key: &key[..length],
        authority: AUTHORITY,
    };
    let length = issue(
        &S::default(),
        profile,
        &statement,
        &authority::<S>(),
        &mut certificate,
    )
    .unwrap();
    certificate.truncate(length);
    certificate
}

/// (e) Certificates do not say what their subject is: an ECU's, of another network in which it has
/// the name that the security module has in this one, makes it the security module.
fn plays_the_module<S: Suite>(profile: Profile) {
    let mut lab = Lab::<S>::new(&recipe(profile));
    let insider = Identity {
        secret: identity_secret(1, 0),
        ..identity(3)
    };
    let known = changed(&lab.known, |network| {
        network.parties[2].credential = namesake::<S>(profile);
    });
    lab.unplugged.extend([0, 1]);
    let (_, usurper) = lab.add_module(insider, &known);
    lab.run(2_000);
    let published = profile == Profile::AsPublished;
    assert_eq!(lab.ecus[1].borrow().is_authenticated(), published);
    assert_eq!(usurper.borrow().is_authenticated(Address(2)), published);
    let told = lab.ecu_events(2);
    let refused = EcuEvent::Failed(Failure::Certificate(CertificateError::Role));
    assert_eq!(!told.contains(&refused), published, "{told:?}");
}

#[test]
fn certificates_say_no_role() {
    for profile in PROFILES {
        // Their offers are as long as their keys, so that only the role is amiss in `compact`.
        plays_the_module::<FourQSchnorrQ>(profile);
        plays_the_module::<EcdheEcdsa>(profile);
    }
    for profile in [Profile::AsPublished, Profile::Hardened] {
        plays_the_module::<MlKem768MlDsa44>(profile);
    }
}

/// Its own certificate as it stands never serves an insider: it names another subject.
#[test]
fn nobody_is_the_security_module_under_another_name() {
    for profile in PROFILES {
        let mut lab = Lab::<FourQSchnorrQ>::new(&recipe(profile));
        let insider = Identity {
            secret: identity_secret(1, 0),
            ..identity(3)
        };
        let known = changed(&lab.known, |network| {
            network.parties[2].credential = network.parties[0].credential.clone();
        });
        lab.unplugged.extend([0, 1]);
        let _ = lab.add_module(insider, &known);
        lab.run(2_000);
        let told = lab.ecu_events(2);
        let refused = EcuEvent::Failed(Failure::Certificate(CertificateError::Subject));
        assert!(told.contains(&refused), "{told:?}");
        assert!(!lab.ecus[1].borrow().is_authenticated());
    }
}

/// An attacker who has stolen an ECU's secret can play this ECU, but no other party to it.
fn stolen_secret<S: Suite>(profile: Profile, credentials: Credentials) {
    let recipe = Recipe::new(profile, credentials, 2).everybody_sends();
    let mut lab = Lab::<S>::new(&recipe);
    let thief = Identity {
        secret: identity_secret(1, 0),
        ..identity(3)
    };
    let known = lab.known.clone();
    let (place, usurper) = lab.add_module(thief, &known);
    // What the real one says to everybody is genuine; the rest comes from the thief.
    lab.route = Some(Box::new(move |from, frame| {
        let (header, _) = Header::of(frame).expect("nothing else is sent");
        match (from, header.kind.is_broadcast()) {
            (0, true) => vec![(1, *frame)],
            (0, false) => Vec::new(),
            (from, _) if from == place => vec![(1, *frame)],
            _ => vec![(place, *frame)],
        }
    }));
    lab.run(4_000);
    assert!(!lab.ecus[0].borrow().is_authenticated(), "{profile:?}");
    assert!(!usurper.borrow().is_authenticated(Address(1)));
    assert_eq!(lab.stream_key(1, 1), None);
}

#[test]
fn an_ecus_secret_does_not_let_others_play_the_module_to_it() {
    for profile in [Profile::Hardened, Profile::Compact] {
        for credentials in [
            Credentials::Certificates,
            Credentials::Digests,
            Credentials::Keys,
        ] {
            stolen_secret::<FourQSchnorrQ>(profile, credentials);
            stolen_secret::<MlKem768MlDsa44>(profile, credentials);
        }
    }
}

/// An ECU that is retired hears everything, knows what it ever was told and goes on as if nothing
/// had happened; frames for others are even shown to it as if they were for itself.
fn retired<S: Suite>(profile: Profile) {
    let recipe = Recipe::new(profile, Credentials::Keys, 3).everybody_sends();
    let mut lab = Lab::<S>::new(&recipe);
    lab.run(1_500);
    lab.assert_authorised(&[1, 2, 3]);
    let old = lab.stream_key(3, 1).unwrap();
    let mark = lab.heard.len();
    lab.module.borrow_mut().retire(Address(3));
    lab.run(1_500);
    lab.assert_authorised(&[1, 2]);
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
    lab.assert_authorised(&[1, 2]);
    assert!(!lab.ecus[2].borrow().is_authenticated());
    assert_eq!(lab.stream_key(3, 1), None);
}

#[test]
fn who_is_retired_gets_no_new_stream_keys() {
    for profile in [Profile::Hardened, Profile::Compact] {
        retired::<FourQSchnorrQ>(profile);
        retired::<MlKem768MlDsa44>(profile);
    }
}

/// A registration that was recorded is refused in every other turn: it is to another nonce.
#[test]
fn registrations_do_not_replay() {
    for profile in [Profile::Hardened, Profile::Compact] {
        let (mut lab, heard) = driven::<FourQSchnorrQ>(&recipe(profile));
        let drive = lab.heard[..heard].to_vec();
        let _ = lab.module_events();
        let hello = lab.heard_of(Kind::Hello, 0);
        let (_, last) = *hello.iter().rfind(|(from, _)| *from == 1).unwrap();
        lab.unplugged.insert(1);
        for (_, frame) in &drive {
            let (header, _) = Header::of(frame).unwrap();
            if header.source == Address(1) && header.kind == Kind::Certificate {
                // It asks for a turn, and the attacker takes it.
                lab.deliver(0, &last);
                lab.run(1);
            }
            if header.source == Address(1) {
                lab.deliver(0, frame);
            }
        }
        lab.run(1_000);
        let told = lab.module_events();
        let again = ModuleEvent::Authenticated(Address(1));
        assert!(!told.contains(&again), "{told:?}");
        let failed = |event: &ModuleEvent| {
            matches!(
                event,
                ModuleEvent::Failed {
                    ecu: Address(1),
                    ..
                }
            )
        };
        assert!(told.iter().any(failed), "{told:?}");
    }
}
