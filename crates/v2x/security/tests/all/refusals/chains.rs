//! Results of building and checking certificate chains, and of revocation.

use waywarden_testkit_v2x::world::{Holder, ISSUER_IS_CRACA, NOW, Named, Spec, now, signed_crl};
use waywarden_v2x_security::hash::certificate_digest;
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Certificate, HashBasedRevocationInfo, Psid, Time32};

use super::{MINUTE, Matrix, World, here, whole};

pub(super) fn chains(matrix: &mut Matrix) {
    use ResultCode::*;
    let now = here(now());
    let plain = World::plain();
    let alone = whole(Named::Certificates(&[])).sign(&plain.station);
    let named = [&plain.authority];
    let chain = whole(Named::Certificates(&named)).sign(&plain.station);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    let code = ChainNotEnoughInformationToConstructChain;
    matrix.row(code, &mut verifier, (&alone, &now), (&chain, &now));

    let other = Holder::issue(&Spec::authority(7), None);
    let foreign = Holder::issue(&Spec::station(8), Some(&other));
    let named = [&other];
    let untrusted = whole(Named::Certificates(&named)).sign(&foreign);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    matrix.row(
        ChainEndedAtUntrustedRoot,
        &mut verifier,
        (&untrusted, &now),
        (&chain, &now),
    );

    let mut holders = vec![plain.root.clone()];
    for seed in 20..30 {
        holders.push(Holder::issue(&Spec::authority(seed), holders.last()));
    }
    let deep = Holder::issue(&Spec::station(31), holders.last());
    let above: Vec<&Holder> = holders.iter().skip(1).rev().collect();
    let long = whole(Named::Certificates(&above)).sign(&deep);
    let mut verifier = plain.verifier(SecurityProfile::DEFAULT);
    let code = ChainWasTooLongForImplementation;
    matrix.row(code, &mut verifier, (&long, &now), (&chain, &now));

    // Of these the flaw is in the authority's or the station's certificate.
    let flaws: [(ResultCode, Spec, Spec); 3] = [
        (
            ChainInconsistentStartTimes,
            Spec::authority(2),
            Spec {
                start: NOW - 40_000,
                ..Spec::station(3)
            },
        ),
        (
            ChainInconsistentExpiryTimes,
            Spec {
                hours: 20,
                ..Spec::authority(2)
            },
            Spec::station(3),
        ),
        (
            ChainInconsistentChainPermissions,
            Spec {
                issue: &[(Some(&[36, 37]), 1, 0)],
                ..Spec::authority(2)
            },
            Spec::station(3),
        ),
    ];
    for (code, authority, station) in flaws {
        let world = World::new(&authority, &station);
        let named = [&world.authority];
        let flawed = whole(Named::Certificates(&named)).sign(&world.station);
        let mut verifier = world.verifier(SecurityProfile::DEFAULT);
        matrix.row(code, &mut verifier, (&flawed, &now), (&chain, &now));
    }
    revocation(matrix);
}

fn revocation(matrix: &mut Matrix) {
    use ResultCode::*;
    let root = Holder::issue(&Spec::authority(1), None);
    let craca = root.id();
    let [.., a, b, c] = craca.0;
    let spec = |seed| Spec {
        craca: [a, b, c],
        ..Spec::station(seed)
    };
    let station = Holder::issue(&spec(3), Some(&root));
    let revoked = Holder::issue(&spec(4), Some(&root));
    let now = here(now());
    let named = Named::Certificates(&[]);
    let sound = whole(named).sign(&station);
    let flawed = whole(named).sign(&revoked);
    let profile = SecurityProfile {
        crl_tolerance: Some(MINUTE),
        ..SecurityProfile::DEFAULT
    };
    let signer = Spec {
        app: &[(256, Some(ISSUER_IS_CRACA))],
        ..Spec::station(5)
    };
    let signer = Holder::issue(&signer, Some(&root));
    let verifier = || {
        let mut profiles = Profiles::all(profile);
        profiles.set(Psid(256), SecurityProfile::REVOCATION_LIST);
        let mut verifier = Verifier::default().with_profiles(profiles);
        verifier.add_trust_anchor(&root.certificate).unwrap();
        verifier
    };
    let list = |times, entries: &[_]| signed_crl(&signer, times, craca, entries);
    let certificate: Certificate<'_> = parse(&revoked.certificate).unwrap();
    let entries = [HashBasedRevocationInfo {
        id: certificate_digest(&certificate).unwrap().id_10(),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    }];
    let mut own = verifier();
    own.apply_crl(&list((NOW - 60, NOW + 60), &entries), &now)
        .unwrap();
    matrix.row(
        ChainCertificateRevoked,
        &mut own,
        (&flawed, &now),
        (&sound, &now),
    );
    let mut own = verifier();
    own.apply_crl(&list((NOW - 900, NOW - 600), &[]), &now)
        .unwrap();
    let refusal = own.verify(&sound, &now).unwrap_err();
    assert_eq!(refusal.code, ChainOverdueCrl);
    own.apply_crl(&list((NOW - 60, NOW + 60), &[]), &now)
        .unwrap();
    assert!(own.verify(&sound, &now).is_ok());
    matrix.0.insert(ChainOverdueCrl.name());
}
