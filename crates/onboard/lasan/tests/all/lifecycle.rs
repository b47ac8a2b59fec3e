//! The operations of a workshop: replacing, adding, retiring and re-enrolling an ECU; and that all
//! of them persist over a reset of the security module.

use std::cell::RefCell;
use std::rc::Rc;

use waywarden_lasan::Address;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, DenialReason, EcuEvent, FourQSchnorrQ, HandshakeFailure,
    LasanKind, LasanProfile, MlKem768MlDsa44, ModuleEvent, PartyIdentity, enrolled_digest,
};

use crate::lab::{Lab, changed, key_of};
use crate::network::{
    Known, NetworkConfig, TestEcu, directory, identity, identity_secret, name, party, permission,
    stream_of,
};

const PROFILES: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];
const BY_WHAT_IS_SHOWN: [Credentials; 2] = [Credentials::Certificates, Credentials::Digests];

/// Three ECUs that are authorized, each of which sends to all others.
pub(crate) fn fleet<S: AuthenticationSuite>(
    profile: LasanProfile,
    credentials: Credentials,
) -> Lab<S> {
    println!("{} {profile:?} {credentials:?}", S::NAME);
    let mut lab = Lab::new(&NetworkConfig::new(profile, credentials, 3).all_send());
    lab.run(1_500);
    lab.assert_authorized(&[1, 2, 3]);
    let _ = lab.module_events();
    lab
}

/// A part that the network has not seen yet, for an address.
pub(crate) struct Part {
    pub(crate) identity: PartyIdentity,
    pub(crate) digest: [u8; 32],
    /// Its own credential, which it brings with it.
    pub(crate) known: Known,
}

fn part<S: AuthenticationSuite>(lab: &Lab<S>, address: u8) -> Part {
    part_of(lab, address, 1)
}

/// The part of an address with this number; 0 is the one from the factory.
pub(crate) fn part_of<S: AuthenticationSuite>(lab: &Lab<S>, address: u8, number: u8) -> Part {
    let secret = identity_secret(address, number);
    let by_keys = NetworkConfig {
        credentials: Credentials::Keys,
        ..lab.network_config.clone()
    };
    let digest = enrolled_digest(&party::<S>(&by_keys, address, &secret).key);
    let own = party::<S>(&lab.network_config, address, &secret);
    let known = changed(&lab.known, |network| {
        network.parties.retain(|party| party.address != own.address);
        network.parties.push(own);
    });
    Part {
        identity: PartyIdentity {
            secret,
            ..identity(address)
        },
        digest,
        known,
    }
}

pub(crate) fn failed_with<S: AuthenticationSuite>(
    lab: &Lab<S>,
    ecu: u8,
    wanted: HandshakeFailure,
) -> bool {
    lab.module_events().into_iter().any(|event| {
        matches!(event, ModuleEvent::Failed { ecu: Address(at), failure }
            if at == ecu && failure == wanted)
    })
}

/// Resets the security module, and lets all ECUs be authenticated again.
pub(crate) fn another_drive<S: AuthenticationSuite>(lab: &mut Lab<S>) {
    let known = lab.known.clone();
    lab.reset_module(&known);
    let _ = lab.module_events();
    lab.run(4_000);
}

