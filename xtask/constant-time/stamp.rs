//! The processor's time stamp counter, fenced so that nothing measured slips past it.

#[cfg(not(target_arch = "x86_64"))]
compile_error!("the constant-time harness is written for x86-64");

use core::arch::x86_64::{__rdtscp, _mm_lfence, _rdtsc};

/// Returns the ticks before a measurement.
#[inline(always)]
pub(crate) fn begin() -> u64 {
    // SAFETY: every x86-64 processor has both instructions; neither touches memory.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

/// Returns the ticks after a measurement.
#[inline(always)]
pub(crate) fn end() -> u64 {
    let mut processor = 0;
    // SAFETY: as above; `__rdtscp` writes the processor's number where it is told, and waits for
    // everything before it.
    unsafe {
        let ticks = __rdtscp(&raw mut processor);
        _mm_lfence();
        ticks
    }
}
