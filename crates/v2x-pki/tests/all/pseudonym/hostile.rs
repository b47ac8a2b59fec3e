//! Authorities and vehicles that do not keep to the rules.

#![expect(
    clippy::too_many_lines,
    reason = "a list of cases is read in one piece"
)]

use waywarden_ecverify::Point;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::pseudonym::{
    Holder, LinkageChain, LinkageRequest, OpenError, Period, Position, PseudonymAuthority,
    PseudonymError,
};
use waywarden_v2x_pki::{Contents, IssueError};
use waywarden_v2x_signing::{DecryptError, DecryptionKeys, Recipient, Seed, decrypt, encrypt};
use waywarden_v2x_signing::{wire_key, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CertificateType, Duration, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data,
    Psid, Time32, ToBeSignedCertificate, ValidityPeriod,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaRaInterfacePdu, AcaResponse, RaAcaCertRequest, RaAcaCertRequestFlags, ScmsContent, ScmsPdu,
};

use super::scms::{BSM, CURVE, FIRST, NOW, REVOKED_BY, SCMS, Scms, asked};

/// The field that a refusal names.
fn field(refusal: &PseudonymError) -> &'static str {
    match refusal {
        PseudonymError::Message { field, .. } => field,
        other => panic!("{other:?}"),
    }
}