fn replaced<S: AuthenticationSuite>(profile: LasanProfile, credentials: Credentials) {
    let mut lab = fleet::<S>(profile, credentials);
    let old_key = lab.stream_key(1, 3).unwrap();
    let new = part(&lab, 2);
    let digest = Some(&new.digest);
    let enrolled = lab.module.borrow_mut().enrol(Address(2), name(2), digest);
    assert!(enrolled);
    lab.run(2_000);
    // The old part is still there, and of no use.
    assert!(!lab.module.borrow().is_authenticated(Address(2)));
    let key = lab.stream_key(1, 3).unwrap();
    assert!(key.0 > old_key.0 && key.1 != old_key.1, "keyed anew");
    assert_eq!(lab.stream_key(1, 2), None, "what it sent is revoked");
    let known = lab.known.clone();
    lab.reset_ecu(2, identity(2), &known);
    lab.run(2_000);
    assert!(failed_with(&lab, 2, HandshakeFailure::Key));
    assert!(!lab.ecus[1].borrow().is_authenticated());
    assert_eq!(lab.stream_key(2, 1), None);
    // The new part is, and stays so.
    lab.reset_ecu(2, new.identity, &new.known);
    lab.run(3_000);
    lab.assert_authorized(&[1, 2, 3]);
    another_drive(&mut lab);
    lab.assert_authorized(&[1, 2, 3]);
    lab.reset_ecu(2, identity(2), &known);
    lab.run(2_000);
    assert!(
        failed_with(&lab, 2, HandshakeFailure::Key),
        "nor does the old one"
    );
}

#[test]
fn a_part_is_replaced() {
    for profile in PROFILES {
        for credentials in BY_WHAT_IS_SHOWN {
            replaced::<FourQSchnorrQ>(profile, credentials);
            replaced::<MlKem768MlDsa44>(profile, credentials);
        }
    }
}

/// Enrolled without a digest, an ECU may have any key that the authority certifies for its name.
#[test]
fn a_certificate_serves_any_part_of_its_name() {
    for profile in PROFILES {
        let mut lab = fleet::<FourQSchnorrQ>(profile, Credentials::Certificates);
        let new = part(&lab, 2);
        assert!(lab.module.borrow_mut().enrol(Address(2), name(2), None));
        lab.reset_ecu(2, new.identity, &new.known);
        lab.run(2_000);
        lab.assert_authorized(&[1, 2, 3]);
    }
}

/// With enrolled keys, a new part is known only with a new directory: until then the address is
/// authenticated with neither part.
#[test]
fn where_keys_are_enrolled_a_new_part_needs_a_new_directory() {
    for profile in PROFILES {
        let mut lab = fleet::<FourQSchnorrQ>(profile, Credentials::Keys);
        let new = part(&lab, 2);
        let digest = Some(&new.digest);
        assert!(lab.module.borrow_mut().enrol(Address(2), name(2), digest));
        let known = lab.known.clone();
        lab.reset_ecu(2, identity(2), &known);
        lab.run(2_000);
        assert!(failed_with(&lab, 2, HandshakeFailure::Key), "the old part");
        lab.reset_ecu(2, part(&lab, 2).identity, &new.known);
        lab.run(2_000);
        assert!(failed_with(&lab, 2, HandshakeFailure::Key), "the new part");
        lab.known = new.known;
        another_drive(&mut lab);
        lab.assert_authorized(&[1, 2, 3]);
    }
}

/// Adds ECU 5, which sends to all others and receives from ECU 1, where the list has it already.
fn added<S: AuthenticationSuite>(profile: LasanProfile, credentials: Credentials) {
    println!("{} {profile:?} {credentials:?}", S::NAME);
    let mut network_config = NetworkConfig::new(profile, credentials, 3).all_send();
    let line = &mut network_config.streams[0];
    line.receivers = line.receivers.with(Address(5));
    let all = [1, 2, 3].map(Address).into_iter().collect();
    network_config.streams.push(permission(5, all));
    let mut lab = Lab::<S>::new(&network_config);
    lab.run(1_500);
    let new = part(&lab, 5);
    let (_, ecu) = lab.add_ecu(new.identity, &new.known);
    lab.run(1_500);
    assert!(!ecu.borrow().is_authenticated(), "nobody knows it");
    let digest = Some(&new.digest);
    assert!(lab.module.borrow_mut().enrol(Address(5), name(5), digest));
    lab.run(3_000);
    assert_shares(&lab, &ecu);
    another_drive(&mut lab);
    assert_shares(&lab, &ecu);
}

