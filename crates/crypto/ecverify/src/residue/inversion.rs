//! Inverses modulo a prime in variable time, by division steps.
//!
//! After D. J. Bernstein, B.-Y. Yang, "Fast constant-time gcd computation and modular inversion",
//! 2019: 62 steps at a time on the lowest words of f and g give a matrix, which is then applied to
//! the long integers. Zeros are skipped and several bits cleared at once, which is what makes the
//! time vary; the order of things is that of P. Wuille's `modinv64` in libsecp256k1.

use super::{Prime, Residue};

/// Words of 62 bits in the longest signed integer: 384 bits, a sign, and room for a multiple.
const WORDS: usize = 7;
const LOW: u64 = u64::MAX >> 2;
const LOW_SIGNED: i64 = i64::MAX >> 1;

/// A signed integer of at most [`WORDS`] words: all but the last used one in 0..2^62.
type Signed = [i64; WORDS];

/// 62 steps: (f, g) becomes (u f + v g, q f + r g) / 2^62.
struct Steps {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// Takes 62 steps from the lowest words of f, which is odd, and g. `eta`: the paper's delta,
/// negated.
fn steps(eta: &mut i64, f: i64, g: i64) -> Steps {
    let (mut f, mut g) = (f as u64, g as u64);
    let (mut u, mut v, mut q, mut r) = (1_u64, 0_u64, 0_u64, 1_u64);
    let mut left = 62_u32;
    loop {
        // Halve g as often as it is even, at most as often as steps are left.
        let zeros = (g | u64::MAX << left).trailing_zeros();
        g >>= zeros;
        u <<= zeros;
        v <<= zeros;
        *eta -= i64::from(zeros);
        left -= zeros;
        if left == 0 {
            break;
        }
        // Both odd: add the multiple of f that clears as many low bits of g as may be cleared
        // before f and g would change places again, 6 or 4 of them at most.
        let factor;
        if *eta < 0 {
            *eta = -*eta;
            (f, g) = (g, f.wrapping_neg());
            (u, q) = (q, u.wrapping_neg());
            (v, r) = (r, v.wrapping_neg());
            // -g/f = g f (f^2 - 2) modulo 2^6
            let inverse = f.wrapping_mul(f.wrapping_mul(f).wrapping_sub(2));
            factor = inverse.wrapping_mul(g) & 63 & mask(*eta, left);
        } else {
            // -g/f modulo 2^4
            let inverse = f.wrapping_add((f.wrapping_add(1) & 4) << 1);
            factor = inverse.wrapping_neg().wrapping_mul(g) & 15 & mask(*eta, left);
        }
        g = g.wrapping_add(f.wrapping_mul(factor));
        q = q.wrapping_add(u.wrapping_mul(factor));
        r = r.wrapping_add(v.wrapping_mul(factor));
    }
    Steps {
        u: u as i64,
        v: v as i64,
        q: q as i64,
        r: r as i64,
    }
}

/// As many low ones as steps can be taken at once.
#[inline(always)]
fn mask(eta: i64, left: u32) -> u64 {
    u64::MAX >> (64 - (eta + 1).min(i64::from(left)))
}

/// a b + c d
#[inline(always)]
fn sum(a: i64, b: i64, c: i64, d: i64) -> i128 {
    i128::from(a) * i128::from(b) + i128::from(c) * i128::from(d)
}

/// Applies the steps to the first `length` words of f and g.
fn apply(t: &Steps, f: &mut Signed, g: &mut Signed, length: usize) {
    let (mut cf, mut cg) = (0_i128, 0_i128);
    for i in 0..length {
        cf += sum(t.u, f[i], t.v, g[i]);
        cg += sum(t.q, f[i], t.r, g[i]);
        // The lowest words are zero.
        if i > 0 {
            f[i - 1] = cf as i64 & LOW_SIGNED;
            g[i - 1] = cg as i64 & LOW_SIGNED;
        }
        cf >>= 62;
        cg >>= 62;
    }
    f[length - 1] = cf as i64;
    g[length - 1] = cg as i64;
}

impl<P: Prime<N>, const N: usize> Residue<P, N> {
    /// Words of 62 bits that hold a signed integer of some more than 64 N bits.
    const WORDS: usize = {
        let words = N + 1;
        assert!(62 * words >= 64 * N + 8 && words <= WORDS);
        words
    };
    /// 2^(192 N), whose form brings 1/(x 2^(64 N)) to the form of 1/x.
    const RADIX_SQUARED: Self = Self::RADIX.mul(&Self::RADIX);
    const MODULUS_62: Signed = Self::split(&P::MODULUS);

