//! The ends that an image does not plan: a panic, a fault and the watchdog, each with its reason as
//! a request.

use core::arch::naked_asm;
use core::fmt::{self, Write};
use core::panic::PanicInfo;

use heapless::String;
use waywarden_firmware_link::{Request, TEXT_MAX};

use crate::watchdog::INSTRUCTIONS_MAX;
use crate::{pipe, semihosting};

/// A text that takes as much as there is room for.
#[derive(Default)]
struct Text(String<TEXT_MAX>);

impl Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut all = text.chars();
        all.try_for_each(|char| self.0.push(char))
            .map_err(|_| fmt::Error)
    }
}

/// Sends the reason and ends the image.
pub(crate) fn report(reason: fmt::Arguments<'_>) -> ! {
    let mut text = Text::default();
    // Text beyond the bound is cut.
    let _ = text.write_fmt(reason);
    pipe::send_last(&Request::Failed(&text.0));
    semihosting::exit(1)
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    let message = info.message();
    match info.location() {
        Some(place) => report(format_args!(
            "{message} ({}:{})",
            place.file(),
            place.line()
        )),
        None => report(format_args!("{message}")),
    }
}

/// The handler of faults: takes the whole stack for itself, as there may be none left, and hands
/// over the place of the fault. A frame below the stack was never written.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn HardFault() {
    naked_asm!(
        "mrs r2, msp",
        "movw r3, #:lower16:_stack_start",
        "movt r3, #:upper16:_stack_start",
        "msr msp, r3",
        "movw r3, #:lower16:_stack_end",
        "movt r3, #:upper16:_stack_end",
        "cmp r2, r3",
        "blo {overflowed}",
        "ldr r0, [r2, #24]",
        "ldr r1, [r2, #20]",
        "b {faulted}",
        overflowed = sym overflowed,
        faulted = sym faulted,
    )
}

extern "C" fn faulted(pc: u32, lr: u32) -> ! {
    report(format_args!("HardFault at pc={pc:#010x}, lr={lr:#010x}"))
}

extern "C" fn overflowed() -> ! {
    report(format_args!("HardFault: the stack is used up"))
}

/// The handler of the watchdog: hands over the place that the image was at.
///
/// # Safety
/// Only the vector table may call it.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn NonMaskableInt() {
    naked_asm!(
        "mrs r1, msp",
        "ldr r0, [r1, #24]",
        "b {expired}",
        expired = sym expired,
    )
}

extern "C" fn expired(pc: u32) -> ! {
    report(format_args!(
        "no request for {INSTRUCTIONS_MAX} instructions, at pc={pc:#010x}"
    ))
}
