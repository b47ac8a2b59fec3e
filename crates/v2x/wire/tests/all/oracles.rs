//! What others make of what we write, and we of what they write.

mod pycrate;
mod rasn;
