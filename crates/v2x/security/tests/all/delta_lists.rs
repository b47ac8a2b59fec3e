//! Delta lists say what was revoked since the list before: they do not stand for a whole list.

use waywarden_testkit_v2x::world::{
    Holder, ISSUER_IS_CRACA, MessageContents, NOW, Spec, crl, now, signed_crl, written,
};
use waywarden_v2x_security::profile::SecurityProfile;
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::SequenceOf;
use waywarden_v2x_wire::ieee1609dot2::{
    CrlContents, HashBasedRevocationInfo, HashedId8, HashedId10, Psid, Time32, Time64,
    ToBeSignedHashIdCrl, TypeSpecificCrlContents,
};

fn entry(id: [u8; 10]) -> HashBasedRevocationInfo<'static> {
    HashBasedRevocationInfo {
        id: HashedId10(id),
        expiry: Time32(NOW + 100_000),
        unknown: Default::default(),
    }
}

fn delta(
    signer: &Holder,
    (issued, next): (u32, u32),
    craca: HashedId8,
    entries: &[HashBasedRevocationInfo<'_>],
) -> Vec<u8> {
    let list = CrlContents {
        contents: TypeSpecificCrlContents::DeltaHash(ToBeSignedHashIdCrl {
            crl_serial: 2,
            entries: SequenceOf::new(entries).unwrap(),
            unknown: Default::default(),
        }),
        ..crl(issued, next, craca, &[])
    };
    let message = MessageContents {
        psid: 256,
        made: None,
        payload: &written(&list),
        ..MessageContents::new()
    };
    message.sign(signer)
}

/// A root that is the CRACA, a signer of its lists, a station that can be revoked, a verifier.
fn world() -> (Holder, Holder, Holder, Verifier) {
    let root = Holder::issue(&Spec::authority(1), None);
    let spec = Spec {
        app: &[(256, Some(ISSUER_IS_CRACA))],
        ..Spec::station(2)
    };
    let signer = Holder::issue(&spec, Some(&root));
    let [.., a, b, c] = root.id().0;
    let spec = Spec {
        craca: [a, b, c],
        ..Spec::station(3)
    };
    let station = Holder::issue(&spec, Some(&root));
    let mut verifier = Verifier::default();
    verifier.add_trust_anchor(&root.certificate).unwrap();
    (root, signer, station, verifier)
}

fn at() -> ReceptionContext<'static> {
    ReceptionContext::at(Time64(now().0 + 20_000_000))
}

/// A whole list that comes after a later delta list is not in it: its certificates stay revoked.
#[test]
fn a_delta_list_does_not_block_the_whole_list_before_it() {
    let (root, signer, station, mut verifier) = world();
    let (digest, _) = station.digest();
    let id: [u8; 10] = digest[22..].try_into().unwrap();
    let whole = signed_crl(&signer, (NOW, NOW + 600), root.id(), &[entry(id)]);
    let changes = delta(&signer, (NOW + 10, NOW + 610), root.id(), &[entry([9; 10])]);
    assert!(verifier.apply_crl(&changes, &at()).is_ok());
    let applied = verifier.apply_crl(&whole, &at());
    let said = MessageContents::new().sign(&station);
    let verdict = verifier.verify(&said, &at());
    assert_eq!(
        verdict.map(drop).map_err(|refusal| refusal.code),
        Err(ResultCode::ChainCertificateRevoked),
        "the whole list: {applied:?}"
    );
}

/// A profile that demands a list is not content with what changed since a list that never came.
#[test]
fn a_delta_list_alone_is_no_list() {
    let (root, signer, station, mut verifier) = world();
    let demanding = SecurityProfile {
        crl_tolerance: Some(0),
        ..SecurityProfile::DEFAULT
    };
    let mut profiles = Profiles::default();
    profiles.set(Psid(135), demanding);
    verifier = verifier.with_profiles(profiles);
    let said = MessageContents::new().sign(&station);
    let code = |verifier: &mut Verifier| {
        let verdict = verifier.verify(&said, &at());
        verdict.map(drop).map_err(|refusal| refusal.code)
    };
    assert_eq!(code(&mut verifier), Err(ResultCode::ChainOverdueCrl));
    let changes = delta(&signer, (NOW, NOW + 600), root.id(), &[entry([9; 10])]);
    assert!(verifier.apply_crl(&changes, &at()).is_ok());
    assert_eq!(code(&mut verifier), Err(ResultCode::ChainOverdueCrl));
}
