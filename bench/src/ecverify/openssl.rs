//! OpenSSL, the system's, through the crate `openssl`: `EC_KEY`, `ECDSA_SIG`, `ECDSA_do_verify`.

use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcGroup, EcGroupRef, EcKey, EcPoint};
use openssl::ecdsa::EcdsaSig;
use openssl::nid::Nid;
use openssl::pkey::Public;
use waywarden_ecverify::Curve;

use super::POOL;
use super::material::{self, Signed};
use crate::race::Contestant;

const NAME: &str = "OpenSSL";

struct Parsed {
    key: EcKey<Public>,
    signature: EcdsaSig,
    digest: Vec<u8>,
}

fn group(curve: Curve) -> EcGroup {
    let name = match curve {
        Curve::P256 => Nid::X9_62_PRIME256V1,
        Curve::P384 => Nid::SECP384R1,
        Curve::BrainpoolP256r1 => Nid::BRAINPOOL_P256R1,
        Curve::BrainpoolP384r1 => Nid::BRAINPOOL_P384R1,
    };
    EcGroup::from_curve_name(name).expect("OpenSSL knows the curve")
}

fn point(group: &EcGroupRef, bytes: &[u8], context: &mut BigNumContext) -> EcPoint {
    EcPoint::from_bytes(group, bytes, context).expect("a point of the curve")
}

fn signature(signed: &Signed) -> EcdsaSig {
    let integer = |bytes: &[u8]| BigNum::from_slice(bytes).expect("memory");
    EcdsaSig::from_private_components(integer(&signed.r), integer(&signed.s)).expect("memory")
}

/// One signature of a parsed key.
pub(super) fn verify(curve: Curve) -> Contestant {
    let group = group(curve);
    let mut context = BigNumContext::new().expect("memory");
    let parsed = material::signed(curve, POOL)
        .into_iter()
        .map(|signed| {
            let public = point(&group, &signed.public, &mut context);
            Parsed {
                key: EcKey::from_public_key(&group, &public).expect("a key"),
                signature: signature(&signed),
                digest: signed.digest,
            }
        })
        .collect();
    Contestant::new(NAME, parsed, |one: &Parsed| {
        assert!(matches!(
            one.signature.verify(&one.digest, &one.key),
            Ok(true)
        ));
    })
}

/// A message under an implicit certificate.
pub(super) fn receive() -> Contestant {
    let group = group(Curve::P256);
    let mut context = BigNumContext::new().expect("memory");
    let all = material::implicit(POOL);
    let ca = point(&group, &all[0].ca, &mut context);
    let parsed = all
        .into_iter()
        .map(|one| (signature(&one.signed), one))
        .collect();
    Contestant::new(NAME, parsed, move |(signature, one)| {
        let e = BigNum::from_slice(&one.e).expect("memory");
        let reconstruction = point(&group, &one.reconstruction, &mut context);
        let mut product = EcPoint::new(&group).expect("memory");
        product
            .mul2(&group, &reconstruction, &e, &mut context)
            .expect("a product");
        let mut public = EcPoint::new(&group).expect("memory");
        public
            .add(&group, &product, &ca, &mut context)
            .expect("a sum");
        let key = EcKey::from_public_key(&group, &public).expect("a key");
        assert!(matches!(
            signature.verify(&one.signed.digest, &key),
            Ok(true)
        ));
    })
}
