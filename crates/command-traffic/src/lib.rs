//! The command traffic: road traffic put on the radio channel.
#![forbid(unsafe_code)]

pub mod traffic;
