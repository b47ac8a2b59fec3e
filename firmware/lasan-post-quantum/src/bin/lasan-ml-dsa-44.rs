//! The image under a LASAN security module with ML-KEM-768 and ML-DSA-44.
#![no_std]
#![no_main]
#![forbid(unsafe_code)]

waywarden_firmware_lasan_image::image!(waywarden_lasan::MlKem768MlDsa44, "ml-kem-768+ml-dsa-44");
