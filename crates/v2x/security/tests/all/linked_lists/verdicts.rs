//! Verdicts of receivers on certificates that a list revokes by linkage values.

use waywarden_testkit::Random;
use waywarden_testkit_v2x::linked_lists::{List, Revoked};
use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, now, signed_crl,
};
use waywarden_v2x_security::result::Reason;
use waywarden_v2x_security::revocation::Revokes;
use waywarden_v2x_security::{CrlRefusal, ResultCode, Verifier};
use waywarden_v2x_wire::ieee1609dot2::{
    HashBasedRevocationInfo, HashedId10, IValue, LinkageData, Time32, Time64,
};

use super::{Craca, at, holder};

const PERIOD: u16 = 130;

fn station(craca: &Craca, seed: u8, linkage: LinkageData, implicit: bool) -> Holder {
    let spec = Spec {
        craca: craca.short(),
        linkage: Some(linkage),
        implicit,
        ..Spec::station(seed)
    };
    Holder::issue(&spec, Some(&craca.root))
}

fn code(verifier: &mut Verifier, signer: &Holder) -> Result<(), ResultCode> {
    let message = MessageContents::new().sign(signer);
    let verdict = verifier.verify(&message, &at());
    verdict.map(drop).map_err(|refusal| refusal.code)
}

#[test]
fn revoked_certificates_are_refused_and_others_pass() {
    let mut random = Random::of_test("revoked_certificates");
    let craca = Craca::new(1);
    let revoked = holder(&mut random);
    let list = List::full(craca.id(), PERIOD - 2, vec![revoked]).sign(&craca.signer);
    for implicit in [false, true] {
        let own = revoked.linkage(PERIOD - 2, PERIOD, 20);
        let other = holder(&mut random).linkage(PERIOD - 2, PERIOD, 20);
        let [bad, good] =
            [(3, own), (4, other)].map(|(seed, linkage)| station(&craca, seed, linkage, implicit));
        let mut verifier = craca.verifier();
        assert_eq!(code(&mut verifier, &bad), Ok(()), "no list yet");
        let mut verifier = craca.verifier();
        let applied = verifier.apply_crl(&list, &at()).unwrap();
        let from = IValue(PERIOD - 2);
        let expected = Revokes::Holders {
            from,
            holders: 1,
            groups: 0,
            values: 21,
        };
        assert_eq!(applied.revokes, expected);
        assert_eq!(verifier.revocations_mut().expand(IValue(PERIOD)), Ok(21));
        let revoked = Err(ResultCode::ChainCertificateRevoked);
        assert_eq!(code(&mut verifier, &bad), revoked);
        assert_eq!(code(&mut verifier, &good), Ok(()));
    }
}

/// A certificate that is known and was accepted is looked up again when a list comes.
#[test]
fn list_revokes_a_certificate_that_is_known() {
    let mut random = Random::of_test("known_certificate");
    let craca = Craca::new(1);
    let (first, second) = (holder(&mut random), holder(&mut random));
    let bad = station(&craca, 3, second.linkage(PERIOD, PERIOD, 1), true);
    let mut verifier = craca.verifier();
    let mut said = 0;
    let mut code = |verifier: &mut Verifier| {
        said += 1;
        let made = Some(Time64(now().0 + said));
        let message = MessageContents {
            made,
            ..MessageContents::new()
        };
        let message = message.sign(&bad);
        let verdict = verifier.verify(&message, &at());
        verdict.map(drop).map_err(|refusal| refusal.code)
    };
    let apply = |verifier: &mut Verifier, list: List| {
        verifier
            .apply_crl(&list.sign(&craca.signer), &at())
            .unwrap();
    };
    apply(&mut verifier, List::full(craca.id(), PERIOD, vec![first]));
    verifier.revocations_mut().expand(IValue(PERIOD)).unwrap();
    assert_eq!(code(&mut verifier), Ok(()));
    assert_eq!(code(&mut verifier), Ok(()));
    let list = List {
        index: 1,
        ..List::full(craca.id(), PERIOD, vec![first, second])
    };
    apply(&mut verifier, list);
    assert_eq!(
        code(&mut verifier),
        Ok(()),
        "the table of before is in force"
    );
    verifier.revocations_mut().expand(IValue(PERIOD)).unwrap();
    assert_eq!(
        code(&mut verifier),
        Err(ResultCode::ChainCertificateRevoked)
    );
    // The same by its hash.
    let mut verifier = craca.verifier();
    assert_eq!(code(&mut verifier), Ok(()));
    let (digest, _) = bad.digest();
    let id = HashedId10(digest[22..].try_into().unwrap());
    let expiry = Time32(NOW + 100_000);
    verifier.revocations_mut().revoke(id, expiry);
    assert_eq!(
        code(&mut verifier),
        Err(ResultCode::ChainCertificateRevoked)
    );
}

