//! The machines that an image can be for.

use std::fmt::Write;
use std::ops::Range;

/// A machine of the emulator.
#[derive(Debug)]
pub struct Machine {
    /// Name, as the emulator and a vehicle file have it.
    pub name: &'static str,
    /// Its processor core.
    pub core: &'static str,
    /// The program that emulates it.
    pub(crate) emulator: &'static str,
    /// The package of Debian that has the program.
    pub(crate) package: &'static str,
    /// Arguments of the emulator, besides the image.
    pub(crate) arguments: &'static [&'static str],
    /// `e_machine` of its images.
    pub(crate) elf_machine: u16,
    /// Addresses of its flash.
    pub(crate) flash: Range<u32>,
    /// Addresses of its RAM.
    pub(crate) ram: Range<u32>,
}

/// The time of one instruction is 2^6 ns in the emulated machine, with which the images' counter of
/// instructions is exact.
const COMMON: &[&str] = &[
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

/// All machines.
pub const MACHINES: &[Machine] = &[Machine {
    name: "mps2-an386",
    core: "Cortex-M4F",
    emulator: "qemu-system-arm",
    package: "qemu-system-arm",
    arguments: COMMON,
    elf_machine: 40,
    flash: 0..0x0040_0000,
    ram: 0x2000_0000..0x2040_0000,
}];

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
