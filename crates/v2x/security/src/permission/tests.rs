//! Coverage of permissions by issuer groups, case by case.

use waywarden_v2x_wire::coer::{CoerOctets, Null, SequenceOf};

use super::*;

fn bits(value: &'static [u8], mask: &'static [u8]) -> SspRange<'static> {
    SspRange::Bitmap(BitmapSspRange {
        value: CoerOctets::new(value).unwrap(),
        mask: CoerOctets::new(mask).unwrap(),
    })
}

fn bitmap(value: &'static [u8]) -> ServiceSpecificPermissions<'static> {
    ServiceSpecificPermissions::Bitmap(CoerOctets::new(value).unwrap())
}

#[test]
fn fixed_bits_are_as_the_issuer_has_them() {
    // Of CAM in the European test suite: version 1, and two bits that are never set.
    let given = bits(&[1, 0xFF, 0xFC], &[0xFF, 0, 3]);
    assert!(ssp_in(Some(&bitmap(&[1, 0xFF, 0xFC])), &given));
    assert!(ssp_in(Some(&bitmap(&[1, 0, 0])), &given));
    assert!(!ssp_in(Some(&bitmap(&[2, 0xFF, 0xFC])), &given));
    assert!(!ssp_in(Some(&bitmap(&[1, 0xFF, 0xFD])), &given));
    // Bits beyond the mask are free; fixed ones that are not there are not as they should be.
    assert!(ssp_in(Some(&bitmap(&[1, 0, 0, 0xFF])), &given));
    assert!(!ssp_in(Some(&bitmap(&[1, 0])), &given));
    assert!(!ssp_in(None, &given));
}

#[test]
fn opaque_permissions_are_one_of_the_issuers() {
    let two: [&[u8]; 2] = [&[1, 2], &[3]];
    let given = SspRange::Opaque(SequenceOf::new(&two).unwrap());
    assert!(ssp_in(
        Some(&ServiceSpecificPermissions::Opaque(&[3])),
        &given
    ));
    assert!(!ssp_in(
        Some(&ServiceSpecificPermissions::Opaque(&[4])),
        &given
    ));
    assert!(!ssp_in(None, &given), "none is as one of no length");
    let empty: [&[u8]; 1] = [&[]];
    let given = SspRange::Opaque(SequenceOf::new(&empty).unwrap());
    assert!(ssp_in(None, &given));
    assert!(ssp_in(Some(&bitmap(&[7])), &SspRange::All(Null)));
}

#[test]
fn who_may_give_less_fixes_more() {
    let given = bits(&[1, 0x80], &[0xFF, 0x80]);
    assert!(range_in(Some(&bits(&[1, 0x80], &[0xFF, 0x80])), &given));
    assert!(range_in(Some(&bits(&[1, 0xC0], &[0xFF, 0xC0])), &given));
    assert!(
        !range_in(Some(&bits(&[1, 0x80], &[0xFF, 0x00])), &given),
        "frees a bit"
    );
    assert!(
        !range_in(Some(&bits(&[1, 0x00], &[0xFF, 0x80])), &given),
        "another bit"
    );
    assert!(!range_in(None, &given), "any is more than some");
    assert!(range_in(None, &SspRange::All(Null)));
}

fn group<'a>(
    psids: &'a [PsidSspRange<'a>],
    least: i64,
    range: i64,
) -> [PsidGroupPermissions<'a>; 1] {
    [PsidGroupPermissions {
        subject: SubjectPermissions::Explicit(SequenceOf::new(psids).unwrap()),
        min_chain_length: least,
        chain_length_range: range,
        ee_type: EndEntityType::APP,
    }]
}

#[test]
fn lengths_of_chains() {
    let any = [PsidSspRange {
        psid: Psid(32),
        range: None,
    }];
    let of = |least, range| Lengths::of(&group(&any, least, range)[0]);
    assert_eq!(of(0, 0), Err(PermissionFault::ChainLength));
    assert_eq!(of(1, -2), Err(PermissionFault::ChainLength));
    let two = of(2, 0).unwrap();
    assert!(two.contains(Lengths::exactly(2)));
    assert!(!two.contains(Lengths::exactly(1)) && !two.contains(Lengths::exactly(3)));
    let open = of(1, -1).unwrap();
    assert!(open.contains(two) && !two.contains(open));
    // An authority that issues to stations, below a root that issues to such authorities.
    assert!(two.contains(of(1, 0).unwrap().longer(1)));
    assert!(!two.contains(of(1, 1).unwrap().longer(1)));
    assert_eq!(of(i64::MAX, i64::MAX).unwrap().most, Some(i64::MAX));
}