/// Asserts that the ECU that was added sends and receives what it may.
#[track_caller]
fn assert_shares<S: AuthenticationSuite>(lab: &Lab<S>, ecu: &Rc<RefCell<TestEcu<S>>>) {
    let ecu = ecu.borrow();
    assert!(ecu.is_authenticated());
    assert!(lab.module.borrow().is_authenticated(Address(5)));
    assert!(key_of(&ecu, 5).is_some(), "it may send");
    for other in [1, 2, 3] {
        assert_eq!(lab.stream_key(other, 5), key_of(&ecu, 5), "to {other}");
    }
    assert_eq!(key_of(&ecu, 1), lab.stream_key(1, 1));
    assert_eq!(key_of(&ecu, 2), None, "the list does not say so");
}

#[test]
fn an_ecu_is_added() {
    for profile in PROFILES {
        for credentials in BY_WHAT_IS_SHOWN {
            added::<FourQSchnorrQ>(profile, credentials);
            added::<MlKem768MlDsa44>(profile, credentials);
        }
    }
}

/// Enrolled keys are in the directory, and nowhere else.
#[test]
fn where_keys_are_enrolled_no_one_is_added_without_a_new_directory() {
    for profile in PROFILES {
        let mut lab = fleet::<FourQSchnorrQ>(profile, Credentials::Keys);
        let new = part(&lab, 5);
        let (_, ecu) = lab.add_ecu(new.identity, &new.known);
        let digest = Some(&new.digest);
        assert!(lab.module.borrow_mut().enrol(Address(5), name(5), digest));
        lab.run(2_000);
        assert!(!ecu.borrow().is_authenticated());
        assert!(failed_with(&lab, 5, HandshakeFailure::Key));
        lab.known = new.known;
        another_drive(&mut lab);
        assert!(ecu.borrow().is_authenticated());
        lab.assert_authorized(&[1, 2, 3]);
    }
}

fn retired_and_back<S: AuthenticationSuite>(profile: LasanProfile, credentials: Credentials) {
    let mut lab = fleet::<S>(profile, credentials);
    let before = lab.stream_key(2, 1).unwrap();
    lab.module.borrow_mut().retire(Address(3));
    lab.run(1_000);
    assert!(!lab.module.borrow().is_authenticated(Address(3)));
    lab.assert_authorized(&[1, 2]);
    for other in [1, 2] {
        assert_eq!(lab.stream_key(other, 3), None, "revoked");
        let revoked = EcuEvent::Denied {
            stream: stream_of(3),
            reason: DenialReason::Revoked,
        };
        assert!(lab.ecu_events(other).contains(&revoked));
    }
    let after = lab.stream_key(2, 1).unwrap();
    assert!(after.0 > before.0 && after.1 != before.1, "keyed anew");
    let events = lab.module_events();
    assert!(events.contains(&ModuleEvent::Retired(Address(3))));
    assert!(events.contains(&ModuleEvent::Revoked(stream_of(3))));
    let known = lab.known.clone();
    for _ in 0..2 {
        lab.reset_ecu(3, identity(3), &known);
        let mark = lab.heard.len();
        lab.run(3_000);
        assert!(!lab.ecus[2].borrow().is_authenticated());
        let invited = lab.heard_of(LasanKind::Invite, mark);
        let its = |frame| waywarden_lasan::LasanHeader::of(frame).unwrap().0.target == Address(3);
        assert!(!invited.iter().any(|(_, frame)| its(frame)));
        another_drive(&mut lab);
    }
    let keyed = enrolled_digest(&key_of_part::<S>(&lab, 3));
    assert!(
        lab.module
            .borrow_mut()
            .enrol(Address(3), name(3), Some(&keyed))
    );
    lab.run(3_000);
    lab.assert_authorized(&[1, 2, 3]);
    another_drive(&mut lab);
    lab.assert_authorized(&[1, 2, 3]);
}

/// The public key of the part that an address has had from the beginning.
fn key_of_part<S: AuthenticationSuite>(lab: &Lab<S>, address: u8) -> Vec<u8> {
    let network_config = NetworkConfig {
        credentials: Credentials::Keys,
        ..lab.network_config.clone()
    };
    party::<S>(&network_config, address, &identity_secret(address, 0)).key
}

