//! Hostile input: each class refused under its own name, and no panic on any bytes.

use num_bigint::BigUint;
use waywarden_testkit::{Random, cases};

use super::torsion::small_order_points;
use super::{fuzz, reference};
use crate::curve::Extended;
use crate::dh::{DhSecret, ExtractError};
use crate::encoding::compress;
use crate::multiply::fixed::GENERATOR;
use crate::{
    DecodeError, EncodedFourQPoint, FourQPoint, SchnorrQSignature, SignatureLengthError, SigningKey,
};
use crate::{SchnorrQVerifyError, VerifyingKey};

/// Returns the reasons why `bytes` are refused as a point and as a share.
fn refusals(bytes: [u8; 32]) -> (Option<DecodeError>, Option<ExtractError>) {
    let encoded = EncodedFourQPoint(bytes);
    assert_eq!(
        VerifyingKey::decode(&encoded).err().is_some(),
        encoded.decode().err().is_some()
    );
    (
        encoded.decode().err(),
        DhSecret::from_bytes(&[7; 32]).extract(&encoded).err(),
    )
}

fn generator() -> [u8; 32] {
    FourQPoint::GENERATOR.encode().0
}

#[test]
fn the_generator_is_accepted() {
    assert_eq!(refusals(generator()), (None, None));
}

#[test]
fn wrong_length() {
    for length in [0, 1, 31, 33, 64] {
        let bytes = &[0; 64][..length];
        assert_eq!(
            EncodedFourQPoint::from_slice(bytes),
            Err(DecodeError::Length)
        );
    }
    for length in [0, 32, 63, 65] {
        assert_eq!(
            SchnorrQSignature::from_slice(&[0; 65][..length]),
            Err(SignatureLengthError)
        );
    }
    assert_eq!(
        EncodedFourQPoint::from_slice(&generator()),
        Ok(EncodedFourQPoint(generator()))
    );
}

#[test]
fn bit_127_set() {
    let mut bytes = generator();
    bytes[15] |= 0x80;
    assert_eq!(
        refusals(bytes),
        (
            Some(DecodeError::ReservedBit),
            Some(ExtractError::ReservedBit)
        )
    );
}

#[test]
fn non_canonical_field_element() {
    // p for zero in either half, and both.
    for halves in [[true, false], [false, true], [true, true]] {
        let mut bytes = generator();
        for (half, chosen) in bytes.chunks_exact_mut(16).zip(halves) {
            if chosen {
                half.fill(0xff);
                half[15] = 0x7f;
            }
        }
        let expected = (
            Some(DecodeError::NotCanonical),
            Some(ExtractError::NotCanonical),
        );
        assert_eq!(refusals(bytes), expected);
        bytes[31] |= 0x80;
        assert_eq!(refusals(bytes), expected);
    }
}

#[test]
fn sign_bit_where_x_is_zero() {
    let minus_one = small_order_points()
        .iter()
        .map(|point| point.to_affine())
        .find(|point| point.x.is_zero() && !point.y.sub(crate::field2::Fp2::ONE).is_zero())
        .unwrap();
    for point in [Extended::NEUTRAL.to_affine(), minus_one] {
        let mut bytes = compress(&point);
        assert_eq!(bytes[31] & 0x80, 0);
        bytes[31] |= 0x80;
        let expected = (
            Some(DecodeError::NotCanonical),
            Some(ExtractError::NotCanonical),
        );
        assert_eq!(refusals(bytes), expected);
    }
}

#[test]
fn off_curve() {
    let mut refused = 0;
    for i in 0..64 {
        let mut bytes = generator();
        bytes[0] = i;
        if reference::Point::decode(&bytes).is_none() {
            let expected = (
                Some(DecodeError::NotOnCurve),
                Some(ExtractError::NotOnCurve),
            );
            assert_eq!(refusals(bytes), expected);
            refused += 1;
        }
    }
    assert!(refused > 16, "about half of all y have no x: {refused}");
}

#[test]
fn neutral() {
    let bytes = compress(&Extended::NEUTRAL.to_affine());
    assert_eq!(
        refusals(bytes),
        (Some(DecodeError::Neutral), Some(ExtractError::SmallOrder))
    );
}

