//! P-384: rasn reads what is signed and issued, cryptography verifies it.

use rasn::coer;
use rasn_its::ieee1609dot2::base_types::{EccP384CurvePoint, PublicVerificationKey, Signature};
use rasn_its::ieee1609dot2::{self as its, Ieee1609Dot2Content, VerificationKeyIndicator};

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, hex_of};
use waywarden_v2x_keys::{Nonce, NonceForm};
use waywarden_v2x_signing::{PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign};
use waywarden_v2x_wire::ieee1609dot2::HeaderInfo;

use super::{Oracle, PSID, contents};
use crate::support::{NOW, World};

/// A signature as the oracle takes it: r and s.
fn parts(signature: &Signature) -> [String; 2] {
    let Signature::EcdsaNistP384(own) = signature else {
        panic!("{signature:?}");
    };
    let r = match &own.r_sig {
        EccP384CurvePoint::XOnly(x)
        | EccP384CurvePoint::CompressedY0(x)
        | EccP384CurvePoint::CompressedY1(x) => x,
        other => panic!("{other:?}"),
    };
    [hex_of(r.as_ref()), hex_of(own.s_sig.as_ref())]
}

/// The key of a certificate by SEC 1.
fn key(certificate: &its::Certificate) -> String {
    let indicator = &certificate.to_be_signed.verify_key_indicator;
    let VerificationKeyIndicator::VerificationKey(PublicVerificationKey::EcdsaNistP384(key)) =
        indicator
    else {
        panic!("{indicator:?}");
    };
    match key {
        EccP384CurvePoint::CompressedY0(x) => format!("02{}", hex_of(x.as_ref())),
        EccP384CurvePoint::CompressedY1(x) => format!("03{}", hex_of(x.as_ref())),
        other => panic!("{other:?}"),
    }
}

#[test]
fn rasn_and_cryptography_verify_what_is_signed_and_issued_on_p384() {
    let Some(mut oracle) = Oracle::find() else {
        return;
    };
    let mut random = Random::of_test("rasn_and_cryptography_verify_p384");
    let mut world = World::new(Curve::P384, &mut random, &[PSID]);
    let own = world.credential(&contents(), false);
    let chain: Vec<Vec<u8>> = own
        .certificate()
        .chain()
        .map(|one| one.bytes().to_vec())
        .collect();
    let read = |bytes: &Vec<u8>| coer::decode::<its::Certificate>(bytes).unwrap();
    let certificates: Vec<its::Certificate> = chain.iter().map(read).collect();
    for (at, certificate) in certificates.iter().enumerate() {
        // The root, which is last, issues itself, and no certificate is hashed above it.
        let (issuer, above) = match certificates.get(at + 1) {
            Some(issuer) => (issuer, hex_of(&coer::encode(issuer).unwrap())),
            None => (certificate, "-".to_owned()),
        };
        let contents = hex_of(&coer::encode(&certificate.to_be_signed).unwrap());
        let [r, s] = parts(certificate.signature.as_ref().unwrap());
        oracle.ask(&["ecdsa", "NistP384", &key(issuer), &contents, &above, &r, &s]);
    }
    for form in [NonceForm::XOnly, NonceForm::Point] {
        for signer in [SignerForm::Digest, SignerForm::Certificate] {
            let payload = random.bytes_up_to(200);
            let header = HeaderInfo {
                generation_time: Some(NOW),
                ..HeaderInfo::new(PSID)
            };
            let message = UnsignedMessage {
                payload: PayloadToSign::Data(&payload),
                header,
            };
            let entropy = random.array();
            let nonce = Nonce::Hedged { entropy: &entropy };
            let options = SigningOptions {
                signer,
                form,
                nonce,
            };
            let signed = sign(&mut world.store, &own, &message, &options).unwrap();
            let data: its::Ieee1609Dot2Data = coer::decode(&signed).unwrap();
            let Ieee1609Dot2Content::SignedData(data) = data.content else {
                panic!("not signed");
            };
            let tbs = hex_of(&coer::encode(&data.tbs_data).unwrap());
            let [r, s] = parts(&data.signature);
            let words = [
                "ecdsa",
                "NistP384",
                &key(&certificates[0]),
                &tbs,
                &hex_of(&chain[0]),
            ];
            oracle.ask(&[&words[..], &[&r, &s]].concat());
            // r and s the other way round, so that an oracle that accepts everything is found out.
            oracle.ask(&[&words[..], &[&s, &r]].concat());
        }
    }
    let answers = oracle.answers();
    let (issued, signed) = answers.split_at(certificates.len());
    assert!(issued.iter().all(Result::is_ok), "{issued:?}");
    for pair in signed.chunks(2) {
        assert_eq!(pair[0], Ok(Vec::new()));
        assert_eq!(pair[1], Err("Refused signature".to_owned()));
    }
}
