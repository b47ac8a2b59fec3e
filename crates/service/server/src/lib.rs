//! The V2X security service: a process that signs, verifies, encrypts and decrypts for the stacks
//! and scripts beside it.
//!
//! A client sends the requests of `v2x-service-protocol` over a socket. An `Engine` verifies them
//! on all cores in the order of a [`waywarden_v2x_schedule::Policy`], and signs on a
//! thread of its own. Private keys never leave the process, and only clients with a grant may have
//! them used.
#![forbid(unsafe_code)]

pub mod access;
pub mod config;
pub mod engine;
pub mod leap_file;
pub mod log;
pub mod materials;
pub mod measured;
pub mod metrics;
pub mod notify;
pub mod privileges;
pub mod server;
pub mod service;
pub mod watchdog;
