//! The command pki: a V2X public key infrastructure made and run by hand.
#![forbid(unsafe_code)]

pub mod key_store;
pub mod pki;
