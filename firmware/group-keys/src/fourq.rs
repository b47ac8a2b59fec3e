//! The image of an ECU in a group that agrees on keys with FourQ, for the emulated board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

mod image;

use waywarden_firmware_port::{entry, note};
use waywarden_key_suites::FourQ;

/// The suite of this image.
type Suite = FourQ;

note!(GROUP_KEYS, suite = "fourq");

#[entry]
fn main() -> ! {
    image::run(FourQ)
}
