//! Registers of the board.

/// A block of registers of 32 bits at a fixed address.
#[derive(Clone, Copy)]
pub(super) struct Registers(*mut u32);

impl Registers {
    /// Names a block of registers.
    ///
    /// # Safety
    /// The board has it, and none of its registers has the hardware write memory.
    pub(super) const unsafe fn at(address: usize) -> Self {
        Registers(address as *mut u32)
    }

    /// Reads the register at an offset in bytes, a multiple of 4.
    #[inline(always)]
    pub(super) fn read(self, offset: usize) -> u32 {
        // SAFETY: the board has the block, and the callers name registers of it.
        unsafe { self.0.byte_add(offset).read_volatile() }
    }

    /// Writes the register at an offset in bytes, a multiple of 4.
    #[inline(always)]
    pub(super) fn write(self, offset: usize, value: u32) {
        // SAFETY: as in `read`; it changes no memory.
        unsafe { self.0.byte_add(offset).write_volatile(value) }
    }
}
