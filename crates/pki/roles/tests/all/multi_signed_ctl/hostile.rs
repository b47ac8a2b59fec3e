//! Lists that attack: contradictions, quorums that no later list can meet, signatures for something
//! else, sizes, and bytes that were changed.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, each_seed, seeds};
use waywarden_v2x_keys::{Nonce, NonceForm};
use waywarden_v2x_pki::multi_signed_ctl::*;
use waywarden_v2x_signing::{
    PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign_unchecked,
};
use waywarden_v2x_wire::coer::{SequenceOf, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time64, Version3,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    CertManagementPdu, FULL_IEEE_CTL, MultiSignedCtl, MultiSignedCtlType, ScmsContent, ScmsPdu,
};

use super::{Electorate, bytes, list, outcomes, report, words};
use crate::support::{NOW, written};

#[test]
fn list_that_no_later_one_could_follow_is_refused() {
    let mut world = Electorate::new("ctl_dead_end", 3);
    for (quorum, approved, expected) in [
        (Some(0), 3, "quorum: 0 of 3"),
        (Some(-1), 3, "quorum: -1 of 3"),
        (Some(4), 3, "quorum: 4 of 3"),
        (Some(i64::MAX), 3, "quorum: 9223372036854775807 of 3"),
        (None, 1, "quorum: 2 of 1"),
        (None, 0, "quorum: 2 of 0"),
    ] {
        let mut ctl = world.ctl(1);
        ctl.quorum = quorum;
        ctl.electors.truncate(approved);
        let spdu = world.signed(&ctl, &[0, 1]);
        let refused = words(&report(&world.group(&[0, 1, 2]), &spdu));
        assert!(refused.contains(expected), "{refused}");
    }
    // The same elector twice is one.
    let mut ctl = world.ctl(1);
    ctl.electors[1] = ctl.electors[0].clone();
    ctl.quorum = Some(3);
    let spdu = world.signed(&ctl, &[0, 1]);
    let refused = words(&report(&world.group(&[0, 1, 2]), &spdu));
    assert!(refused.contains("quorum: 3 of 2"), "{refused}");
}

#[test]
fn electors_without_a_certificate_are_named_and_memory_in_place_of_a_hash_is() {
    let mut world = Electorate::new("ctl_memory", 3);
    let ctl = world.ctl(1);
    let spdu = world.signed(&ctl, &[0, 1]);
    // What an encoder writes that takes the address of a string for the string.
    let mut tbs = list(&spdu).tbs_ctl.to_vec();
    let known = report(&world.group(&[0, 1, 2]), &spdu);
    for entry in &known.entries[..3] {
        let word = [0xe0, 0x18, 0x08, 0xf0, 0x67, 0x7d, 0, 0];
        let memory = [word, [4, 0, 2, 0, 4, 0, 0, 1]].concat().repeat(3);
        tbs[entry.offset..entry.offset + 48].copy_from_slice(&memory);
    }
    let spdu = again(&spdu, |own| MultiSignedCtl {
        tbs_ctl: Box::leak(tbs.clone().into_boxed_slice()),
        ..own
    });
    let refused = report(&world.group(&[0, 1, 2]), &spdu);
    for entry in &refused.entries[..3] {
        assert!(entry.is_memory && entry.certificate.is_none(), "{entry:?}");
    }
    assert!(!refused.entries[3].is_memory);
    assert_eq!(refused.unnamed, [0, 1, 2]);
    assert!(!refused.is_accepted());
}

#[test]
fn certificate_that_is_approved_and_removed_is_a_contradiction() {
    let mut world = Electorate::new("ctl_contradiction", 3);
    let mut ctl = world.ctl(1);
    ctl.removed_electors = vec![bytes(&world.electors[2])];
    ctl.removed_roots = ctl.roots.clone();
    let spdu = world.signed(&ctl, &[0, 1]);
    let refused = words(&report(&world.group(&[0, 1, 2]), &spdu));
    for field in ["electorRemove[0]", "rootCaRemove[0]"] {
        assert!(refused.contains(field), "{refused}");
    }
}

/// Writes a list again, changed.
fn again(
    spdu: &[u8],
    change: impl for<'a> FnOnce(MultiSignedCtl<'a>) -> MultiSignedCtl<'a>,
) -> Vec<u8> {
    let own = change(list(spdu));
    let pdu = written(&ScmsPdu::new(ScmsContent::Cert(
        CertManagementPdu::MultiSignedCtl(own),
    )));
    written(&Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&pdu),
    })
}

