//! An implicit certificate's key material on P-256, as an authority computes it: an ephemeral key,
//! the reconstruction value, and r = e k + d. Explicit certificates are in [`super::whole`].
//!
//! No peer has it whole; their compositions use their own points and numbers. The hash e comes with
//! the input, on both sides.

use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::{EcKey, EcPoint, PointConversionForm};
use p256::elliptic_curve::Group;
use p256::elliptic_curve::PrimeField as _;
use p256::elliptic_curve::ops::Reduce as _;
use p256::elliptic_curve::sec1::ToSec1Point as _;
use p256::{FieldBytes, ProjectivePoint, Scalar};
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{KeyStore as _, PrivateKey, SoftwareStore, Uses};

use super::peers::{group, public_key};
use super::{Input, inputs, private_key};
use crate::race::{Case, Contestant};

fn e(input: &Input) -> [u8; 32] {
    *input.digest.first_chunk().expect("32 bytes")
}

/// Creates a contestant that asks the store for the steps of [`waywarden_v2x_keys::ecqv::issue`];
/// the sum of two public points is the peers' alone, since the store has it inside.
fn ours() -> Contestant {
    let mut store = SoftwareStore::<4>::new();
    let key = PrivateKey::new(Curve::P256, &private_key(Curve::P256)).expect("its length");
    let issuer = store.import(&key, Uses::ISSUE_IMPLICIT).expect("a key");
    let request = p256::PublicKey::from_sec1_bytes(&public_key(Curve::P256)).expect("a point");
    Contestant::new("waywarden", inputs(Curve::P256), move |input| {
        let ephemeral = store.generate(Curve::P256, Uses::RECONSTRUCT, &input.entropy);
        let ephemeral = ephemeral.expect("a key");
        let part = store.public_key(ephemeral).expect("a key");
        let part = p256::PublicKey::from_sec1_bytes(part.to_sec1_uncompressed().as_ref());
        let value = request.to_projective() + part.expect("a point").as_affine();
        let r = store
            .contribute(issuer, ephemeral, &e(input))
            .expect("a number");
        (value.to_affine().to_sec1_point(true), r)
    })
}

fn openssl() -> Contestant {
    let group = group(Curve::P256);
    let mut context = BigNumContext::new().expect("memory");
    let mut order = BigNum::new().expect("memory");
    group.order(&mut order, &mut context).expect("an order");
    let request = EcPoint::from_bytes(&group, &public_key(Curve::P256), &mut context);
    let request = request.expect("a point");
    let issuer = BigNum::from_slice(&private_key(Curve::P256)).expect("memory");
    Contestant::new("OpenSSL", inputs(Curve::P256), move |input| {
        let number = || BigNum::new().expect("memory");
        let ephemeral = EcKey::generate(&group).expect("a key");
        let mut value = EcPoint::new(&group).expect("memory");
        let sum = value.add(&group, &request, ephemeral.public_key(), &mut context);
        sum.expect("a sum");
        let e = BigNum::from_slice(&e(input)).expect("memory");
        let (mut product, mut r) = (number(), number());
        let multiplied = product.mod_mul(&e, ephemeral.private_key(), &order, &mut context);
        multiplied.expect("a product");
        r.mod_add(&product, &issuer, &order, &mut context)
            .expect("a sum");
        let form = PointConversionForm::COMPRESSED;
        let value = value.to_bytes(&group, form, &mut context).expect("a point");
        (value, r.to_vec_padded(32).expect("memory"))
    })
}

fn rustcrypto() -> Contestant {
    let scalar = |bytes: [u8; 32]| Scalar::reduce(&FieldBytes::from(bytes));
    let request = p256::PublicKey::from_sec1_bytes(&public_key(Curve::P256)).expect("a point");
    let issuer: [u8; 32] = private_key(Curve::P256).try_into().expect("32 bytes");
    let issuer = scalar(issuer);
    Contestant::new("RustCrypto", inputs(Curve::P256), move |input| {
        let ephemeral = scalar(input.entropy);
        let part = <ProjectivePoint as Group>::mul_by_generator(&ephemeral);
        let value = part + request.as_affine();
        let r = scalar(e(input)) * ephemeral + issuer;
        (value.to_affine().to_sec1_point(true), r.to_repr())
    })
}

/// The one case.
pub(super) fn case() -> Case {
    Case {
        name: "issue-implicit",
        what: "the reconstruction value and r of an implicit certificate, by SoftwareStore",
        ours: ours(),
        peers: vec![openssl(), rustcrypto()],
    }
}
