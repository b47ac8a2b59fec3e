//! Declarations of types, near to their ASN.1. From one declaration come the type, how it is read
//! and shown to visitors, and how it is written: the three cannot differ.

mod choice;
mod leaf;
mod sequence;

pub(crate) use choice::choice;
pub(crate) use leaf::{enumerated, number, octets, version};
pub(crate) use sequence::sequence;