/// A certificate of a period without a table is refused; an unsigned claim must not ask for a
/// table.
#[test]
fn period_that_is_not_expanded_is_refused_by_name() {
    let mut random = Random::of_test("not_expanded");
    let craca = Craca::new(1);
    let revoked = holder(&mut random);
    let list = List::full(craca.id(), PERIOD, vec![revoked]).sign(&craca.signer);
    let mut verifier = craca.verifier();
    verifier.apply_crl(&list, &at()).unwrap();
    let linkage = revoked.linkage(PERIOD, PERIOD + 1, 3);
    let bad = station(&craca, 3, linkage, false);
    let refusal = verifier
        .verify(&MessageContents::new().sign(&bad), &at())
        .unwrap_err();
    assert_eq!(refusal.code, ResultCode::ChainOverdueCrl);
    assert_eq!(refusal.reason, Reason::NotExpanded(IValue(PERIOD + 1)));
    let mut forged = MessageContents::new().sign(&bad);
    *forged.last_mut().unwrap() ^= 1;
    let refusal = verifier.verify(&forged, &at()).unwrap_err();
    assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
    // Before the list begins, and after its holder's last certificate, there is nothing to expand.
    for (seed, period) in [(4, PERIOD - 1), (5, 1_001)] {
        let linkage = LinkageData {
            period: IValue(period),
            ..linkage
        };
        let other = station(&craca, seed, linkage, false);
        assert_eq!(code(&mut verifier, &other), Ok(()), "period {period}");
    }
    verifier
        .revocations_mut()
        .expand(IValue(PERIOD + 1))
        .unwrap();
    assert_eq!(
        code(&mut verifier, &bad),
        Err(ResultCode::ChainCertificateRevoked)
    );
}

#[test]
fn group_is_refused_and_other_groups_pass() {
    let mut random = Random::of_test("groups");
    let craca = Craca::new(1);
    for second in [true, false] {
        let mut group = holder(&mut random);
        group.j_max = None;
        group.second = group.second.filter(|_| second);
        let list = List::full(craca.id(), PERIOD, vec![group]).sign(&craca.signer);
        let mut verifier = craca.verifier();
        verifier.apply_crl(&list, &at()).unwrap();
        verifier
            .revocations_mut()
            .expand(IValue(PERIOD + 3))
            .unwrap();
        let linkage = group.linkage(PERIOD, PERIOD + 3, 0xDEAD_BEEF);
        let bad = station(&craca, 3, linkage, false);
        let revoked = Err(ResultCode::ChainCertificateRevoked);
        assert_eq!(code(&mut verifier, &bad), revoked);
        // The value of one index under another one.
        let mut other = linkage;
        other.group.as_mut().unwrap().j.0[3] ^= 1;
        let good = station(&craca, 4, other, false);
        assert_eq!(code(&mut verifier, &good), Ok(()));
    }
}

/// The certificates of authorities have no linkage values and are revoked by hash.
#[test]
fn authority_revoked_by_hash_takes_linked_certificates_with_it() {
    let mut random = Random::of_test("authority");
    let craca = Craca::new(1);
    let spec = Spec {
        craca: craca.short(),
        ..Spec::authority(2)
    };
    let authority = Holder::issue(&spec, Some(&craca.root));
    let revoked = holder(&mut random);
    let spec = Spec {
        craca: craca.short(),
        linkage: Some(holder(&mut random).linkage(PERIOD, PERIOD, 1)),
        ..Spec::station(3)
    };
    let below = Holder::issue(&spec, Some(&authority));
    let mut verifier = craca.verifier();
    verifier.add_certificate(&authority.certificate).unwrap();
    let list = List::full(craca.id(), PERIOD, vec![revoked]).sign(&craca.signer);
    verifier.apply_crl(&list, &at()).unwrap();
    verifier.revocations_mut().expand(IValue(PERIOD)).unwrap();
    assert_eq!(code(&mut verifier, &below), Ok(()));
    let (digest, _) = authority.digest();
    let entry = HashBasedRevocationInfo {
        id: HashedId10(digest[22..].try_into().unwrap()),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    };
    let by_hash = signed_crl(&craca.signer, (NOW, NOW + 60), craca.id(), &[entry]);
    verifier.apply_crl(&by_hash, &at()).unwrap();
    let message = MessageContents {
        psid: 36,
        ..MessageContents::new()
    };
    let refusal = verifier.verify(&message.sign(&below), &at()).unwrap_err();
    assert_eq!(refusal.code, ResultCode::ChainCertificateRevoked);
}

