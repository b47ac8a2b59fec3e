//! A registration authority that cheats, and what an honest one refuses.

use waywarden_ecverify::Point;
use waywarden_testkit::Random;
use waywarden_v2x_keys::{KeyStore, Uses};
use waywarden_v2x_pki::Contents;
use waywarden_v2x_pki::pseudonym::{
    CertificatePosition, OpenResponseError, PseudonymError, PseudonymHolder,
};
use waywarden_v2x_signing::{
    DecryptError, DecryptionKeys, Recipient, Seed, decrypt, encrypt, wire_key, written,
};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Content, Ieee1609Dot2Data, Psid, Time32};
use waywarden_v2x_wire::ieee1609dot2dot1::{
    AcaRaInterfacePdu, AcaResponse, RaAcaCertRequest, ScmsContent, ScmsPdu,
};

use super::{changed, field};
use crate::pseudonym::scms::{BSM, CURVE, FIRST, NOW, SCMS, Scms, asked};

/// The registration authority has the certificate encrypted to a key of its own, reads it, and
/// encrypts it to the vehicle again. The vehicle finds that the signature is not over that.
#[test]
fn registration_authority_that_opens_a_certificate_is_found_out() {
    let test = "registration_authority_that_opens_a_certificate_is_found_out";
    let mut scms = Scms::new(&mut Random::of_test(test), 1);
    let request = scms.requests(FIRST, 0..1).remove(0);
    let position = CertificatePosition { i: FIRST, j: 0 };
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
        Err(OpenResponseError::Message {
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
        Err(OpenResponseError::Signature(_))
    ));
    // Unchanged, the vehicle cannot open it.
    let refused = scms.open(0, position, &signed_bytes);
    assert_eq!(
        refused,
        Err(OpenResponseError::Decrypt(DecryptError::NotForUs))
    );
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
        let holder = PseudonymHolder::generate(&mut store.0, CURVE, seeds).unwrap();
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
