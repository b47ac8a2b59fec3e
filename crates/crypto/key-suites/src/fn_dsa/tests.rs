//! Answers that an independent verifier accepted, and what determinism rests on.

use waywarden_testkit::bytes_of;

use super::*;
use crate::tests::blocks;
use crate::{NoMeter, RecordedOperations};

/// Keys and signatures of this project's own; the file says what stands behind them.
const VECTORS: &str = include_str!("../../../../../vectors/fn-dsa.txt");

/// Checks the answers of one degree and returns how many those were.
fn check<S: SignatureScheme>(kind: &str) -> usize {
    let mut count = 0;
    for fields in blocks(VECTORS) {
        if fields["kind"] != kind {
            continue;
        }
        let field = |name: &str| bytes_of(fields[name]);
        let secret = field("secret").try_into().expect("32 bytes");
        let key = S::signing_key(&Secret::from_bytes(secret));
        let public = S::public_key(&key);
        assert_eq!(public.as_ref(), field("public"));
        let (meter, message) = (&mut RecordedOperations::new(), field("message"));
        let signature = S::sign(meter, &key, &message);
        assert_eq!(signature.as_ref(), field("signature"));
        assert_eq!(S::verify(meter, &public, &message, &signature), Ok(()));
        count += 1;
    }
    count
}

#[test]
fn known_answers_are_met() {
    assert_eq!(check::<FnDsa512>("fn-dsa-512"), 2);
    assert_eq!(check::<FnDsa1024>("fn-dsa-1024"), 2);
}

#[test]
fn the_randomness_depends_on_secret_purpose_and_message_and_not_on_how_it_is_drawn() {
    let drawn = |secret: u8, purpose, message: &[u8]| {
        let mut out = [0; 96];
        Stream::new(&Secret::from_bytes([secret; 32]), purpose, message).fill_bytes(&mut out);
        out
    };
    let streams = [
        drawn(1, Purpose::Signing, b"x"),
        drawn(2, Purpose::Signing, b"x"),
        drawn(1, Purpose::KeyGeneration, b"x"),
        drawn(1, Purpose::Signing, b"y"),
    ];
    for (i, stream) in streams.iter().enumerate() {
        assert!(streams[..i].iter().all(|other| other != stream));
        assert_ne!(stream[..32], stream[32..64]);
    }
    let mut stream = Stream::new(&Secret::from_bytes([1; 32]), Purpose::Signing, b"x");
    let mut first = [0; 4];
    first.copy_from_slice(&streams[0][..4]);
    assert_eq!(stream.next_u32(), u32::from_le_bytes(first));
    let mut second = [0; 8];
    second.copy_from_slice(&streams[0][32..40]);
    assert_eq!(stream.next_u64(), u64::from_le_bytes(second));
    let mut third = [0; 32];
    stream.try_fill_bytes(&mut third).unwrap();
    assert_eq!(third, streams[0][64..]);
}

#[test]
fn one_key_signs_two_messages_with_two_nonces() {
    let key = FnDsa512::signing_key(&Secret::from_bytes([1; 32]));
    let nonce = |message: &[u8]| {
        let signature = FnDsa512::sign(&mut NoMeter, &key, message);
        signature[1..41].to_vec()
    };
    assert_ne!(nonce(b"x"), nonce(b"y"));
}

#[test]
fn keys_and_signatures_of_another_degree_or_encoding_are_refused() {
    let key = FnDsa512::signing_key(&Secret::from_bytes([1; 32]));
    let (public, meter) = (FnDsa512::public_key(&key), &mut RecordedOperations::new());
    let signature = FnDsa512::sign(meter, &key, b"x");
    for first in [0x00, 0x08, 0x0a, 0x19, 0xff] {
        let mut other = public;
        other[0] = first;
        let refused = FnDsa512::verify(meter, &other, b"x", &signature);
        assert_eq!(refused, Err(VerifyError::PublicKey), "{first:02x}");
    }
    // A coefficient of 14 bits that is q or more.
    let mut other = public;
    other[1..3].fill(0xff);
    let refused = FnDsa512::verify(meter, &other, b"x", &signature);
    assert_eq!(refused, Err(VerifyError::PublicKey));
    for first in [0x00, 0x29, 0x38, 0x3a, 0xff] {
        let mut other = signature;
        other[0] = first;
        let refused = FnDsa512::verify(meter, &public, b"x", &other);
        assert_eq!(refused, Err(VerifyError::Malformed), "{first:02x}");
    }
    // What follows the last coefficient must be zero, or a signature could be written in two ways.
    let mut other = signature;
    assert_eq!(other[665], 0);
    other[665] = 1;
    let refused = FnDsa512::verify(meter, &public, b"x", &other);
    assert_eq!(refused, Err(VerifyError::Mismatch));
}
