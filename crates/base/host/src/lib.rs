//! Services of the operating system: random bytes, regular files, files with secrets, and memory
//! that no other process can read.
//!
//! Crates with protocol logic take values instead (seeds, bytes, times). This crate is for the
//! layers above them, which do input and output.
#![forbid(unsafe_code)]

#[cfg(unix)]
pub mod memory;
pub mod random;
#[cfg(unix)]
pub mod regular_file;
#[cfg(unix)]
pub mod secret_file;