#[test]
fn an_ecu_is_retired_and_enrolled_again() {
    for profile in PROFILES {
        for credentials in [
            Credentials::Certificates,
            Credentials::Digests,
            Credentials::Keys,
        ] {
            retired_and_back::<FourQSchnorrQ>(profile, credentials);
            retired_and_back::<MlKem768MlDsa44>(profile, credentials);
        }
    }
}

/// A retired ECU stays retired when a later directory has its parties in another order.
#[test]
fn a_new_directory_brings_no_one_back() {
    let mut lab = fleet::<FourQSchnorrQ>(LasanProfile::Hardened, Credentials::Digests);
    lab.module.borrow_mut().retire(Address(2));
    lab.run(100);
    let network_config =
        NetworkConfig::new(LasanProfile::Hardened, Credentials::Digests, 3).all_send();
    let mut newer = directory::<FourQSchnorrQ>(&network_config);
    newer = changed(&newer, |network| network.parties.rotate_left(2));
    lab.known = newer;
    another_drive(&mut lab);
    assert!(!lab.module.borrow().is_authenticated(Address(2)));
    lab.assert_authorized(&[1, 3]);
    assert_eq!(lab.stream_key(1, 2), None);
}

/// An ECU is replaced while its registration is being checked, and another gets its turn: what is
/// being computed is not taken for the other's.
#[test]
fn work_for_a_part_that_was_replaced_serves_no_one_else() {
    for credentials in [Credentials::Digests, Credentials::Keys] {
        let network_config = NetworkConfig::new(LasanProfile::Hardened, credentials, 6);
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
        lab.hold_work = true;
        // ECUs 1 to 4 have their turns, 5 and 6 wait, and the signature of one ECU is being
        // checked.
        let checked = loop {
            lab.run(1);
            lab.release();
            let verifying = lab.heard_of(LasanKind::Register, 0);
            if let Some((place, _)) = verifying.first() {
                break *place as u8;
            }
            assert!(lab.now.as_nanos() < 2_000_000_000, "nobody registers");
        };
        let digest = Some(&[0; 32]);
        let at = Address(checked);
        assert!(lab.module.borrow_mut().enrol(at, name(checked), digest));
        lab.run(1);
        lab.hold_work = false;
        lab.release();
        lab.run(2_000);
        for ecu in (1..=6).filter(|&ecu| ecu != checked) {
            let events = lab.ecu_events(ecu);
            assert!(lab.is_authenticated(ecu), "{ecu}: {events:?}");
            assert!(
                !events.contains(&EcuEvent::Failed(HandshakeFailure::Proof)),
                "{ecu}: {events:?}"
            );
        }
    }
}

/// An ECU that was retired and taken back has a session that the security module does not share. It
/// notices, even if it has nothing to ask for: the beacons make it prove itself once more.
#[test]
fn who_only_receives_notices_that_its_session_was_forgotten() {
    for profile in PROFILES {
        let mut network_config = NetworkConfig::new(profile, Credentials::Keys, 3);
        network_config.streams = vec![permission(1, [2, 3].map(Address).into_iter().collect())];
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
        lab.run(1_500);
        lab.assert_authorized(&[1, 2, 3]);
        lab.unplugged.insert(2);
        lab.module.borrow_mut().retire(Address(2));
        lab.run(100);
        assert!(lab.module.borrow_mut().enrol(Address(2), name(2), None));
        lab.unplugged.clear();
        let mark = lab.heard.len();
        lab.run(6_000);
        lab.assert_authorized(&[1, 2, 3]);
        // No other ECU is troubled much, and none is any more when all have a session.
        let others = lab.heard_of(LasanKind::EcuConfirmation, mark).into_iter();
        assert!(others.filter(|(from, _)| *from == 3).count() <= 6);
        let mark = lab.heard.len();
        lab.run(5_000);
        assert!(lab.heard_of(LasanKind::EcuConfirmation, mark).is_empty());
    }
}
