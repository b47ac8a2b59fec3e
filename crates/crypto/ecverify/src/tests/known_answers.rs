//! Published answers, and the laws that tie the constants of a curve together.

use std::{println, vec};

use waywarden_testkit::{Random, bytes_of, cases, hex_of};

use super::outside;
use crate::backend::Verifiable;
use crate::curves::{BrainpoolP256r1, BrainpoolP384r1, P256, P384};
use crate::group::{Affine, Jacobian};
use crate::limbs::{add, small, sub};
use crate::multiply::{Base, FixedBase, Form, Shape, Term, sum};
use crate::residue::Prime;
use crate::{Curve, EncodedPoint, EncodedSignature, Job, JobKey, Point, verify};

/// Number of ways to multiply the generator.
const WAYS: usize = 7;

/// A multiple of the generator: as any point, with its own table, with tables of all shapes that
/// are built, and with a partner in the sum.
fn ways<C: Verifiable<N>, const N: usize>(scalar: [u64; N]) -> [Jacobian<C, N>; WAYS] {
    let generator = Affine::<C, N>::GENERATOR;
    let shapes = [
        (Shape::SENDER, Form::Residues),
        (Shape::SPARSE_SENDER, Form::Residues),
        (Shape::ISSUER, Form::Residues),
        (Shape::SENDER, Form::Lanes),
    ];
    let built = shapes.map(|(shape, form)| {
        let mut words = vec![0; shape.words::<N>()];
        FixedBase::build(&generator, shape, form, &mut words);
        let terms = [Term {
            scalar,
            base: Base::Fixed(FixedBase::new::<N>(&words, shape, form)),
        }];
        sum(&terms)
    });
    let term = Term {
        scalar,
        base: Base::Point(generator),
    };
    let nothing = Term {
        scalar: [0; N],
        base: Base::Point(generator),
    };
    [
        sum(&[term]),
        sum(&[Term::generator(scalar)]),
        built[0],
        built[1],
        built[2],
        built[3],
        sum(&[Term::generator(scalar), nothing]),
    ]
}

/// The generator is on the curve and has order n, by all ways of multiplying.
fn constants<C: Verifiable<N>, const N: usize>() {
    let generator = Affine::<C, N>::GENERATOR;
    assert!(Affine::<C, N>::new(generator.x, generator.y).is_some());
    let order = C::Order::MODULUS;
    let before = sub(&order, &small(1)).0;
    let after = add(&order, &small(1)).0;
    let multiply = |scalar| ways::<C, N>(scalar)[0];
    for way in 0..WAYS {
        let way = |scalar| ways::<C, N>(scalar)[way];
        assert!(way(order).is_infinity() && way([0; N]).is_infinity());
        let minus = way(before).to_affine().expect("a point");
        assert!(minus.x.equals(&generator.x) && minus.y.equals(&generator.y.neg()));
        let plus = way(after).to_affine().expect("a point");
        assert!(plus.x.equals(&generator.x) && plus.y.equals(&generator.y));
        // The largest scalar there is, whose form ends in a carry.
        let largest = way([u64::MAX; N]).to_affine().expect("a point");
        let expected = multiply([u64::MAX; N]).to_affine().expect("a point");
        assert!(largest.x.equals(&expected.x) && largest.y.equals(&expected.y));
    }
}

#[test]
fn generators_have_their_orders() {
    constants::<P256, 4>();
    constants::<P384, 6>();
    constants::<BrainpoolP256r1, 4>();
    constants::<BrainpoolP384r1, 6>();
}

/// Multiples of P-256's generator: k, x, y (the NSA's "Mathematical Routines for the NIST Prime
/// Elliptic Curves", 2010, and its digests).
const P256_MULTIPLES: [(u64, &str, &str); 3] = [
    (
        2,
        "7cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978",
        "07775510db8ed040293d9ac69f7430dbba7dade63ce982299e04b79d227873d1",
    ),
    (
        3,
        "5ecbe4d1a6330a44c8f7ef951d4bf165e6c6b721efada985fb41661bc6e7fd6c",
        "8734640c4998ff7e374b06ce1a64a2ecd82ab036384fb83d9a79b127a27d5032",
    ),
    (
        112_233_445_566_778_899,
        "339150844ec15234807fe862a86be77977dbfb3ae3d96f4c22795513aeaab82f",
        "b1c14ddfdc8ec1b2583f51e85a5eb3a155840f2034730e9b5ada38b674336a21",
    ),
];

#[test]
fn published_multiples_of_p256() {
    for (k, x, y) in P256_MULTIPLES {
        for sum in ways::<P256, 4>(small(k)) {
            let point = Point::new(&sum.to_affine().expect("a point"));
            assert_eq!(
                (hex_of(point.x()).as_str(), hex_of(point.y()).as_str()),
                (x, y)
            );
        }
    }
}

fn multiples<C: Verifiable<N>, const N: usize>(theirs: &outside::Outside) -> usize {
    let mut random = Random::of_test("multiples");
    let count = cases(100);
    for i in 0..20 + count {
        let k = if i < 20 {
            num_bigint::BigUint::from(i + 1)
        } else {
            theirs.scalar(&mut random)
        };
        let limbs = crate::limbs::from_bytes(&theirs.bytes(&k)).expect("a scalar");
        let expected = theirs.point(&k);
        for sum in ways::<C, N>(limbs) {
            let point = Point::new(&sum.to_affine().expect("a point"));
            assert_eq!(
                [point.x(), point.y()].concat(),
                expected,
                "{k} {:?}",
                theirs.curve
            );
        }
    }
    20 + count
}

#[test]
fn multiples_of_the_generators_agree_with_others() {
    let [p256, p384, b256, b384] = outside::all();
    let count = multiples::<P256, 4>(&p256)
        + multiples::<P384, 6>(&p384)
        + multiples::<BrainpoolP256r1, 4>(&b256)
        + multiples::<BrainpoolP384r1, 6>(&b384);
    println!("{count} multiples, each by three ways");
}

/// RFC 6979 §A.2.5, SHA-256, message "sample".
#[test]
fn rfc_6979() {
    let digest = bytes_of("af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf");
    let x = bytes_of("60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6");
    let y = bytes_of("7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299");
    let r = bytes_of("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716");
    let s = bytes_of("f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
    let job = Job {
        curve: Curve::P256,
        digest: &digest,
        signature: EncodedSignature {
            r: EncodedPoint::XOnly(&r),
            s: &s,
        },
        key: JobKey::Explicit(EncodedPoint::Uncompressed { x: &x, y: &y }),
        sender: None,
    };
    assert_eq!(verify(&job), Ok(()));
}
