#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`KeyStore`], and [`SoftwareStore`], which implements it; [`ecqv`], [`ecies`] and [`butterfly`]
//! have what IEEE 1609.2 computes with keys.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

mod arithmetic;
#[cfg(feature = "aws-lc")]
mod aws_lc;
pub mod butterfly;
pub mod ccm;
mod curves;
pub mod ecies;
pub mod ecqv;
mod error;
mod key_store;
mod point;
mod precomputed;
mod secret;
mod signature;
mod slots;
mod software;

#[cfg(feature = "aws-lc")]
pub use aws_lc::AwsLcStore;
pub use error::KeyError;
pub use key_store::{Capabilities, KeyHandle, KeyStore, Nonce, Uses};
pub use point::compressed;
pub use precomputed::PrecomputedNonces;
pub use secret::{PrivateKey, SharedSecret};
pub use signature::{NonceForm, Signature};
pub use software::SoftwareStore;
