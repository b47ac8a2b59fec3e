//! Shared code of the tests of V2X: holders of certificates that sign messages and lists, with keys
//! from seeds, a store of keys to interfere with, and a vehicle whose true position is known to the
//! gpsd that reports it.
//!
//! A development dependency only, as `waywarden-testkit` is. It is no part of that, so that other
//! tests do without the crates that it needs.

pub mod drive;
pub mod gpsd_client;
pub mod linked_lists;
pub mod trust_lists;
pub mod world;
mod wrapped_store;

pub use wrapped_store::WrappedStore;
