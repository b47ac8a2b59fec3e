//! A V2X public key infrastructure in a folder: its index, certificates and key files, changed by
//! transactions; the passphrases and tokens that open its keys; the pseudonyms of its vehicles; and
//! a receiver's folder of trust.
//!
//! The commands that make and run a PKI and those that sign, decrypt and verify with one both work
//! on such folders.
#![forbid(unsafe_code)]

#[cfg(feature = "keys")]
pub mod credential;
pub mod curve;
pub mod directory;
#[cfg(feature = "keys")]
pub mod envelope;
pub mod folder_lock;
pub mod index;
#[cfg(feature = "keys")]
pub mod key_file;
mod key_form;
#[cfg(feature = "keys")]
pub mod key_passphrase;
#[cfg(feature = "keys")]
pub mod key_store;
pub mod latest;
mod list_order;
#[cfg(feature = "keys")]
pub mod passphrase;
pub mod permission;
#[cfg(feature = "keys")]
pub mod pseudonyms;
#[cfg(feature = "keys")]
pub mod public;
#[cfg(feature = "keys")]
pub mod random;
#[cfg(feature = "keys")]
pub mod recorded;
pub mod region;
#[cfg(feature = "keys")]
pub mod signer;
#[cfg(feature = "keys")]
pub mod token;
pub mod transaction;
pub mod trust;
pub mod validity;
#[cfg(all(unix, feature = "keys"))]
pub mod week;
