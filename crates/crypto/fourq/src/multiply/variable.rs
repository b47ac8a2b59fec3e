//! \[m\]P for a secret m and a point P of order N: 64 doublings and 64 additions.
//!
//! The four parts of m ([`crate::decompose`]) are read together, one bit of each a step. The first
//! part is odd and written with digits +1 and -1 only; the others follow its sign, so that each
//! step adds or subtracts one of eight points P + {0,1}phi(P) + {0,1}psi(P) + {0,1}psi(phi(P))
//! [FourQ §4, Algorithm 1; Faz-Hernandez-Longa-Sanchez §3.2]. The look-up reads all eight, the sign
//! is a masked swap: constant time.

use zeroize::Zeroizing;

use crate::backend::Mask;
use crate::curve::{Cached, Extended};
use crate::decompose::decompose;
use crate::endomorphism::{phi, psi};
use crate::look_up::{FlatCached, scan};

/// Digits of a 64-bit part; one more than bits because signed digits may carry.
const DIGITS: usize = 65;

/// Digit i in bits 0..3 (table index) and bit 3 (set for plus).
type Digits = [u8; DIGITS];

/// The eight sums; index bit 0 is phi(P), bit 1 psi(P), bit 2 psi(phi(P)).
fn table(point: &Extended) -> [FlatCached; 8] {
    let image_phi = phi(point);
    let images = [
        image_phi.to_cached(),
        psi(point).to_cached(),
        psi(&image_phi).to_cached(),
    ];
    let mut sums = [*point; 8];
    let mut table = [point.to_cached().to_flat(); 8];
    for (bit, image) in images.iter().enumerate() {
        for low in 0..1 << bit {
            let high = low | 1 << bit;
            sums[high] = sums[low].add(image);
            table[high] = sums[high].to_cached().to_flat();
        }
    }
    table
}

/// Signed digits of the four parts, least significant first.
fn recode(parts: &[u64; 4]) -> Digits {
    let mut digits = [0; DIGITS];
    let [mut first, mut rest @ ..] = *parts;
    for digit in &mut digits[..DIGITS - 1] {
        // The sign of this step is the first part's next bit: 2 b - 1.
        first >>= 1;
        let sign = first & 1;
        let mut index = 0;
        for (position, part) in rest.iter_mut().enumerate() {
            let bit = *part & 1;
            index |= bit << position;
            // A one under a negative sign becomes minus one: carry into the next bit. The part is
            // at most 2^63 after the shift, so the carry cannot overflow.
            *part = (*part >> 1) + (bit & !sign);
        }
        *digit = (index | sign << 3) as u8;
    }
    digits[DIGITS - 1] = (rest[0] | rest[1] << 1 | rest[2] << 2 | 1 << 3) as u8;
    digits
}

/// The table entry of `digit`, reading all of them.
#[inline(always)]
fn look_up(table: &[FlatCached; 8], digit: u8) -> Cached {
    let entry = scan(table, u64::from(digit & 7));
    Cached::from_flat(&entry).negate_if(Mask::from_bit(u64::from(!digit >> 3)))
}

/// `[scalar]point` in constant time, for any 256-bit integer and `point` of order N (or neutral).
pub(crate) fn multiply(scalar: &[u64; 4], point: &Extended) -> Extended {
    let table = Zeroizing::new(table(point));
    let parts = Zeroizing::new(decompose(scalar));
    let digits = Zeroizing::new(recode(&parts));
    let mut sum = Extended::NEUTRAL.add(&look_up(&table, digits[DIGITS - 1]));
    for &digit in digits[..DIGITS - 1].iter().rev() {
        let entry = look_up(&table, digit);
        sum.double_assign();
        sum.add_assign(&entry);
    }
    sum
}
