//! The operating system, as programs ask it: random bytes, files that are regular ones, files with
//! secrets, memory that no other process reads.
//!
//! A crate that decides takes values instead (seeds, bytes, times): this crate is for those above,
//! which have input and output.
#![forbid(unsafe_code)]

#[cfg(unix)]
pub mod memory;
pub mod random;
#[cfg(unix)]
pub mod regular_file;
#[cfg(unix)]
pub mod secret_file;
