//! Links that each role can draw, computed with everything that it holds.
//!
//! Certificates of several vehicles are issued. Then roles pool what they hold, and the test tries
//! each way in which the protocol's values are related. Which certificate is whose is known to the
//! test alone.

use std::collections::{BTreeMap, BTreeSet};

use waywarden_ecverify::{Curve, Point, rebuild};
use waywarden_testkit::Random;
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose, cocoon_key};
use waywarden_v2x_keys::{KeyStore as _, compressed};
use waywarden_v2x_pki::pseudonym::{LinkageRequest, Period};
use waywarden_v2x_security::encoded;
use waywarden_v2x_security::hash::{HashFunction, hash_canonical, hash_for_signature};
use waywarden_v2x_security::linkage::{PreLinkageValue, linkage_value, pre_linkage_value};
use waywarden_v2x_signing::{DecryptionKeys, decrypt, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateId, LinkageValue, VerificationKeyIndicator,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{AcaRaInterfacePdu, ScmsContent, ScmsPdu};

use super::scms::{FIRST, LA_IDS, Scms};

const VEHICLES: usize = 4;
const INDICES: u8 = 5;
const WEEKS: u16 = 2;

/// One certificate, and all that is said of it anywhere.
struct Issued {
    /// The truth: whose it is.
    vehicle: usize,
    i: Period,
    value: LinkageValue,
    certificate: Vec<u8>,
    /// Keys and values that the pseudonym authority sees while it issues.
    cocoon: Point,
    halves: [[u8; 9]; 2],
}

struct World {
    scms: Scms,
    issued: Vec<Issued>,
    /// Requests to each linkage authority, for each vehicle: they name chains alone.
    asked: Vec<[LinkageRequest; 2]>,
}

impl World {
    fn new(test: &str) -> Self {
        let mut scms = Scms::new(&mut Random::of_test(test), VEHICLES);
        let mut issued = Vec::new();
        for week in 0..WEEKS {
            let i = Period(FIRST.0 + week);
            for request in scms.requests(i, 0..INDICES) {
                let answer = scms.answer(&request).unwrap();
                let collected = scms.ra.collect(&answer).unwrap();
                let mut vehicles = scms.vehicles.iter();
                let vehicle = vehicles.position(|one| one.id == collected.id).unwrap();
                let opened = scms.open(vehicle, collected.position, &collected.response);
                let pseudonym = opened.unwrap();
                scms.store.retire_key(pseudonym.key);
                let value = value_of(&pseudonym.certificate);
                let (cocoon, halves) = seen(&mut scms, &request);
                issued.push(Issued {
                    vehicle,
                    i,
                    value,
                    certificate: pseudonym.certificate,
                    cocoon,
                    halves,
                });
            }
        }
        let asked = scms.vehicles.iter().map(|vehicle| {
            scms.ra
                .linkage_requests(vehicle.id, FIRST, 0..INDICES)
                .unwrap()
        });
        let asked = asked.collect();
        Self {
            scms,
            issued,
            asked,
        }
    }

    /// The half of a linkage authority for each of its chains and indices in a period, with the
    /// number of the chain: all that it can compute.
    fn halves(&self, authority: usize, i: Period) -> BTreeMap<[u8; 9], usize> {
        let mut halves = BTreeMap::new();
        for (chain, asked) in self.asked.iter().enumerate() {
            let asked = &asked[authority];
            let seed = self.scms.las[authority]
                .seed(asked.chain, asked.first, i)
                .unwrap();
            for j in 0..u32::from(u8::MAX) {
                halves.insert(pre_linkage_value(LA_IDS[authority], &seed, j).0, chain);
            }
        }
        halves
    }
}

fn value_of(certificate: &[u8]) -> LinkageValue {
    let view: Certificate<'_> = parse(certificate).unwrap();
    match view.to_be_signed.id {
        CertificateId::LinkageData(data) => data.value,
        other => panic!("{other:?}"),
    }
}

/// The cocoon key and the two prelinkage values of a request, as the pseudonym authority has them.
fn seen(scms: &mut Scms, request: &[u8]) -> (Point, [[u8; 9]; 2]) {
    let ScmsContent::AcaRa(AcaRaInterfacePdu::CertRequest(own)) =
        parse::<ScmsPdu<'_>>(request).unwrap().content
    else {
        panic!("no request");
    };
    let VerificationKeyIndicator::ReconstructionValue(cocoon) = own.tbs_cert.verify_key_indicator
    else {
        panic!("no cocoon key");
    };
    let info = own.linkage_info.unwrap();
    let halves = [(info.plv_1, 0), (info.plv_2, 1)].map(|(value, at)| {
        let keys = DecryptionKeys::new()
            .with_symmetric_key(&scms.shared[at])
            .unwrap();
        let encrypted = written(&value.enc_plv).unwrap();
        let opened = decrypt(&mut scms.store.0, &keys, &encrypted).unwrap();
        opened[..].try_into().unwrap()
    });
    (
        Point::decode(Curve::P256, &encoded(&cocoon)).unwrap(),
        halves,
    )
}

fn xor(value: LinkageValue, half: &[u8; 9]) -> [u8; 9] {
    core::array::from_fn(|at| value.0[at] ^ half[at])
}

/// The pseudonym authority holds certificates, and sees cocoon keys and both halves: none of it is
/// the same, or the sum of the same, in two certificates.
#[test]
fn pseudonym_authority_alone_links_nothing() {
    let world = World::new("pseudonym_authority_alone_links_nothing");
    let mut seen: BTreeSet<Vec<u8>> = BTreeSet::new();
    for one in &world.issued {
        let own = compressed::<32>(&one.cocoon);
        let mut all = vec![
            one.value.0.to_vec(),
            one.halves[0].to_vec(),
            one.halves[1].to_vec(),
            written(&own).unwrap(),
        ];
        assert_eq!(
            linkage_value(
                PreLinkageValue(one.halves[0]),
                PreLinkageValue(one.halves[1]),
            ),
            one.value
        );
        // Differences of two certificates would repeat if halves were reused.
        for other in world
            .issued
            .iter()
            .filter(|other| !core::ptr::eq(*other, one))
        {
            for (at, half) in one.halves.iter().enumerate() {
                assert_ne!(*half, other.halves[at]);
                assert_ne!(*half, other.halves[1 - at]);
            }
        }
        all.dedup();
        for value in all {
            assert!(seen.insert(value), "a value that was seen before");
        }
    }
}

/// After issuing, an authority keeps only certificates. With one linkage authority, each
/// certificate goes as well with any chain: there is no half to compare what is left with.
#[test]
fn certificates_and_one_linkage_authority_link_nothing_and_both_link_all() {
    let test = "certificates_and_one_linkage_authority_link_nothing_and_both_link_all";
    let world = World::new(test);
    let mut linked = 0;
    for one in &world.issued {
        let halves = [0, 1].map(|authority| world.halves(authority, one.i));
        for (own, other) in [(0, 1), (1, 0)] {
            // One alone: the value is none of its halves, and what is left when a half is taken
            // away never comes a second time, for any chain and certificate.
            assert!(!halves[own].contains_key(&one.value.0));
            let left: BTreeSet<_> = halves[own]
                .keys()
                .map(|half| xor(one.value, half))
                .collect();
            for another in world.issued.iter().filter(|another| another.i == one.i) {
                if another.certificate == one.certificate {
                    continue;
                }
                let mut rest = halves[own].keys().map(|half| xor(another.value, half));
                assert!(!rest.any(|rest| left.contains(&rest)));
            }
            // Both: exactly one chain.
            let found = halves[own].iter().filter_map(|(half, chain)| {
                let rest = halves[other].get(&xor(one.value, half));
                rest.filter(|rest| *rest == chain).map(|_| *chain)
            });
            assert_eq!(found.collect::<Vec<_>>(), [one.vehicle]);
        }
        linked += 1;
    }
    println!("{linked} certificates linked by both linkage authorities, none by one");
}

/// The limit of the standard's messages: the pseudonym authority sees both halves while it issues.
/// One that writes them down needs one linkage authority only.
#[test]
fn pseudonym_authority_that_keeps_prelinkage_values_needs_one_linkage_authority() {
    let test = "pseudonym_authority_that_keeps_prelinkage_values_needs_one_linkage_authority";
    let world = World::new(test);
    for one in &world.issued {
        for authority in [0, 1] {
            let halves = world.halves(authority, one.i);
            assert_eq!(halves.get(&one.halves[authority]), Some(&one.vehicle));
        }
    }
}

/// The registration authority knows whose each cocoon key is. No certificate shows it: neither the
/// cocoon key nor the key that would come of it is the certificate's. The pseudonym authority's
/// knowledge of cocoon keys links all.
#[test]
fn registration_authority_recognizes_no_certificate_without_the_pseudonym_authority() {
    let test = "registration_authority_recognizes_no_certificate_without_the_pseudonym_authority";
    let world = World::new(test);
    let authority = world.scms.pca.authority().credential();
    let ca = authority.certificate().public_key().unwrap();
    // Every cocoon key, with whose it is: the registration authority computes them.
    let mut cocoons: BTreeMap<Vec<u8>, (Point, usize)> = BTreeMap::new();
    for (vehicle, own) in world.scms.vehicles.iter().enumerate() {
        let caterpillar = world.scms.store.0.public_key(own.holder.keys()[0]).unwrap();
        let expansion = ExpansionFunction::new(Purpose::Signing, &own.holder.expansion_keys()[0]);
        for week in 0..WEEKS {
            for j in 0..INDICES {
                let f = expansion.f(u32::from(FIRST.0 + week), u32::from(j));
                let cocoon = cocoon_key(&caterpillar, &f).unwrap();
                cocoons.insert(cocoon.x().to_vec(), (cocoon, vehicle));
            }
        }
    }
    assert_eq!(cocoons.len(), world.issued.len());
    for one in &world.issued {
        let view: Certificate<'_> = parse(&one.certificate).unwrap();
        let VerificationKeyIndicator::ReconstructionValue(value) =
            view.to_be_signed.verify_key_indicator
        else {
            panic!("not implicit");
        };
        let value = Point::decode(Curve::P256, &encoded(&value)).unwrap();
        let verifier = world.scms.pca.authority().verifier();
        let key = verifier.verify_certificate(&one.certificate).unwrap();
        let key = key.public_key().unwrap();
        let own = hash_canonical(HashFunction::Sha256, &*view.to_be_signed).unwrap();
        let e = hash_for_signature(HashFunction::Sha256, &own, authority.digest());
        let of = |point: &Point| {
            let ca = ca.uncompressed();
            rebuild(Curve::P256, e.as_bytes(), &point.uncompressed(), &ca).unwrap()
        };
        assert_eq!(of(&value), key, "the rule by which keys are made");
        for (cocoon, _) in cocoons.values() {
            assert_ne!(value, *cocoon);
            assert_ne!(key, *cocoon);
            assert_ne!(key, of(cocoon));
        }
        // What the pseudonym authority saw in the request is in the registration authority's table.
        let (_, vehicle) = cocoons[one.cocoon.x()];
        assert_eq!(vehicle, one.vehicle);
    }
}
