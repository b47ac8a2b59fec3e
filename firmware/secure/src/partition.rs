//! The division of the board: memory of the normal half, the gateway, and everything else, which is
//! secure.
//!
//! Three units have to agree: the core's own attribution of addresses (SAU), that of the board
//! (its upper halves are secure, and its code may have a gateway), and the memories' own filters.

/// A register at a fixed address.
struct Register(usize);

impl Register {
    fn read(&self) -> u32 {
        // SAFETY: the constants below are the only registers, and the board has each.
        unsafe { (self.0 as *const u32).read_volatile() }
    }

    fn write(&self, value: u32) {
        // SAFETY: as in `read`. None of them makes the hardware write memory; those of attribution
        // take memory of this half away from nothing that it uses.
        unsafe { (self.0 as *mut u32).write_volatile(value) }
    }
}

const SAU_CONTROL: Register = Register(0xE000_EDD0);
const SAU_NUMBER: Register = Register(0xE000_EDD8);
const SAU_BASE: Register = Register(0xE000_EDDC);
const SAU_LIMIT: Register = Register(0xE000_EDE0);
const FAULTS_ENABLED: Register = Register(0xE000_ED24);
const RESET_CONTROL: Register = Register(0xE000_ED0C);
const NORMAL_VECTORS: Register = Register(0xE002_ED08);
/// The board's say on gateways in code.
const CALLABLE: Register = Register(0x5008_0014);
/// Filters of the memory with all code, and of that with the RAM of the normal half.
const CODE_FILTER: usize = 0x5800_7000;
const RAM_FILTER: usize = 0x5800_9000;

/// The region of the normal half's flash, and that of its RAM.
const NORMAL_FLASH: u32 = 0;
pub(crate) const NORMAL_RAM: u32 = 1;
const GATEWAY: u32 = 2;

/// Start of the normal half's flash: its vectors.
pub(crate) const NORMAL_START: u32 = 0x0020_0000;

/// Regions: the number, the first and the last byte, true for the gateway. As in the scripts of the
/// linker.
const REGIONS: [(u32, u32, u32, bool); 3] = [
    (NORMAL_FLASH, NORMAL_START, 0x0023_FFFF, false),
    (NORMAL_RAM, 0x2820_0000, 0x2821_FFFF, false),
    (GATEWAY, 0x1000_F000, 0x1000_FFFF, true),
];

/// Divides the board, for good: the normal half has no way to these registers.
pub(crate) fn divide() {
    for (number, first, last, is_gateway) in REGIONS {
        SAU_NUMBER.write(number);
        SAU_BASE.write(first);
        SAU_LIMIT.write(last & !31 | u32::from(is_gateway) << 1 | 1);
    }
    SAU_CONTROL.write(1);
    CALLABLE.write(1);
    filter(CODE_FILTER, true);
    filter(RAM_FILTER, false);
    // Each fault has its own name: secure, of memory, of the bus, of an instruction.
    FAULTS_ENABLED.write(0b1111 << 16);
    // Secure exceptions come first, and a reset is for this half alone.
    RESET_CONTROL.write(0x05FA << 16 | 1 << 14 | 1 << 3);
    NORMAL_VECTORS.write(NORMAL_START);
}

/// Opens a memory for the normal half: its upper half, or all of it.
fn filter(base: usize, is_upper_half: bool) {
    let register = |offset: usize| Register(base + offset);
    let last = register(0x10).read();
    let first = if is_upper_half { last.div_ceil(2) } else { 0 };
    for word in first..=last {
        register(0x18).write(word);
        register(0x1C).write(u32::MAX);
    }
}
