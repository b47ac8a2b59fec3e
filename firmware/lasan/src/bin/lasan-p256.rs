//! The image under a LASAN security module with P-256.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

waywarden_firmware_lasan_image::image!(waywarden_lasan::EcdheEcdsa, "p256");
