//! Signing with private keys, against the libraries that people sign with.
//!
//! Everyone signs digests of 32 or 48 bytes that were made before, with one key that is there
//! already, and gives r and s as bytes. Ours goes through a `KeyStore`: it finds the key by its
//! handle, checks its use, and takes the nonce of the case's name:
//!
//! * `aws-lc`: `AwsLcStore`, nonces of the library's own, r alone;
//! * `hedged`: `SoftwareStore`, RFC 6979 with 32 bytes of entropy, which come with the input;
//! * `point`: the same, with R as a compressed point, which no peer but RustCrypto gives;
//! * `precomputed`: `SoftwareStore` with nonces that were computed before the clock started.
//!
//! On P-256 RustCrypto has its table of the generator here, the store's feature `generator-table`.

mod draft;
mod encryption;
mod issue;
mod peers;
mod primitives;
mod whole;

use sha2::{Digest as _, Sha384};
use waywarden_ecverify::Curve;
use waywarden_v2x_keys::{
    AwsLcStore, KeyStore, Nonce, NonceForm, PrecomputedNonces, PrivateKey, SoftwareStore, Uses,
};

use crate::clock::thread_time;
use crate::race::{Case, Contestant};

/// Digests that a contestant rotates through.
const POOL: usize = 256;
/// Nonces that are computed before each turn of `precomputed`.
const NONCES: usize = 64;

/// A digest and randomness of its own.
struct Input {
    digest: Vec<u8>,
    entropy: [u8; 32],
}

impl Input {
    fn hedged(&self) -> Nonce<'_> {
        Nonce::Hedged {
            entropy: &self.entropy,
        }
    }
}

/// 48 bytes for `index` that differ in all places.
fn bytes(what: &str, index: usize) -> [u8; 48] {
    Sha384::digest(format!("{what} {index}")).into()
}

/// 32 bytes, likewise.
fn seed(what: &str, index: usize) -> [u8; 32] {
    *bytes(what, index).first_chunk().expect("32 of 48")
}

fn inputs(curve: Curve) -> Vec<Input> {
    let input = |index| Input {
        digest: bytes("digest", index)[..curve.field_bytes()].to_vec(),
        entropy: seed("entropy", index),
    };
    (0..POOL).map(input).collect()
}

/// The key that everyone signs with: below the order of every curve.
fn private_key(curve: Curve) -> Vec<u8> {
    let mut scalar = bytes("private key", 0)[..curve.field_bytes()].to_vec();
    scalar[0] &= 0x7F;
    scalar
}

/// Signs with a store, whatever its kind.
fn store<S: KeyStore + 'static>(
    curve: Curve,
    mut store: S,
    import: impl FnOnce(&mut S, &PrivateKey) -> waywarden_v2x_keys::KeyHandle,
    nonce: impl Fn(&Input) -> Nonce<'_> + 'static,
    form: NonceForm,
) -> Contestant {
    let key = PrivateKey::new(curve, &private_key(curve)).expect("the length of the order");
    let key = import(&mut store, &key);
    Contestant::new("waywarden", inputs(curve), move |input| {
        store
            .sign(key, &input.digest, nonce(input), form)
            .expect("signs")
    })
}

fn aws_lc(curve: Curve) -> Contestant {
    let import =
        |store: &mut AwsLcStore<4>, key: &PrivateKey| store.import(key, Uses::SIGN).expect("a key");
    store(
        curve,
        AwsLcStore::new(),
        import,
        |_| Nonce::Own,
        NonceForm::XOnly,
    )
}

fn hedged(curve: Curve, form: NonceForm) -> Contestant {
    let import = |store: &mut SoftwareStore<4>, key: &PrivateKey| {
        store.import(key, Uses::SIGN).expect("a key")
    };
    store(curve, SoftwareStore::new(), import, Input::hedged, form)
}

/// Times the signatures alone: nonces are computed between turns.
fn precomputed(curve: Curve) -> Contestant {
    let mut nonces = PrecomputedNonces::<NONCES>::new(curve, &seed("nonces", 0));
    nonces.reserve(0..u64::MAX).expect("none is used");
    let mut store = SoftwareStore::<4, NONCES>::new().with_nonces(nonces);
    let key = PrivateKey::new(curve, &private_key(curve)).expect("the length of the order");
    let key = store.import(&key, Uses::SIGN).expect("a key");
    let inputs = inputs(curve);
    Contestant::timed("waywarden", move || {
        let nonces = store.nonces().expect("it has some");
        while nonces.precompute()? {}
        let start = thread_time();
        for input in &inputs[..NONCES] {
            let form = NonceForm::Point;
            let signature = store.sign(key, &input.digest, Nonce::Precomputed, form)?;
            std::hint::black_box(signature);
        }
        let spent = thread_time().saturating_sub(start);
        Ok(spent.as_nanos() as f64 / NONCES as f64)
    })
}

fn case(name: &'static str, what: &'static str, curve: Curve, ours: Contestant) -> Case {
    Case {
        name,
        what,
        ours,
        peers: peers::sign(curve),
    }
}

/// All cases.
pub(crate) fn cases() -> Vec<Case> {
    use Curve::{BrainpoolP256r1, BrainpoolP384r1, P256, P384};
    let aws = "one signature by AwsLcStore, r alone";
    let soft = "one signature by SoftwareStore, hedged nonce, r alone";
    let point = "one signature by SoftwareStore, hedged nonce, R as a point";
    let ready = "one signature by SoftwareStore, nonce computed beforehand, R as a point";
    let (x_only, as_point) = (NonceForm::XOnly, NonceForm::Point);
    let mut cases = vec![
        case("sign-p256-aws-lc", aws, P256, aws_lc(P256)),
        case("sign-p256-hedged", soft, P256, hedged(P256, x_only)),
        case("sign-p256-point", point, P256, hedged(P256, as_point)),
        case("sign-p256-precomputed", ready, P256, precomputed(P256)),
        case(
            "sign-bp256-hedged",
            soft,
            BrainpoolP256r1,
            hedged(BrainpoolP256r1, x_only),
        ),
        case(
            "sign-bp256-precomputed",
            ready,
            BrainpoolP256r1,
            precomputed(BrainpoolP256r1),
        ),
        case("sign-p384-aws-lc", aws, P384, aws_lc(P384)),
        case("sign-p384-hedged", soft, P384, hedged(P384, x_only)),
        case(
            "sign-bp384-hedged",
            soft,
            BrainpoolP384r1,
            hedged(BrainpoolP384r1, x_only),
        ),
    ];
    cases.extend(encryption::cases());
    cases.extend(whole::cases());
    cases.push(issue::case());
    cases.extend(draft::cases());
    cases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contestant_works() {
        for row in crate::race::run(cases(), 3).unwrap() {
            assert!(row.ratio.is_finite() && row.ratio > 0.0, "{row:?}");
        }
    }
}
