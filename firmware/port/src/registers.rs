//! Registers of the board.

/// A block of registers of 32 bits at a fixed address.
#[derive(Clone, Copy)]
pub(crate) struct Registers(*mut u32);

/// The first timer: CMSDK APB timer, 25 MHz.
pub(crate) const TIMER: Registers = Registers(0x4000_0000 as *mut u32);
/// The memory protection unit of the core.
pub(crate) const PROTECTION: Registers = Registers(0xE000_ED90 as *mut u32);
/// The watchdog: CMSDK APB watchdog, 25 MHz.
pub(crate) const WATCHDOG: Registers = Registers(0x4000_8000 as *mut u32);

impl Registers {
    /// Reads the register at an offset in bytes, a multiple of 4.
    #[inline(always)]
    pub(crate) fn read(self, offset: usize) -> u32 {
        // SAFETY: the constants above are the only blocks, and the board has each, the first
        // and the last of 4 KiB; the callers name registers of them.
        unsafe { self.0.byte_add(offset).read_volatile() }
    }

    /// Writes the register at an offset in bytes, a multiple of 4.
    #[inline(always)]
    pub(crate) fn write(self, offset: usize, value: u32) {
        // SAFETY: as in `read`. No register of these blocks makes the hardware write memory;
        // the protection unit only takes memory away.
        unsafe { self.0.byte_add(offset).write_volatile(value) }
    }
}
