//! The security services of V2X: signed messages of IEEE 1609.2 and ETSI TS 103 097 are verified,
//! and every refusal says which check failed, at which certificate and which field.
//!
//! No clock, no socket, no file: the time and the place come in with each message. Verification has
//! two phases, so that work can be gathered: [`Verifier::prepare`] reads, builds the chain and
//! holds everything but signatures against the rules; what is left is a short list of jobs for
//! `waywarden-ecverify`; [`Verifier::commit`] takes their verdicts, and only it changes anything.
//! Read IEEE 1609.2-2022 clauses 5 and 6 first.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod batch;
mod chain;
mod circumstances;
pub mod hash;
mod key;
mod knowledge;
mod list;
mod permission;
mod prepare;
pub mod profile;
pub mod region;
mod replay;
pub mod result;
pub mod revocation;
mod rules;
mod signed;
pub mod store;
pub mod time;
mod twin;
mod verifier;

pub use batch::Received;
pub use circumstances::Circumstances;
pub use key::encoded;
pub use permission::PermissionFault;
pub use prepare::{JOBS_MAX, Prepared};
pub use profile::{Profiles, SecurityProfile};
pub use replay::{ReplayCache, Stream};
pub use result::{Reason, Refusal, ResultCode};
pub use revocation::Revocations;
pub use signed::verify_signature;
pub use store::{CertificateStore, Verified};
pub use verifier::{
    Accepted, CERTIFICATES, MESSAGES, TABLES, Verifier, verify_certificate_signature,
};
