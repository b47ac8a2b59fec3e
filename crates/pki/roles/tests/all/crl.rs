//! Revocation lists made here, as receivers take them.

use waywarden_ecverify::Curve;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::crl::{
    Crl, CrlEntries, CrlError, RevokedCertificate, RevokedGroup, RevokedHolder, RevokedSeeds,
    signer_permission,
};
use waywarden_v2x_security::linkage::{linkage_value, pre_linkage_value};
use waywarden_v2x_security::revocation::{LinkageStatus, Revokes};
use waywarden_v2x_security::{CrlRefusal, MessageSource, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_signing::Credential;
use waywarden_v2x_wire::ieee1609dot2::{
    CracaType, CrlSeries, Duration, GroupLinkageValue, HashedId3, HashedId8, HashedId10, IValue,
    JValue, LaId, LinkageData, LinkageSeed, LinkageValue, Psid, Time32,
};

use crate::support::{NOW, START, World};

const SERIES: CrlSeries = CrlSeries(4);

/// A signer of lists below the root, which is the CRACA.
fn signer(world: &mut World, permission: bool) -> Credential {
    let World {
        store, seeds, root, ..
    } = world;
    let mut contents = Contents::new(START, Duration::Years(1)).named("crlg");
    match permission {
        true => contents
            .permissions
            .push(signer_permission(CracaType::IssuerIsCraca, &[CrlSeries(1), SERIES]).unwrap()),
        false => contents = contents.permitting(Psid(256), &[]),
    }
    let key = store
        .generate(Curve::P256, Uses::SIGN, &seeds.next())
        .unwrap();
    let public = store.public_key(key).unwrap();
    let certificate = root.issue(store, &contents, &public, seeds).unwrap();
    let mut verifier = Verifier::default();
    verifier
        .add_trust_anchor(root.credential().certificate().bytes())
        .unwrap();
    let verified = verifier.add_certificate(&certificate).unwrap();
    Credential::new(store, key, verified).unwrap()
}

fn list(world: &World, is_full: bool, entries: CrlEntries) -> Crl {
    Crl {
        craca: world.root.credential().id(),
        series: SERIES,
        issue_date: Time32(START.0 + 50),
        next_crl: Time32(START.0 + 5_000),
        is_full,
        entries,
    }
}

fn context() -> ReceptionContext<'static> {
    ReceptionContext {
        source: MessageSource::File,
        ..ReceptionContext::at(NOW)
    }
}

fn seeds(random: &mut Random, single: bool) -> RevokedSeeds {
    let mut one = || {
        (
            LaId([1, random.below(2) as u8]),
            LinkageSeed(random.array()),
        )
    };
    match (single, one(), one()) {
        (true, (la, seed), _) => RevokedSeeds::One(la, seed),
        (false, first, second) => RevokedSeeds::Two([first, second]),
    }
}

fn value(seeds: &RevokedSeeds, j: u32) -> LinkageValue {
    match seeds {
        RevokedSeeds::One(la, seed) => LinkageValue(pre_linkage_value(*la, seed, j).0),
        RevokedSeeds::Two([(la_1, seed_1), (la_2, seed_2)]) => linkage_value(
            pre_linkage_value(*la_1, seed_1, j),
            pre_linkage_value(*la_2, seed_2, j),
        ),
    }
}

fn craca_3(id: HashedId8) -> HashedId3 {
    let [.., a, b, c] = id.0;
    HashedId3([a, b, c])
}

