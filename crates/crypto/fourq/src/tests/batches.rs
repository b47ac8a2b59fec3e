//! A batch accepts exactly when every member verifies.

use std::vec::Vec;

use num_bigint::BigUint;
use sha2::{Digest, Sha512};
use waywarden_testkit::Random;

use super::reference;
use super::torsion::small_order_points;
use crate::encoding::{compress, decompress};
use crate::multiply::fixed;
use crate::scalar::Scalar;
use crate::verify_batch;
use crate::{
    BatchError, EncodedFourQPoint, Item, SchnorrQSignature, SchnorrQVerifyError, SigningKey,
    VerifyingKey,
};

/// A key, a message, a signature.
struct Signed {
    key: VerifyingKey,
    message: Vec<u8>,
    signature: SchnorrQSignature,
}

/// `count` valid signatures under `keys` different keys.
fn signed(random: &mut Random, count: usize, keys: usize) -> Vec<Signed> {
    let keys: Vec<_> = (0..keys)
        .map(|_| SigningKey::from_bytes(&random.array()))
        .collect();
    let publics: Vec<_> = keys
        .iter()
        .map(|k| VerifyingKey::decode(&k.public()).unwrap())
        .collect();
    (0..count)
        .map(|i| {
            let message = random.bytes_up_to(40);
            let signature = keys[i % keys.len()].sign(&message);
            Signed {
                key: publics[i % keys.len()],
                message,
                signature,
            }
        })
        .collect()
}

fn items(signed: &[Signed]) -> Vec<Item<'_>> {
    signed
        .iter()
        .map(
            |Signed {
                 key,
                 message,
                 signature,
             }| Item {
                key,
                message,
                signature,
            },
        )
        .collect()
}

/// Batch and single verdicts, which must agree.
fn verdict(signed: &[Signed]) -> bool {
    let single = signed
        .iter()
        .all(|s| s.key.verify(&s.message, &s.signature).is_ok());
    assert_eq!(verify_batch(&items(signed)).is_ok(), single);
    single
}

#[test]
fn one_bad_signature_in_each_place_of_each_size_is_found() {
    let mut random = Random::of_test("bad places");
    let mut all = signed(&mut random, 64, 5);
    assert!(verdict(&all[..0]));
    for size in 1..=64 {
        assert_eq!(verify_batch(&items(&all[..size])), Ok(()));
        for place in 0..size {
            let good = all[place].signature;
            // A bit of s, low enough to keep it below N: only the equation can notice.
            all[place].signature.0[32 + place % 28] ^= 1 << (place % 8);
            let expected = BatchError::Group {
                first: place / 32 * 32,
            };
            assert_eq!(
                verify_batch(&items(&all[..size])),
                Err(expected),
                "{size} {place}"
            );
            all[place].signature = good;
        }
    }
}

#[test]
fn batches_of_one_key_and_of_many_agree_with_single_verification() {
    let mut random = Random::of_test("keys");
    for keys in [1, 2, 31, 32, 40] {
        let mut all = signed(&mut random, 40, keys);
        assert!(verdict(&all));
        all[17].message.push(0);
        assert!(!verdict(&all));
        all[17].message.pop();
        // Two keys exchanged.
        all.swap(3, 4);
        assert!(verdict(&all));
        let key = all[3].key;
        all[3].key = all[4].key;
        all[4].key = key;
        assert_eq!(verdict(&all), keys == 1);
    }
}

