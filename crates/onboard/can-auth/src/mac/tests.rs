//! Known answers of each code, and what cutting tags short may not do.

use std::vec::Vec;

use waywarden_work::{Algorithm, Operation, OperationKind, RecordedOperations};

use super::*;

fn bytes(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 2, 0);
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap())
        .collect()
}

fn key(text: &str) -> MacKey {
    MacKey::from_bytes(bytes(text).try_into().unwrap())
}

/// The tag, with the message whole, and in parts of each length.
fn tag<M: Mac>(key: &MacKey, message: &[u8]) -> Vec<u8> {
    let mac = M::new(key);
    let tag = mac.compute(&[message]);
    for length in 1..=message.len() {
        let parts: Vec<&[u8]> = message.chunks(length).collect();
        assert_eq!(
            mac.compute(&parts).whole(),
            tag.whole(),
            "in parts of {length}"
        );
    }
    tag.whole().to_vec()
}

#[test]
fn spongent_meets_its_known_answers() {
    for block in include_str!("../../../../../vectors/spongent-mac.txt").split("\n\n") {
        let field = |name: &str| {
            let line = block.lines().find_map(|line| line.strip_prefix(name))?;
            Some(bytes(line.trim()))
        };
        let Some(secret) = field("key ") else {
            continue;
        };
        let key = MacKey::from_bytes(secret.try_into().unwrap());
        let (message, expected) = (field("message").unwrap(), field("tag ").unwrap());
        assert_eq!(tag::<SpongentMac>(&key, &message), expected);
        let short: [u8; 8] = SpongentMac::new(&key).compute(&[&message]).leading();
        assert_eq!(short[..], expected[8..], "Sancus keeps the last half");
    }
}

/// RFC 4493 §4.
#[test]
fn cmac_meets_rfc_4493() {
    let key = key("2b7e151628aed2a6abf7158809cf4f3c");
    let message = bytes(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
         30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710",
    );
    for (length, expected) in [
        (0, "bb1d6929e95937287fa37d129b756746"),
        (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"),
        (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ] {
        let message = &message[..length];
        assert_eq!(tag::<AesCmac>(&key, message), bytes(expected));
        // In each lane of the widest cipher, and once more behind it.
        for count in [1, 2, 65] {
            let tags = batch::<AesCmac>(&key, &std::vec![message; count]);
            assert_eq!(tags, std::vec![bytes(expected); count]);
        }
    }
}

/// The tags of a batch, in the order of its messages.
fn batch<M: Mac>(key: &MacKey, messages: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut tags = std::vec![None; messages.len()];
    M::new(key).compute_batch(messages.iter(), |index, message, tag| {
        assert_eq!(*message, &messages[index]);
        let before = tags[index].replace(tag.whole().to_vec());
        assert_eq!(before, None, "message {index} twice");
    });
    tags.into_iter().map(Option::unwrap).collect()
}

fn batches_are_as_one_by_one<M: Mac>(seed: u64) {
    let mut random = waywarden_testkit::Random::new(seed);
    let mut below = |end: u64| random.below(end);
    let key = MacKey::from_bytes(core::array::from_fn(|_| below(256) as u8));
    let longest = [17, 33, 82][below(3) as usize];
    let messages: Vec<Vec<u8>> = (0..below(200))
        .map(|_| (0..below(longest)).map(|_| below(256) as u8).collect())
        .collect();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let mac = M::new(&key);
    let expected: Vec<Vec<u8>> = messages
        .iter()
        .map(|message| mac.compute(&[message]).whole().to_vec())
        .collect();
    assert_eq!(batch::<M>(&key, &messages), expected, "seed {seed}");
}

#[test]
fn many_at_once_are_as_one_by_one() {
    for seed in 0..200 {
        batches_are_as_one_by_one::<AesCmac>(seed);
    }
    batches_are_as_one_by_one::<SipHash>(1);
    batches_are_as_one_by_one::<HmacSha256>(2);
    assert!(batch::<AesCmac>(&MacKey::from_bytes([1; 16]), &[]).is_empty());
}

/// The 128-bit vectors of the SipHash reference: key 00..0f, messages of 0, 1 and 2 bytes.
#[test]
fn siphash_meets_its_reference() {
    let key = key("000102030405060708090a0b0c0d0e0f");
    for (message, expected) in [
        ("", "a3817f04ba25a8e66df67214c7550293"),
        ("00", "da87c1d86b99af44347659119b22fc45"),
        ("0001", "8177228da4a45dc7fca38bdef60affe4"),
    ] {
        assert_eq!(tag::<SipHash>(&key, &bytes(message)), bytes(expected));
    }
}

/// The RFC has no key of 16 bytes; computed with Python's `hmac`.
#[test]
fn hmac_meets_an_independent_one() {
    let key = key("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b");
    let expected = bytes("77be70e00d17bd178aab51f6ff96d5fa");
    let found = tag::<HmacSha256>(&key, b"what do ya want for nothing?");
    assert_eq!(found, expected);
}

/// The crate `cmac`, for every length up to five blocks, in one part and in three.
#[test]
fn cmac_meets_another_implementation() {
    use ::cmac::{Cmac, KeyInit as _, Mac as _};
    let message: Vec<u8> = (0..80).map(|byte: u8| byte.wrapping_mul(73)).collect();
    for seed in 0..16 {
        let (key, secret) = (MacKey::from_bytes([seed * 17; 16]), [seed * 17; 16]);
        for length in 0..=message.len() {
            let message = &message[..length];
            let mut other = Cmac::<::aes::Aes128>::new(&secret.into());
            other.update(message);
            let expected: [u8; 16] = other.finalize().into_bytes().into();
            let (first, rest) = message.split_at(length / 3);
            let (second, third) = rest.split_at(rest.len() / 2);
            for parts in [&[message][..], &[first, second, third]] {
                assert_eq!(AesCmac::new(&key).compute(parts).whole(), &expected);
            }
        }
    }
}

#[test]
fn tags_are_metered_over_all_parts() {
    let mut meter = RecordedOperations::new();
    let _ = AesCmac::new(&key("2b7e151628aed2a6abf7158809cf4f3c"))
        .tag(&[&[1, 2], &[], &[3; 9]], &mut meter);
    let expected = Operation::new(OperationKind::Tag, Algorithm::Aes128Cmac, 11);
    assert!(meter.drain().eq([expected]));
}

#[test]
fn a_cut_tag_matches_its_own_beginning_alone() {
    for bits in 0..=130usize {
        let tag = AesCmac::new(&MacKey::from_bytes([7; 16])).compute(&[b"message"]);
        let own: [u8; 16] = tag.leading();
        let cut = own[..usize::min(16, bits.div_ceil(8))].to_vec();
        assert_eq!(
            tag.matches(&cut, bits),
            (1..=128).contains(&bits),
            "{bits} bits"
        );
        if bits == 0 || bits > 128 {
            continue;
        }
        assert!(
            !tag.matches(&cut[..cut.len() - 1], bits),
            "too short for {bits} bits"
        );
        for flipped in 0..8 * cut.len() {
            let mut wrong = cut.clone();
            wrong[flipped / 8] ^= 0x80 >> (flipped % 8);
            assert_eq!(
                tag.matches(&wrong, bits),
                flipped >= bits,
                "bit {flipped} of {bits}"
            );
        }
    }
}
