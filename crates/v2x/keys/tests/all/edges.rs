//! Sums that are 0 or the point at infinity: an honest caller never meets them, a hostile one may
//! ask for them.

use p256::elliptic_curve::PrimeField as _;
use waywarden_ecverify::{Curve, EncodedPoint, Point};
use waywarden_v2x_keys::{KeyError, KeyStore, PrivateKey, SoftwareStore, Uses};

use crate::support::{all_uses, exported, import, scalar, store_with_key};

#[test]
fn an_expansion_to_zero_is_no_key() {
    let (mut store, key) = store_with_key(Curve::P256, 1);
    let opposite = -scalar(&exported(&store, key));
    let mut f = [0; 48];
    f[16..].copy_from_slice(&opposite.to_repr());
    let refused = store.expand(key, &f, Uses::SIGN);
    assert_eq!(refused, Err(KeyError::Infinity));
    // One more is the key 1.
    f[47] = f[47].checked_add(1).expect("no carry with this seed");
    let one = store.expand(key, &f, all_uses()).unwrap();
    assert_eq!(exported(&store, one), exported_one());
}

fn exported_one() -> Vec<u8> {
    let mut one = vec![0; 32];
    one[31] = 1;
    one
}

#[test]
fn a_reconstruction_to_zero_is_no_key() {
    let (mut store, key) = store_with_key(Curve::P256, 2);
    let e = [0xA5; 32];
    let r = -(scalar(&e) * scalar(&exported(&store, key)));
    let refused = store.reconstruct(key, &e, &r.to_repr().into(), Uses::SIGN);
    assert_eq!(refused, Err(KeyError::Infinity));
    // With an e that is 0 modulo n the key would be r alone, whatever the requester's is.
    let n: [u8; 32] = (-scalar(&exported_one())).to_repr().into();
    let mut n = n;
    n[31] += 1;
    let key = store.reconstruct(key, &n, &exported_one().try_into().unwrap(), all_uses());
    assert_eq!(exported(&store, key.unwrap()), exported_one());
}

#[test]
fn a_contribution_of_zero_is_not_given_out() {
    let mut store = SoftwareStore::<4>::new();
    let ephemeral = store.generate(Curve::P256, all_uses(), &[3; 32]).unwrap();
    let e = [0x5A; 32];
    let issuer = -(scalar(&e) * scalar(&exported(&store, ephemeral)));
    let issuer = import(&mut store, Curve::P256, &issuer.to_repr());
    let refused = store.contribute(issuer, ephemeral, &e);
    assert_eq!(refused, Err(KeyError::Infinity));
}

/// The key 1 and the generator: doubling and adding with equal and opposite points.
#[test]
fn the_smallest_and_largest_keys_work() {
    for curve in Curve::ALL {
        let length = curve.field_bytes();
        let mut one = vec![0; length];
        one[length - 1] = 1;
        let mut store = SoftwareStore::<4>::new();
        let own = import(&mut store, curve, &one);
        let generator = store.public_key(own).unwrap();
        let agreed = store.agree(own, &generator).unwrap();
        assert_eq!(agreed.as_bytes(), generator.x());
        // The same x with the other y belongs to n - 1, the largest key: its secrets are the same.
        let odd = generator.y()[length - 1] & 1 == 1;
        let opposite = match odd {
            true => EncodedPoint::CompressedY0(generator.x()),
            false => EncodedPoint::CompressedY1(generator.x()),
        };
        let opposite = Point::decode(curve, &opposite).unwrap();
        let agreed = store.agree(own, &opposite).unwrap();
        assert_eq!(agreed.as_bytes(), generator.x());
    }
    let largest = -scalar(&exported_one());
    let largest = PrivateKey::new(Curve::P256, &largest.to_repr()).unwrap();
    let mut store = SoftwareStore::<1>::new();
    let key = store.import(&largest, Uses::AGREE).unwrap();
    let mut one = SoftwareStore::<1>::new();
    let generator = import(&mut one, Curve::P256, &exported_one());
    let generator = one.public_key(generator).unwrap();
    assert_eq!(store.public_key(key).unwrap().x(), generator.x());
}
