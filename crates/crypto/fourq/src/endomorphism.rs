//! The two endomorphisms phi and psi that split a scalar into four of a quarter its length.
//!
//! E is 2-isogenous to a curve E^ on which the degree-2 Q-curve map and the degree-5 CM map have
//! short formulas; tau: E -> E^ and its dual carry points over and back, so
//! phi = tau^ upsilon tau and psi = tau^ chi tau [FourQ §3.2, §3.3]. On points of order N they act
//! as multiplications by lambda_phi and lambda_psi, lambda_phi^2 = -80 and lambda_psi^2 = 32
//! (mod N), and *only there* is that true: see `multiply` for who may call.
//!
//! Each constant is (a + b r) + (c + e r) s with small integers, up to a factor i, where
//! r = sqrt 2 = 2^64 and s = sqrt 5 (an imaginary number: 5 is no square mod p). The tests
//! recompute all of them from those integers, and check both eigenvalues.
//!
//! Straight-line code: constant time.

use crate::curve::Extended;
use crate::field2::Fp2;

/// i ((18 + 12r) + (8 + 6r) s).
pub(crate) const TAU: Fp2 = Fp2::new(
    0x1964_de2c_3afa_d20c_74dc_d57c_ebce_74c3,
    0x0000_0000_0000_000c_0000_0000_0000_0012,
);
/// i ((18 - 12r) + (8 - 6r) s).
pub(crate) const TAU_DUAL: Fp2 = Fp2::new(
    0x4aa7_40eb_2305_8652_9eca_a6d9_decd_f034,
    0x7fff_ffff_ffff_fff4_0000_0000_0000_0011,
);

/// (6r - 9) + (3r - 4) s.
pub(crate) const PHI_0: Fp2 = Fp2::new(
    0x0000_0000_0000_0005_ffff_ffff_ffff_fff7,
    0x2553_a075_9182_c329_4f65_536c_ef66_f81a,
);
/// (7 + 5r) + (3 + 2r) s.
pub(crate) const PHI_1: Fp2 = Fp2::new(
    0x0000_0000_0000_0005_0000_0000_0000_0007,
    0x62c8_caa0_c50c_62cf_334d_90e9_e282_96f9,
);
/// (21 + 15r) + (10 + 7r) s.
pub(crate) const PHI_2: Fp2 = Fp2::new(
    0x0000_0000_0000_000f_0000_0000_0000_0015,
    0x78df_262b_6c9b_5c98_2c2c_b715_4f1d_f391,
);
/// (3 + 2r) + (1 + r) s.
pub(crate) const PHI_3: Fp2 = Fp2::new(
    0x0000_0000_0000_0002_0000_0000_0000_0003,
    0x5084_c649_1d76_342a_9244_0457_a796_2ea4,
);
/// (3 + 3r) + (2 + r) s.
pub(crate) const PHI_4: Fp2 = Fp2::new(
    0x0000_0000_0000_0003_0000_0000_0000_0003,
    0x1244_0457_a796_2ea4_a109_8c92_3aec_6855,
);
/// (15 + 10r) + (6 + 4r) s.
pub(crate) const PHI_5: Fp2 = Fp2::new(
    0x0000_0000_0000_000a_0000_0000_0000_000f,
    0x4591_9541_8a18_c59e_669b_21d3_c505_2df3,
);
/// (24 + 18r) + (12 + 8r) s.
pub(crate) const PHI_6: Fp2 = Fp2::new(
    0x0000_0000_0000_0012_0000_0000_0000_0018,
    0x0b23_2a83_1431_8b3c_cd36_43a7_8a0a_5be7,
);
/// (35 + 24r) + (74 + 54r) s/5.
pub(crate) const PHI_7: Fp2 = Fp2::new(
    0x0000_0000_0000_0018_0000_0000_0000_0023,
    0x3963_bc1c_99e2_ea1a_66c1_8303_5f48_781a,
);
/// (240 + 170r) + (108 + 76r) s.
pub(crate) const PHI_8: Fp2 = Fp2::new(
    0x0000_0000_0000_00aa_0000_0000_0000_00f0,
    0x1f52_9f86_0316_cbe5_44e2_5158_2b5d_0ef0,
);
/// (3055 + 2160r) + (1366 + 966r) s.
pub(crate) const PHI_9: Fp2 = Fp2::new(
    0x0000_0000_0000_0870_0000_0000_0000_0bef,
    0x0fd5_2e9c_fe00_375b_014d_3e48_976e_2505,
);