/// Returns the contents of a certificate with these permissions.
fn certificate(
    messages: &'static [PsidSsp<'static>],
    requests: &'static [PsidGroupPermissions<'static>],
) -> ToBeSignedCertificate<'static> {
    use waywarden_v2x_wire::ieee1609dot2::{
        CertificateId, CrlSeries, CurvePoint, Duration, HashedId3, Time32, ValidityPeriod,
        VerificationKeyIndicator,
    };
    ToBeSignedCertificate {
        id: CertificateId::None(Null),
        craca_id: HashedId3([0; 3]),
        crl_series: CrlSeries(0),
        validity_period: ValidityPeriod {
            start: Time32(0),
            duration: Duration::Hours(1),
        },
        region: None,
        assurance_level: None,
        app_permissions: (!messages.is_empty())
            .then(|| SequenceOf::new(messages))
            .flatten(),
        cert_issue_permissions: None,
        cert_request_permissions: SequenceOf::new(requests),
        can_request_rollover: None,
        encryption_key: None,
        verify_key_indicator: VerificationKeyIndicator::ReconstructionValue(CurvePoint::Fill),
        flags: None,
        app_extensions: None,
        cert_issue_extensions: None,
        cert_request_extensions: None,
        unknown: Default::default(),
    }
}

fn leaked<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

#[test]
fn requests_are_for_what_the_credential_names_and_for_its_holder() {
    let asked = |psid: u64, ssp: &'static [u8]| {
        certificate(
            leaked(alloc::vec![PsidSsp {
                psid: Psid(psid),
                ssp: (!ssp.is_empty()).then(|| bitmap(ssp)),
            }]),
            &[],
        )
    };
    let group = |subject, min_chain_length, chain_length_range, ee_type| PsidGroupPermissions {
        subject,
        min_chain_length,
        chain_length_range,
        ee_type,
    };
    let of = |psid: u64, range| {
        let range = PsidSspRange {
            psid: Psid(psid),
            range,
        };
        let ranges = leaked(alloc::vec![range]);
        SubjectPermissions::Explicit(SequenceOf::new(ranges).unwrap())
    };
    let may = |groups: Vec<PsidGroupPermissions<'static>>, request: &ToBeSignedCertificate<'_>| {
        may_request(&certificate(&[], leaked(groups)), request).is_ok()
    };
    let app = EndEntityType::APP;
    let own = || group(of(32, None), 0, 0, app);
    assert!(may(alloc::vec![own()], &asked(32, &[])));
    assert!(!may(alloc::vec![own()], &asked(33, &[])));
    assert!(!may(alloc::vec![], &asked(32, &[])));
    assert!(
        !may(alloc::vec![own()], &certificate(&[], &[])),
        "nothing asked for"
    );
    // For certificates below the one that is requested, or for enrolment.
    assert!(!may(
        alloc::vec![group(of(32, None), 1, 0, app)],
        &asked(32, &[])
    ));
    assert!(!may(
        alloc::vec![group(of(32, None), 0, 0, EndEntityType::ENROL)],
        &asked(32, &[])
    ));
    assert!(may(
        alloc::vec![group(of(32, None), 0, -1, app)],
        &asked(32, &[])
    ));
    // Bits that the credential fixes.
    let fixed = || group(of(36, Some(bits(&[1, 0], &[0xFF, 1]))), 0, 0, app);
    assert!(may(alloc::vec![fixed()], &asked(36, &[1, 0xF0])));
    assert!(!may(alloc::vec![fixed()], &asked(36, &[1, 0xF1])));
    // All that no other group names.
    let all = || group(SubjectPermissions::All(Null), 0, 0, app);
    assert!(may(alloc::vec![all()], &asked(32, &[])));
    assert!(may(alloc::vec![all(), fixed()], &asked(32, &[])));
    assert!(!may(alloc::vec![all(), fixed()], &asked(36, &[1, 0xF1])));
}
