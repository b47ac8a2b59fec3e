//! A V2X public key infrastructure in a folder: its index, certificates and key files, changed by
//! transactions; the passphrases and tokens that open its keys; the pseudonyms of its vehicles; and
//! a receiver's folder of trust.
//!
//! The commands that make and run a PKI and those that sign, decrypt and verify with one both work
//! on such folders.
#![forbid(unsafe_code)]

pub mod credential;
pub mod curve;
pub mod directory;
pub mod index;
pub mod key_file;
pub mod key_passphrase;
pub mod key_store;
pub mod latest;
mod list_order;
pub mod passphrase;
pub mod permission;
pub mod pseudonyms;
pub mod public;
pub mod random;
pub mod recorded;
pub mod region;
pub mod token;
pub mod transaction;
pub mod trust;
pub mod validity;
#[cfg(unix)]
pub mod week;
