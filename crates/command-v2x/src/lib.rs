//! The commands for V2X messages: sign, verify, inspect, encrypt, decrypt, serve, station.
#![forbid(unsafe_code)]

pub mod decrypt;
pub mod encrypt;
pub mod inspect;
#[cfg(unix)]
pub mod serve;
pub mod sign;
#[cfg(unix)]
pub mod station;
pub mod verify;
