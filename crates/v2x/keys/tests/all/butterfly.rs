//! Butterfly keys by seed: what the holder computes is what the registration authority does.

use std::collections::BTreeSet;

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, bytes_of, cases};
use waywarden_v2x_keys::butterfly::{ExpansionFunction, Purpose, cocoon_key};
use waywarden_v2x_keys::{KeyError, KeyStore, SoftwareStore, Uses};

use crate::support::{all_uses, import};

const CURVES: [Curve; 4] = [
    Curve::P256,
    Curve::BrainpoolP256r1,
    Curve::P384,
    Curve::BrainpoolP384r1,
];

const PURPOSES: [Purpose; 2] = [Purpose::Signing, Purpose::Encryption];

#[test]
fn both_sides_expand_to_the_same_cocoon_key() {
    let mut random = Random::of_test("both_sides_expand_to_the_same_cocoon_key");
    for _ in 0..cases(50) {
        let mut store = SoftwareStore::<2>::new();
        let curve = CURVES[random.index(CURVES.len())];
        let key = store.generate(curve, Uses::EXPAND, &random.array());
        let key = key.unwrap();
        let expansion = ExpansionFunction::new(PURPOSES[random.index(2)], &random.array());
        // The ends of what i and j can be, and what lies between.
        let number = |random: &mut Random| match random.below(4) {
            0 => 0,
            1 => u32::MAX,
            _ => random.u64() as u32,
        };
        let f = expansion.f(number(&mut random), number(&mut random));
        let private = store.expand(key, &f, Uses::SIGN).unwrap();
        let public = store.public_key(private).unwrap();
        let caterpillar = store.public_key(key).unwrap();
        assert_eq!(cocoon_key(&caterpillar, &f), Ok(public), "{curve:?}");
    }
}

#[test]
fn no_two_of_purpose_period_and_index_share_an_expansion() {
    let mut seen = BTreeSet::new();
    let key = [7; 16];
    for purpose in PURPOSES {
        for i in [0, 1, 2, 255, 256, u32::MAX] {
            for j in [0, 1, 2, 255, 256, u32::MAX] {
                let f = ExpansionFunction::new(purpose, &key).f(i, j);
                // Blocks, too: none is computed of the same input twice.
                for block in f.as_chunks::<16>().0 {
                    assert!(seen.insert(*block), "{purpose:?} {i} {j}");
                }
            }
        }
    }
}

/// The order of P-256.
const ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

#[test]
fn expansion_to_infinity_is_refused_on_both_sides() {
    // f = n - 1 and the private key 1: their sum is n, which is 0.
    let mut f = [0; 48];
    f[16..].copy_from_slice(&bytes_of(ORDER));
    f[47] -= 1;
    let mut one = [0; 32];
    one[31] = 1;
    let mut store = SoftwareStore::<2>::new();
    let key = import(&mut store, Curve::P256, &one);
    let public = store.public_key(key).unwrap();
    assert_eq!(cocoon_key(&public, &f), Err(KeyError::Infinity));
    let private = store.expand(key, &f, all_uses());
    assert_eq!(private.err(), Some(KeyError::Infinity));
    // f = 0 changes nothing, and one that is n does not either.
    f[47] += 1;
    for f in [[0; 48], f] {
        assert_eq!(cocoon_key(&public, &f), Ok(public));
    }
}
