//! The numbers that define FourQ, and nothing that can be computed from them.
//!
//! The curve is E: -x^2 + y^2 = 1 + d x^2 y^2 over GF(p^2), p = 2^127 - 1, of order 2^3 7^2 N
//! [FourQ §3]. Everything it needs beyond this page (multiples of the generator, lines of the
//! subgroup test, Montgomery constants) is derived by `const` evaluation. The endomorphism
//! constants stand in `endomorphism.rs` with the closed form they come from.

use crate::field2::Fp2;

/// d = (322 + 228 sqrt 2) + (144 + 102 sqrt 2) sqrt 5, not a square: the addition law is complete.
pub(crate) const D: Fp2 = Fp2::new(
    0x0000_0000_0000_00e4_0000_0000_0000_0142,
    0x5e47_2f84_6657_e0fc_b382_1488_f1fc_0c8d,
);

/// The prime order N of the group in use, 246 bits, little-endian limbs.
pub(crate) const ORDER: [u64; 4] = [
    0x2fb2_540e_c776_8ce7,
    0xdfbd_004d_fe0f_7999,
    0xf053_9782_9cbc_14e5,
    0x0029_cbc1_4e5e_0a72,
];

/// The generator of FourQlib and of the IETF draft, of order N.
pub(crate) const GENERATOR_X: Fp2 = Fp2::new(
    0x1a34_7223_7c2f_b305_2865_92ad_7b38_33aa,
    0x1e1f_553f_2878_aa9c_9686_9fb3_60ac_77f6,
);
/// See [`GENERATOR_X`].
pub(crate) const GENERATOR_Y: Fp2 = Fp2::new(
    0x0e3f_ee9b_a120_785a_b924_a246_2bcb_b287,
    0x6e1c_4af8_630e_0242_49a7_c344_844c_8b5c,
);

/// A point of order 8 (the even part of the group is cyclic).
pub(crate) const TORSION_8: (Fp2, Fp2) = (
    Fp2::new(
        0x17cb_e1b8_f02f_b404_8ffc_1b70_79c0_6760,
        0x4350_6315_604d_2fd3_e255_773d_9166_3c14,
    ),
    Fp2::new(
        0x3caf_9cea_9fb2_d02c_1daa_88c2_6e99_c3eb,
        0x17cb_e1b8_f02f_b404_8ffc_1b70_79c0_6760,
    ),
);

/// A point of order 7. The group has all 49 of them; with its image under phi it spans them.
pub(crate) const TORSION_7: (Fp2, Fp2) = (
    Fp2::new(
        0x24d9_ee65_ec6b_323a_89b0_e03f_d082_5923,
        0x1cde_a748_f910_2bec_fbd8_6e3d_4e7d_b324,
    ),
    Fp2::new(
        0x472d_0497_94de_9137_3244_7e58_ac35_e6b2,
        0x2dd1_d1d7_563d_1c8a_b8f9_7c7a_6805_ba86,
    ),
);