#[test]
fn lists_by_linkage_revoke_every_holder_and_group_in_them() {
    let mut random = Random::of_test("lists_by_linkage");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let signer = signer(&mut world, true);
    for is_full in [true, false] {
        let holders: Vec<RevokedHolder> = (0..50)
            .map(|at| RevokedHolder {
                seeds: seeds(&mut random, at % 5 == 0),
                j_max: [20, 3][random.index(2)],
                i_max: 40 + random.below(2) as u16,
            })
            .collect();
        let groups: Vec<RevokedGroup> = (0..4)
            .map(|at| RevokedGroup {
                seeds: seeds(&mut random, at % 2 == 0),
                i_max: 40,
            })
            .collect();
        let entries = CrlEntries::Holders {
            i_rev: IValue(40),
            index: 0,
            holders: holders.clone(),
            groups: groups.clone(),
        };
        let crl = list(&world, is_full, entries);
        let signed = crl
            .sign(&mut world.store, &signer, &mut world.seeds)
            .unwrap();
        let mut verifier = world.receiver();
        let applied = verifier.apply_crl(&signed, &context()).unwrap();
        let values = holders.iter().map(|one| usize::from(one.j_max) + 1).sum();
        let expected = Revokes::Holders {
            from: IValue(40),
            holders: 50,
            groups: 4,
            values,
        };
        assert_eq!(applied.revokes, expected);
        let revocations = verifier.revocations_mut();
        assert_eq!(revocations.expand(IValue(40)), Ok(values));
        let status = |linkage| revocations.linked(craca_3(crl.craca), SERIES, &linkage);
        let linkage = |value, group| LinkageData {
            period: IValue(40),
            value,
            group,
        };
        for one in &holders {
            let j = u32::from(one.j_max);
            assert_eq!(
                status(linkage(value(&one.seeds, j), None)),
                LinkageStatus::Revoked
            );
            let beyond = linkage(value(&one.seeds, j + 1), None);
            assert_eq!(status(beyond), LinkageStatus::NotRevoked);
        }
        for one in &groups {
            let j = JValue([9, 8, 7, 6]);
            let own = GroupLinkageValue {
                j,
                value: value(&one.seeds, 0x0908_0706),
            };
            let own = linkage(LinkageValue([0; 9]), Some(own));
            assert_eq!(status(own), LinkageStatus::Revoked);
        }
    }
}

#[test]
fn lists_by_hash_revoke_their_certificates() {
    let mut random = Random::of_test("lists_by_hash");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let signer = signer(&mut world, true);
    for is_full in [true, false] {
        let id = HashedId10(random.array());
        let certificates = vec![RevokedCertificate {
            id,
            expiry: Time32(START.0 + 9_000),
        }];
        let entries = CrlEntries::Certificates {
            serial: 7,
            certificates,
        };
        let crl = list(&world, is_full, entries);
        let signed = crl
            .sign(&mut world.store, &signer, &mut world.seeds)
            .unwrap();
        let mut verifier = world.receiver();
        verifier.apply_crl(&signed, &context()).unwrap();
        assert!(verifier.revocations().has(craca_3(crl.craca), SERIES, id));
        let due = verifier.revocations().next_due(craca_3(crl.craca), SERIES);
        assert_eq!(due.is_some(), is_full);
    }
}

/// Refuses the lists that receivers would refuse, with the receivers' name for the reason.
#[test]
fn lists_without_the_right_are_not_signed() {
    let mut random = Random::of_test("lists_without_the_right");
    let mut world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    let entitled = signer(&mut world, true);
    let no_right = signer(&mut world, false);
    let entries = || CrlEntries::Certificates {
        serial: 1,
        certificates: Vec::new(),
    };
    let right = list(&world, true, entries());
    let other_craca = Crl {
        craca: HashedId8([1; 8]),
        ..right.clone()
    };
    let other_series = Crl {
        series: CrlSeries(2),
        ..right.clone()
    };
    let backwards = Crl {
        next_crl: right.issue_date,
        ..right.clone()
    };
    let late = Crl {
        issue_date: Time32(START.0 + 400 * 86_400),
        next_crl: Time32(START.0 + 401 * 86_400),
        ..right.clone()
    };
    let cases = [
        (&right, &no_right, ResultCode::ConsistencyUnauthorizedPsid),
        (
            &other_craca,
            &entitled,
            ResultCode::ConsistencyUnauthorizedPsid,
        ),
        (
            &other_series,
            &entitled,
            ResultCode::ConsistencyUnauthorizedPsid,
        ),
        (&backwards, &entitled, ResultCode::ParsingInvalidInput),
        (
            &late,
            &entitled,
            ResultCode::ConsistencyExpiredCertificateAtGenerationTime,
        ),
    ];
    for (crl, signer, code) in cases {
        let refused = crl
            .sign(&mut world.store, signer, &mut world.seeds)
            .unwrap_err();
        let CrlError::Refused(CrlRefusal::Message(refusal)) = &refused else {
            panic!("{refused}");
        };
        assert_eq!(refusal.code, code, "{refused}");
    }
    assert!(
        right
            .sign(&mut world.store, &entitled, &mut world.seeds)
            .is_ok()
    );
}

