//! Known answers from the standards, and metering.

use super::*;
use crate::tests::{heard, hex};
use crate::{NoMeter, RecordedOperations};

#[test]
fn key_derivation_meets_rfc_5869() {
    let mut meter = RecordedOperations::new();
    let mut out = [0; 42];
    let salt: [u8; 13] = hex("000102030405060708090a0b0c");
    let info: [u8; 10] = hex("f0f1f2f3f4f5f6f7f8f9");
    // Case 1; parts count as their row.
    for info in [&[&info[..]][..], &[&info[..4], b"", &info[4..]]] {
        hkdf_sha256(&mut meter, &salt, &[0x0b; 22], info, &mut out);
        assert_eq!(
            out,
            hex(
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf
                 34007208d5b887185865"
            )
        );
    }
    // Case 3: neither salt nor info.
    hkdf_sha256(&mut meter, b"", &[0x0b; 22], &[], &mut out);
    assert_eq!(
        out,
        hex(
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d
             9d201395faa4b61a96c8"
        )
    );
    let done = Operation::new(OperationKind::KeyDerive, Algorithm::HkdfSha256, 22);
    assert_eq!(heard(&mut meter), [done; 3]);
}

#[test]
fn counter_mode_meets_sp_800_38a() {
    // F.5.1 and F.5.2.
    let key = hex("2b7e151628aed2a6abf7158809cf4f3c");
    let iv = hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
    let plain: [u8; 64] = hex(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    let cipher: [u8; 64] = hex(
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff
         5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    );
    let mut meter = RecordedOperations::new();
    let mut data = plain;
    encrypt_ctr(&mut meter, &key, &iv, &mut data);
    assert_eq!(data, cipher);
    decrypt_ctr(&mut meter, &key, &iv, &mut data[..37]);
    assert_eq!((&data[..37], &data[37..]), (&plain[..37], &cipher[37..]));
    let expected = [(OperationKind::Encrypt, 64), (OperationKind::Decrypt, 37)];
    let expected = expected.map(|(kind, bytes)| Operation::new(kind, Algorithm::Aes128Ctr, bytes));
    assert_eq!(heard(&mut meter), expected);
}

#[test]
fn the_counter_has_128_bits() {
    let key = [7; 16];
    let (mut wrapped, mut from_zero) = ([0; 32], [0; 16]);
    encrypt_ctr(&mut NoMeter, &key, &[0xff; 16], &mut wrapped);
    encrypt_ctr(&mut NoMeter, &key, &[0; 16], &mut from_zero);
    assert_eq!(wrapped[16..], from_zero);
}

#[test]
fn hashes_meet_fips_180() {
    let mut meter = RecordedOperations::new();
    let abc = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(sha256(&mut meter, &[b"abc"]), abc);
    assert_eq!(sha256(&mut meter, &[b"a", b"", b"bc"]), abc);
    let nothing = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_eq!(sha256(&mut meter, &[]), nothing);
    let done = |bytes| Operation::new(OperationKind::Hash, Algorithm::Sha256, bytes);
    assert_eq!(heard(&mut meter), [done(3), done(3), done(0)]);
}

/// A short key with the zeros that HMAC fills it up with.
fn padded(short: &[u8]) -> [u8; 32] {
    core::array::from_fn(|i| short.get(i).copied().unwrap_or(0))
}

#[test]
fn tags_meet_rfc_4231() {
    let mut meter = RecordedOperations::new();
    // Cases 1, 2 and 5 (cut to 128 bits).
    let tag = hmac_tag(&mut meter, &padded(&[0x0b; 20]), &[b"Hi ", b"There"]);
    let expected: [u8; 32] =
        hex("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_eq!(tag, expected);
    let question = b"what do ya want for nothing?";
    let tag = hmac_tag(&mut meter, &padded(b"Jefe"), &[question]);
    let expected: [u8; 32] =
        hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    assert_eq!(tag, expected);
    let key = padded(&[0x0c; 20]);
    let tag = hmac_tag(&mut meter, &key, &[b"Test With Truncation"]);
    let expected: [u8; 16] = hex("a3b6167473100ee06e0c796c2955552b");
    assert_eq!(tag, expected);
    let done = |bytes| Operation::new(OperationKind::Tag, Algorithm::HmacSha256, bytes);
    assert_eq!(heard(&mut meter), [done(8), done(28), done(20)]);

    let verify = |key: &[u8; 32], tag: &[u8; 16]| {
        verify_hmac_tag(&mut NoMeter, key, &[b"Test With Truncation"], tag)
    };
    assert_eq!(verify(&key, &expected), Ok(()));
    assert_eq!(verify(&[0; 32], &expected), Err(TagError));
    for bit in 0..128 {
        let mut wrong = expected;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(verify(&key, &wrong), Err(TagError), "bit {bit}");
    }
    let refused = verify_hmac_tag(&mut meter, &key, &[b"another"], &expected);
    assert_eq!(refused, Err(TagError));
    assert_eq!(heard(&mut meter), [done(7)]);
}
