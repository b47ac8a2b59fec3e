//! The image under a LASAN security module with FourQ and SchnorrQ.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

waywarden_firmware_lasan_image::image!(waywarden_lasan::FourQSchnorrQ, "fourq");
