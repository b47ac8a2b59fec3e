//! The vector of processors with AVX-512 and its 52-bit multiplier, IFMA: the only unsafe code.
//!
//! Intel since Ice Lake and Cannon Lake, AMD since Zen 4. [`run`] asks the processor, and the
//! operating system that has to save the registers, before anything else: the type of the vector is
//! private, so that no code comes by one on a processor without these instructions. That is the
//! reason that every block of unsafe code here relies on.
//!
//! Read Intel's "Architectures Software Developer's Manual", volume 1, sections 13.3 and 15.2, for
//! the detection.
#![allow(unsafe_code)]

use core::arch::x86_64::{
    __cpuid_count, __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_cmpeq_epi64_mask,
    _mm512_loadu_epi64, _mm512_madd52hi_epu64, _mm512_madd52lo_epu64, _mm512_mask_blend_epi64,
    _mm512_or_si512, _mm512_set1_epi64, _mm512_shuffle_i64x2, _mm512_slli_epi64, _mm512_srai_epi64,
    _mm512_srli_epi64, _mm512_storeu_epi64, _mm512_sub_epi64, _mm512_unpackhi_epi64,
    _mm512_unpacklo_epi64, _mm512_xor_si512, _xgetbv,
};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU8, Ordering};

use super::Unavailable;
use crate::lanes::{Lanes, Work};

/// Cached answer to whether the processor has the instructions: 0 is not asked yet, 1 no, 2 yes.
/// Asking takes the time of many products, and on a virtual machine that of a verification.
static KNOWN: AtomicU8 = AtomicU8::new(0);

/// Runs `work` with the vector of this processor, if it has one.
///
/// # Errors
/// [`Unavailable`] where the processor or the operating system does not have what it takes; the
/// work has not been begun.
pub(crate) fn run<W: Work>(work: W) -> Result<W::Output, Unavailable> {
    if !available() {
        return Err(Unavailable);
    }
    // SAFETY: the processor has all the features that the function is declared for.
    Ok(unsafe { call(|| work.run::<Ifma>()) })
}

/// Returns true if there is such a vector here.
pub(super) fn available() -> bool {
    match KNOWN.load(Ordering::Relaxed) {
        0 => {
            let found = detect();
            KNOWN.store(1 + u8::from(found), Ordering::Relaxed);
            found
        }
        known => known == 2,
    }
}

/// Has [`run`] use the vector if there is one, or do as if there were none.
pub(super) fn enable(enabled: bool) {
    let found = enabled && detect();
    KNOWN.store(1 + u8::from(found), Ordering::Relaxed);
}

/// Asks processor and operating system for all the features that [`call`] names.
fn detect() -> bool {
    /// OSXSAVE: the operating system says which registers it saves.
    const LEAF_1_ECX: u32 = 1 << 27;
    /// AVX512F, AVX512DQ, AVX512IFMA, AVX512BW, AVX512VL.
    const LEAF_7_EBX: u32 = 1 << 16 | 1 << 17 | 1 << 21 | 1 << 30 | 1 << 31;
    /// XMM, YMM, and the three parts of AVX-512: masks, upper halves, upper sixteen.
    const SAVED: u64 = 0b1110_0110;

    // Every x86-64 processor has the instruction; before Rust 1.94 it was unsafe nevertheless.
    #[allow(unused_unsafe)]
    // SAFETY: as said.
    let leaf = |leaf| unsafe { __cpuid_count(leaf, 0) };
    if leaf(0).eax < 7 || leaf(1).ecx & LEAF_1_ECX == 0 {
        return false;
    }
    // SAFETY: OSXSAVE is set.
    let saved = unsafe { saved_registers() };
    saved & SAVED == SAVED && leaf(7).ebx & LEAF_7_EBX == LEAF_7_EBX
}

/// Extended control register 0.
#[target_feature(enable = "xsave")]
fn saved_registers() -> u64 {
    // SAFETY: register 0 exists wherever OSXSAVE is set, which the caller has seen.
    unsafe { _xgetbv(0) }
}

/// Runs `work`, compiled with the instructions of the vector as far as it is inlined.
#[target_feature(enable = "avx512f,avx512ifma,avx512dq,avx512bw,avx512vl")]
fn call<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Eight words in a register.
#[derive(Clone, Copy)]
struct Ifma(__m512i);

/// Calls an intrinsic function of no more than registers.
macro_rules! vector {
    ($intrinsic:ident $(::<$constant:ident>)? ($($argument:expr),*)) => {
        // SAFETY: `Ifma` is reached through `run` alone, which has found the instructions.
        unsafe { $intrinsic $(::<$constant>)? ($($argument),*) }
    };
}

impl Lanes for Ifma {
    type Bound = ();

    #[inline(always)]
    fn splat(value: u64) -> Self {
        Self(vector!(_mm512_set1_epi64(value.cast_signed())))
    }

    #[inline(always)]
    fn from_array(words: [u64; 8]) -> Self {
        load(&words)
    }