/// A receiver that has a list, and a newer list of the same holder.
struct Listed {
    craca: Craca,
    first: Revoked,
    newer: List,
    verifier: Verifier,
}

impl Listed {
    fn new(test: &str) -> Self {
        let craca = Craca::new(1);
        let first = holder(&mut Random::of_test(test));
        let list = List::full(craca.id(), PERIOD, vec![first]);
        let mut verifier = craca.verifier();
        verifier
            .apply_crl(&list.sign(&craca.signer), &at())
            .unwrap();
        verifier.revocations_mut().expand(IValue(PERIOD)).unwrap();
        Self {
            craca,
            first,
            newer: List { index: 1, ..list },
            verifier,
        }
    }

    /// Lists with one fault each, and how they are refused.
    fn wrong_lists(&self) -> [(Vec<u8>, ResultCode); 5] {
        let Self {
            craca,
            first,
            newer,
            ..
        } = self;
        let other = Craca::new(2);
        let mut tampered = newer.sign(&craca.signer);
        let at_seed = tampered
            .windows(16)
            .position(|bytes| bytes == first.first.0)
            .unwrap();
        tampered[at_seed] ^= 1;
        let spec = Spec {
            app: &[(256, None)],
            ..Spec::station(9)
        };
        let no_right = Holder::issue(&spec, Some(&craca.root));
        let spec = Spec {
            app: &[(256, Some(ISSUER_IS_CRACA))],
            ..Spec::station(10)
        };
        let stranger = Holder::issue(&spec, Some(&other.root));
        let of_other = List {
            craca: other.id(),
            ..newer.clone()
        };
        let series = List {
            series: 1,
            ..newer.clone()
        };
        let unauthorized = ResultCode::ConsistencyUnauthorizedPsid;
        [
            (tampered, ResultCode::CryptoVerificationFailure),
            (newer.sign(&no_right), unauthorized),
            (
                newer.sign(&stranger),
                ResultCode::ChainNotEnoughInformationToConstructChain,
            ),
            (of_other.sign(&craca.signer), unauthorized),
            (series.sign(&craca.signer), unauthorized),
        ]
    }
}

/// Whatever is wrong with a list, nothing changes: no table, no list, no date.
#[test]
fn wrong_lists_change_nothing() {
    let mut own = Listed::new("wrong_lists");
    for (list, expected) in own.wrong_lists() {
        let refusal = own.verifier.apply_crl(&list, &at()).unwrap_err();
        assert!(
            matches!(refusal, CrlRefusal::Message(one) if one.code == expected),
            "{refusal}"
        );
        let revocations = own.verifier.revocations();
        assert_eq!(revocations.unexpanded(IValue(PERIOD)).count(), 0);
    }
    let linkage = own.first.linkage(PERIOD, PERIOD, 1);
    let bad = station(&own.craca, 3, linkage, false);
    assert_eq!(
        code(&mut own.verifier, &bad),
        Err(ResultCode::ChainCertificateRevoked)
    );
}

/// Cut short anywhere, it is no list.
#[test]
fn lists_that_are_cut_short_are_refused() {
    let mut own = Listed::new("short_lists");
    let whole = own.newer.contents();
    for length in 0..whole.len() {
        let message = MessageContents {
            psid: 256,
            made: None,
            payload: &whole[..length],
            ..MessageContents::new()
        };
        let message = message.sign(&own.craca.signer);
        assert!(own.verifier.apply_crl(&message, &at()).is_err());
    }
}
