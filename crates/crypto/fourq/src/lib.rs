#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![allow(long_running_const_eval)]

#[cfg(test)]
extern crate std;

mod backend;
mod batch;
mod constants;
mod curve;
mod decompose;
pub mod dh;
mod encoding;
mod endomorphism;
mod field2;
mod look_up;
mod multiply;
mod power;
mod scalar;
mod schnorrq;
#[cfg(feature = "signature")]
mod signature_traits;
mod subgroup;
#[cfg(test)]
mod tests;

pub use batch::{BatchError, Item, verify_batch};
pub use encoding::{DecodeError, EncodedFourQPoint, FourQPoint};
pub use schnorrq::{
    SchnorrQSignature, SchnorrQVerifyError, SignatureLengthError, SigningKey, VerifyingKey,
};
