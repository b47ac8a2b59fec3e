#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`Verifier::prepare`] reads, builds the chain and checks what is cheap to check; its signatures
//! are jobs for `waywarden-ecverify`, one after the other from the top of the chain;
//! [`Verifier::commit`] checks what the chain permits, and only it changes anything. [`Limits`]
//! bound what a message may cost before a signature has verified. Read IEEE 1609.2-2022 clauses 5
//! and 6 first.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod batch;
mod canonical;
mod certificates;
mod chain;
mod consistency;
mod context;
mod counterpart;
mod forms;
mod holder;
mod jobs;
mod key;
mod limits;
pub mod linkage;
mod list;
mod permission;
mod prepare;
mod prepared;
pub mod profile;
pub mod region;
mod replay;
pub mod result;
pub mod revocation;
mod revoked;
mod rules;
mod signed;
mod start;
mod state;
pub mod store;
pub mod time;
pub mod trust;
mod verifier;

pub use batch::{IncomingMessage, Lookahead, Refused};
pub use certificates::{PreparedCertificate, verify_certificate_signature};
pub use consistency::{ContentsFault, check_contents};
pub use context::{MessageSource, ReceptionContext};
pub use jobs::{SignatureJobs, verify_in_rounds};
pub use key::{encoded, signature_on, verification_point};
pub use limits::{Capacity, Limits, SIGNATURES_MAX};
pub use permission::{PermissionFault, may_request};
pub use prepared::Prepared;
pub use profile::{Profiles, SecurityProfile};
pub use replay::{ReplayCache, SignerStream};
pub use result::{Reason, Refusal, ResultCode};
pub use revocation::{AppliedCrl, CrlRefusal, ExpansionRefusal, Revocations};
pub use signed::{SignatureCheck, verify_own_signature, verify_signature, verify_signature_by};
pub use start::{CLOCK_TOLERANCE_US, StartTime};
pub use store::{CertificateStore, Verified};
pub use verifier::{Accepted, Verifier};
pub use waywarden_v2x_wire::hash;