#[test]
fn malformed_members_are_named() {
    let mut random = Random::of_test("malformed");
    let mut all = signed(&mut random, 40, 3);
    let good = all[35].signature;
    let expect = |all: &[Signed], error| {
        assert!(!verdict(all));
        assert_eq!(
            all[35].key.verify(&all[35].message, &all[35].signature),
            Err(error)
        );
        assert_eq!(
            verify_batch(&items(all)),
            Err(BatchError::Member { index: 35, error })
        );
    };
    all[35].signature.0[15] |= 0x80;
    expect(&all, SchnorrQVerifyError::ReservedBit);
    all[35].signature = good;
    all[35].signature.0[63] = 1;
    expect(&all, SchnorrQVerifyError::ScalarTooLarge);
    all[35].signature.0[62..].copy_from_slice(&[0x3f, 0]);
    expect(&all, SchnorrQVerifyError::ScalarNotReduced);
    all[35].signature = good;
    all[35].signature.0[..16].fill(0xff);
    all[35].signature.0[15] = 0x7f;
    expect(&all, SchnorrQVerifyError::Mismatch);
}

/// A signature whose R is r G plus `shift`, made with the secret: sG + hA = R - shift.
fn shifted(secret: [u8; 32], nonce: u64, shift: &crate::curve::Extended) -> Signed {
    let key = SigningKey::from_bytes(&secret);
    let k = Sha512::digest(secret);
    let a = Scalar::from_bytes(&k[..32].try_into().unwrap());
    let r = Scalar::reduce([nonce, 0, 0, 0]);
    let commitment = compress(&fixed::multiply(&r).add(&shift.to_cached()).to_affine());
    let hash = Sha512::new()
        .chain_update(commitment)
        .chain_update(key.public().0)
        .chain_update(b"m")
        .finalize();
    let h = Scalar::from_bytes(&hash[..32].try_into().unwrap());
    let mut signature = [0; 64];
    signature[..32].copy_from_slice(&commitment);
    signature[32..].copy_from_slice(&r.sub(a.mul(h)).to_bytes());
    let key = VerifyingKey::decode(&key.public()).unwrap();
    Signed {
        key,
        message: b"m".to_vec(),
        signature: SchnorrQSignature(signature),
    }
}

#[test]
fn a_commitment_with_a_small_order_component_is_refused_alone_and_in_a_batch() {
    let mut random = Random::of_test("small order commitments");
    let mut batch = signed(&mut random, 4, 4);
    for (i, small) in small_order_points().iter().enumerate() {
        // Two such members could cancel; each of them must be refused by itself.
        let first = shifted(random.array(), 77, small);
        let second = shifted(random.array(), 78, small);
        batch.truncate(4);
        batch.extend([first, second]);
        assert_eq!(verdict(&batch), i == 0, "{i}");
    }
}

#[test]
fn a_neutral_commitment_verifies_alone_and_in_a_batch() {
    let mut random = Random::of_test("neutral commitment");
    let mut batch = signed(&mut random, 3, 3);
    let neutral = crate::curve::Extended::NEUTRAL;
    batch.push(shifted([5; 32], 0, &neutral));
    assert_eq!(batch[3].signature.0[..32], compress(&neutral.to_affine()));
    assert!(decompress(&batch[3].signature.0[..32].try_into().unwrap()).is_ok());
    assert!(verdict(&batch));
    batch[3].message.push(1);
    assert!(!verdict(&batch));
}

#[test]
fn the_second_form_of_a_signature_is_refused_alone_and_in_a_batch() {
    let mut random = Random::of_test("malleability");
    let mut seen = 0;
    while seen < 20 {
        let mut batch = signed(&mut random, 2, 2);
        let s = BigUint::from_bytes_le(&batch[1].signature.0[32..]) + reference::order();
        if s.bits() > 246 {
            continue;
        }
        seen += 1;
        let digits = s.to_bytes_le();
        batch[1].signature.0[32..32 + digits.len()].copy_from_slice(&digits);
        assert!(!verdict(&batch));
        let Signed {
            key,
            message,
            signature,
        } = &batch[1];
        assert_eq!(
            key.verify(message, signature),
            Err(SchnorrQVerifyError::ScalarNotReduced)
        );
    }
}

#[test]
fn keys_compare_by_encoding() {
    let key = SigningKey::from_bytes(&[1; 32]);
    let encoded = EncodedFourQPoint(key.public().0);
    assert_eq!(VerifyingKey::decode(&encoded).unwrap().encode(), encoded);
}
