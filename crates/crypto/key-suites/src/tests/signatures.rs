//! Signatures of every suite: acceptance, refusal, metering.

use waywarden_work::OperationKind::{Sign, Verify};

use super::{entropy, heard, hex, operation, over_each};
use crate::NoMeter;
use crate::{
    CurveSuite, FourQ, P256, PublicKey, RecordedOperations, Secret, SignatureScheme, VerifyError,
};

over_each!(
    [fourq: FourQ, p256: P256],
    [
        honest_signatures_verify,
        a_flipped_bit_is_refused,
        keys_of_no_point_are_refused,
        what_is_done_is_metered,
    ],
);

fn verify<S: CurveSuite>(
    key: &PublicKey,
    message: &[u8],
    signature: &[u8; 64],
) -> Option<VerifyError> {
    S::verify(&mut NoMeter, key, message, signature).err()
}

fn honest_signatures_verify<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let mut meter = RecordedOperations::new();
    for length in 0..64 {
        let key = S::signing_key(&entropy.draw());
        let public = S::public_key(&key);
        let message = &[0x5a; 64][..length];
        let signature = S::sign(&mut meter, &key, message);
        assert_eq!(signature, S::sign(&mut meter, &key, message));
        assert_eq!(verify::<S>(&public, message, &signature), None);
        assert_eq!(PublicKey::from_slice(public.as_bytes()), Ok(public));
        assert_eq!(PublicKey::try_from(public.as_bytes()), Ok(public));
        assert_eq!(public.as_bytes().len(), S::PUBLIC_KEY_LENGTH);
        assert_eq!(signature.len(), S::SIGNATURE_LENGTH);
        heard(&mut meter);
    }
}

fn a_flipped_bit_is_refused<S: CurveSuite>() {
    let mut entropy = entropy(S::NAME);
    let key = S::signing_key(&entropy.draw());
    let public = S::public_key(&key);
    let message = *b"the brakes are fine";
    let signature = S::sign(&mut NoMeter, &key, &message);
    for bit in 0..8 * signature.len() {
        let mut wrong = signature;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(
            verify::<S>(&public, &message, &wrong).is_some(),
            "bit {bit}"
        );
    }
    for bit in 0..8 * message.len() {
        let mut wrong = message;
        wrong[bit / 8] ^= 1 << (bit % 8);
        let refused = verify::<S>(&public, &wrong, &signature);
        assert_eq!(refused, Some(VerifyError::Mismatch), "bit {bit}");
    }
    let other = S::public_key(&S::signing_key(&entropy.draw()));
    let refused = verify::<S>(&other, &message, &signature);
    assert_eq!(refused, Some(VerifyError::Mismatch));
    let longer = [&message[..], b"\0"].concat();
    let refused = verify::<S>(&public, &longer, &signature);
    assert_eq!(refused, Some(VerifyError::Mismatch));
    let refused = verify::<S>(&public, &message, &[0xff; 64]);
    assert_eq!(refused, Some(VerifyError::Malformed));
    assert!(verify::<S>(&public, &message, &[0; 64]).is_some());
}

fn keys_of_no_point_are_refused<S: CurveSuite>() {
    let key = S::signing_key(&entropy(S::NAME).draw());
    let signature = S::sign(&mut NoMeter, &key, b"x");
    let mut candidates = std::vec![[0; 64], [0xff; 64], [2; 64]];
    // Right but for one bit of one coordinate: on P-256 never on the curve.
    let right = S::public_key(&key);
    if right.as_bytes().len() == 64 {
        let mut off: [u8; 64] = right.as_bytes().try_into().unwrap();
        off[63] ^= 1;
        candidates.push(off);
    }
    for bytes in candidates {
        for length in [32, 64] {
            let public = PublicKey::from_slice(&bytes[..length]).unwrap();
            let refused = verify::<S>(&public, b"x", &signature);
            assert_eq!(refused, Some(VerifyError::PublicKey), "{public:02x?}");
        }
    }
    for length in [0, 1, 31, 33, 63, 65] {
        let refused = PublicKey::from_slice(&[0; 65][..length]).unwrap_err();
        assert_eq!(refused.length, length);
    }
}

fn what_is_done_is_metered<S: CurveSuite>() {
    let mut meter = RecordedOperations::new();
    let key = S::signing_key(&entropy(S::NAME).draw());
    let public = S::public_key(&key);
    assert_eq!(heard(&mut meter), []);
    let signature = S::sign(&mut meter, &key, &[1; 77]);
    assert_eq!(heard(&mut meter), [operation::<S>(Sign, 77)]);
    S::verify(&mut meter, &public, &[1; 77], &signature).unwrap();
    assert_eq!(heard(&mut meter), [operation::<S>(Verify, 77)]);
    S::verify(&mut meter, &public, b"", &signature).unwrap_err();
    assert_eq!(heard(&mut meter), [operation::<S>(Verify, 0)]);
}

#[test]
fn keys_of_one_suite_are_none_of_the_other() {
    let secret = Secret::from_bytes([3; 32]);
    let (fourq, p256) = (FourQ::signing_key(&secret), P256::signing_key(&secret));
    let mut meter = RecordedOperations::new();
    let by_fourq = FourQ::sign(&mut meter, &fourq, b"x");
    let by_p256 = P256::sign(&mut meter, &p256, b"x");
    let (fourq, p256) = (FourQ::public_key(&fourq), P256::public_key(&p256));
    let refused = Some(VerifyError::PublicKey);
    assert_eq!(verify::<FourQ>(&p256, b"x", &by_fourq), refused);
    assert_eq!(verify::<P256>(&fourq, b"x", &by_p256), refused);
}

#[test]
fn fourq_meets_its_known_answer() {
    // The second block of signatures in vectors/fourq.txt.
    let key = FourQ::signing_key(&Secret::from_bytes(hex(
        "20272e353c434a51585f666d747b828990979ea5acb3bac1c8cfd6dde4ebf2f9",
    )));
    let public: [u8; 32] = hex("cac8c3612584845317da61a1fa67a0622cb45a0eacf4f8403c413a12891fa6d0");
    let message: [u8; 13] = hex("0102030405060708090a0b0c0d");
    let signature = hex(
        "60f96f0a611816d64817b107630fac049219f3c69297749b89bdbf696c9441c9
         27ee7a4ea41ab469dba88c38b68afdabf97cca27fcb33c6c55aa042638930900",
    );
    assert_eq!(FourQ::public_key(&key).as_bytes(), public);
    assert_eq!(FourQ::sign(&mut NoMeter, &key, &message), signature);
    let public = PublicKey::from_slice(&public).unwrap();
    assert_eq!(verify::<FourQ>(&public, &message, &signature), None);
}
