//! Contents of CAM, DENM and BSM checked against their signer's certificate, without I/O.
//!
//! IEEE 1609.2 ends where the payload begins. What a certificate permits inside a payload stands
//! in the standards of the messages: \[EN 302 637-2 §6.2.2\] and \[TS 103 900\] for CAM,
//! \[EN 302 637-3 §6.2.2\] and \[TS 103 831\] for DENM. Call [`check_accepted`] on an accepted
//! message. The result stands beside the standard's result name and never changes it.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod check;
mod content;
mod ssp;

pub use check::{
    NotChecked, PayloadCheck, PayloadContradiction, SignedPayload, Subject, check, check_accepted,
};
pub use ssp::{SspBits, permission_names};

#[cfg(test)]
mod tests;
