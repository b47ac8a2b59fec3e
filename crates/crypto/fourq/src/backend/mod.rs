//! The field GF(2^127 - 1), the mask type, and the one tuning constant, per word size.
//!
//! Both folders offer the same names with the same meaning; everything above is written once.
//! The choice is made at compile time: 64-bit limbs where pointers have 64 bits, 32-bit limbs
//! elsewhere. `--cfg waywarden_fourq_bits="32"` in `RUSTFLAGS` has 32-bit limbs on every target; a
//! feature would choose for all users in a build. Tests compile both and compare them.

#[cfg(any(test, waywarden_fourq_bits = "32", not(target_pointer_width = "64")))]
#[cfg_attr(
    test,
    allow(dead_code, reason = "the backend not chosen is there to be compared")
)]
mod u32;
#[cfg(any(
    test,
    all(target_pointer_width = "64", not(waywarden_fourq_bits = "32"))
))]
#[cfg_attr(
    test,
    allow(dead_code, reason = "the backend not chosen is there to be compared")
)]
mod u64;

#[cfg(any(waywarden_fourq_bits = "32", not(target_pointer_width = "64")))]
pub(crate) use self::u32::{Fp, GENERATOR_WINDOW, LIMBS, Limb, Mask};
#[cfg(all(target_pointer_width = "64", not(waywarden_fourq_bits = "32")))]
pub(crate) use self::u64::{Fp, GENERATOR_WINDOW, LIMBS, Limb, Mask};

#[cfg(test)]
mod tests;