    /// Limbs in words of 62 bits.
    const fn split(limbs: &[u64; N]) -> Signed {
        let (mut words, mut i) = ([0; WORDS], 0);
        while i < Self::WORDS {
            let (word, shift) = (62 * i / 64, 62 * i % 64);
            let low = if word < N { limbs[word] } else { 0 };
            let high = if word + 1 < N { limbs[word + 1] } else { 0 };
            let both = low as u128 | (high as u128) << 64;
            words[i] = ((both >> shift) as u64 & LOW) as i64;
            i += 1;
        }
        words
    }

    /// Words of 62 bits, none negative, in limbs.
    fn join(words: &Signed) -> [u64; N] {
        let mut limbs = [0; N];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let (word, shift) = (64 * i / 62, 64 * i % 62);
            let low = words[word] as u64 >> shift;
            *limb = low | (words[word + 1] as u64) << (62 - shift);
        }
        limbs
    }

    /// Applies the steps to d and e modulo p: both stay in -2 p..p.
    fn apply_modulo(t: &Steps, d: &mut Signed, e: &mut Signed) {
        let (modulus, last) = (Self::MODULUS_62, Self::WORDS - 1);
        // Where d or e is negative, p is added first.
        let (sd, se) = (d[last] >> 63, e[last] >> 63);
        let mut md = (t.u & sd) + (t.v & se);
        let mut me = (t.q & sd) + (t.r & se);
        let (mut cd, mut ce) = (sum(t.u, d[0], t.v, e[0]), sum(t.q, d[0], t.r, e[0]));
        // The multiples of p that clear the lowest words.
        let clear = |low: i128, m: i64| {
            let inverse = Self::INVERSE_62;
            m - (inverse.wrapping_mul(low as u64).wrapping_add(m as u64) & LOW) as i64
        };
        md = clear(cd, md);
        me = clear(ce, me);
        cd += i128::from(modulus[0]) * i128::from(md);
        ce += i128::from(modulus[0]) * i128::from(me);
        cd >>= 62;
        ce >>= 62;
        for i in 1..Self::WORDS {
            cd += sum(t.u, d[i], t.v, e[i]) + i128::from(modulus[i]) * i128::from(md);
            ce += sum(t.q, d[i], t.r, e[i]) + i128::from(modulus[i]) * i128::from(me);
            d[i - 1] = cd as i64 & LOW_SIGNED;
            e[i - 1] = ce as i64 & LOW_SIGNED;
            cd >>= 62;
            ce >>= 62;
        }
        d[last] = cd as i64;
        e[last] = ce as i64;
    }

    /// `value`, which is in -2 p..p, or minus it, modulo p.
    fn normal(mut value: Signed, negate: bool) -> Signed {
        let last = Self::WORDS - 1;
        for negate in [negate, false] {
            let (negative, mut carry) = (value[last] < 0, 0);
            let words = value[..=last].iter_mut().zip(&Self::MODULUS_62);
            for (i, (word, modulus)) in words.enumerate() {
                let sum = *word + if negative { *modulus } else { 0 };
                carry += if negate { -sum } else { sum };
                *word = if i < last { carry & LOW_SIGNED } else { carry };
                carry >>= 62;
            }
        }
        value
    }

    /// 1/x, and zero for zero.
    pub(crate) fn invert(&self) -> Self {
        let (mut d, mut e): (Signed, Signed) = ([0; WORDS], [0; WORDS]);
        e[0] = 1;
        // d x = f and e x = g modulo p, up to powers of two that cancel.
        let (mut f, mut g) = (Self::MODULUS_62, Self::split(&Self::canonical(&self.limbs)));
        let (mut length, mut eta) = (Self::WORDS, -1);
        loop {
            let t = steps(&mut eta, f[0], g[0]);
            Self::apply_modulo(&t, &mut d, &mut e);
            apply(&t, &mut f, &mut g, length);
            if g[..length].iter().all(|word| *word == 0) {
                break;
            }
            // Words that are the sign of the one below are dropped.
            let (top_f, top_g) = (f[length - 1], g[length - 1]);
            if length > 2 && top_f == top_f >> 63 && top_g == top_g >> 63 {
                length -= 1;
                f[length - 1] |= top_f << 62;
                g[length - 1] |= top_g << 62;
            }
        }
        // f is 1 or -1, or p or -p for x = 0, where d is zero.
        let d = Self::normal(d, f[length - 1] < 0);
        Self::new(Self::join(&d)).mul(&Self::RADIX_SQUARED)
    }
}
