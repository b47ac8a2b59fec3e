//! Bytes that nobody should send: refused with their reason, never a panic, and never two encodings
//! of one value.

#[path = "../support/mod.rs"]
mod support;

mod bytes;
mod rules;
mod structures;
mod visitor;
