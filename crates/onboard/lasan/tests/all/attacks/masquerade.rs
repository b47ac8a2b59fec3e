//! Masquerade: an attacker plays an ECU or the security module.

use waywarden_lasan::{
    Address, AuthenticationSuite, CertificateError, CertificateStatement, Credentials, EcdheEcdsa,
    EcuEvent, FourQSchnorrQ, HandshakeFailure, LasanHeader, LasanKind, LasanProfile,
    MlKem768MlDsa44, ModuleEvent, PartyIdentity, SubjectRole, Validity, issue, public_key,
};

use super::{PROFILES, both, driven, network_config, recorded, stranger};
use crate::lab::{Lab, changed, key_of};
use crate::network::{AUTHORITY, NetworkConfig, authority, identity, identity_secret, name};

/// (a) An attacker who has heard an ECU's certificate is taken for that ECU, and gets its streams'
/// keys.
fn plays_an_ecu<S: AuthenticationSuite>(profile: LasanProfile) {
    let (mut lab, _) = driven::<S>(&network_config(profile));
    let overheard = recorded(&lab, LasanKind::Certificate, Address(1));
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
    let published = profile == LasanProfile::AsPublished;
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
            LasanProfile::Hardened => matches!(failure, HandshakeFailure::Signature(_)),
            _ => failure == HandshakeFailure::Timeout,
        })
    });
    assert!(refused);
    assert!(lab.is_authenticated(2));
}

#[test]
fn the_holder_of_an_ecus_certificate_is_taken_for_it() {
    both(|profile, suite| match suite {
        "fourq" => plays_an_ecu::<FourQSchnorrQ>(profile),
        _ => plays_an_ecu::<MlKem768MlDsa44>(profile),
    });
}

/// A certificate that the authority issued to ECU 1's part, for whatever network, under the name
/// that the security module has in this one.
fn namesake<S: AuthenticationSuite>(profile: LasanProfile) -> Vec<u8> {
    let mut key = vec![0; 4096];
    let secret = identity_secret(1, 0);
    let length = public_key(&S::default(), profile, SubjectRole::Ecu, &secret, &mut key).unwrap();
    let mut certificate = vec![0; 8192];
    let statement = CertificateStatement {
        subject: name(3),
        role: SubjectRole::Ecu,
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
fn plays_the_module<S: AuthenticationSuite>(profile: LasanProfile) {
    let mut lab = Lab::<S>::new(&network_config(profile));
    let insider = PartyIdentity {
        secret: identity_secret(1, 0),
        ..identity(3)
    };
    let known = changed(&lab.known, |network| {
        network.parties[2].credential = namesake::<S>(profile);
    });
    lab.unplugged.extend([0, 1]);
    let (_, usurper) = lab.add_module(insider, &known);
    lab.run(2_000);
    let published = profile == LasanProfile::AsPublished;
    assert_eq!(lab.ecus[1].borrow().is_authenticated(), published);
    assert_eq!(usurper.borrow().is_authenticated(Address(2)), published);
    let events = lab.ecu_events(2);
    let refused = EcuEvent::Failed(HandshakeFailure::Certificate(CertificateError::Role));
    assert_eq!(!events.contains(&refused), published, "{events:?}");
}

#[test]
fn certificates_say_no_role() {
    for profile in PROFILES {
        // Their offers are as long as their keys, so that only the role is amiss in `compact`.
        plays_the_module::<FourQSchnorrQ>(profile);
        plays_the_module::<EcdheEcdsa>(profile);
    }
    for profile in [LasanProfile::AsPublished, LasanProfile::Hardened] {
        plays_the_module::<MlKem768MlDsa44>(profile);
    }
}

/// Its own certificate as it stands never serves an insider: it names another subject.
#[test]
fn no_one_is_the_security_module_under_another_name() {
    for profile in PROFILES {
        let mut lab = Lab::<FourQSchnorrQ>::new(&network_config(profile));
        let insider = PartyIdentity {
            secret: identity_secret(1, 0),
            ..identity(3)
        };
        let known = changed(&lab.known, |network| {
            network.parties[2].credential = network.parties[0].credential.clone();
        });
        lab.unplugged.extend([0, 1]);
        let _ = lab.add_module(insider, &known);
        lab.run(2_000);
        let events = lab.ecu_events(2);
        let refused = EcuEvent::Failed(HandshakeFailure::Certificate(CertificateError::Subject));
        assert!(events.contains(&refused), "{events:?}");
        assert!(!lab.ecus[1].borrow().is_authenticated());
    }
}

/// An attacker who has stolen an ECU's secret can play this ECU, but no other party to it.
fn stolen_secret<S: AuthenticationSuite>(profile: LasanProfile, credentials: Credentials) {
    let network_config = NetworkConfig::new(profile, credentials, 2).all_send();
    let mut lab = Lab::<S>::new(&network_config);
    let thief = PartyIdentity {
        secret: identity_secret(1, 0),
        ..identity(3)
    };
    let known = lab.known.clone();
    let (place, usurper) = lab.add_module(thief, &known);
    // Broadcasts of the real module are genuine; the rest comes from the thief.
    lab.route = Some(Box::new(move |from, frame| {
        let (header, _) = LasanHeader::of(frame).expect("nothing else is sent");
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
    for profile in [LasanProfile::Hardened, LasanProfile::Compact] {
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
