//! Known answers of P-256, and what comes of having no y.

use ::p256::elliptic_curve::Group;

use super::*;
use crate::tests::{cases, entropy, hex};
use crate::{NoMeter, RecordedOperations};

fn scalar(bytes: &str) -> P256Scalar {
    P256Scalar::new(&reduce(&hex(bytes)))
}

/// CAVP: KAS_ECC_CDH_PrimitiveTest P-256, counts 0 and 1; RFC 5903 §8.1. Of the peer's point x; our
/// scalar; of our point x; the secret.
const ECDH: [[&str; 4]; 3] = [
    [
        "700c48f77f56584c5cc632ca65640db91b6bacce3a4df6b42ce7cc838833d287",
        "7d7dc5f71eb29ddaf80d6214632eeae03d9058af1fb6d22ed80badb62bc1a534",
        "ead218590119e8876b29146ff89ca61770c4edbbf97d38ce385ed281d8a6b230",
        "46fc62106420ff012e54a434fbdd2d25ccc5852060561e68040dd7778997bd7b",
    ],
    [
        "809f04289c64348c01515eb03d5ce7ac1a8cb9498f5caa50197e58d43a86a7ae",
        "38f65d6dce47676044d58ce5139582d568f64bb16098d179dbab07741dd5caf5",
        "119f2f047902782ab0c9e27a54aff5eb9b964829ca99c06b02ddba95b0a3f6d0",
        "057d636096cb80b67a8c038c890e887d1adfa4195e9b3ce241c8a778c59cda67",
    ],
    [
        "d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf63",
        "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433",
        "dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c3772581180",
        "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de",
    ],
];

#[test]
fn agreement_meets_known_answers() {
    let mut meter = RecordedOperations::new();
    for [peer, ours, share, secret] in ECDH {
        let ours = scalar(ours);
        assert_eq!(P256::share(&mut meter, &ours), hex(share));
        let agreed = P256::extract(&mut meter, &ours, &hex(peer)).unwrap();
        assert_eq!(*agreed.as_bytes(), hex(secret));
        assert_eq!(meter.drain().count(), 2);
    }
}

#[test]
fn scalars_meet_known_answers() {
    // By a few lines of Python: HKDF and the group law from their definitions.
    let mut meter = RecordedOperations::new();
    let secret = Secret::from_bytes(core::array::from_fn(|i| i as u8));
    assert_eq!(
        P256::share(&mut meter, &P256::scalar(&secret)),
        hex("f5a8c90c2a1d0663aafcabc1cc11ffe599000f8336a46297226bb2ae16206932")
    );
    assert_eq!(
        P256::share(&mut meter, &P256::scalar_as_published(&[0xa5; 16])),
        hex("3296dec1b77458c727bc073d25e70760113d98d1a9c07af9db4c6cd283cba2d3")
    );
}

#[test]
fn signatures_meet_known_answers() {
    // RFC 6979 A.2.5, with SHA-256.
    let key = P256::signing_key(&Secret::from_bytes(hex(
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
    )));
    let public = P256::public_key(&key);
    let expected: [u8; 64] = hex(
        "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6
         7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299",
    );
    assert_eq!(public.as_bytes(), expected);
    let answers = [
        (
            "sample",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716
             f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ),
        (
            "test",
            "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367
             019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
        ),
    ];
    let mut meter = RecordedOperations::new();
    for (message, signature) in answers {
        let signature = hex(signature);
        let made = P256::sign(&mut meter, &key, message.as_bytes());
        assert_eq!(made, signature);
        let verified = P256::verify(&mut meter, &public, message.as_bytes(), &signature);
        assert_eq!(verified, Ok(()));
        assert_eq!(meter.drain().count(), 2);
    }
}

#[test]
fn the_sign_of_y_does_not_matter() {
    let mut entropy = entropy("the sign of y");
    for _ in 0..cases() {
        let (ours, theirs) = (P256::scalar(&entropy.draw()), P256::scalar(&entropy.draw()));
        let x = P256::share(&mut NoMeter, &theirs);
        let agreed = P256::extract(&mut NoMeter, &ours, &x).unwrap();
        for odd in [0, 1] {
            let point = AffinePoint::decompress(&x.into(), Choice::from(odd)).unwrap();
            let product = ProjectivePoint::from(point) * ours.0;
            assert_eq!(product.to_affine().x()[..], agreed.as_bytes()[..]);
        }
        // Nor does the sign of a scalar.
        let negative = P256Scalar::new(&-theirs.0);
        assert_eq!(P256::share(&mut NoMeter, &negative), x);
    }
}

#[test]
fn shares_off_the_curve_and_off_the_field_are_refused() {
    let ours = P256::scalar(&entropy("off the curve").draw());
    let refuse = |share| P256::extract(&mut NoMeter, &ours, &share).err();
    let small = |x: u8| core::array::from_fn(|i| if i == 31 { x } else { 0 });
    // By Euler's criterion; of x = 0 to 19, these are on no point.
    for x in [1, 2, 3, 4, 7, 10, 11, 14, 15, 16, 18, 19] {
        assert_eq!(refuse(small(x)), Some(AgreementError::NotOnCurve), "{x}");
    }
    for x in [5, 6, 8, 9, 12, 13, 17] {
        assert_eq!(refuse(small(x)), None, "{x}");
    }
    assert_eq!(refuse([0; 32]), Some(AgreementError::Weak));
    // p + 5 stands for 5, but not canonically; p - 1 is canonical and off the curve.
    let mut p = hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
    assert_eq!(refuse(p), Some(AgreementError::NotCanonical));
    p[31] = 0xfe;
    assert_eq!(refuse(p), Some(AgreementError::NotOnCurve));
    let above = hex("ffffffff00000001000000000000000000000001000000000000000000000004");
    assert_eq!(refuse(above), Some(AgreementError::NotCanonical));
}

#[test]
fn zero_and_the_order_make_the_scalar_one() {
    let order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
    let generator = ProjectivePoint::generator().to_affine().x();
    for bytes in [[0; 32], hex(order)] {
        let share = P256::share(&mut NoMeter, &P256Scalar::new(&reduce(&bytes)));
        assert_eq!(share[..], generator[..]);
        let key = P256::signing_key(&Secret::from_bytes(bytes));
        assert_eq!(P256::public_key(&key).as_bytes()[..32], generator[..]);
    }
}

#[test]
fn the_other_half_of_a_signature_is_valid_too() {
    // As the standard has it; the docs of `verify` say so, and this keeps them true.
    let key = P256::signing_key(&entropy("malleable").draw());
    let signature = P256::sign(&mut NoMeter, &key, b"x");
    let parsed = ::p256::ecdsa::Signature::from_slice(&signature).unwrap();
    let other =
        ::p256::ecdsa::Signature::from_scalars(parsed.r().to_bytes(), (-*parsed.s()).to_bytes())
            .unwrap();
    let other: [u8; 64] = other.to_bytes().into();
    assert_ne!(signature, other);
    let verified = P256::verify(&mut NoMeter, &P256::public_key(&key), b"x", &other);
    assert_eq!(verified, Ok(()));
}
