//! Microseconds of each operation on this machine: the smallest of many short runs.
//!
//! `cargo run --profile dist -p waywarden-ecverify --example ecverify_speed`. For tuning; for
//! comparisons with other libraries see `bench/`.

use std::hint::black_box;
use std::time::Instant;

use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::elliptic_curve::sec1::ToSec1Point;
use waywarden_ecverify::{
    Curve, EncodedPoint, EncodedSignature, Job, JobKey, SenderId, SignatureVerifier, Verdict,
};
use waywarden_ecverify::{Point, rebuild, verify, verify_many};

/// Prints the smallest mean of 400 runs of `count` calls, divided by `each`. Runs are short, so
/// that some of them are not interrupted.
fn measure<T>(name: &str, count: u32, each: u32, mut operation: impl FnMut() -> T) {
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let start = Instant::now();
        for _ in 0..count {
            black_box(operation());
        }
        best = best.min(start.elapsed().as_secs_f64() / f64::from(count) / f64::from(each));
    }
    println!("{name:<36}{:>8.2} us", best * 1e6);
}

/// A signature by the outside implementation of a curve: digest, r, s, x, y.
macro_rules! signed {
    ($library:ident, $curve:ident, $length:literal) => {{
        let signing = $library::ecdsa::SigningKey::from_slice(&[0x5e; $length]).expect("a key");
        let digest = vec![7_u8; $length];
        let signature: $library::ecdsa::Signature = signing.sign_prehash(&digest).expect("signed");
        let point = signing.verifying_key().as_affine().to_sec1_point(false);
        let (r, s) = signature.split_bytes();
        (
            Curve::$curve,
            digest,
            r.to_vec(),
            s.to_vec(),
            point.as_bytes()[1..].to_vec(),
        )
    }};
}

fn main() {
    for (curve, digest, r, s, point) in [signed!(p256, P256, 32), signed!(p384, P384, 48)] {
        let (x, y) = point.split_at(point.len() / 2);
        let key = EncodedPoint::Uncompressed { x, y };
        let job = |key| Job {
            curve,
            digest: &digest,
            signature: EncodedSignature {
                r: EncodedPoint::XOnly(&r),
                s: &s,
            },
            key,
            sender: None,
        };
        let explicit = job(JobKey::Explicit(key));
        assert_eq!(verify(&explicit), Ok(()));
        let name = |what: &str| format!("{curve:?} {what}");
        measure(&name("verify"), 5, 1, || verify(black_box(&explicit)));
        let jobs = [explicit; 64];
        let mut verdicts = [Verdict::Valid; 64];
        measure(&name("verify_many of 64, each"), 1, 64, || {
            verify_many(black_box(&jobs), &mut verdicts);
        });
        let compressed = key.to_compressed();
        measure(&name("decompress"), 5, 1, || {
            Point::decode(curve, black_box(&compressed))
        });
        measure(&name("rebuild"), 5, 1, || {
            rebuild(curve, &digest, black_box(&compressed), &key)
        });
        let implicit = job(JobKey::Implicit {
            e: &digest,
            reconstruction: compressed,
            ca: key,
        });
        measure(&name("verify, implicit key"), 5, 1, || {
            verify(black_box(&implicit))
        });
        let mut verifier = SignatureVerifier::with_table_bytes(1 << 20);
        let sent = Job {
            sender: Some(SenderId(1)),
            ..explicit
        };
        (0..3).for_each(|_| assert_eq!(verifier.verify(&sent), Ok(())));
        assert_eq!(verifier.memory().senders, 1);
        measure(&name("verify, known sender"), 5, 1, || {
            verifier.verify(black_box(&sent))
        });
    }

    let signing = p256::ecdsa::SigningKey::from_slice(&[0x5e; 32]).expect("a key");
    let signature: p256::ecdsa::Signature = signing.sign_prehash(&[7; 32]).expect("signed");
    let key = signing.verifying_key();
    measure("P256 verify, crate p256", 5, 1, || {
        key.verify_prehash(black_box(&[7; 32]), &signature)
    });
}
