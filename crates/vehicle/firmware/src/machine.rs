//! The machines that an image can be for.

use std::fmt::Write;
use std::ops::Range;

/// A machine of the emulator.
#[derive(Debug)]
pub struct Machine {
    /// Name, as a vehicle file has it.
    pub name: &'static str,
    /// Its processor core.
    pub core: &'static str,
    /// The program that emulates it.
    pub(crate) emulator: &'static str,
    /// The package of Debian that has the program.
    pub(crate) package: &'static str,
    /// Arguments of the emulator that name the machine.
    pub(crate) arguments: &'static [&'static str],
    /// The way in which the emulator takes an image.
    pub(crate) loading: Loading,
    /// `e_machine` of its images.
    pub(crate) elf_machine: u16,
    /// Addresses of its flash.
    pub(crate) flash: Range<u32>,
    /// Addresses of its RAM.
    pub(crate) ram: Range<u32>,
}

/// A way in which the emulator takes an image.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Loading {
    /// As the program of a board.
    Kernel,
    /// As the content of the memory that a lone core starts in.
    Memory,
}

/// The time of one instruction is 2^6 ns in the emulated machine, with which the images' counter of
/// instructions is exact.
pub(crate) const COMMON: &[&str] = &[
    "-nic",
    "none",
    "-nographic",
    "-monitor",
    "none",
    "-serial",
    "none",
    "-icount",
    "shift=6",
    "-semihosting-config",
    "enable=on,target=native",
];

/// `e_machine` of ARM, for 32 bits.
const ELF_ARM: u16 = 40;

/// All machines.
pub const MACHINES: &[Machine] = &[
    Machine {
        name: "mps2-an386",
        core: "Cortex-M4F",
        emulator: "qemu-system-arm",
        package: "qemu-system-arm",
        arguments: &["-M", "mps2-an386"],
        loading: Loading::Kernel,
        elf_machine: ELF_ARM,
        flash: 0..0x0040_0000,
        ram: 0x2000_0000..0x2040_0000,
    },
    // Memory of the secure state, in which the core starts.
    Machine {
        name: "mps2-an505",
        core: "Cortex-M33",
        emulator: "qemu-system-arm",
        package: "qemu-system-arm",
        arguments: &["-M", "mps2-an505"],
        loading: Loading::Kernel,
        elf_machine: ELF_ARM,
        flash: 0x1000_0000..0x1040_0000,
        ram: 0x3800_0000..0x3840_0000,
    },
    // A core without a board; its memory is as that of an RM57L843.
    Machine {
        name: "cortex-r5f",
        core: "Cortex-R5F",
        emulator: "qemu-system-arm",
        package: "qemu-system-arm",
        arguments: &["-M", "none", "-cpu", "cortex-r5f", "-m", "256M"],
        loading: Loading::Memory,
        elf_machine: ELF_ARM,
        flash: 0..0x0040_0000,
        ram: 0x0800_0000..0x0808_0000,
    },
];

impl Machine {
    /// Finds a machine by its name.
    ///
    /// # Errors
    /// The reason with the names of all machines.
    pub fn named(name: &str) -> Result<&'static Machine, String> {
        let found = MACHINES.iter().find(|machine| machine.name == name);
        found.ok_or_else(|| {
            let mut why = format!("no machine {name:?} for ECU images; machines:");
            for (at, machine) in MACHINES.iter().enumerate() {
                let comma = if at == 0 { "" } else { "," };
                // Writing to a string does not fail.
                let _ = write!(why, "{comma} {} ({})", machine.name, machine.core);
            }
            why
        })
    }
}
