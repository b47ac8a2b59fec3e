//! The image of an ECU in a group that agrees on keys with P-256, for the emulated board.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

mod image;

use waywarden_firmware_port::{entry, note};
use waywarden_key_suites::P256;

/// The suite of this image.
type Suite = P256;

note!(GROUP_KEYS, suite = "p256");

#[entry]
fn main() -> ! {
    image::run(P256)
}
