//! Encodings that one hash belongs to: recognized as one certificate and one message, refused where
//! what hashing leaves out is wrong, and never in the way of the original.

use waywarden_testkit_v2x::world::{Holder, MessageContents, Spec, now, written};
use waywarden_v2x_security::hash::{HashFunction, certificate_digest, hash_canonical};
use waywarden_v2x_security::profile::{AcceptedNonceForm, SecurityProfile};
use waywarden_v2x_security::{Profiles, ReceptionContext, ResultCode, Verifier};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CertificateBase, CurvePoint, EcdsaSignature, PublicVerificationKey, Signature,
    Time64, VerificationKeyIndicator,
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

/// The y-coordinate of a compressed point, and one with the same last bit that is on no curve.
fn y_of(odd: bool, x: &[u8; 32]) -> ([u8; 32], [u8; 32]) {
    use p256::elliptic_curve::sec1::ToSec1Point;
    let encoded = [&[2 + u8::from(odd)][..], x].concat();
    let point = p256::PublicKey::from_sec1_bytes(&encoded).unwrap();
    let y: [u8; 32] = point.to_sec1_point(false).as_bytes()[33..]
        .try_into()
        .unwrap();
    let mut wrong = y;
    wrong[0] ^= 0x40;
    (y, wrong)
}

/// The same certificate with its key uncompressed.
fn with_key_uncompressed(holder: &Holder, is_right: bool) -> Holder {
    let certificate: Certificate<'_> = parse(&holder.certificate).unwrap();
    let own = &certificate.to_be_signed;
    let VerificationKeyIndicator::VerificationKey(PublicVerificationKey::EcdsaNistP256(point)) =
        own.verify_key_indicator
    else {
        panic!("{:?}", own.verify_key_indicator);
    };
    let (odd, x) = match point {
        CurvePoint::CompressedY0(x) => (false, x),
        CurvePoint::CompressedY1(x) => (true, x),
        other => panic!("{other:?}"),
    };
    let (right, wrong) = y_of(odd, x);
    let y = if is_right { &right } else { &wrong };
    let key = PublicVerificationKey::EcdsaNistP256(CurvePoint::Uncompressed { x, y });
    let tbs = waywarden_v2x_wire::ieee1609dot2::ToBeSignedCertificate {
        verify_key_indicator: VerificationKeyIndicator::VerificationKey(key),
        ..**own
    };
    let other = CertificateBase {
        to_be_signed: waywarden_v2x_wire::coer::Raw::new(tbs),
        ..*certificate
    };
    Holder {
        certificate: written(&Certificate::new(other).unwrap()),
        key: holder.key,
    }
}

/// The same certificate with its signature's `r` as a point.
fn with_nonce_point(holder: &Holder, odd: bool) -> Holder {
    let certificate: Certificate<'_> = parse(&holder.certificate).unwrap();
    let Some(Signature::EcdsaNistP256(own)) = certificate.signature else {
        panic!("no signature");
    };
    let x = own.r.x().unwrap();
    let r = match odd {
        false => CurvePoint::CompressedY0(x),
        true => CurvePoint::CompressedY1(x),
    };
    let signature = Some(Signature::EcdsaNistP256(EcdsaSignature { r, s: own.s }));
    let other = CertificateBase {
        signature,
        ..*certificate
    };
    Holder {
        certificate: written(&Certificate::new(other).unwrap()),
        key: holder.key,
    }
}

fn said(signer: &Holder, after: u64) -> Vec<u8> {
    let message = MessageContents {
        made: Some(Time64(now().0 + after)),
        ..MessageContents::new()
    };
    message.sign(signer)
}

fn at() -> ReceptionContext<'static> {
    ReceptionContext::at(now())
}

/// Returns the number of signatures to verify for a message.
fn jobs(verifier: &Verifier, message: &[u8]) -> Result<usize, ResultCode> {
    let mut prepared = verifier
        .prepare(message, &at())
        .map_err(|refusal| refusal.code)?;
    let mut count = 0;
    while prepared.job().is_some() {
        let _ = prepared.record(waywarden_ecverify::Verdict::Valid);
        count += 1;
    }
    Ok(count)
}

/// A copy with the key uncompressed has the hash of the original. Whichever came first, both are
/// known then, and neither costs a second signature again.
#[test]
fn another_encoding_of_a_certificate_displaces_nothing() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let copy = with_key_uncompressed(&station, true);
    assert_ne!(station.certificate, copy.certificate);
    assert_eq!(station.id(), copy.id());
    for (first, second) in [(&station, &copy), (&copy, &station)] {
        let mut verifier = verifier(&root);
        assert!(verifier.verify(&said(first, 0), &at()).is_ok());
        for after in 1..4 {
            for one in [second, first] {
                let message = said(
                    one,
                    2 * after + u64::from(one.certificate == first.certificate),
                );
                assert_eq!(jobs(&verifier, &message), Ok(1));
                assert!(verifier.verify(&message, &at()).is_ok());
            }
        }
        assert_eq!(verifier.store().held(), 1);
    }
}

