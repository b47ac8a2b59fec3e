//! For public data only: verifies ECDSA signatures and rebuilds ECQV keys, in variable time.
//!
//! Nothing here may ever see a secret: branches, table look-ups and run times depend on every
//! input. It verifies what IEEE 1609.2 and ETSI TS 103 097 sign with P-256, P-384,
//! brainpoolP256r1 and brainpoolP384r1, by explicit keys and by implicit certificates, one
//! signature or many at a time. Bytes come in and verdicts come out; hashing, certificates and
//! their chains are the caller's. `no_std` and without dependencies; nothing is allocated but by
//! `Verifier`, which the feature `alloc` brings, and which remembers the keys that it meets again.
//!
//! ```
//! use p256::ecdsa::signature::hazmat::PrehashSigner;
//! use waywarden_ecverify::{Curve, EncodedPoint, Job, Key, Refusal, Signature, Verdict};
//! use waywarden_ecverify::{rebuild, verify, verify_many};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A sender signs a hash.
//! let digest = [0x2a; 32];
//! let secret = p256::ecdsa::SigningKey::from_slice(&[0x5e; 32])?;
//! let public = secret.verifying_key().to_sec1_point(false);
//! let signature: p256::ecdsa::Signature = secret.sign_prehash(&digest)?;
//! let (r, s) = signature.split_bytes();
//!
//! // The bytes arrive.
//! let key = EncodedPoint::from_sec1(public.as_bytes())?;
//! let good = Job {
//!     curve: Curve::P256,
//!     digest: &digest,
//!     signature: Signature { r: EncodedPoint::XOnly(&r), s: &s },
//!     key: Key::Explicit(key),
//!     sender: None,
//! };
//! assert_eq!(verify(&good), Ok(()));
//!
//! // Many at once, each with its own answer.
//! let forged = Job { digest: &[0x2b; 32], ..good };
//! let mut verdicts = [Verdict::Valid; 2];
//! verify_many(&[good, forged], &mut verdicts);
//! assert_eq!(verdicts, [Verdict::Valid, Verdict::Refused(Refusal::Equation)]);
//!
//! // The key of an implicit certificate: its reconstruction value, the issuer's key (here one and
//! // the same point), and the hash of both certificates.
//! let hash = [0x11; 32];
//! let rebuilt = rebuild(Curve::P256, &hash, &key.to_compressed(), &key)?;
//! assert_eq!(rebuilt.to_sec1_compressed().as_ref().len(), 33);
//! let implicit = Key::Implicit { e: &hash, reconstruction: key.to_compressed(), ca: key };
//! let explicit = Key::Explicit(rebuilt.uncompressed());
//! let answers = [implicit, explicit].map(|key| verify(&Job { key, ..good }));
//! assert_eq!(answers, [Err(Refusal::Equation); 2]);
//! # Ok(())
//! # }
//! ```
//!
//! `docs/ecverify.md` tells the forms of each input, the special cases and the sizes of the tables.
#![no_std]
#![deny(unsafe_code)]

#[cfg(any(test, feature = "alloc"))]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod backend;
mod curves;
mod ecqv;
mod encoding;
#[cfg(feature = "fuzzing")]
pub mod fuzz;
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
pub use job::{Job, Key, Refusal, Sender, Signature, Verdict};
pub use sample::{Multiples, Sample};
#[cfg(any(test, feature = "alloc"))]
pub use verifier::{Memory, Verifier};
pub use verify::{lanes, verify, verify_many};

#[cfg(test)]
mod tests;
