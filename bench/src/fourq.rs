//! FourQ against the curves that people use in its place.
//!
//! Everyone gets the same number of keys, messages of [`MESSAGE`] bytes and what a protocol holds
//! at that moment: a parsed public key to verify with, a key pair to sign with, the secret and the
//! bytes of the peer's share to agree. Each operation checks its result.

mod peers;

use waywarden_fourq::{
    EncodedFourQPoint, Item, SchnorrQSignature, SigningKey, VerifyingKey, dh, verify_batch,
};

use crate::race::{Case, Contestant};

/// Keys, messages and signatures that a contestant rotates through.
const POOL: usize = 64;
/// Signatures in a batch.
const BATCH: usize = 32;
/// Bytes of a message.
const MESSAGE: usize = 32;

/// The bytes that input number `index` is made of: 32 that differ in all places.
fn bytes(index: usize) -> [u8; 32] {
    let mut state = index as u64 + 1;
    std::array::from_fn(|_| {
        // A step of the multiplicative generator modulo 2^64 of Knuth; its top byte.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    })
}

fn secret(index: usize) -> [u8; 32] {
    bytes(index)
}

fn message(index: usize) -> [u8; MESSAGE] {
    bytes(index + 0x1000)
}

struct Signed {
    key: VerifyingKey,
    message: [u8; MESSAGE],
    signature: SchnorrQSignature,
}

/// Signatures by key number `key(i)` on message number i.
fn signed(count: usize, key: impl Fn(usize) -> usize) -> Vec<Signed> {
    let sign = |index| {
        let signer = SigningKey::from_bytes(&secret(key(index)));
        let message = message(index);
        Signed {
            key: VerifyingKey::decode(&signer.public()).expect("an own key decodes"),
            signature: signer.sign(&message),
            message,
        }
    };
    (0..count).map(sign).collect()
}

fn verify(name: &'static str) -> Contestant {
    Contestant::new(name, signed(POOL, |i| i), |one| {
        assert!(one.key.verify(&one.message, &one.signature).is_ok());
    })
}

/// Creates batches of [`BATCH`]; `key` returns the signer of number i of all.
fn batches(key: impl Fn(usize) -> usize) -> Contestant {
    let mut all = signed(BATCH * 4, key);
    let batches: Vec<Vec<Signed>> = std::iter::from_fn(|| {
        let rest = all.len().checked_sub(BATCH)?;
        Some(all.split_off(rest))
    })
    .collect();
    Contestant::with_items("waywarden", BATCH as u32, batches, |batch| {
        let mut items = Vec::with_capacity(BATCH);
        items.extend(batch.iter().map(|one| Item {
            key: &one.key,
            message: &one.message,
            signature: &one.signature,
        }));
        assert!(verify_batch(&items).is_ok());
    })
}

fn sign() -> Contestant {
    let inputs = (0..POOL)
        .map(|i| (SigningKey::from_bytes(&secret(i)), message(i)))
        .collect();
    Contestant::new("waywarden", inputs, |(key, message)| key.sign(message))
}

fn share() -> Contestant {
    let inputs = (0..POOL).map(secret).collect();
    Contestant::new("waywarden", inputs, |bytes| {
        dh::DhSecret::from_bytes(bytes).share()
    })
}

fn extract() -> Contestant {
    let inputs: Vec<(dh::DhSecret, EncodedFourQPoint)> = (0..POOL)
        .map(|i| {
            let peer = dh::DhSecret::from_bytes(&secret(i + POOL)).share();
            (dh::DhSecret::from_bytes(&secret(i)), peer)
        })
        .collect();
    Contestant::new("waywarden", inputs, |(own, share)| {
        let secret = own.extract(share).expect("an honest share");
        *secret.as_bytes()
    })
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "verify",
            what: "one signature of a parsed key on a message of 32 bytes",
            ours: verify("waywarden"),
            peers: peers::verify(),
        },
        Case {
            name: "sign",
            what: "a message of 32 bytes, with a key pair that is ready",
            ours: sign(),
            peers: peers::sign(),
        },
        Case {
            name: "extract",
            what: "the peer's share as bytes in (compressed where there is a choice), secret out",
            ours: extract(),
            peers: peers::extract(),
        },
        Case {
            name: "share",
            what: "32 secret bytes in, the share as bytes out",
            ours: share(),
            peers: peers::share(),
        },
        Case {
            name: "verify-batch-32",
            what: "32 signatures of 32 keys at once; figures are per signature",
            ours: batches(|i| i),
            peers: batch_peers(),
        },
        Case {
            name: "verify-batch-32-one-key",
            what: "32 signatures of one key at once; figures are per signature",
            ours: batches(|i| i / BATCH),
            peers: batch_peers(),
        },
    ]
}

fn batch_peers() -> Vec<Contestant> {
    let mut peers = vec![verify("waywarden, one by one")];
    peers.extend(peers::verify_batch());
    peers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contestant_works() {
        // Each asserts its own result.
        for row in crate::race::run(cases(), 3).unwrap() {
            assert!(row.ratio.is_finite() && row.ratio > 0.0, "{row:?}");
        }
    }

    #[test]
    fn inputs_differ() {
        let mut all: Vec<[u8; 32]> = (0..POOL * 2).map(secret).collect();
        all.extend((0..BATCH * 4).map(message));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), POOL * 2 + BATCH * 4);
    }
}
