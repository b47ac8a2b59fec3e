//! Files beside a trust list: the chain file and the composite revocation list.

use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::crl::{Crl, CrlEntries, RevokedCertificate, signer_permission};
use waywarden_v2x_pki::multi_signed_ctl::*;
use waywarden_v2x_pki::{Authority, Contents};
use waywarden_v2x_security::{Capacity, Verifier};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::ieee1609dot2::{
    CracaType, CrlSeries, Duration, HashedId10, Time32, Time64,
};
use waywarden_v2x_wire::ieee1609dot2dot1::CertManagementPdu;

use super::{Electorate, bytes, report};
use crate::support::{NOW, START};

const SERIES: CrlSeries = CrlSeries(4);

fn verifier() -> Verifier {
    Verifier::new(Capacity::MINIMAL)
}

/// A certificate below the root.
fn below(world: &mut Electorate, contents: &Contents) -> (Credential, Vec<u8>) {
    let Electorate {
        store, seeds, root, ..
    } = world;
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let public = store.public_key(key).unwrap();
    let certificate = root.issue(store, contents, &public, seeds).unwrap();
    let verified = root.verifier().verify_certificate(&certificate).unwrap();
    let credential = Credential::new(store, key, verified).unwrap();
    (credential, certificate)
}

fn named(name: &str, years: u16) -> Contents {
    Contents::new(START, Duration::Years(years)).named(name)
}

fn chain_file(group: &ElectorGroup, spdu: &[u8], now: Time64) -> Vec<AuthorityReport> {
    let CertManagementPdu::CertificateChain(chain) = CertManagementPdu::read(spdu).unwrap() else {
        panic!()
    };
    let others = chain.others.iter().flatten();
    check_chain_file(others, group, &mut verifier(), now)
}

#[test]
fn chain_file_says_of_each_certificate_whether_an_approved_root_is_above_it() {
    let mut world = Electorate::new("ccf", 2);
    let mut group = world.group(&[0, 1]);
    let ctl = world.signed(&world.ctl(1), &[0, 1]);
    assert!(group.take(report(&group, &ctl)));
    let contents = named("ica", 3).issuing_all();
    let (ica, ica_bytes) = below(&mut world, &contents);
    let chain = [&ica_bytes[..], &bytes(world.root.credential())];
    let ica = Authority::new(&world.store, ica.key(), &chain).unwrap();
    let key = world
        .store
        .generate(Curve::P256, Uses::SIGN, &world.seeds.next());
    let public = world.store.public_key(key.unwrap()).unwrap();
    let pca = named("pca", 1).permitting(waywarden_v2x_wire::ieee1609dot2::Psid(36), &[]);
    let Electorate { store, seeds, .. } = &mut world;
    let pca = ica.issue(store, &pca, &public, seeds).unwrap();
    let stranger = Electorate::new("ccf_stranger", 0);
    let (root, other) = (
        bytes(world.root.credential()),
        bytes(stranger.root.credential()),
    );
    let mut broken = pca.clone();
    *broken.last_mut().unwrap() ^= 1;
    // In an order in which no issuer is known before what it issued.
    let others = [
        pca,
        ica_bytes,
        root,
        bytes(&world.electors[1]),
        other,
        broken,
    ];
    let spdu = certificate_chain(&ctl, &others).unwrap();
    let found = chain_file(&group, &spdu, NOW);
    let outcomes: Vec<_> = found.iter().map(|one| one.outcome.is_ok()).collect();
    assert_eq!(
        outcomes,
        [true, true, true, true, false, false],
        "{found:?}"
    );
    assert_eq!(found[4].outcome, Err(AuthorityFault::UnapprovedRoot));
    assert!(matches!(found[5].outcome, Err(AuthorityFault::Refused(_))));
    // Without the issuer, and after the end.
    let spdu = certificate_chain(&ctl, &others[..1]).unwrap();
    let missing = chain_file(&group, &spdu, NOW).remove(0).outcome;
    assert!(matches!(missing, Err(AuthorityFault::NoIssuer(_))));
    let later = Time64(NOW.0 + 2 * 31_556_952 * 1_000_000);
    let spdu = certificate_chain(&ctl, &others).unwrap();
    let expired = chain_file(&group, &spdu, later).remove(0).outcome;
    assert_eq!(expired, Err(AuthorityFault::NotValidNow));
    // A group that holds no list approves nothing.
    let none = chain_file(&world.group(&[0, 1]), &spdu, NOW);
    assert_eq!(none.iter().filter(|one| one.outcome.is_ok()).count(), 1);
}

/// A signed list of the root's signer.
fn crl(world: &mut Electorate, signer: &Credential, serial: u32, issued: u32) -> Vec<u8> {
    let list = Crl {
        craca: world.root.credential().id(),
        series: SERIES,
        issue_date: Time32(START.0 + issued),
        next_crl: Time32(START.0 + issued + 500),
        is_full: true,
        entries: CrlEntries::Certificates {
            serial,
            certificates: vec![RevokedCertificate {
                id: HashedId10([7; 10]),
                expiry: Time32(START.0 + 9_000),
            }],
        },
    };
    list.sign(&mut world.store, signer, &mut world.seeds)
        .unwrap()
}

#[test]
fn composite_list_says_of_each_revocation_list_whether_it_counts() {
    let mut world = Electorate::new("composite_crl", 2);
    let ctl = world.signed(&world.ctl(1), &[0, 1]);
    let mut contents = named("crlg", 1);
    let permission = signer_permission(CracaType::IssuerIsCraca, &[SERIES]);
    contents.permissions.push(permission.unwrap());
    let (signer, _) = below(&mut world, &contents);
    let first = crl(&mut world, &signer, 1, 50);
    let mut forged = first.clone();
    *forged.last_mut().unwrap() ^= 1;
    let crls = [first.clone(), forged, first, ctl.clone()];
    let spdu = composite_crl(&ctl, &crls).unwrap();
    let CertManagementPdu::CompositeCrl(composite) = CertManagementPdu::read(&spdu).unwrap() else {
        panic!()
    };
    let root = bytes(world.root.credential());
    let check = |now: Time64| {
        let mut verifier = verifier();
        verifier.add_trust_anchor(&root).unwrap();
        check_crls(composite.crls.iter().flatten(), &mut verifier, now)
    };
    let found = check(NOW);
    let kinds = found[0].contents.unwrap();
    assert_eq!(
        (kinds.kind, kinds.number, kinds.entries),
        ("fullHashCrl", 1, 1)
    );
    assert_eq!(found[0].faults, []);
    assert!(matches!(
        found[1].faults[..],
        [CrlFault::Refused(_), CrlFault::Repeated(0)]
    ));
    assert!(found[2].faults.contains(&CrlFault::Repeated(0)));
    assert_eq!(found[3].faults, [CrlFault::NotSigned]);
    let late = check(Time64(NOW.0 + 600 * 1_000_000));
    assert!(
        matches!(late[0].faults[..], [CrlFault::Overdue(_)]),
        "{:?}",
        late[0]
    );
    // Who trusts another root takes none.
    let stranger = Electorate::new("composite_stranger", 0);
    let mut verifier = verifier();
    let other = bytes(stranger.root.credential());
    verifier.add_trust_anchor(&other).unwrap();
    let refused = check_crls(composite.crls.iter().flatten(), &mut verifier, NOW);
    assert!(refused.iter().all(|one| !one.faults.is_empty()));
}