/// rasn reads what is signed, finds the same in it, and writes the same bytes.
#[test]
fn rasn_reads_every_list() {
    use rasn::coer;
    use rasn_its::ieee1609dot2::crl_base_types::{
        self as its, TypeSpecificCrlContents as Contents,
    };
    let mut random = Random::of_test("rasn_reads_every_list");
    let world = World::new(Curve::P256, &mut random, &[Psid(36)]);
    for case in 0..200 {
        let holders: Vec<RevokedHolder> = (0..random.index(30))
            .map(|_| RevokedHolder {
                seeds: seeds(&mut random, case % 3 == 0),
                j_max: random.below(3) as u8,
                i_max: random.below(3) as u16,
            })
            .collect();
        let groups: Vec<RevokedGroup> = (0..random.index(4))
            .map(|at| RevokedGroup {
                seeds: seeds(&mut random, at % 2 == 0),
                i_max: 40,
            })
            .collect();
        let certificates = (0..random.index(5)).map(|_| RevokedCertificate {
            id: HashedId10(random.array()),
            expiry: Time32(random.u64() as u32),
        });
        let certificates: Vec<RevokedCertificate> = certificates.collect();
        let count = (holders.len() + groups.len(), certificates.len());
        let is_full = random.once_in(2);
        let linked = CrlEntries::Holders {
            i_rev: IValue(random.u64() as u16),
            index: random.u64() as u8,
            holders,
            groups,
        };
        let hashes = CrlEntries::Certificates {
            serial: random.u64() as u32,
            certificates,
        };
        for entries in [linked, hashes] {
            let bytes = list(&world, is_full, entries).contents().unwrap();
            let read: its::CrlContents = coer::decode(&bytes).unwrap();
            assert_eq!(coer::encode(&read).unwrap(), bytes, "case {case}");
            match (&read.type_specific, is_full) {
                (Contents::FullHashCrl(crl), true) | (Contents::DeltaHashCrl(crl), false) => {
                    assert_eq!(crl.entries.len(), count.1);
                }
                (Contents::FullLinkedCrl(crl), true) | (Contents::DeltaLinkedCrl(crl), false) => {
                    assert_eq!(entries_of(crl), count.0);
                }
                _ => panic!("case {case}: {read:?}"),
            }
        }
    }
}

/// Returns the number of holders and groups that rasn finds in a list.
fn entries_of(crl: &rasn_its::ieee1609dot2::crl_base_types::ToBeSignedLinkageValueCrl) -> usize {
    let individual = crl.individual.iter().flat_map(|list| list.0.iter());
    let by_period = individual.flat_map(|group| group.contents.0.iter());
    let by_period = by_period.flat_map(|group| group.contents.0.iter());
    let holders = by_period.map(|group| {
        let singles = group.single_seed.as_ref().map_or(0, |list| list.0.len());
        group.contents.0.len() + singles
    });
    let groups = crl.groups.as_ref().map_or(0, |list| list.0.len());
    let single = crl.groups_single_seed.as_ref();
    holders.sum::<usize>() + groups + single.map_or(0, |list| list.0.len())
}
