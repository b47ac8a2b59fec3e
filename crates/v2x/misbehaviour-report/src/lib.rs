#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! A station writes a [`Draft`], signs it by [`sign_report`] and encrypts it by [`encrypt_report`].
//! The authority takes it by [`open_report`] and [`verify_report`], and [`Evidence::verify`] tells
//! whether the accused signed what is reported. [`layout`] has the structures.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod draft;
mod evidence;
pub mod layout;
mod observation;
mod secured;

pub use draft::{Draft, OBSERVATIONS_MAX, encrypted_report, signed_report};
pub use evidence::{Evidence, EvidenceFault, Shown, shows};
pub use observation::ObservationKind;
pub use secured::{
    REPORT_BYTES_MAX, ReportRefusal, SealError, VerifiedReport, encrypt_report, open_report,
    sign_report, verify_report,
};
