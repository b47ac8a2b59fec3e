//! The authorities of a V2X public key infrastructure in a folder: they are made, issue, renew and
//! revoke certificates, and sign the lists that receivers need.
//!
//! The command `waywarden pki` and the bindings to other languages do the same by these calls.
#![forbid(unsafe_code)]

pub mod clock;
pub mod issuer;
pub mod known_key;
pub mod list;
pub mod list_time;
pub mod profile;
pub mod pseudonyms;
pub mod revoked_seeds;
pub mod root_crl;
pub mod root_list;
pub mod specification;
