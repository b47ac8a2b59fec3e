//! Refusals of a store: keys of other stores, retired ones, other uses, more than it holds.

use waywarden_ecverify::Curve;
use waywarden_testkit::{Random, cases};
use waywarden_v2x_keys::{
    KeyError, KeyHandle, KeyStore, Nonce, NonceForm, PrivateKey, SoftwareStore, Uses, ecies,
};

use crate::support::{all_uses, store_with_key};

const USES: [Uses; 5] = [
    Uses::SIGN,
    Uses::AGREE,
    Uses::RECONSTRUCT,
    Uses::ISSUE_IMPLICIT,
    Uses::EXPAND,
];

/// Returns the error of each operation with a key, in the order of `USES`.
fn operations(store: &mut SoftwareStore<4>, key: KeyHandle) -> [Option<KeyError>; 5] {
    let (others, peer) = store_with_key(Curve::P256, 9);
    let peer = others.public_key(peer).unwrap();
    let (e, r, f) = ([5; 32], [6; 32], [7; 48]);
    let part = store.generate(Curve::P256, Uses::RECONSTRUCT, &[8; 32]);
    let contributed = part.and_then(|part| {
        let contributed = store.contribute(key, part, &e);
        if contributed.is_err() {
            store.retire(part).unwrap();
        }
        contributed
    });
    let rebuilt = store.reconstruct(key, &e, &r, Uses::SIGN);
    let expanded = store.expand(key, &f, Uses::SIGN);
    for made in [rebuilt, expanded].into_iter().flatten() {
        store.retire(made).unwrap();
    }
    [
        store
            .sign(key, &[1; 32], Nonce::Deterministic, NonceForm::XOnly)
            .err(),
        store.agree(key, &peer).err(),
        rebuilt.err(),
        contributed.err(),
        expanded.err(),
    ]
}

#[test]
fn every_operation_asks_for_its_use() {
    for (index, uses) in USES.into_iter().enumerate() {
        let mut store = SoftwareStore::<4>::new();
        let key = store.generate(Curve::P256, uses, &[1; 32]).unwrap();
        for (other, outcome) in operations(&mut store, key).into_iter().enumerate() {
            let refused = matches!(outcome, Some(KeyError::NotForThisUse { .. }));
            assert_eq!(refused, other != index, "{uses:?}: {outcome:?}");
            assert_eq!(outcome.is_none(), other == index, "{uses:?}: {outcome:?}");
        }
    }
    assert!(all_uses().contains(Uses::SIGN | Uses::EXPAND));
    assert!(!Uses::SIGN.contains(Uses::SIGN | Uses::EXPAND));
}

#[test]
fn an_ephemeral_key_needs_its_use_and_contributes_once() {
    let mut store = SoftwareStore::<4>::new();
    let e = [5; 32];
    let mut make = |uses, seed| store.generate(Curve::P256, uses, &[seed; 32]).unwrap();
    let issuer = make(Uses::ISSUE_IMPLICIT, 1);
    let (wrong, right) = (make(Uses::SIGN, 2), make(Uses::RECONSTRUCT, 3));
    let refused = store.contribute(issuer, wrong, &e).unwrap_err();
    assert!(matches!(refused, KeyError::NotForThisUse { .. }));
    let r = store.contribute(issuer, right, &e).unwrap();
    assert_ne!(r, [0; 32]);
    for e in [e, [6; 32]] {
        let again = store.contribute(issuer, right, &e);
        assert_eq!(again, Err(KeyError::NoSuchKey));
    }
}

/// With its own key for the ephemeral one the contribution were (e + 1) d, which gives d away.
#[test]
fn an_issuer_is_not_its_own_ephemeral_key() {
    let mut store = SoftwareStore::<4>::new();
    let uses = Uses::ISSUE_IMPLICIT | Uses::RECONSTRUCT;
    let issuer = store.generate(Curve::P256, uses, &[1; 32]).unwrap();
    let copy = store.export(issuer).unwrap();
    let copy = store.import(&copy, Uses::RECONSTRUCT).unwrap();
    for ephemeral in [issuer, copy] {
        let refused = store.contribute(issuer, ephemeral, &[5; 32]);
        assert!(
            matches!(refused, Err(KeyError::NotForThisUse { .. })),
            "{refused:?}"
        );
    }
    assert!(store.public_key(issuer).is_ok());
}

