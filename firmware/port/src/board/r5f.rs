//! A Cortex-R5F without a board: QEMU's machine `none`, with RAM from 0 on. There is no timer and
//! no watchdog; the core's own cycle counter counts instructions.

use core::arch::asm;

pub use waywarden_firmware_port_entry::entry;

use super::Ticks;

/// Value of the words of the stack that were never written.
pub(crate) const PAINT: u32 = 0xCCCC_CCCC;

/// QEMU's cycle counter counts nanoseconds, here by its divider each 64th, and an instruction takes
/// 64 ns. It wraps after 2^32 instructions.
pub(crate) const TICKS: Ticks = Ticks {
    ticks: 1,
    instructions: 1,
};

/// The counters are on, and the cycle counter has its divider by 64, and begins at 0.
const COUNTERS_ON: u32 = 1 << 3 | 1 << 2 | 1;
/// The cycle counter among the counters.
const CYCLES: u32 = 1 << 31;

/// Starts the timer; returns its value, from which it counts down and wraps.
pub(crate) fn start_timer() -> u32 {
    // SAFETY: the registers of the counters change no memory.
    unsafe {
        asm!(
            "mcr p15, 0, {on}, c9, c12, 0",
            "mcr p15, 0, {cycles}, c9, c12, 1",
            on = in(reg) COUNTERS_ON,
            cycles = in(reg) CYCLES,
            options(nomem, nostack)
        );
    }
    timer()
}

/// Returns the value of the timer. The cycle counter counts up.
#[inline(always)]
pub(crate) fn timer() -> u32 {
    let cycles: u32;
    // SAFETY: reading the counter changes nothing. It is not `pure`: each time has another value.
    unsafe {
        asm!("mrc p15, 0, {0}, c9, c13, 0", out(reg) cycles, options(nomem, nostack));
    }
    !cycles
}

/// The board has no watchdog: the host ends an image that makes no request.
pub(crate) fn watch() {}

/// See [`watch`].
pub(crate) fn feed() {}

/// A region of the memory protection unit.
struct Region {
    base: u32,
    /// Size as a power of two.
    size: u32,
    access: u32,
}

/// Normal memory, write-back, and what may be done there.
const NORMAL: u32 = 1 << 3 | 1 << 1 | 1;
const READ_ONLY: u32 = 0b110 << 8 | NORMAL;
const READ_WRITE: u32 = 1 << 12 | 0b011 << 8 | NORMAL;

/// The memory of the part; any other access faults.
const REGIONS: [Region; 2] = [
    Region {
        base: 0x0000_0000,
        size: 22,
        access: READ_ONLY,
    },
    Region {
        base: 0x0800_0000,
        size: 19,
        access: READ_WRITE,
    },
];

/// Has a stack that leaves the RAM fault: only the memory of the part may be accessed.
pub(crate) fn guard() {
    for (number, region) in REGIONS.iter().enumerate() {
        // SAFETY: the regions have all that the image was linked with.
        unsafe {
            asm!(
                "mcr p15, 0, {number}, c6, c2, 0",
                "mcr p15, 0, {base}, c6, c1, 0",
                "mcr p15, 0, {access}, c6, c1, 4",
                "mcr p15, 0, {size}, c6, c1, 2",
                number = in(reg) number,
                base = in(reg) region.base,
                access = in(reg) region.access,
                size = in(reg) (region.size - 1) << 1 | 1,
                options(nostack)
            );
        }
    }
    // SAFETY: as above; the unit is switched on.
    unsafe {
        asm!(
            "mrc p15, 0, {0}, c1, c0, 0",
            "orr {0}, {0}, #1",
            "dsb",
            "mcr p15, 0, {0}, c1, c0, 0",
            "isb",
            out(reg) _,
            options(nostack)
        );
    }
}
