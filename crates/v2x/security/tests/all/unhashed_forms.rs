//! Forms that hashing leaves out: SM2 points whose y-coordinate no check looks at, and certificates
//! in two forms under messages that are signed over the bytes as they came.

use p256::elliptic_curve::sec1::ToSec1Point;
use waywarden_testkit_v2x::world::{Holder, MessageContents, NO_KEY, Spec, now, sign, written};
use waywarden_v2x_security::hash::{HashFunction, hash};
use waywarden_v2x_security::profile::{AcceptedNonceForm, SecurityProfile};
use waywarden_v2x_security::{IncomingMessage, Profiles, ReceptionContext, Verifier};
use waywarden_v2x_wire::coer::{Raw, parse};
use waywarden_v2x_wire::ieee1609dot2::{
    BasePublicEncryptionKey, Certificate, CertificateBase, CurvePoint, EcdsaSignature,
    EncryptionKey, HeaderInfo, Ieee1609Dot2Content, Ieee1609Dot2Data, PublicEncryptionKey,
    Signature, SignedData, SymmAlgorithm, ToBeSignedCertificate, ToBeSignedData,
};

fn root() -> Holder {
    Holder::issue(&Spec::authority(1), None)
}

fn verifier(root: &Holder) -> Verifier {
    let profile = SecurityProfile {
        nonce_form: AcceptedNonceForm::Any,
        ..SecurityProfile::DEFAULT
    };
    let mut verifier = Verifier::default().with_profiles(Profiles::all(profile));
    verifier.add_trust_anchor(&root.certificate).unwrap();
    verifier
}

fn at() -> ReceptionContext<'static> {
    ReceptionContext::at(now())
}

fn compressed(odd: bool, x: &[u8; 32]) -> CurvePoint<'_, 32> {
    match odd {
        false => CurvePoint::CompressedY0(x),
        true => CurvePoint::CompressedY1(x),
    }
}

fn encryption(key: BasePublicEncryptionKey<'_>) -> PublicEncryptionKey<'_> {
    PublicEncryptionKey {
        algorithm: SymmAlgorithm::Aes128Ccm,
        key,
    }
}

/// The message with another header, and its signature as it was.
fn rewritten(message: &[u8], header_info: HeaderInfo<'_>) -> Vec<u8> {
    let data: Ieee1609Dot2Data<'_> = parse(message).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    let tbs = ToBeSignedData {
        payload: signed.tbs_data.payload,
        header_info,
    };
    written(&Ieee1609Dot2Data {
        content: Ieee1609Dot2Content::Signed(SignedData {
            tbs_data: Raw::new(tbs),
            ..signed
        }),
        ..data
    })
}

/// An SM2 key is compressed for hashing as others are: its y-coordinate must be checked, or the
/// form must be refused.
#[test]
fn an_sm2_encryption_key_is_not_any_y_coordinate() {
    let root = root();
    let key_of = |point| BasePublicEncryptionKey::EcencSm2(point);
    let (x, mut y) = ([7; 32], [1; 32]);
    y[31] = 2;
    let message = MessageContents::new();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let header = |point| HeaderInfo {
        encryption_key: Some(EncryptionKey::Public(encryption(key_of(point)))),
        ..message.header()
    };
    let honest = message.sign_with(header(CurvePoint::CompressedY0(&x)), &station);
    assert!(verifier(&root).verify(&honest, &at()).is_ok());
    let forged = rewritten(&honest, header(CurvePoint::Uncompressed { x: &x, y: &y }));
    let verdict = verifier(&root).verify(&forged, &at()).map(drop);
    assert!(
        verdict.is_err(),
        "a copy with a made-up y-coordinate of the SM2 key is accepted"
    );
}

/// The same in a certificate.
#[test]
fn an_sm2_encryption_key_of_a_certificate_is_not_any_y_coordinate() {
    let root = root();
    let (x, mut y) = ([7; 32], [1; 32]);
    y[31] = 2;
    let spec = Holder::issue(&Spec::station(3), Some(&root));
    let base: Certificate<'_> = parse(&spec.certificate).unwrap();
    let tbs = |point| ToBeSignedCertificate {
        encryption_key: Some(encryption(BasePublicEncryptionKey::EcencSm2(point))),
        ..*base.to_be_signed
    };
    let honest = Holder::certify(
        ToBeSignedCertificate {
            verify_key_indicator: NO_KEY,
            ..tbs(CurvePoint::CompressedY0(&x))
        },
        false,
        3,
        Some(&root),
    );
    let own: Certificate<'_> = parse(&honest.certificate).unwrap();
    let other = CertificateBase {
        to_be_signed: Raw::new(ToBeSignedCertificate {
            verify_key_indicator: own.to_be_signed.verify_key_indicator,
            ..tbs(CurvePoint::Uncompressed { x: &x, y: &y })
        }),
        ..*own
    };
    let forged = written(&Certificate::new(other).unwrap());
    assert!(verifier(&root).add_certificate(&honest.certificate).is_ok());
    let verdict = verifier(&root).add_certificate(&forged).map(drop);
    assert!(
        verdict.is_err(),
        "a certificate with a made-up y-coordinate of its SM2 key is accepted"
    );
}

