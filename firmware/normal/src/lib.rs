//! Input and output of images of the normal half, and their panic.
#![no_std]
#![forbid(unsafe_code)]

use core::fmt::{self, Write};
use core::panic::PanicInfo;

use waywarden_firmware_semihosting::{self as semihosting, File};

/// The output as text.
#[derive(Debug)]
pub struct Output(File);

impl Output {
    /// Opens it.
    #[must_use]
    pub fn open() -> Self {
        Output(semihosting::open_output())
    }

    /// Writes bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        semihosting::write(self.0, bytes);
    }
}

impl Write for Output {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.bytes(text.as_bytes());
        Ok(())
    }
}

/// Reads as many bytes as there is room for, waiting for them.
pub fn read_all(from: File, into: &mut [u8]) {
    let mut taken = 0;
    while taken < into.len() {
        taken += semihosting::read(from, &mut into[taken..]);
    }
}

#[panic_handler]
fn panicked(info: &PanicInfo<'_>) -> ! {
    let _ = writeln!(Output::open(), "the normal half: {info}");
    semihosting::exit(4)
}
