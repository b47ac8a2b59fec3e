//! Each instruction of the vector, against plain Rust.

use core::array::from_fn;

use waywarden_testkit::{Random, cases};

use super::with_each_vector;
use crate::lanes::model::Model;
use crate::lanes::{Lanes, Work};

#[derive(Clone, Copy)]
struct Instructions;

impl Work for Instructions {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let mut random = Random::of_test("instructions");
        let limb = (1_u64 << 52) - 1;
        for _ in 0..cases(300) {
            let mut vector = || {
                let edges = [
                    0,
                    1,
                    limb,
                    limb + 1,
                    u64::MAX,
                    1 << 63,
                    random.u64(),
                    random.u64(),
                ];
                let words: [u64; 8] = from_fn(|_| edges[random.index(8)]);
                words
            };
            let rows: [[u64; 8]; 8] = from_fn(|_| vector());
            let [a, b, c, ..] = rows.map(V::from_array);
            let [x, y, z, ..] = rows.map(Model);
            let same = |vector: V, model: Model| assert_eq!(vector.to_array(), model.0);
            same(a.add(b), x.add(y));
            same(a.sub(b), x.sub(y));
            same(a.and(b), x.and(y));
            same(a.or(b), x.or(y));
            same(a.xor(b), x.xor(y));
            same(a.shift_left::<12>(), x.shift_left::<12>());
            same(a.shift_right::<52>(), x.shift_right::<52>());
            same(a.shift_right_signed::<52>(), x.shift_right_signed::<52>());
            same(a.multiply_add_low(b, c), x.multiply_add_low(y, z));
            same(a.multiply_add_high(b, c), x.multiply_add_high(y, z));
            same(V::splat(rows[0][0]), Model::splat(rows[0][0]));
            assert_eq!(a.equal_mask(b), x.equal_mask(y));
            let mask = rows[3][0] as u8 ^ rows[4][0] as u8;
            same(V::select(mask, a, b), Model::select(mask, x, y));
            let columns = V::transpose_rows(rows.each_ref());
            let expected = Model::transpose_rows(rows.each_ref());
            assert_eq!(columns.map(V::to_array), expected.map(Model::to_array));
            assert_eq!(V::to_rows(columns), rows);
        }
    }
}

#[test]
fn the_model_multiplies_52_bits() {
    let (ones, limb) = (Model::splat(u64::MAX), (1_u64 << 52) - 1);
    let zero = Model::splat(0);
    // (2^52 - 1)^2 = (2^52 - 2) 2^52 + 1.
    assert_eq!(zero.multiply_add_low(ones, ones).0, [1; 8]);
    assert_eq!(zero.multiply_add_high(ones, ones).0, [limb - 1; 8]);
    assert_eq!(ones.multiply_add_low(ones, ones).0, [0; 8]);
    assert_eq!(
        Model::splat(1 << 63).shift_right_signed::<63>().0,
        [u64::MAX; 8]
    );
}

#[test]
fn instructions_do_what_the_model_says() {
    with_each_vector("instructions", Instructions);
}
