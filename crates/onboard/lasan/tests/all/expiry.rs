//! Certificates come to their end while sessions rest on them: both sides end those, no key reaches
//! beyond, renewal is refused; and an ECU judges the security module's by the latest time that it
//! knows itself.

use waywarden_lasan::Address;
use waywarden_lasan::{
    AuthenticationSuite, CertificateError, Credentials, EcuEvent, FourQSchnorrQ, HandshakeFailure,
    LasanKind, LasanProfile, MlKem768MlDsa44, ModuleEvent, NetworkTime, Validity,
};

use crate::lab::{Lab, changed};
use crate::network::{Known, NetworkConfig, identity, identity_secret, party, stream_of};

const SAFE: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];

/// The time when the clocks of the tests show zero.
const ZERO: u64 = 1_000_000;

const EXPIRED: HandshakeFailure = HandshakeFailure::Certificate(CertificateError::Expired);

/// The security module's address in these networks of two or three ECUs.
fn module(network_config: &NetworkConfig) -> u8 {
    network_config.module().0
}

/// The network with the certificate of one party ending with this millisecond of the test.
fn ending<S: AuthenticationSuite>(
    network_config: &NetworkConfig,
    known: &Known,
    address: u8,
    last: u64,
) -> Known {
    let network_config = NetworkConfig {
        validity: Validity {
            first: NetworkTime(0),
            last: NetworkTime(ZERO + last),
        },
        ..network_config.clone()
    };
    let own = party::<S>(&network_config, address, &identity_secret(address, 0));
    changed(known, |network| {
        network.parties[usize::from(address) - 1] = own;
    })
}

fn network_config(profile: LasanProfile, ecus: u8) -> NetworkConfig {
    println!("{profile:?}");
    NetworkConfig::new(profile, Credentials::Certificates, ecus).all_send()
}

/// A network of three, in which a certificate ends after so many milliseconds.
fn until<S: AuthenticationSuite>(profile: LasanProfile, address: u8, last: u64) -> Lab<S> {
    let network_config = network_config(profile, 3);
    let plain = crate::network::directory::<S>(&network_config);
    Lab::with(
        &network_config,
        &ending::<S>(&network_config, &plain, address, last),
    )
}

fn failed(ecu: u8) -> ModuleEvent {
    ModuleEvent::Failed {
        ecu: Address(ecu),
        failure: EXPIRED,
    }
}

fn ends_with_the_ecus<S: AuthenticationSuite>(profile: LasanProfile) {
    let mut lab = until::<S>(profile, 1, 4_000);
    lab.run(4_000);
    lab.assert_authorized(&[1, 2, 3]);
    let before = lab.stream_key(3, 2).unwrap();
    let _ = (lab.module_events(), lab.ecu_events(1), lab.ecu_events(2));
    lab.run(2);
    assert!(!lab.module.borrow().is_authenticated(Address(1)));
    assert!(!lab.ecus[0].borrow().is_authenticated());
    assert!(lab.module.borrow().exporter(Address(1)).is_none());
    for sender in 1..=3 {
        assert_eq!(lab.stream_key(1, sender), None, "of {sender}");
    }
    lab.run(200);
    for receiver in [2, 3] {
        assert_eq!(lab.stream_key(receiver, 1), None, "what it sent");
    }
    lab.assert_authorized(&[2, 3]);
    assert_ne!(lab.stream_key(3, 2).unwrap(), before, "keyed anew");
    let events = lab.ecu_events(1);
    assert!(events.contains(&EcuEvent::Failed(EXPIRED)), "{events:?}");
    assert!(events.contains(&EcuEvent::SessionLost));
    assert!(events.contains(&EcuEvent::Expired(stream_of(2))));
    assert!(lab.module_events().contains(&failed(1)));
    // And it is not authenticated again, by this start or another.
    for _ in 0..2 {
        lab.run(2_000);
        assert!(!lab.module.borrow().is_authenticated(Address(1)));
        assert!(!lab.ecus[0].borrow().is_authenticated());
        assert!(lab.module_events().contains(&failed(1)), "it is reported");
        lab.module.borrow_mut().start();
    }
    lab.run(1_500);
    lab.assert_authorized(&[2, 3]);
}

