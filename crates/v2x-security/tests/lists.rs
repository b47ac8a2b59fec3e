//! Lists: revocations that are renewed, and trust lists that are valid until the next one is due.

mod world;

use waywarden_v2x_security::revocation::{CrlFault, REVOKED_MAX};
use waywarden_v2x_security::{Circumstances, ResultCode, Revocations, Verifier};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::etsi102941::{
    Boolean, CtlFormat, DataVersion1, EtsiTs102941Data, EtsiTs102941DataContent, ListVersion1,
    ToBeSignedCrl,
};
use waywarden_v2x_wire::ieee1609dot2::{
    HashBasedRevocationInfo, HashedId8, HashedId10, Time32, Time64,
};

use world::{Holder, Message, NOW, Spec, crl, now, written};

fn entry(number: usize, expiry: u32) -> HashBasedRevocationInfo<'static> {
    let mut id = [0; 10];
    id[2..].copy_from_slice(&(number as u64).to_be_bytes());
    HashBasedRevocationInfo {
        id: HashedId10(id),
        expiry: Time32(expiry),
        unknown: Default::default(),
    }
}

/// The next list of a series has most of the one before in it: that is no reason to refuse it.
#[test]
fn the_longest_list_can_be_renewed() {
    let craca = HashedId8([1; 8]);
    let entries: Vec<_> = (0..REVOKED_MAX).map(|at| entry(at, NOW + 100)).collect();
    let mut revocations = Revocations::default();
    let most = crl(NOW, NOW + 60, craca, &entries);
    assert_eq!(revocations.apply(&most), Ok(REVOKED_MAX));
    let next = crl(NOW + 60, NOW + 120, craca, &entries);
    assert_eq!(revocations.apply(&next), Ok(REVOKED_MAX));
    assert_eq!(revocations.len(), REVOKED_MAX);
    let more = [entry(REVOKED_MAX, NOW)];
    let more = crl(NOW + 120, NOW + 180, craca, &more);
    assert_eq!(revocations.apply(&more), Err(CrlFault::TooMany));
    assert_eq!(revocations.len(), REVOKED_MAX);
    // Once some have expired there is room again.
    revocations.forget_expired(Time64(u64::from(NOW + 200) * 1_000_000));
    assert_eq!(revocations.apply(&more), Ok(1));
}

/// Whoever names an earlier expiry would end a revocation early.
#[test]
fn a_revocation_is_never_made_shorter() {
    let mut revocations = Revocations::default();
    let one = entry(1, 0).id;
    revocations.revoke(one, Time32(NOW + 100));
    revocations.revoke(one, Time32(NOW - 100));
    let shorter = [entry(1, NOW - 100)];
    let list = crl(NOW, NOW + 60, HashedId8([1; 8]), &shorter);
    assert_eq!(revocations.apply(&list), Ok(1));
    revocations.forget_expired(now());
    assert!(revocations.has(one));
    // Longer it may become.
    revocations.revoke(one, Time32(NOW + 200));
    revocations.forget_expired(Time64(u64::from(NOW + 150) * 1_000_000));
    assert!(revocations.has(one));
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
    let days = |days: u32| Circumstances::at(Time64(now().0 + u64::from(days * DAY) * 1_000_000));
    for (psid, payload) in [(624, &trust), (622, &revoked)] {
        let message = |payload| {
            let message = Message {
                psid,
                payload,
                ..Message::new()
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
        // Until when something else is valid nobody can say.
        let other = message(b"no list");
        let refusal = verifier.verify(&other, &days(0)).unwrap_err();
        assert_eq!(refusal.code, ResultCode::ParsingInvalidInput);
    }
}
