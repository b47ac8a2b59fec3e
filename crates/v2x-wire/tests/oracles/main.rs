//! What others make of what we write, and we of what they write.

#[path = "../support/mod.rs"]
mod support;

mod pycrate;
mod rasn;