#[test]
fn a_session_ends_with_the_ecus_certificate() {
    for profile in SAFE {
        ends_with_the_ecus::<FourQSchnorrQ>(profile);
        ends_with_the_ecus::<MlKem768MlDsa44>(profile);
    }
}

#[test]
fn all_sessions_end_with_the_security_modules_certificate() {
    for profile in SAFE {
        let mut lab = until::<FourQSchnorrQ>(profile, 4, 4_000);
        lab.run(4_000);
        lab.assert_authorized(&[1, 2, 3]);
        let _ = lab.module_events();
        lab.run(2);
        for ecu in 1..=3 {
            assert!(!lab.module.borrow().is_authenticated(Address(ecu)));
            let own = lab.ecus[usize::from(ecu) - 1].borrow();
            assert!(!own.is_authenticated() && own.exporter().is_none());
            drop(own);
            assert!((1..=3).all(|sender| lab.stream_key(ecu, sender).is_none()));
            let events = lab.ecu_events(ecu);
            assert!(events.contains(&EcuEvent::Failed(EXPIRED)), "{events:?}");
        }
        assert!(lab.module_events().contains(&failed(2)));
        lab.module.borrow_mut().start();
        lab.run(3_000);
        for ecu in 1..=3 {
            assert!(!lab.ecus[usize::from(ecu) - 1].borrow().is_authenticated());
            assert!(lab.ecu_events(ecu).contains(&EcuEvent::Failed(EXPIRED)));
        }
    }
}

/// No message is needed at the end: keys have ended by then in all ECUs, even if the security
/// module is silent, or an ECU missed its messages.
#[test]
fn no_key_reaches_beyond_a_certificate() {
    for profile in SAFE {
        for certified in [1, 4] {
            let mut lab = until::<FourQSchnorrQ>(profile, certified, 4_000);
            lab.run(3_000);
            lab.assert_authorized(&[1, 2, 3]);
            lab.unplugged.insert(0);
            lab.run(1_002);
            for (ecu, sender) in [(1, 1), (2, 1), (3, 1), (1, 2), (1, 3)] {
                assert_eq!(lab.stream_key(ecu, sender), None, "{sender} at {ecu}");
            }
            assert!(!lab.ecus[0].borrow().is_authenticated());
            let others = lab.stream_key(3, 2).is_some();
            assert_eq!(others, certified == 1, "the rest lives on");
        }
    }
}

/// An ECU that comes long after the start hears a start-up message that is as old; when its session
/// is over it learns from the module all the same.
#[test]
fn who_comes_late_knows_the_end() {
    for profile in SAFE {
        let mut lab = until::<FourQSchnorrQ>(profile, 4, 20_000);
        let known = lab.known.clone();
        lab.unplugged.insert(1);
        lab.run(18_000);
        lab.unplugged.clear();
        lab.reset_ecu(1, identity(1), &known);
        lab.run(1_500);
        assert!(lab.is_authenticated(1));
        lab.unplugged.insert(0);
        lab.run(502);
        assert!(!lab.ecus[0].borrow().is_authenticated());
    }
}

/// An ECU that goes on is not bound to a certificate that is over: it takes the module's next one.
#[test]
fn a_renewed_certificate_is_taken_without_a_reset() {
    for profile in SAFE {
        let mut lab = until::<FourQSchnorrQ>(profile, 4, 4_000);
        lab.run(4_500);
        assert!(!lab.ecus[0].borrow().is_authenticated());
        let network_config = lab.network_config.clone();
        let renewed = ending::<FourQSchnorrQ>(&network_config, &lab.known, 4, 60_000);
        lab.reset_module(&renewed);
        lab.run(4_000);
        lab.assert_authorized(&[1, 2, 3]);
    }
}

