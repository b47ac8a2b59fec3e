//! Bytes that no station should send: refused with their reason, never a panic, and never two
//! encodings of one value.

mod bytes;
mod rules;
mod structures;
mod visitor;
