#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]

#[cfg(any(test, feature = "alloc"))]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod backend;
mod curves;
mod ecqv;
mod encoding;
mod group;
mod job;
#[cfg(any(test, target_arch = "x86_64"))]
mod lanes;
mod limbs;
mod multiply;
mod request;
mod residue;
mod sample;
#[cfg(any(test, feature = "alloc"))]
mod verifier;
mod verify;

pub use curves::{Curve, negated};
pub use ecqv::{RebuildError, rebuild, rebuild_sec4};
pub use encoding::{EncodedPoint, Point, PointError, Sec1};
pub use job::{EncodedSignature, Job, JobKey, SenderId, SignatureRefusal, Verdict};
pub use sample::{JobSample, Multiples, SampleCertificate};
#[cfg(any(test, feature = "alloc"))]
pub use verifier::{Memory, SignatureVerifier};
pub use verify::{lanes, use_vectors, verify, verify_many};

#[cfg(test)]
mod tests;