/// An attacker who has the key of a certificate that is over says that it is earlier. Returns
/// whether ECU 1 believes him; what is true is said by `prepare`.
fn believed(profile: LasanProfile, prepare: impl Fn(&mut Lab<FourQSchnorrQ>)) -> (bool, bool) {
    let network_config = network_config(profile, 2);
    let plain = crate::network::directory::<FourQSchnorrQ>(&network_config);
    let old = ending::<FourQSchnorrQ>(&network_config, &plain, module(&network_config), 4_000);
    let mut lab = Lab::<FourQSchnorrQ>::with(&network_config, &plain);
    prepare(&mut lab);
    lab.reset_ecu(1, identity(1), &plain);
    let _ = lab.ecu_events(1);
    // His clock is set back, and his epoch is the highest that there was.
    let now = lab.now.as_nanos() / 1_000_000;
    let lying = changed(&old, |network| {
        network.settings.time_at_zero = NetworkTime(ZERO + 1_000 - now);
    });
    lab.reset_module(&lying);
    lab.run(3_000);
    let refused = lab.ecu_events(1).contains(&EcuEvent::Failed(EXPIRED));
    let role = lab.ecus[0].borrow();
    (role.is_authenticated(), refused)
}

#[test]
fn an_ecu_holds_to_the_time_that_it_knows() {
    for profile in SAFE {
        // It was there when a start was later than that, and has kept it over a reset.
        let kept = believed(profile, |lab| {
            lab.run(6_000);
            lab.module.borrow_mut().start();
            lab.run(1_500);
            lab.assert_authorized(&[1, 2]);
        });
        assert_eq!(kept, (false, true), "{profile:?}");
        // It has never seen any other: there is nothing to judge by but what is said.
        let first = believed(profile, |lab| {
            lab.unplugged.insert(1);
            lab.run(7_500);
            lab.unplugged.clear();
        });
        assert_eq!(first, (true, false), "{profile:?}");
    }
}

/// A clock of its own serves an ECU at its first boot, too; it is not set back by any message, nor
/// by its host.
#[test]
fn an_ecu_with_a_clock_judges_by_it() {
    for profile in SAFE {
        let network_config = network_config(profile, 2);
        let plain = crate::network::directory::<FourQSchnorrQ>(&network_config);
        let old = ending::<FourQSchnorrQ>(&network_config, &plain, module(&network_config), 4_000);
        let mut lab = Lab::<FourQSchnorrQ>::with(&network_config, &old);
        for time in [ZERO + 4_001, ZERO, 0] {
            lab.ecus[0].borrow_mut().tell_time(NetworkTime(time));
        }
        lab.run(2_000);
        let events = lab.ecu_events(1);
        assert!(!lab.ecus[0].borrow().is_authenticated());
        assert!(events.contains(&EcuEvent::Failed(EXPIRED)), "{events:?}");
        assert!(lab.is_authenticated(2), "which has none");
        assert!(
            lab.heard_of(LasanKind::Register, 0)
                .iter()
                .all(|(from, _)| *from != 1)
        );
        // It ends a session that is under way, too.
        lab.ecus[1]
            .borrow_mut()
            .tell_time(NetworkTime(ZERO + 4_001));
        lab.run(2);
        assert!(!lab.ecus[1].borrow().is_authenticated());
        assert_eq!(lab.stream_key(2, 2), None);
    }
}

/// As published a start-up message says nothing of an epoch, and who is authenticated ignores it:
/// one session lives over any number of starts, until its ECU is reset. Else each start ends it.
#[test]
fn as_published_a_session_lives_over_later_starts() {
    for profile in [
        LasanProfile::AsPublished,
        LasanProfile::Hardened,
        LasanProfile::Compact,
    ] {
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config(profile, 2));
        lab.run(1_000);
        lab.assert_authorized(&[1, 2]);
        let _ = (lab.ecu_events(1), lab.module_events());
        let (mut said, mut events) = (Vec::new(), Vec::new());
        for pause in [10, 10, 10, 10, 2_000] {
            lab.module.borrow_mut().start();
            lab.run(pause);
            said.extend(lab.module_events());
            events.extend(lab.ecu_events(1));
        }
        lab.assert_authorized(&[1, 2]);
        let starts = said
            .iter()
            .filter(|one| matches!(one, ModuleEvent::Started { .. }));
        assert_eq!(starts.count(), 5);
        let published = profile == LasanProfile::AsPublished;
        let lost = events.contains(&EcuEvent::SessionLost);
        let renewed = events.contains(&EcuEvent::Authenticated { epoch: 6 });
        assert_eq!((lost, renewed), (!published, !published), "{events:?}");
        let again = said.contains(&ModuleEvent::Authenticated(Address(1)));
        assert_eq!(again, !published);
    }
}