#[test]
fn small_order() {
    for point in &small_order_points()[1..] {
        let expected = (
            Some(DecodeError::SmallOrder),
            Some(ExtractError::SmallOrder),
        );
        assert_eq!(refusals(compress(&point.to_affine())), expected);
    }
}

#[test]
fn mixed_order_is_no_key_but_a_share() {
    // The cofactor clears it: the same secret as without the small part.
    let secret = DhSecret::from_bytes(&[7; 32]);
    let plain = secret
        .extract(&EncodedFourQPoint(generator()))
        .map(|s| *s.as_bytes())
        .unwrap();
    for point in &small_order_points()[1..] {
        let mixed = GENERATOR.to_extended().add(&point.to_cached()).to_affine();
        let mixed = EncodedFourQPoint(compress(&mixed));
        assert_eq!(mixed.decode().err(), Some(DecodeError::MixedOrder));
        assert_eq!(*secret.extract(&mixed).ok().unwrap().as_bytes(), plain);
    }
}

#[test]
fn secret_that_is_a_multiple_of_the_order() {
    for factor in [0u32, 1, 2, 1565] {
        let mut bytes = [0; 32];
        let digits = (reference::order() * factor).to_bytes_le();
        bytes[..digits.len()].copy_from_slice(&digits);
        let secret = DhSecret::from_bytes(&bytes);
        assert_eq!(secret.share().0, compress(&Extended::NEUTRAL.to_affine()));
        let refused = secret.extract(&EncodedFourQPoint(generator())).err();
        assert_eq!(refused, Some(ExtractError::Neutral));
    }
}

/// A good key, message and signature.
fn sample() -> (VerifyingKey, SchnorrQSignature) {
    let key = SigningKey::from_bytes(&[3; 32]);
    (
        VerifyingKey::decode(&key.public()).unwrap(),
        key.sign(b"message"),
    )
}

#[test]
fn signature_with_bit_127_set() {
    let (key, mut signature) = sample();
    signature.0[15] |= 0x80;
    assert_eq!(
        key.verify(b"message", &signature),
        Err(SchnorrQVerifyError::ReservedBit)
    );
}

#[test]
fn scalar_of_246_bits_or_more() {
    let (key, signature) = sample();
    for bit in 246..256 {
        let mut signature = signature;
        signature.0[32 + bit / 8] |= 1 << (bit % 8);
        assert_eq!(
            key.verify(b"message", &signature),
            Err(SchnorrQVerifyError::ScalarTooLarge)
        );
    }
}

#[test]
fn scalar_from_the_order_up() {
    let (key, signature) = sample();
    let last = (BigUint::from(1u32) << 246) - 1u32;
    for scalar in [reference::order(), reference::order() + 1u32, last] {
        let mut signature = signature;
        signature.0[32..63].copy_from_slice(&scalar.to_bytes_le());
        assert_eq!(
            key.verify(b"message", &signature),
            Err(SchnorrQVerifyError::ScalarNotReduced)
        );
    }
    let mut signature = signature;
    signature.0[32..63].copy_from_slice(&(reference::order() - 1u32).to_bytes_le());
    assert_eq!(
        key.verify(b"message", &signature),
        Err(SchnorrQVerifyError::Mismatch)
    );
}

#[test]
fn every_flipped_bit_is_refused() {
    let (key, signature) = sample();
    assert_eq!(key.verify(b"message", &signature), Ok(()));
    for bit in 0..512 {
        let mut wrong = signature;
        wrong.0[bit / 8] ^= 1 << (bit % 8);
        assert!(key.verify(b"message", &wrong).is_err(), "bit {bit}");
    }
    for bit in 0..56 {
        let mut message = *b"message";
        message[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(
            key.verify(&message, &signature),
            Err(SchnorrQVerifyError::Mismatch)
        );
    }
}

#[test]
fn no_bytes_panic() {
    let mut random = Random::of_test("fuzz");
    let (key, signature) = sample();
    for _ in 0..cases(500) * 4 {
        // Noise, and good input with a few bytes changed.
        let noise = random.bytes_up_to(200);
        fuzz::decode(&noise);
        fuzz::verify(&noise);
        let mut input = [key.encode().0.as_slice(), &signature.0, b"message"].concat();
        for _ in 0..random.u64() % 4 {
            let place = random.u64() as usize % input.len();
            input[place] = random.u64() as u8;
        }
        fuzz::decode(&input[..32]);
        fuzz::verify(&input);
    }
}
