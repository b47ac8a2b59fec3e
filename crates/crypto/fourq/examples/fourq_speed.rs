//! Nanoseconds of each operation on this machine: the smallest of many short runs.
//!
//! `cargo run --profile dist -p waywarden-fourq --example fourq_speed`. For comparisons with other
//! libraries see `bench/`; this program is for tuning.

use std::hint::black_box;
use std::time::Instant;

use waywarden_fourq::{Item, SigningKey, VerifyingKey, dh, verify_batch};

/// Prints the smallest mean of 40 runs of `count` calls, divided by `each`.
fn measure<T>(name: &str, count: u32, each: u32, mut operation: impl FnMut() -> T) {
    let mut best = f64::INFINITY;
    for _ in 0..40 {
        let start = Instant::now();
        for _ in 0..count {
            black_box(operation());
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(count) / f64::from(each));
    }
    println!("{name:<24}{best:>10.0} ns");
}

fn main() {
    let message = [7; 64];
    let secret = dh::DhSecret::from_bytes(&[9; 32]);
    let share = dh::DhSecret::from_bytes(&[8; 32]).share();
    measure("share", 100, 1, || black_box(&secret).share());
    measure("extract", 100, 1, || black_box(&secret).extract(&share));
    measure("decode", 100, 1, || black_box(&share).decode());

    let keys: Vec<_> = (0..32).map(|i| SigningKey::from_bytes(&[i; 32])).collect();
    let publics: Vec<_> = keys
        .iter()
        .map(|k| VerifyingKey::decode(&k.public()).unwrap())
        .collect();
    let signatures: Vec<_> = keys.iter().map(|key| key.sign(&message)).collect();
    let (key, public, signature) = (&keys[0], &publics[0], &signatures[0]);
    measure("signing key", 100, 1, || {
        SigningKey::from_bytes(black_box(&[9; 32]))
    });
    measure("sign", 100, 1, || key.sign(black_box(&message)));
    measure("verify", 100, 1, || {
        public.verify(black_box(&message), signature)
    });

    let distinct: Vec<_> = publics
        .iter()
        .zip(&signatures)
        .map(|(key, signature)| Item {
            key,
            message: &message,
            signature,
        })
        .collect();
    measure("verify-batch-32, each", 5, 32, || {
        verify_batch(black_box(&distinct))
    });
    let own: Vec<_> = (0..32_u8).map(|i| ([i; 64], key.sign(&[i; 64]))).collect();
    let same: Vec<_> = own
        .iter()
        .map(|(message, signature)| Item {
            key: public,
            message,
            signature,
        })
        .collect();
    measure("  the same, one key", 5, 32, || {
        verify_batch(black_box(&same))
    });
}
