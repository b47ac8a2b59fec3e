//! A 256-bit scalar as four of 64 bits, for P, phi(P), psi(P) and psi(phi(P)).
//!
//! The vectors (a1, a2, a3, a4) with a1 + a2 lambda_phi + a3 lambda_psi + a4 lambda_phi
//! lambda_psi = 0 (mod N) form a lattice with the short basis b1..b4 [FourQ §4, Proposition 5].
//! Babai rounding takes (m, 0, 0, 0) to the vector t1 b1 + ... + t4 b4 near it, t_i = floor(L_i m /
//! 2^256) with L_i = round(2^256 alpha_i / N), N (1, 0, 0, 0) = sum alpha_i b_i. The difference
//! represents m and is short; adding the lattice vector c = 5 b2 - 3 b3 + 2 b4, or c + b4, makes
//! all four coordinates positive 64-bit numbers and the first one odd [FourQ §4, Theorem 6]. Hence
//! all arithmetic is modulo 2^64. The tests recompute every number of this page.
//!
//! Constant time.

use crate::backend::Mask;

/// The basis b1..b4, coordinates modulo 2^64 (the signed value is beside each negative one).
pub(crate) const BASIS: [[u64; 4]; 4] = [
    [
        0x0906_ff27_e0a0_a196,
        0x1363_e862_c22a_2da0_u64.wrapping_neg(),
        0x0742_6031_ecc8_030f,
        0x084f_7399_86b9_e651_u64.wrapping_neg(),
    ],
    [
        0x1d49_5bea_84fc_c2d4,
        1_u64.wrapping_neg(),
        1,
        0x25db_c5bc_8dd1_67d0,
    ],
    [
        0x17ab_ad1d_231f_0302,
        0x02c4_211a_e388_da51,
        0x2e4d_21c9_8927_c49f_u64.wrapping_neg(),
        0x0a9e_6f44_c02e_cd97,
    ],
    [
        0x136e_340a_9108_c83f,
        0x3122_df2d_c3e0_ff32,
        0x068a_49f0_2aa8_a9b5_u64.wrapping_neg(),
        0x18d5_0878_96de_0aea_u64.wrapping_neg(),
    ],
];

/// L1..L4, little-endian limbs.
pub(crate) const ROUNDING: [[u64; 4]; 4] = [
    [
        0x2596_86e0_9d1a_7d4f,
        0xf756_82ac_e6a6_bd66,
        0xfc5b_b5c5_ea2b_e5df,
        0x07,
    ],
    [
        0xd1ba_1d84_dd62_7afb,
        0x2bd2_3558_0f46_8d8d,
        0x8fd4_b04c_aa6c_0f8a,
        0x03,
    ],
    [
        0x9b29_1a33_678c_203c,
        0xc42b_d6c9_65dc_a902,
        0xd038_bf8d_0bff_baf6,
        0x00,
    ],
    [
        0x12e5_666b_77e7_fdc0,
        0x81cb_dc37_1498_3d82,
        0x1b07_3877_a22d_8410,
        0x03,
    ],
];

/// c = 5 b2 - 3 b3 + 2 b4.
const OFFSET: [u64; 4] = {
    let (mut offset, mut j) = ([0; 4], 0);
    while j < 4 {
        offset[j] = BASIS[1][j]
            .wrapping_mul(5)
            .wrapping_sub(BASIS[2][j].wrapping_mul(3))
            .wrapping_add(BASIS[3][j].wrapping_mul(2));
        j += 1;
    }
    offset
};

/// Limb 4 of a b: floor(a b / 2^256) mod 2^64.
fn high_limb(a: &[u64; 4], b: &[u64; 4]) -> u64 {
    // A column of at most four products, each below 2^128, and the carry: high counts 2^128.
    let (mut low, mut high) = (0u128, 0u128);
    for column in 0..4 {
        for i in 0..=column {
            let (sum, carry) = low.overflowing_add(u128::from(a[i]) * u128::from(b[column - i]));
            low = sum;
            high += u128::from(carry);
        }
        low = low >> 64 | high << 64;
        high = 0;
    }
    let mut limb = low as u64;
    for i in 1..4 {
        limb = limb.wrapping_add(a[i].wrapping_mul(b[4 - i]));
    }
    limb
}

/// (a1, a2, a3, a4) with a1 odd, for any 256-bit m: `[m]P = [a1]P + [a2]phi(P) + [a3]psi(P) +
/// [a4]psi(phi(P))` for P of order N.
pub(crate) fn decompose(scalar: &[u64; 4]) -> [u64; 4] {
    let multiples = [0, 1, 2, 3].map(|i| high_limb(scalar, &ROUNDING[i]));
    let mut parts = OFFSET;
    parts[0] = parts[0].wrapping_add(scalar[0]);
    for (multiple, basis) in multiples.iter().zip(&BASIS) {
        for (part, coordinate) in parts.iter_mut().zip(basis) {
            *part = part.wrapping_sub(multiple.wrapping_mul(*coordinate));
        }
    }
    let even = Mask::from_bit(!parts[0]);
    for (part, coordinate) in parts.iter_mut().zip(&BASIS[3]) {
        *part = part.wrapping_add(even.and(*coordinate));
    }
    parts
}