/// Changes a request to the pseudonym authority.
fn changed(
    request: &[u8],
    change: impl FnOnce(RaAcaCertRequest<'_>) -> RaAcaCertRequest<'_>,
) -> Vec<u8> {
    let ScmsContent::AcaRa(AcaRaInterfacePdu::CertRequest(own)) =
        parse::<ScmsPdu<'_>>(request).unwrap().content
    else {
        panic!("no request");
    };
    let changed = AcaRaInterfacePdu::CertRequest(change(own));
    written(&ScmsPdu::new(ScmsContent::AcaRa(changed))).unwrap()
}

/// The registration authority has the certificate encrypted to a key of its own, reads it, and
/// encrypts it to the vehicle again. The vehicle finds that the signature is not over that.
#[test]
fn registration_authority_that_opens_a_certificate_is_found_out() {
    let test = "registration_authority_that_opens_a_certificate_is_found_out";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let position = Position { i: FIRST, j: 0 };
    let seed = scms.seeds.next();
    let own = scms.store.0.generate(CURVE, Uses::AGREE, &seed).unwrap();
    let public: Point = scms.store.0.public_key(own).unwrap();
    let mut to = None;
    let forged = changed(&request, |request| {
        to = Some(Recipient::response_key(&request.cert_enc_key.unwrap()).unwrap());
        RaAcaCertRequest {
            cert_enc_key: Some(wire_key(Box::leak(Box::new(public))).unwrap()),
            ..request
        }
    });
    let answer = scms.answer(&forged).unwrap();
    let ScmsContent::AcaRa(AcaRaInterfacePdu::CertResponse(answer)) =
        parse::<ScmsPdu<'_>>(&answer).unwrap().content
    else {
        panic!("no answer");
    };
    let AcaResponse::Private(private) = answer.response else {
        panic!("not private");
    };
    let Ieee1609Dot2Content::Signed(signed) = private.content else {
        panic!("not signed");
    };
    let inner = signed.tbs_data.payload.data.unwrap().view().unwrap();
    let Ieee1609Dot2Content::Unsecured(encrypted) = inner.content else {
        panic!("no payload");
    };
    // It reads the certificate.
    let me = Recipient::response_key(&wire_key(&public).unwrap()).unwrap();
    let keys = DecryptionKeys::new().with_private_key(me, own);
    let opened = decrypt(&mut scms.store.0, &keys, encrypted).unwrap();
    // And hides that: neither the first signature nor none will do.
    let seed = Seed::new([1; 32]);
    let again = encrypt(&mut scms.store.0, &[to.unwrap()], &opened, &seed).unwrap();
    assert!(matches!(
        scms.open(0, position, &again),
        Err(OpenError::Message {
            field: "content",
            ..
        })
    ));
    let signed_bytes = written(&private).unwrap();
    let at = signed_bytes
        .windows(encrypted.len())
        .position(|window| window == encrypted);
    let at = at.unwrap();
    assert_eq!(again.len(), encrypted.len());
    let mut spliced = signed_bytes.clone();
    spliced[at..at + again.len()].copy_from_slice(&again);
    assert!(matches!(
        scms.open(0, position, &spliced),
        Err(OpenError::Signature(_))
    ));
    // Unchanged, the vehicle cannot open it.
    let refused = scms.open(0, position, &signed_bytes);
    assert_eq!(refused, Err(OpenError::Decrypt(DecryptError::NotForUs)));
}

#[test]
fn changed_responses_are_never_opened() {
    let mut random = Random::of_test("changed_responses_are_never_opened");
    let mut scms = Scms::new(&mut random, 1);
    let (vehicle, position, response) = scms.week(FIRST, 0..1).remove(0);
    for _ in 0..cases(100) {
        let mut changed = response.clone();
        let at = random.index(changed.len());
        match random.below(3) {
            0 => changed.truncate(at),
            1 => changed.insert(at, random.u64() as u8),
            _ => changed[at] ^= 1 << random.below(8),
        }
        if changed != response {
            assert!(scms.open(vehicle, position, &changed).is_err(), "at {at}");
        }
    }
    // No key of a failed attempt stays: the store has room for far fewer.
    assert!(scms.open(vehicle, position, &response).is_ok());
}

#[test]
fn changed_requests_never_panic_and_leave_no_key() {
    let mut random = Random::of_test("changed_requests_never_panic_and_leave_no_key");
    let mut scms = Scms::new(&mut random, 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let asked = scms.vehicles[0].request.clone();
    for _ in 0..cases(300) {
        let mut changed = request.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.below(8);
        let _ = scms.answer(&changed);
        let mut changed = asked.clone();
        let at = random.index(changed.len());
        changed[at] ^= 1 << random.below(8);
        let Scms {
            store, ra, seeds, ..
        } = &mut scms;
        assert!(
            ra.register(&mut store.0, &changed, FIRST, NOW, seeds)
                .is_err(),
            "at {at}"
        );
    }
    assert!(scms.answer(&request).is_ok());
}

#[test]
fn pseudonym_authority_refuses_what_would_link_or_exceed() {
    let test = "pseudonym_authority_refuses_what_would_link_or_exceed";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    assert!(scms.answer(&request).is_ok());
    let contents = |change: fn(ToBeSignedCertificate<'_>) -> ToBeSignedCertificate<'_>| {
        changed(&request, |own| RaAcaCertRequest {
            tbs_cert: change(own.tbs_cert),
            ..own
        })
    };
    for (forged, expected) in [
        (
            changed(&request, |own| RaAcaCertRequest {
                kind: CertificateType::Explicit,
                ..own
            }),
            "type",
        ),
        (
            changed(&request, |own| RaAcaCertRequest {
                flags: RaAcaCertRequestFlags::CUBK,
                ..own
            }),
            "flags",
        ),
        (
            changed(&request, |own| RaAcaCertRequest {
                linkage_info: None,
                ..own
            }),
            "linkageInfo",
        ),
        (
            changed(&request, |own| RaAcaCertRequest {
                cert_enc_key: None,
                ..own
            }),
            "certEncKey",
        ),
        (
            changed(&request, |own| {
                let mut info = own.linkage_info.unwrap();
                info.plv_2 = info.plv_1;
                RaAcaCertRequest {
                    linkage_info: Some(info),
                    ..own
                }
            }),
            "laId",
        ),
        (
            contents(|own| ToBeSignedCertificate {
                id: CertificateId::None(waywarden_v2x_wire::coer::Null),
                ..own
            }),
            "id",
        ),
        (
            contents(|own| ToBeSignedCertificate {
                validity_period: ValidityPeriod {
                    duration: Duration::Years(3),
                    ..own.validity_period
                },
                ..own
            }),
            "validityPeriod",
        ),
        (
            contents(|own| ToBeSignedCertificate {
                validity_period: ValidityPeriod {
                    start: Time32(own.validity_period.start.0 + 1),
                    ..own.validity_period
                },
                ..own
            }),
            "validityPeriod",
        ),
        (
            contents(|own| ToBeSignedCertificate {
                app_permissions: None,
                cert_request_permissions: Some(
                    waywarden_v2x_wire::coer::SequenceOf::new(&[]).unwrap(),
                ),
                ..own
            }),
            "appPermissions",
        ),
        (
            contents(|own| ToBeSignedCertificate {
                can_request_rollover: Some(waywarden_v2x_wire::coer::Null),
                ..own
            }),
            "certRequestPermissions",
        ),
    ] {
        assert_eq!(field(&scms.answer(&forged).unwrap_err()), expected);
    }
}

/// What the authority's chain does not cover is refused although the same period was accepted.
#[test]
fn contents_are_checked_again_when_anything_but_key_and_linkage_value_differs() {
    let test = "contents_are_checked_again_when_anything_but_key_and_linkage_value_differs";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    assert!(scms.answer(&request).is_ok());
    let other = [waywarden_v2x_wire::ieee1609dot2::PsidSsp {
        psid: Psid(99),
        ssp: None,
    }];
    let other = Box::leak(Box::new(other));
    let forged = changed(&request, |own| RaAcaCertRequest {
        tbs_cert: ToBeSignedCertificate {
            app_permissions: waywarden_v2x_wire::coer::SequenceOf::new(other),
            ..own.tbs_cert
        },
        ..own
    });
    for _ in 0..2 {
        let refused = scms.answer(&forged).unwrap_err();
        assert!(
            matches!(refused, PseudonymError::Issue(IssueError::Refused(_))),
            "{refused}"
        );
    }
    // A week after the authority's own validity.
    let late = Period(FIRST.0 + 52 * 6);
    let request = scms.requests(late, 0..1).remove(0);
    let refused = scms.answer(&request).unwrap_err();
    assert!(
        matches!(refused, PseudonymError::Issue(IssueError::Refused(_))),
        "{refused}"
    );
}

#[test]
fn prelinkage_values_of_another_period_authority_or_key_are_refused() {
    let test = "prelinkage_values_of_another_period_authority_or_key_are_refused";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let before = LinkageRequest {
        chain: LinkageChain([1; 8]),
        first: FIRST,
        i: Period(FIRST.0 - 1),
        j: 0..1,
    };
    let refused = scms.las[0].answer(&before, &mut scms.seeds).unwrap_err();
    assert_eq!(field(&refused), "i");
    let mut orders = scms.orders(FIRST, 0..1);
    orders[0].values.swap(0, 1);
    let refused = scms.ra.requests(&orders, NOW, &mut scms.seeds).unwrap_err();
    assert_eq!(field(&refused), "laId");
    orders[0].values[1].clear();
    let refused = scms.ra.requests(&orders, NOW, &mut scms.seeds).unwrap_err();
    assert_eq!(field(&refused), "linkageInfo");
    // The pseudonym authority shares other keys with them.
    let request = scms.requests(FIRST, 0..1).remove(0);
    let own = scms.shared;
    let ids = [scms.las[0].id(), scms.las[1].id()];
    for shared in [[own[1], own[0]], [own[0], [9; 16]]] {
        let linkage = [(ids[0], shared[0]), (ids[1], shared[1])];
        let Scms {
            store, seeds, root, ..
        } = &mut scms;
        let authority = waywarden_v2x_pki::Authority::new(
            &store.0,
            root.credential().key(),
            &[root.credential().certificate().bytes()],
        );
        let mut other = PseudonymAuthority::new(authority.unwrap(), linkage, REVOKED_BY).unwrap();
        let refused = other
            .answer(&mut store.0, &request, NOW, seeds)
            .unwrap_err();
        assert_eq!(refused, PseudonymError::Decrypt(DecryptError::NotForUs));
        let authority = waywarden_v2x_pki::Authority::new(
            &store.0,
            root.credential().key(),
            &[root.credential().certificate().bytes()],
        );
        let one = [linkage[0], linkage[0]];
        let refused = PseudonymAuthority::new(authority.unwrap(), one, REVOKED_BY).err();
        assert_eq!(field(&refused.unwrap()), "laId");
    }
}

#[test]
fn registration_authority_takes_only_permitted_requests_once() {
    let test = "registration_authority_takes_only_permitted_requests_once";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let again = scms.vehicles[0].request.clone();
    let take = |scms: &mut Scms, request: &[u8]| {
        let Scms {
            store, ra, seeds, ..
        } = scms;
        ra.register(&mut store.0, request, FIRST, NOW, seeds)
            .map(|taken| taken.id)
    };
    assert_eq!(take(&mut scms, &again), Err(PseudonymError::Replayed));
    let ask = |scms: &mut Scms, contents: &Contents, may: &[Psid], now: Time32| {
        let enrolled = scms.enrolled(may);
        let Scms {
            store,
            seeds,
            ra_recipient,
            ..
        } = scms;
        let holder = Holder::generate(&mut store.0, CURVE, seeds).unwrap();
        holder
            .request(&mut store.0, contents, &enrolled, ra_recipient, now, seeds)
            .unwrap()
    };
    let plain = asked();
    let request = ask(&mut scms, &plain, &[SCMS], NOW);
    assert!(matches!(
        take(&mut scms, &request),
        Err(PseudonymError::Permission(_))
    ));
    let more = asked().permitting(SCMS, &[]);
    let request = ask(&mut scms, &more, &[BSM], NOW);
    assert!(matches!(
        take(&mut scms, &request),
        Err(PseudonymError::Permission(_))
    ));
    let request = ask(&mut scms, &plain, &[BSM], Time32(NOW.0 + 3_600));
    assert_eq!(
        field(&take(&mut scms, &request).unwrap_err()),
        "generationTime"
    );
    let named = asked().named("a car");
    let request = ask(&mut scms, &named, &[BSM], NOW);
    assert_eq!(field(&take(&mut scms, &request).unwrap_err()), "id");
    let seed = scms.seeds.next();
    let key = scms.store.0.generate(CURVE, Uses::AGREE, &seed).unwrap();
    let keyed = asked().encrypted_to(scms.store.0.public_key(key).unwrap());
    let request = ask(&mut scms, &keyed, &[BSM], NOW);
    assert_eq!(
        field(&take(&mut scms, &request).unwrap_err()),
        "encryptionKey"
    );
    let request = ask(&mut scms, &plain, &[BSM], NOW);
    assert!(take(&mut scms, &request).is_ok());
}

#[test]
fn answers_to_nothing_and_second_answers_are_refused() {
    let test = "answers_to_nothing_and_second_answers_are_refused";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let answer = scms.answer(&request).unwrap();
    assert!(scms.ra.collect(&answer).is_ok());
    assert_eq!(scms.ra.collect(&answer), Err(PseudonymError::Unknown));
    let request = scms.requests(FIRST, 1..2).remove(0);
    let answer = scms.answer(&request).unwrap();
    scms.ra.give_up();
    assert_eq!(scms.ra.collect(&answer), Err(PseudonymError::Unknown));
    let unknown = scms.ra.linkage_requests(HashedId8([0; 8]), FIRST, 0..1);
    assert_eq!(unknown, Err(PseudonymError::Unknown));
    let id = scms.vehicles[0].id;
    scms.ra.forget(id);
    assert_eq!(
        scms.ra.linkage_requests(id, FIRST, 0..1),
        Err(PseudonymError::Unknown)
    );
}

/// The message that a vehicle sends is one that only the registration authority reads.
#[test]
fn request_is_encrypted() {
    let scms = Scms::new(&mut Random::of_test("request_is_encrypted"), 1);
    let message: Ieee1609Dot2Data<'_> = parse(&scms.vehicles[0].request).unwrap();
    assert!(matches!(message.content, Ieee1609Dot2Content::Encrypted(_)));
    let keys = scms.vehicles[0].holder.keys();
    let x = scms.store.0.public_key(keys[0]).unwrap();
    let request = &scms.vehicles[0].request;
    assert!(!request.windows(32).any(|window| window == x.x()));
}
