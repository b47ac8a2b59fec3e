//! An honest image of the normal half: it protects messages of its own stream, and checks those of
//! another that its input has.
//!
//! Each message of the input is eight bytes of payload and a seal. Lines of the output: `protected`
//! with payload, counter and tag, and `checked` with the word of the status.
#![no_std]
#![no_main]

use core::fmt::{self, Write};

use cortex_m_rt::entry;
use waywarden_firmware_gateway::{OTHER_STREAM, OWN_STREAM, Seal, check, protect};
use waywarden_firmware_normal_images::{Output, read_all};
use waywarden_firmware_note::note;
use waywarden_firmware_semihosting as semihosting;

/// Messages that it protects.
const OWN_MESSAGES: u8 = 5;

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

note!("machine=mps2-an505 purpose=a program of the normal half of a Cortex-M33");

#[entry]
fn main() -> ! {
    let (input, mut output) = (semihosting::open_input(), Output::open());
    for number in 0..OWN_MESSAGES {
        let payload = [number; 8];
        let line = match protect(OWN_STREAM, &payload) {
            Ok(seal) => writeln!(
                output,
                "protected {} {} {}",
                Hex(&payload),
                u64::from_le_bytes(seal.counter),
                Hex(&seal.tag)
            ),
            Err(status) => writeln!(output, "refused {status}"),
        };
        line.expect("the output takes all");
    }
    let mut count = [0];
    read_all(input, &mut count);
    for _ in 0..count[0] {
        let (mut payload, mut seal) = ([0; 8], Seal::default());
        read_all(input, &mut payload);
        read_all(input, &mut seal.counter);
        read_all(input, &mut seal.tag);
        let status = check(OTHER_STREAM, &payload, &seal).err().unwrap_or(0);
        writeln!(output, "checked {status}").expect("the output takes all");
    }
    semihosting::exit(0)
}