/// i ((314 + 222r) - (140 + 99r) s).
pub(crate) const PSI_1: Fp2 = Fp2::new(
    0x2af9_9e9a_83d5_4a02_edf0_7f47_67e3_46ef,
    0x0000_0000_0000_00de_0000_0000_0000_013a,
);
/// (323 + 228r) - (144 + 102r) s.
pub(crate) const PSI_2: Fp2 = Fp2::new(
    0x0000_0000_0000_00e4_0000_0000_0000_0143,
    0x21b8_d07b_99a8_1f03_4c7d_eb77_0e03_f372,
);
/// (9 + 6r) - (4 + 3r) s.
pub(crate) const PSI_3: Fp2 = Fp2::new(
    0x0000_0000_0000_0006_0000_0000_0000_0009,
    0x4cb2_6f16_1d7d_6906_3a6e_6abe_75e7_3a61,
);
/// -(9 + 6r) + (4 + 3r) s.
pub(crate) const PSI_4: Fp2 = Fp2::new(
    0x7fff_ffff_ffff_fff9_ffff_ffff_ffff_fff6,
    0x334d_90e9_e282_96f9_c591_9541_8a18_c59e,
);

/// (X, Y, Z) on E^, which has its own equation.
struct Hat {
    x: Fp2,
    y: Fp2,
    z: Fp2,
}

/// E -> E^.
const fn tau(point: &Extended) -> Hat {
    let (xx, yy) = (point.x.sqr(), point.y.sqr());
    let sum = xx.add(yy);
    let difference = yy.sub(xx);
    Hat {
        x: point.x.mul(point.y).mul(difference).mul(TAU),
        y: point.z.sqr().double().sub(difference).mul(sum),
        z: sum.mul(difference),
    }
}

/// E^ -> E.
const fn tau_dual(point: &Hat) -> Extended {
    let (xx, yy) = (point.x.sqr(), point.y.sqr());
    let sum = xx.add(yy);
    let ta = yy.sub(xx);
    let rest = point.z.sqr().double().sub(ta);
    let tb = point.x.mul(point.y).mul(TAU_DUAL);
    Extended {
        x: sum.mul(tb),
        y: rest.mul(ta),
        z: sum.mul(rest),
        ta,
        tb,
    }
}

/// The degree-5 map of E^, followed by the conjugation.
const fn upsilon(point: &Hat) -> Hat {
    let Hat { x, y, z } = *point;
    let yz = y.mul(z);
    let (yy, zz) = (y.sqr(), z.sqr());
    let (y4, z4, y2z2) = (yy.sqr(), zz.sqr(), yz.sqr());

    let i = yz.mul(PHI_1);
    let j = yy.add(zz.mul(PHI_2));
    let k = y2z2.mul(PHI_8).add(y4).add(z4.mul(PHI_9));
    let l = yy.add(zz.mul(PHI_4));
    let m = yz.mul(PHI_3);
    let n = l.add(m).mul(l.sub(m));

    let numerator_x = x.mul(y).mul(PHI_0).mul(k).mul(i.add(j)).mul(i.sub(j));
    let quartic = y4.add(y2z2.mul(PHI_6)).add(z4.mul(PHI_7));
    Hat {
        x: numerator_x.conj(),
        y: zz.mul(PHI_5).mul(n).mul(quartic).conj(),
        z: yz.mul(k).mul(n).conj(),
    }
}

/// The degree-2 map of E^ after the conjugation.
const fn chi(point: &Hat) -> Hat {
    let (x, y) = (point.x.conj(), point.y.conj());
    let zz = point.z.conj().sqr();
    let xx = x.sqr();
    let g = y.mul(xx.add(zz.mul(PSI_2)));
    let h = xx.add(zz.mul(PSI_4)).neg();
    Hat {
        x: x.mul(zz).mul(h).mul(PSI_1),
        y: g.mul(xx.add(zz.mul(PSI_3))),
        z: g.mul(h),
    }
}

/// phi(P), which is `[lambda_phi]P` for P of order N.
pub(crate) const fn phi(point: &Extended) -> Extended {
    tau_dual(&upsilon(&tau(point)))
}

/// psi(P), which is `[lambda_psi]P` for P of order N.
pub(crate) const fn psi(point: &Extended) -> Extended {
    tau_dual(&chi(&tau(point)))
}