/// The y-coordinate enters the hash by one bit. Anything else in its place is refused, also when
/// the certificate is known.
#[test]
fn a_point_beside_the_curve_is_refused() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let forged = with_key_uncompressed(&station, false);
    assert_eq!(station.id(), forged.id());
    let mut verifier = verifier(&root);
    for round in 0..2 {
        let refusal = verifier.verify(&said(&forged, 9), &at()).unwrap_err();
        assert_eq!(
            refusal.code,
            ResultCode::CryptoVerificationFailure,
            "{refusal}"
        );
        assert!(verifier.verify(&said(&station, round), &at()).is_ok());
    }
}

/// A certificate's `r` as a point is taken if it is the right one of two; it is verified once, and
/// the wrong one is never taken.
#[test]
fn the_nonce_of_a_certificate_may_be_a_point() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let points = [false, true].map(|odd| with_nonce_point(&station, odd));
    let is_right = |holder: &Holder| verifier(&root).verify(&said(holder, 0), &at()).is_ok();
    let [even, odd] = points.each_ref().map(is_right);
    assert_ne!(even, odd);
    let (right, wrong) = if even {
        (&points[0], &points[1])
    } else {
        (&points[1], &points[0])
    };
    let mut verifier = verifier(&root);
    assert!(verifier.verify(&said(&station, 1), &at()).is_ok());
    // Which of two points it is does not follow from the x-coordinate.
    assert_eq!(jobs(&verifier, &said(right, 2)), Ok(2));
    assert!(verifier.verify(&said(right, 2), &at()).is_ok());
    assert_eq!(jobs(&verifier, &said(right, 3)), Ok(1));
    assert_eq!(jobs(&verifier, &said(&station, 4)), Ok(1));
    let refusal = verifier.verify(&said(wrong, 5), &at()).unwrap_err();
    assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
    assert_eq!(verifier.store().held(), 1);
}

/// Copies of a message that an outsider can make without a key: of each the message is a replay,
/// and it is a replay of each, without a signature verified again.
#[test]
fn copies_of_a_message_are_replays_without_work() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let message = said(&station, 0);
    let (r, s) = message[message.len() - 64..].split_at(32);
    let odd = message[message.len() - 65] == 0x83;
    let r: &[u8; 32] = r.try_into().unwrap();
    let head = &message[..message.len() - 65];
    let (y, wrong_y) = y_of(odd, r);
    let other_s = waywarden_ecverify::negated(waywarden_ecverify::Curve::P256, s).unwrap();
    let with = |tag: u8, parts: &[&[u8]]| [head, &[tag], &parts.concat()].concat();
    let copies = [
        ("uncompressed", with(0x84, &[r, &y, s])),
        ("x only", with(0x80, &[r, s])),
        ("negated", with(0x82 + u8::from(!odd), &[r, &other_s[..32]])),
        ("negated, x only", with(0x80, &[r, &other_s[..32]])),
    ];
    for (name, copy) in &copies {
        for (first, second) in [(&message, copy), (copy, &message)] {
            let mut verifier = verifier(&root);
            assert!(verifier.verify(first, &at()).is_ok(), "{name}");
            let refusal = verifier.verify(second, &at()).unwrap_err();
            assert_eq!(refusal.code, ResultCode::RelevanceReplayedSpdu, "{name}");
            // An x-coordinate does not say which point it is of: that costs a signature.
            let is_free = !name.contains("x only") || first == &message;
            let expected = match is_free {
                true => Err(ResultCode::RelevanceReplayedSpdu),
                false => Ok(1),
            };
            assert_eq!(jobs(&verifier, second), expected, "{name}");
            assert_eq!(verifier.replays().len(), 1);
        }
    }
    let mut verifier = verifier(&root);
    assert!(verifier.verify(&message, &at()).is_ok());
    for wrong in [
        with(0x84, &[r, &wrong_y, s]),
        with(0x82 + u8::from(odd), &[r, &other_s[..32]]),
        with(0x82 + u8::from(!odd), &[r, s]),
    ] {
        let refusal = verifier.verify(&wrong, &at()).unwrap_err();
        assert_eq!(refusal.code, ResultCode::CryptoVerificationFailure);
    }
}

/// The hash of a certificate is that of its canonical form, however it was found: by looking at its
/// points, or by writing it again.
#[test]
fn the_fast_hash_is_the_canonical_one() {
    let root = root();
    let station = Holder::issue(&Spec::station(3), Some(&root));
    let implicit = Spec {
        implicit: true,
        ..Spec::station(4)
    };
    let implicit = Holder::issue(&implicit, Some(&root));
    let holders = [
        with_key_uncompressed(&station, true),
        with_nonce_point(&station, true),
        with_nonce_point(&with_key_uncompressed(&station, true), false),
        station,
        implicit,
        root,
    ];
    for holder in &holders {
        let certificate: Certificate<'_> = parse(&holder.certificate).unwrap();
        let written = hash_canonical(HashFunction::Sha256, &certificate).unwrap();
        assert_eq!(certificate_digest(&certificate), Some(written));
    }
}