    #[cfg(test)]
    #[inline(always)]
    fn to_array(self) -> [u64; 8] {
        let mut words = [0; 8];
        store(&mut words, self);
        words
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(vector!(_mm512_add_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(vector!(_mm512_sub_epi64(self.0, other.0)))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Self(vector!(_mm512_and_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self(vector!(_mm512_or_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self(vector!(_mm512_xor_si512(self.0, other.0)))
    }

    #[inline(always)]
    fn shift_left<const N: u32>(self) -> Self {
        Self(vector!(_mm512_slli_epi64::<N>(self.0)))
    }

    #[inline(always)]
    fn shift_right<const N: u32>(self) -> Self {
        Self(vector!(_mm512_srli_epi64::<N>(self.0)))
    }

    #[inline(always)]
    fn shift_right_signed<const N: u32>(self) -> Self {
        Self(vector!(_mm512_srai_epi64::<N>(self.0)))
    }

    #[inline(always)]
    fn multiply_add_low(self, a: Self, b: Self) -> Self {
        Self(vector!(_mm512_madd52lo_epu64(self.0, a.0, b.0)))
    }

    #[inline(always)]
    fn multiply_add_high(self, a: Self, b: Self) -> Self {
        Self(vector!(_mm512_madd52hi_epu64(self.0, a.0, b.0)))
    }

    #[inline(always)]
    fn equal_mask(self, other: Self) -> u8 {
        vector!(_mm512_cmpeq_epi64_mask(self.0, other.0))
    }

    #[inline(always)]
    fn select(mask: u8, if_set: Self, otherwise: Self) -> Self {
        Self(vector!(_mm512_mask_blend_epi64(
            mask,
            otherwise.0,
            if_set.0
        )))
    }

    #[inline(always)]
    fn transpose_rows(rows: [&[u64; 8]; 8]) -> [Self; 8] {
        transpose(rows.map(load))
    }

    #[inline(always)]
    fn to_rows(vectors: [Self; 8]) -> [[u64; 8]; 8] {
        let mut rows = [[0; 8]; 8];
        for (row, vector) in rows.iter_mut().zip(transpose(vectors)) {
            store(row, vector);
        }
        rows
    }

    /// Room that is filled with zeros first costs a fifth of the instructions: the compiler calls
    /// `memset` for it, and empties all registers to do so.
    #[inline(always)]
    fn each<T: Copy, const K: usize>(mut f: impl FnMut(usize) -> T) -> [T; K] {
        let mut all = MaybeUninit::<[T; K]>::uninit();
        let first = all.as_mut_ptr().cast::<T>();
        let mut i = 0;
        while i < K {
            // SAFETY: the array has K values, and i is below that.
            unsafe { first.add(i).write(f(i)) };
            i += 1;
        }
        // SAFETY: all K values have been written.
        unsafe { all.assume_init() }
    }

    #[inline(always)]
    fn outline<R>(work: impl FnOnce() -> R) -> R {
        outlined(work)
    }

    #[inline(always)]
    fn inline<R>(work: impl FnOnce() -> R) -> R {
        // Unoptimised for debugging, formulas in line are of no use and keep the compiler busy.
        if cfg!(debug_assertions) {
            outlined(work)
        } else {
            work()
        }
    }
}

/// A function without the features of [`call`], so that no compiler makes one of both: of functions
/// with features Rust 1.95 forgets that they are never to be inlined.
#[inline(never)]
fn outlined<R>(work: impl FnOnce() -> R) -> R {
    vector!(call(work))
}

#[inline(always)]
fn load(words: &[u64; 8]) -> Ifma {
    // SAFETY: the array has the 64 bytes that are read, and no alignment is asked for. For the
    // instruction, see `vector`.
    Ifma(unsafe { _mm512_loadu_epi64(words.as_ptr().cast()) })
}

#[inline(always)]
fn store(words: &mut [u64; 8], vector: Ifma) {
    // SAFETY: the array has the 64 bytes that are written, and no alignment is asked for. For the
    // instruction, see `vector`.
    unsafe { _mm512_storeu_epi64(words.as_mut_ptr().cast(), vector.0) }
}

/// The even words of two vectors, alternating, and the odd ones.
#[inline(always)]
fn unpack(a: Ifma, b: Ifma) -> (Ifma, Ifma) {
    (
        Ifma(vector!(_mm512_unpacklo_epi64(a.0, b.0))),
        Ifma(vector!(_mm512_unpackhi_epi64(a.0, b.0))),
    )
}

/// Quarters 0 and 2 of `a`, then of `b`; and quarters 1 and 3.
#[inline(always)]
fn quarters(a: Ifma, b: Ifma) -> (Ifma, Ifma) {
    const EVEN: i32 = 0b10_00_10_00;
    const ODD: i32 = 0b11_01_11_01;
    (
        Ifma(vector!(_mm512_shuffle_i64x2::<EVEN>(a.0, b.0))),
        Ifma(vector!(_mm512_shuffle_i64x2::<ODD>(a.0, b.0))),
    )
}

/// Word j of vector i becomes word i of vector j.
#[inline(always)]
fn transpose([a, b, c, d, e, f, g, h]: [Ifma; 8]) -> [Ifma; 8] {
    // Pairs of words of rows 2 i and 2 i + 1; even columns, and odd ones.
    let ((ab, ab_odd), (cd, cd_odd)) = (unpack(a, b), unpack(c, d));
    let ((ef, ef_odd), (gh, gh_odd)) = (unpack(e, f), unpack(g, h));
    let [zero, two, four, six] = transpose_quarters([ab, cd, ef, gh]);
    let [one, three, five, seven] = transpose_quarters([ab_odd, cd_odd, ef_odd, gh_odd]);
    [zero, one, two, three, four, five, six, seven]
}

/// Quarter j of vector i becomes quarter i of vector j.
#[inline(always)]
fn transpose_quarters([a, b, c, d]: [Ifma; 4]) -> [Ifma; 4] {
    let ((ab, ab_odd), (cd, cd_odd)) = (quarters(a, b), quarters(c, d));
    let ((zero, two), (one, three)) = (quarters(ab, cd), quarters(ab_odd, cd_odd));
    [zero, one, two, three]
}
