//! The secure half of a Cortex-M33, on QEMU's board `mps2-an505`.
//!
//! It has the keys and the counters of the streams to itself. Code of the normal half, whatever it
//! is, gets tags and verdicts by the two calls of `gateway`, and nothing else: a load, a store or a
//! jump into this half is a fault of the core, which ends the run with its place.
#![no_std]
#![no_main]
#![feature(cmse_nonsecure_entry)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod failure;
mod gateway;
mod keys;
mod memory;
mod module;
mod partition;
mod start;

waywarden_firmware_note::note!("machine=mps2-an505 purpose=the secure half of a Cortex-M33");
