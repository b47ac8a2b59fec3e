//! Parts that are replaced where certificates say whose a key is: the old part's certificate still
//! holds, and it is shut out all the same, by whatever is known of either part.

use waywarden_lasan::Address;
use waywarden_lasan::{
    AuthenticationSuite, Credentials, FourQSchnorrQ, HandshakeFailure, LasanProfile,
    MlKem768MlDsa44, ReplaceError,
};

use crate::lab::Lab;
use crate::lifecycle::{another_drive, failed_with, fleet, part_of};
use crate::network::{name, permission};

const PROFILES: [LasanProfile; 2] = [LasanProfile::Hardened, LasanProfile::Compact];

/// Replaces ECU 2; of the new part nothing is known but that it will have a certificate.
fn replace<S: AuthenticationSuite>(lab: &Lab<S>) -> Result<(), ReplaceError> {
    lab.module.borrow_mut().replace(Address(2), name(2), None)
}

/// Puts a part into the place of ECU 2, and lets it try.
fn build_in<S: AuthenticationSuite>(lab: &mut Lab<S>, number: u8) {
    let part = part_of(lab, 2, number);
    lab.reset_ecu(2, part.identity, &part.known);
    let _ = lab.module_events();
    lab.run(2_500);
}

/// Asserts that a part is refused, at once and after a reset of the security module.
fn assert_shut_out<S: AuthenticationSuite>(lab: &mut Lab<S>, number: u8) {
    build_in(lab, number);
    for drive in 0..2 {
        assert!(
            !lab.module.borrow().is_authenticated(Address(2)),
            "{number}"
        );
        assert!(!lab.ecus[1].borrow().is_authenticated());
        assert!(
            failed_with(lab, 2, HandshakeFailure::Key),
            "{number} in drive {drive}"
        );
        assert_eq!(lab.stream_key(2, 1), None);
        another_drive(lab);
    }
}

fn replaced_again_and_again<S: AuthenticationSuite>(profile: LasanProfile) {
    let mut lab = fleet::<S>(profile, Credentials::Certificates);
    for number in 1..=3 {
        assert_eq!(replace(&lab), Ok(()), "part {number}");
        lab.run(100);
        // What the old part had is over at once.
        assert!(!lab.module.borrow().is_authenticated(Address(2)));
        assert_eq!(lab.stream_key(1, 2), None);
        for old in 0..number {
            assert_shut_out(&mut lab, old);
        }
        build_in(&mut lab, number);
        lab.assert_authorized(&[1, 2, 3]);
        another_drive(&mut lab);
        lab.assert_authorized(&[1, 2, 3]);
    }
    // No more can be remembered; a digest says all.
    assert_eq!(replace(&lab), Err(ReplaceError::TooMany));
    lab.assert_authorized(&[1, 2, 3]);
    let new = part_of(&lab, 2, 4);
    let digest = Some(&new.digest);
    let replaced = lab.module.borrow_mut().replace(Address(2), name(2), digest);
    assert_eq!(replaced, Ok(()));
    assert_shut_out(&mut lab, 3);
    build_in(&mut lab, 4);
    lab.assert_authorized(&[1, 2, 3]);
    assert_eq!(replace(&lab), Err(ReplaceError::Pinned));
}

#[test]
fn an_old_part_whose_certificate_holds_is_shut_out() {
    for profile in PROFILES {
        replaced_again_and_again::<FourQSchnorrQ>(profile);
    }
    replaced_again_and_again::<MlKem768MlDsa44>(LasanProfile::Hardened);
}

/// A retired and taken back ECU is still not the part that was replaced before.
#[test]
fn taking_an_ecu_back_brings_no_older_part_back() {
    for profile in PROFILES {
        for with_digest in [false, true] {
            let mut lab = fleet::<FourQSchnorrQ>(profile, Credentials::Certificates);
            let new = part_of(&lab, 2, 1);
            let digest = Some(&new.digest).filter(|_| with_digest);
            let replaced = lab.module.borrow_mut().replace(Address(2), name(2), digest);
            assert_eq!(replaced, Ok(()));
            build_in(&mut lab, 1);
            lab.assert_authorized(&[1, 2, 3]);
            lab.module.borrow_mut().retire(Address(2));
            lab.run(5);
            another_drive(&mut lab);
            assert!(!lab.module.borrow().is_authenticated(Address(2)));
            assert!(lab.module.borrow_mut().enrol(Address(2), name(2), None));
            assert_shut_out(&mut lab, 0);
            build_in(&mut lab, 1);
            lab.assert_authorized(&[1, 2, 3]);
        }
    }
}

/// An ECU that was retired because it was stolen is replaced while it is out.
#[test]
fn a_retired_part_is_replaced() {
    let mut lab = fleet::<FourQSchnorrQ>(LasanProfile::Hardened, Credentials::Certificates);
    lab.module.borrow_mut().retire(Address(2));
    lab.run(5);
    another_drive(&mut lab);
    assert_eq!(replace(&lab), Ok(()));
    assert_shut_out(&mut lab, 0);
    build_in(&mut lab, 1);
    lab.assert_authorized(&[1, 2, 3]);
}

/// A key that the security module does not know cannot be barred: it reports so and changes
/// nothing.
#[test]
fn a_part_that_was_never_seen_is_not_replaced_blindly() {
    for profile in PROFILES {
        let network_config =
            crate::network::NetworkConfig::new(profile, Credentials::Certificates, 3);
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config.all_send());
        assert_eq!(replace(&lab), Err(ReplaceError::NeverSeen));
        let unknown = lab.module.borrow_mut().replace(Address(9), name(9), None);
        assert_eq!(unknown, Err(ReplaceError::NotEnrolled));
        lab.run(1_500);
        lab.assert_authorized(&[1, 2, 3]);
        assert_eq!(replace(&lab), Ok(()));
        assert_eq!(replace(&lab), Err(ReplaceError::NeverSeen), "the new one");
    }
    for credentials in [Credentials::Digests, Credentials::Keys] {
        let lab = fleet::<FourQSchnorrQ>(LasanProfile::Hardened, credentials);
        assert_eq!(replace(&lab), Err(ReplaceError::Pinned));
        lab.assert_authorized(&[1, 2, 3]);
    }
}

/// With keys known by digests, no ECU is enrolled without one: any key would do.
#[test]
fn no_one_is_enrolled_without_a_digest_where_digests_say_who_is_who() {
    for profile in PROFILES {
        for credentials in [Credentials::Digests, Credentials::Keys] {
            let network_config = crate::network::NetworkConfig::new(profile, credentials, 3);
            let mut network_config = network_config.all_send();
            network_config
                .streams
                .push(permission(5, [1, 2].map(Address).into_iter().collect()));
            let mut lab = Lab::<FourQSchnorrQ>::new(&network_config);
            let new = part_of(&lab, 5, 1);
            let (_, ecu) = lab.add_ecu(new.identity, &new.known);
            assert!(!lab.module.borrow_mut().enrol(Address(5), name(5), None));
            lab.run(2_000);
            assert!(!ecu.borrow().is_authenticated());
            // Taken back without one, an ECU has to have the key that it had.
            lab.module.borrow_mut().retire(Address(2));
            assert!(lab.module.borrow_mut().enrol(Address(2), name(2), None));
            build_in(&mut lab, 1);
            assert!(!lab.module.borrow().is_authenticated(Address(2)));
            build_in(&mut lab, 0);
            lab.assert_authorized(&[1, 2, 3]);
        }
    }
}
