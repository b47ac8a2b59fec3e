//! The ends of a run: a fault in either half, and a panic. A product resets the part; here the
//! reason is written, and the emulator ends.

use core::arch::naked_asm;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use waywarden_firmware_semihosting::{self as semihosting, File};

/// The reason of a secure fault.
const SECURE_FAULT_STATUS: *const u32 = 0xE000_EDE4 as *const u32;

/// Exit codes of the emulator.
const PANICKED: usize = 2;
const FAULTED: usize = 3;

struct Output(File);

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        semihosting::write(self.0, text.as_bytes());
        Ok(())
    }
}

fn report(reason: fmt::Arguments<'_>, code: usize) -> ! {
    let mut output = Output(semihosting::open_output());
    // The output is not refused.
    let _ = output.write_fmt(format_args!("{reason}\n"));
    semihosting::exit(code)
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    report(format_args!("the secure half: {info}"), PANICKED)
}

/// The handler of all exceptions: takes the whole stack for itself, as there may be none left.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn fault() {
    naked_asm!(
        "mrs r0, ipsr",
        "mov r1, lr",
        "movw r2, #:lower16:_stack_seal",
        "movt r2, #:upper16:_stack_seal",
        "msr msp, r2",
        "b {report_fault}",
        report_fault = sym report_fault,
    )
}

/// Bit of a return value: the interrupted code was secure.
const FROM_SECURE: u32 = 1 << 6;

extern "C" fn report_fault(exception: u32, returns: u32) -> ! {
    let name = match exception {
        3 => "HardFault",
        4 => "MemManage",
        5 => "BusFault",
        6 => "UsageFault",
        7 => "SecureFault",
        _ => "exception",
    };
    // SAFETY: the core has the register.
    let status = unsafe { SECURE_FAULT_STATUS.read_volatile() };
    let half = match returns & FROM_SECURE {
        0 => "normal",
        _ => "secure",
    };
    report(
        format_args!("{name} {exception} in the {half} half, SFSR={status:#04x}"),
        FAULTED,
    )
}
