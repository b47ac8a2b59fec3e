//! Implicit certificates on the emulated board: both sides of one exchange, and a signed message.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

use waywarden_firmware_certificates::run;
use waywarden_firmware_port::{Pipe, entry, note};

note!(purpose = "issuer and station of an implicit certificate");

#[entry]
fn main() -> ! {
    run(&mut Pipe::open());
    // The pipe ends the image with the run.
    panic!("the run ended without an end");
}