#[test]
fn a_full_store_refuses_until_a_key_is_retired() {
    let mut store = SoftwareStore::<2>::new();
    let mut make = |seed| store.generate(Curve::P256, all_uses(), &[seed; 32]);
    let (first, second) = (make(1).unwrap(), make(2).unwrap());
    assert_eq!(make(3), Err(KeyError::Full));
    assert_eq!(
        store.reconstruct(first, &[1; 32], &[2; 32], Uses::SIGN),
        Err(KeyError::Full)
    );
    assert_eq!(
        store.expand(first, &[1; 48], Uses::SIGN),
        Err(KeyError::Full)
    );
    let public = store.public_key(second).unwrap();
    let refused = ecies::encrypt(&mut store, &public, &[1; 16], &[], &[4; 32]);
    assert_eq!(refused.unwrap_err(), ecies::EciesError::Key(KeyError::Full));
    store.retire(first).unwrap();
    assert_eq!(store.retire(first), Err(KeyError::NoSuchKey));
    let third = store.generate(Curve::P256, Uses::SIGN, &[3; 32]).unwrap();
    assert_ne!(third, first);
    assert_eq!(store.public_key(first), Err(KeyError::NoSuchKey));
    assert_eq!(store.public_key(second), Ok(public));
    let mut none = SoftwareStore::<0>::new();
    let refused = none.generate(Curve::P256, Uses::SIGN, &[1; 32]);
    assert_eq!(refused, Err(KeyError::Full));
    assert_eq!(none.public_key(KeyHandle(0)), Err(KeyError::NoSuchKey));
}

#[test]
fn a_handle_of_another_store_is_no_key() {
    let (mut one, own) = store_with_key(Curve::P256, 1);
    let (_, other) = store_with_key(Curve::P256, 2);
    assert_ne!(own, other, "both are the first key of their store");
    assert_eq!(one.public_key(other), Err(KeyError::NoSuchKey));
    for outcome in operations(&mut one, other) {
        assert_eq!(outcome, Some(KeyError::NoSuchKey));
    }
    assert_eq!(one.export(other).err(), Some(KeyError::NoSuchKey));
}

/// A model of a store under random calls: what is kept answers with its own public key, and nothing
/// that was retired or made elsewhere does.
#[test]
fn handles_keep_to_a_model_under_random_calls() {
    let mut random = Random::of_test("handles_keep_to_a_model_under_random_calls");
    let mut store = SoftwareStore::<4>::new();
    let mut kept = Vec::new();
    let mut gone = vec![KeyHandle(0), KeyHandle(u64::MAX), KeyHandle(3)];
    for _ in 0..cases(300) {
        if random.once_in(2) {
            match store.generate(Curve::P256, Uses::SIGN, &random.array()) {
                Ok(key) => {
                    assert!(!gone.contains(&key), "a handle came back");
                    kept.push((key, store.public_key(key).unwrap()));
                }
                Err(error) => assert_eq!((error, kept.len()), (KeyError::Full, 4)),
            }
        } else if !kept.is_empty() {
            let (key, _) = kept.swap_remove(random.index(kept.len()));
            store.retire(key).unwrap();
            gone.push(key);
        }
        for (key, public) in &kept {
            assert_eq!(store.public_key(*key), Ok(*public));
        }
        for key in &gone {
            assert_eq!(store.public_key(*key), Err(KeyError::NoSuchKey));
        }
    }
}

#[test]
fn private_values_out_of_range_are_refused() {
    let mut random = Random::of_test("private_values_out_of_range_are_refused");
    for curve in Curve::ALL {
        let length = curve.field_bytes();
        assert!(PrivateKey::new(curve, &[1; 64][..length - 1]).is_none());
        assert!(PrivateKey::new(curve, &[1; 64][..=length]).is_none());
        let (mut store, key) = store_with_key(curve, 1);
        for scalar in [vec![0; length], vec![0xFF; length]] {
            let refused = store.import(&PrivateKey::new(curve, &scalar).unwrap(), Uses::SIGN);
            assert_eq!(refused, Err(KeyError::ScalarOutOfRange));
        }
        if length == 32 {
            for r in [[0; 32], [0xFF; 32]] {
                let refused = store.reconstruct(key, &[1; 32], &r, Uses::SIGN);
                assert_eq!(refused, Err(KeyError::ScalarOutOfRange));
            }
        } else {
            let refused = store.reconstruct(key, &[1; 32], &[1; 32], Uses::SIGN);
            assert!(
                matches!(refused, Err(KeyError::Unsupported { .. })),
                "{refused:?}"
            );
        }
        // A point of another curve, of the same length where there is one.
        for other in Curve::ALL.into_iter().filter(|other| *other != curve) {
            let (store_of_other, handle) = store_with_key(other, random.u64() as u8);
            let point = store_of_other.public_key(handle).unwrap();
            assert_eq!(store.agree(key, &point).err(), Some(KeyError::OtherCurve));
        }
    }
}