/// The certificate with its signature's `r` as a point, whichever verifies.
fn with_nonce(root: &Holder, holder: &Holder, is_uncompressed: bool) -> Holder {
    let certificate: Certificate<'_> = parse(&holder.certificate).unwrap();
    let Some(Signature::EcdsaNistP256(own)) = certificate.signature else {
        panic!("no signature");
    };
    let x = own.r.x().unwrap();
    let forms = [2u8, 3].map(|tag| {
        let key = p256::PublicKey::from_sec1_bytes(&[&[tag][..], x].concat()).unwrap();
        let y: [u8; 32] = key.to_sec1_point(false).as_bytes()[33..]
            .try_into()
            .unwrap();
        let r = match is_uncompressed {
            true => CurvePoint::Uncompressed { x, y: &y },
            false => compressed(tag == 3, x),
        };
        let signature = Some(Signature::EcdsaNistP256(EcdsaSignature { r, s: own.s }));
        let other = CertificateBase {
            signature,
            ..*certificate
        };
        written(&Certificate::new(other).unwrap())
    });
    let valid = forms
        .into_iter()
        .find(|form| verifier(root).add_certificate(form).is_ok());
    Holder {
        certificate: valid.unwrap(),
        key: holder.key,
    }
}

/// A message signed over its bytes and its certificate's bytes as they are.
fn signed_as_is(signer: &Holder, after: u64) -> Vec<u8> {
    let message = MessageContents {
        made: Some(waywarden_v2x_wire::ieee1609dot2::Time64(now().0 + after)),
        ..MessageContents::new()
    };
    let bytes = message.sign(signer);
    let data: Ieee1609Dot2Data<'_> = parse(&bytes).unwrap();
    let Ieee1609Dot2Content::Signed(signed) = data.content else {
        panic!("not signed");
    };
    let sha = |bytes: &[u8]| hash(HashFunction::Sha256, bytes).as_bytes().to_vec();
    let parts = [
        sha(signed.tbs_data.bytes().unwrap()),
        sha(&signer.certificate),
    ]
    .concat();
    let (odd, r, s) = sign(&signer.key, &sha(&parts));
    let head = &bytes[..bytes.len() - 65];
    [head, &[0x82 + u8::from(odd)], &r, &s].concat()
}

/// Messages signed over the bytes of their certificate, which comes in two forms.
#[test]
fn batches_are_judged_as_one_by_one_when_signed_as_they_came() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let forms = [
        with_nonce(&root, &station, false),
        with_nonce(&root, &station, true),
    ];
    let messages = [signed_as_is(&forms[0], 0), signed_as_is(&forms[1], 1)];
    for message in &messages {
        let alone = verifier(&root).verify(message, &at()).map(drop);
        assert_eq!(alone, Ok(()));
    }
    let mut single = verifier(&root);
    let one_by_one = messages
        .each_ref()
        .map(|one| single.verify(one, &at()).map(drop).map_err(|one| one.code));
    let received = messages.each_ref().map(|message| IncomingMessage {
        message,
        context: at(),
    });
    let mut together = verifier(&root);
    let at_once = together.verify_many(&received).into_iter();
    let at_once: Vec<_> = at_once
        .map(|one| one.map(drop).map_err(|one| one.code))
        .collect();
    assert_eq!(at_once, one_by_one);
}

/// A message signed over the bytes as they came is accepted whether or not its signer's certificate
/// is known in another form.
#[test]
fn a_certificate_known_in_another_form_does_not_block_messages_signed_as_they_came() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let pointed = with_nonce(&root, &station, false);
    let message = signed_as_is(&with_nonce(&root, &station, true), 0);
    let mut verifier = verifier(&root);
    verifier.add_certificate(&pointed.certificate).unwrap();
    let verdict = verifier.verify(&message, &at()).map(drop);
    assert_eq!(verdict.map_err(|refusal| refusal.code), Ok(()));
}
