//! The laboratory for a page in a web browser: vehicles checked and run, V2X messages inspected and
//! verified. `xtask/playground` builds it for WebAssembly; the README has the decisions.
//!
//! [`vehicle`] and [`messages`] are what a page asks for, as safe functions over text. [`exports`]
//! are the same behind the pointers of a module. Nothing here opens a file or reads a clock: what
//! the page does not give is not there.
//!
//! # Pointers
//!
//! For every function of [`exports`]: a text is a pointer of `waywarden_allocate` with the length
//! beside it, and an answer a pointer that a function of this crate returned and that is not freed.
#![allow(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod answer;
pub mod exports;
mod host;
pub mod messages;
mod named_files;
pub mod vehicle;
