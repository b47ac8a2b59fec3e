//! Refusals of the pseudonym authority.

use waywarden_testkit::Random;
use waywarden_v2x_pki::IssueError;
use waywarden_v2x_pki::pseudonym::{
    LinkageChain, LinkageRequest, Period, PseudonymAuthority, PseudonymError,
};
use waywarden_v2x_signing::DecryptError;
use waywarden_v2x_wire::ieee1609dot2::{
    CertificateId, CertificateType, Duration, Psid, Time32, ToBeSignedCertificate, ValidityPeriod,
};
use waywarden_v2x_wire::ieee1609dot2dot1::{RaAcaCertRequest, RaAcaCertRequestFlags};

use super::{changed, field};
use crate::pseudonym::scms::{FIRST, NOW, REVOKED_BY, Scms};

/// The pseudonym authority accepts a request, and refuses it with changes to these fields.
fn assert_refused<const COUNT: usize>(
    test: &str,
    forge: impl FnOnce(&[u8]) -> [(Vec<u8>, &'static str); COUNT],
) {
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    assert!(scms.answer(&request).is_ok());
    for (forged, expected) in forge(&request) {
        assert_eq!(field(&scms.answer(&forged).unwrap_err()), expected);
    }
}

#[test]
fn pseudonym_authority_refuses_requests_that_would_link() {
    let test = "pseudonym_authority_refuses_requests_that_would_link";
    assert_refused(test, |request| {
        [
            (
                changed(request, |own| RaAcaCertRequest {
                    kind: CertificateType::Explicit,
                    ..own
                }),
                "type",
            ),
            (
                changed(request, |own| RaAcaCertRequest {
                    flags: RaAcaCertRequestFlags::CUBK,
                    ..own
                }),
                "flags",
            ),
            (
                changed(request, |own| RaAcaCertRequest {
                    linkage_info: None,
                    ..own
                }),
                "linkageInfo",
            ),
            (
                changed(request, |own| RaAcaCertRequest {
                    cert_enc_key: None,
                    ..own
                }),
                "certEncKey",
            ),
            (
                changed(request, |own| {
                    let mut info = own.linkage_info.unwrap();
                    info.plv_2 = info.plv_1;
                    RaAcaCertRequest {
                        linkage_info: Some(info),
                        ..own
                    }
                }),
                "laId",
            ),
        ]
    });
}

#[test]
fn pseudonym_authority_refuses_contents_that_would_link_or_exceed() {
    let test = "pseudonym_authority_refuses_contents_that_would_link_or_exceed";
    assert_refused(test, |request| {
        let contents = |change: fn(ToBeSignedCertificate<'_>) -> ToBeSignedCertificate<'_>| {
            changed(request, |own| RaAcaCertRequest {
                tbs_cert: change(own.tbs_cert),
                ..own
            })
        };
        [
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
        ]
    });
}

/// Contents outside the authority's chain are refused although the same period was accepted.
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
