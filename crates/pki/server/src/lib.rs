//! A V2X public key infrastructure as a service: its database, its HTTP server and its HTTP client.
//!
//! The roles, which turn messages into messages, are in `waywarden-v2x-pki`. This crate gives them
//! what they lack: a store that survives a crash, and a network.
//!
//! [`server`] and [`client`] speak HTTP. [`database`] keeps what was issued to whom, the registered
//! stations, the answered requests and the secrets. [`pbes2`] encrypts private keys under a
//! passphrase, for the database and for the key files of a PKI.
#![forbid(unsafe_code)]

mod authorities;
pub mod client;
pub mod database;
pub mod pbes2;
mod registry;
mod renewal;
pub mod server;

pub use authorities::{Authorities, EnrolmentPeer, ServedAuthority};
pub use registry::{ReadProfile, Registry, RegistryLimits};
pub use renewal::{Load, Renewable};
