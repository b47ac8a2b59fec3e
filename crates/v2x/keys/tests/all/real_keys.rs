//! Private keys that belong to certificates of others.

use std::fs;

use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_testkit::corpus;
use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, PrivateKey, SoftwareStore, Uses};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, CurvePoint, PublicVerificationKey, VerificationKeyIndicator,
};

use crate::support::verified;

fn encoded<'a, const N: usize>(point: &CurvePoint<'a, N>) -> EncodedPoint<'a> {
    match *point {
        CurvePoint::CompressedY0(x) => EncodedPoint::CompressedY0(x),
        CurvePoint::CompressedY1(x) => EncodedPoint::CompressedY1(x),
        CurvePoint::Uncompressed { x, y } => EncodedPoint::Uncompressed { x, y },
        CurvePoint::XOnly(_) | CurvePoint::Fill => panic!("no public key"),
    }
}

/// The 105 certificates of the ETSI test suite come with their private keys: each is the one of its
/// certificate, and what it signs verifies by it.
#[test]
fn private_keys_of_the_etsi_test_suite_are_those_of_their_certificates() {
    let Some(folder) = corpus("v2x/etsi_tsits_certs") else {
        return;
    };
    let paths = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut counts = [0; 4];
    for path in paths.filter(|path| path.extension().is_some_and(|end| end == "oer")) {
        let bytes = fs::read(&path).unwrap();
        let certificate: Certificate<'_> = parse(&bytes).unwrap();
        let key = match &certificate.to_be_signed.verify_key_indicator {
            VerificationKeyIndicator::VerificationKey(key) => *key,
            VerificationKeyIndicator::ReconstructionValue(_) => panic!("implicit"),
        };
        let (curve, point) = match &key {
            PublicVerificationKey::EcdsaNistP256(point) => (Curve::P256, encoded(point)),
            PublicVerificationKey::EcdsaBrainpoolP256r1(point) => {
                (Curve::BrainpoolP256r1, encoded(point))
            }
            PublicVerificationKey::EcdsaBrainpoolP384r1(point) => {
                (Curve::BrainpoolP384r1, encoded(point))
            }
            PublicVerificationKey::EcdsaNistP384(point) => (Curve::P384, encoded(point)),
            _ => panic!("{}: another curve", path.display()),
        };
        let public = Point::decode(curve, &point).unwrap();
        let scalar = fs::read(path.with_extension("vkey")).unwrap();
        let private = PrivateKey::new(curve, &scalar).expect("as long as the order");
        let mut store = SoftwareStore::<1>::new();
        let own = store.import(&private, Uses::SIGN).unwrap();
        assert_eq!(store.public_key(own), Ok(public), "{}", path.display());
        let digest = [0x55; 48];
        let digest = &digest[..curve.field_bytes()];
        let signature = store.sign(own, digest, Nonce::Deterministic, NonceForm::Point);
        assert_eq!(verified(&public, digest, &signature.unwrap()), Ok(()));
        counts[curve as usize] += 1;
    }
    println!("keys by curve, in the order of `Curve::ALL`: {counts:?}");
    assert_eq!(counts.iter().sum::<usize>(), 105);
}