/// A signature of elector 1, made of a right one by a change of payload or header.
fn signature(
    world: &mut Electorate,
    ctl: &Ctl,
    change: impl FnOnce(&mut Vec<u8>, &mut HeaderInfo<'static>),
) -> Vec<u8> {
    let right = world.endorse(ctl, 1);
    let data: Ieee1609Dot2Data<'_> = parse(&right).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        unreachable!()
    };
    let inner = signed.tbs_data.payload.data.as_ref().unwrap().view();
    let Ieee1609Dot2Content::Unsecured(payload) = inner.unwrap().content else {
        unreachable!()
    };
    let mut payload = payload.to_vec();
    let mut header = HeaderInfo {
        generation_time: Some(Time64(NOW.0 - 1_000_000)),
        ..HeaderInfo::new(MANAGEMENT_PSID)
    };
    change(&mut payload, &mut header);
    let message = UnsignedMessage {
        payload: PayloadToSign::Data(&payload),
        header,
    };
    let options = SigningOptions {
        signer: SignerForm::Digest,
        form: NonceForm::XOnly,
        nonce: Nonce::Deterministic,
    };
    sign_unchecked(&mut world.store, &world.electors[1], &message, &options).unwrap()
}

#[test]
fn signatures_for_something_else_are_named_and_do_not_count() {
    let mut world = Electorate::new("ctl_other_signatures", 3);
    let ctl = world.ctl(1);
    type Change = fn(&mut Vec<u8>, &mut HeaderInfo<'static>);
    let seconds = NOW.0 / 1_000_000 - 1;
    let cases: &[(Change, &str)] = &[
        (|_, _| (), ""),
        (|_, header| header.psid = Psid(36), "psid: 36 (0x24)"),
        (
            |_, header| header.generation_time = None,
            "generationTime: missing",
        ),
        (
            |_, header| header.generation_time = Some(Time64(NOW.0 + 1)),
            "or later than now",
        ),
        (
            |_, header| header.generation_time = Some(Time64(700_000_099)),
            "in seconds (Time32) in place of microseconds",
        ),
        (
            |_, header| header.expiry_time = Some(NOW),
            "expiryTime: signatures of trust lists have none",
        ),
        (|payload, _| payload[3] ^= 1, "electorGroupId: another one"),
        (|payload, _| payload[11] = 2, "ctlType: another one"),
        (|payload, _| payload[13] = 2, "sequenceNumber: another one"),
        (|payload, _| payload[14] ^= 1, "tbsCtlHash: "),
        (|payload, _| payload.truncate(20), "missing"),
        (|payload, _| payload.push(0), "left over"),
        (
            |payload, _| {
                *payload = written(&ScmsPdu::new(ScmsContent::Cert(
                    CertManagementPdu::MultiSignedCtl(MultiSignedCtl {
                        kind: FULL_IEEE_CTL,
                        tbs_ctl: &[],
                        unsigned: &[],
                        signatures: SequenceOf::new(&[Ieee1609Dot2Data {
                            version: Version3,
                            content: Ieee1609Dot2Content::Unsecured(&[]),
                        }])
                        .unwrap(),
                    }),
                )));
            },
            "content: another one",
        ),
    ];
    assert_eq!(seconds, 700_000_099);
    for (change, expected) in cases {
        let other = signature(&mut world, &ctl, change);
        let spdu = ctl.assemble(&[world.endorse(&ctl, 0), other]).unwrap();
        let found = report(&world.group(&[0, 1, 2]), &spdu);
        match outcomes(&found)[1] {
            SignatureOutcome::Counted => assert_eq!(*expected, ""),
            SignatureOutcome::Wrong(faults) => {
                let all = faults.iter().map(|one| format!("{one}; "));
                let all: String = all.collect();
                assert!(
                    !expected.is_empty() && all.contains(expected),
                    "{all}: {expected}"
                );
                assert!(
                    !all.contains("spdu"),
                    "the signature itself is right: {all}"
                );
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn elector_with_an_expired_certificate_or_no_permission_does_not_count() {
    let mut world = Electorate::new("ctl_wrong_electors", 3);
    // A root that the user gives as an elector has no permission.
    let root = bytes(world.root.credential());
    let signature = world.endorse(&world.ctl(1), 0);
    let group = ElectorGroup::new(&[&root, &bytes(&world.electors[0])], 2).unwrap();
    let found = report(&group, &world.ctl(1).assemble(&[signature]).unwrap());
    assert_eq!(found.counted, 1);
    assert!(ElectorGroup::new(&[&bytes(&world.electors[0])], 0).is_err());
    assert!(ElectorGroup::new(&[], 0).is_err());
    // A year later, those of ten years sign, and one of one year does no longer.
    let brief = world.elector("brief", Curve::P384, 1);
    world.electors[1] = brief;
    let ctl = world.ctl(1);
    let spdu = world.signed(&ctl, &[0, 1, 2]);
    let later = Time64(NOW.0 + 2 * 31_556_952 * 1_000_000);
    let found = world.group(&[0, 1, 2]).check(&list(&spdu), later).unwrap();
    assert_eq!(
        outcomes(&found)[1],
        &SignatureOutcome::Wrong(vec![SignatureFault::Expired])
    );
    assert_eq!(found.counted, 2);
}

#[test]
fn kinds_and_sizes_that_are_not_known_are_refused_before_any_signature() {
    let mut world = Electorate::new("ctl_sizes", 2);
    let ctl = world.ctl(1);
    let spdu = world.signed(&ctl, &[0, 1]);
    let group = world.group(&[0, 1]);
    let other = again(&spdu, |own| MultiSignedCtl {
        kind: MultiSignedCtlType(2),
        ..own
    });
    let (part, error) = group.check(&list(&other), NOW).unwrap_err();
    assert_eq!((part, error.field), ("tbsCtl", "type"));
    let many = vec![world.endorse(&ctl, 0); SIGNATURES_MAX + 1];
    let found = report(&group, &ctl.assemble(&many).unwrap());
    assert!(found.signatures.is_empty());
    assert!(words(&found).contains("signatures: 65, and 64 are looked at"));
    let mut many = ctl.clone();
    many.roots = vec![ctl.roots[0].clone(); ENTRIES_MAX];
    let spdu = world.signed(&many, &[0, 1]);
    assert!(words(&report(&group, &spdu)).contains("4098 hashes of 4096"));
}

#[test]
fn changed_and_cut_lists_are_refused_or_say_the_same_and_never_panic() {
    let mut world = Electorate::new("ctl_mutations", 3);
    let ctl = world.ctl(1);
    let spdu = world.signed(&ctl, &[0, 1]);
    let group = world.group(&[0, 1, 2]);
    let contents = list(&spdu).tbs_ctl.to_vec();
    each_seed(seeds(200), |seed| {
        let mut random = Random::new(seed);
        let mut changed = spdu.clone();
        match random.below(4) {
            0 => changed.truncate(random.index(spdu.len())),
            // Counts and lengths up to 2^32 and more.
            1 => {
                let at = random.index(changed.len());
                changed.splice(at..at + 1, [0x85, 1, 0, 0, 0, 0]);
            }
            2 => {
                let at = random.index(changed.len());
                changed[at] = random.below(256) as u8;
            }
            _ => {
                let at = random.index(changed.len());
                let end = changed.len().min(at + 1 + random.index(16));
                let again = changed[at..end].to_vec();
                changed.splice(at..at, again);
            }
        }
        let Ok(CertManagementPdu::MultiSignedCtl(own)) = CertManagementPdu::read(&changed) else {
            return;
        };
        let Ok(found) = group.check(&own, NOW) else {
            return;
        };
        if found.is_accepted() {
            assert_eq!(own.tbs_ctl, contents, "seed {seed}");
        }
    });
}

#[test]
fn lists_nested_in_each_other_end() {
    let inner = Ieee1609Dot2Data {
        version: Version3,
        content: Ieee1609Dot2Content::Unsecured(&[]),
    };
    let mut spdu = written(&inner);
    for _ in 0..2_000 {
        let home_ctl = parse(&spdu).unwrap();
        spdu = written(&Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(&written(&ScmsPdu::new(ScmsContent::Cert(
                CertManagementPdu::CertificateChain(
                    waywarden_v2x_wire::ieee1609dot2dot1::CertificateChain {
                        home_ctl,
                        others: SequenceOf::new(&[]).unwrap(),
                        unknown: Default::default(),
                    },
                ),
            )))),
        });
    }
    assert!(CertManagementPdu::read(&spdu).is_ok());
}
