//! Lists: revocations that are renewed, and trust lists that are valid until the next one is due.

use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, now, signed_crl, written,
};
use waywarden_v2x_security::revocation::{REVOKED_MAX, Revokes};
use waywarden_v2x_security::{CrlRefusal, ReceptionContext, ResultCode, Revocations, Verifier};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::etsi102941::{
    Boolean, CtlFormat, DataVersion1, EtsiTs102941Data, EtsiTs102941DataContent, ListVersion1,
    ToBeSignedCrl,
};
use waywarden_v2x_wire::ieee1609dot2::{
    CrlSeries, HashBasedRevocationInfo, HashedId3, HashedId10, Time32, Time64,
};

fn entry(number: usize, expiry: u32) -> HashBasedRevocationInfo<'static> {
    let mut id = [0; 10];
    id[2..].copy_from_slice(&(number as u64).to_be_bytes());
    HashBasedRevocationInfo {
        id: HashedId10(id),
        expiry: Time32(expiry),
        unknown: Default::default(),
    }
}

/// A root, a signer of revocation lists for which the root is the CRACA, and a verifier.
fn craca() -> (Holder, Holder, Verifier) {
    let root = Holder::issue(&Spec::authority(1), None);
    let spec = Spec {
        app: &[(256, Some(ISSUER_IS_CRACA))],
        ..Spec::station(2)
    };
    let signer = Holder::issue(&spec, Some(&root));
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&root.certificate).unwrap();
    (root, signer, verifier)
}

fn at(seconds: u32) -> ReceptionContext<'static> {
    ReceptionContext::at(Time64(u64::from(seconds) * 1_000_000))
}

/// The next list of a series has most of the one before in it: that is no reason to refuse it.
#[test]
fn the_longest_list_can_be_renewed() {
    let (root, signer, mut verifier) = craca();
    let entries: Vec<_> = (0..REVOKED_MAX).map(|at| entry(at, NOW + 100)).collect();
    let mut apply = |times, entries: &[_]| {
        let list = signed_crl(&signer, times, root.id(), entries);
        verifier
            .apply_crl(&list, &at(NOW + 300))
            .map(|applied| applied.revokes)
    };
    assert_eq!(
        apply((NOW, NOW + 60), &entries),
        Ok(Revokes::Certificates(REVOKED_MAX))
    );
    assert_eq!(
        apply((NOW + 60, NOW + 120), &entries),
        Ok(Revokes::Certificates(REVOKED_MAX))
    );
    let more = [entry(REVOKED_MAX, NOW)];
    let times = (NOW + 120, NOW + 180);
    assert_eq!(apply(times, &more), Err(CrlRefusal::TooMany));
    assert_eq!(verifier.revocations().len(), REVOKED_MAX);
    // Once some have expired there is room again.
    let revocations = verifier.revocations_mut();
    revocations.forget_expired(Time64(u64::from(NOW + 200) * 1_000_000));
    let more = signed_crl(&signer, times, root.id(), &more);
    let applied = verifier.apply_crl(&more, &at(NOW + 300)).unwrap();
    assert_eq!(applied.revokes, Revokes::Certificates(1));
}

/// An earlier expiry would end a revocation early.
#[test]
fn a_revocation_is_never_made_shorter() {
    let mut revocations = Revocations::default();
    let one = entry(1, 0).id;
    let has = |revocations: &Revocations| revocations.has(HashedId3([0; 3]), CrlSeries(0), one);
    revocations.revoke(one, Time32(NOW + 100));
    revocations.revoke(one, Time32(NOW - 100));
    revocations.forget_expired(now());
    assert!(has(&revocations));
    // Longer it may become.
    revocations.revoke(one, Time32(NOW + 200));
    revocations.forget_expired(Time64(u64::from(NOW + 150) * 1_000_000));
    assert!(has(&revocations));
    // The same of lists.
    let (root, signer, mut verifier) = craca();
    let [.., a, b, c] = root.id().0;
    for expiry in [NOW + 100, NOW - 100] {
        let entries = [entry(1, expiry)];
        let list = signed_crl(&signer, (NOW, NOW + 60), root.id(), &entries);
        verifier.apply_crl(&list, &at(NOW)).unwrap();
    }
    verifier.revocations_mut().forget_expired(now());
    let revocations = verifier.revocations();
    assert!(revocations.has(HashedId3([a, b, c]), CrlSeries(0), one));
    assert!(!revocations.has(HashedId3([a, b, c]), CrlSeries(1), one));
    assert!(!has(revocations), "a certificate of another CRACA");
}

fn list(content: EtsiTs102941DataContent<'_>) -> Vec<u8> {
    written(&EtsiTs102941Data {
        version: DataVersion1,
        content,
    })
}

/// Lists are made weeks before they are read, and read often: valid until the next one is due.
#[test]
fn trust_lists_are_valid_until_the_next_one_is_due() {
    const DAY: u32 = 86_400;
    let trust = list(EtsiTs102941DataContent::CertificateTrustListTlm(
        CtlFormat {
            version: ListVersion1,
            next_update: Time32(NOW + 30 * DAY),
            is_full: Boolean(true),
            sequence: 7,
            commands: SequenceOf::new(&[]).unwrap(),
            unknown: Default::default(),
        },
    ));
    let revoked = list(EtsiTs102941DataContent::CertificateRevocationList(
        ToBeSignedCrl {
            version: ListVersion1,
            this_update: Time32(NOW),
            next_update: Time32(NOW + 30 * DAY),
            entries: SequenceOf::new(&[]).unwrap(),
            unknown: Default::default(),
        },
    ));
    let root = Holder::issue(&Spec::authority(1), None);
    let spec = Spec {
        app: &[(622, None), (624, None)],
        ..Spec::station(2)
    };
    let manager = Holder::issue(&spec, Some(&root));
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&root.certificate).unwrap();
    let days =
        |days: u32| ReceptionContext::at(Time64(now().0 + u64::from(days * DAY) * 1_000_000));
    for (psid, payload) in [(624, &trust), (622, &revoked)] {
        let message = |payload| {
            let message = MessageContents {
                psid,
                payload,
                ..MessageContents::new()
            };
            message.sign(&manager)
        };
        let signed = message(payload);
        for later in [0, 0, 1, 30] {
            let verdict = verifier.verify(&signed, &days(later));
            assert!(verdict.is_ok(), "{psid}, day {later}: {verdict:?}");
        }
        let refusal = verifier.verify(&signed, &days(31)).unwrap_err();
        assert_eq!(
            (refusal.code, refusal.field),
            (ResultCode::RelevanceExpiryTimeInPast, "nextUpdate")
        );
        // Something else has no nextUpdate: no bytes of a list, or another message of that PKI.
        let response = [&[1, 0x81, 0][..], &[0xAA; 16], &[6]].concat();
        for payload in [&b"no list"[..], &response] {
            let other = message(payload);
            let refusal = verifier.verify(&other, &days(0)).unwrap_err();
            assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
        }
    }
}
