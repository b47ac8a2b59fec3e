//! The data of IEEE 1609.2-2022: secured messages, certificates and revocation lists.
//!
//! Names are those of the standard; each type cites its clause. What is checked in reading is what
//! the ASN.1 says, and nothing else: whether a certificate may do what it does is a question for
//! `waywarden-v2x-security`.

mod basic;
mod certificate;
mod crl;
mod curve;
mod data;
mod encrypted;
mod header;
mod peer;
mod permission;
mod region;

pub use basic::*;
pub use certificate::*;
pub use crl::*;
pub use curve::*;
pub use data::*;
pub use encrypted::*;
pub use header::*;
pub use peer::*;
pub use permission::*;
pub use region::*;
