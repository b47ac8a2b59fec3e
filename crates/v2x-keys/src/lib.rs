//! Private keys of V2X behind one seam, and what IEEE 1609.2 does with them: ECDSA signatures,
//! implicit certificates (ECQV), butterfly key expansion and encryption to a public key (ECIES).
//!
//! [`KeyStore`] is the only way to a private key: keys go by [`KeyHandle`], and no call returns
//! one. [`SoftwareStore`] keeps them in memory and computes with the constant-time curves of
//! RustCrypto; a store that a chip keeps fits the same trait, and says by [`Capabilities`] what it
//! cannot do. No clock, no random generator, no allocation: seeds come from the caller. The feature
//! `aws-lc` brings `AwsLcStore`, which needs `std` and signs several times as fast.
//!
//! ```
//! use waywarden_ecverify::{Curve, Job, Key, verify};
//! use waywarden_v2x_keys::{KeyStore, Nonce, NonceForm, SoftwareStore, Uses};
//!
//! # fn main() -> Result<(), waywarden_v2x_keys::KeyError> {
//! // In a real device both seeds come from the operating system.
//! let mut store = SoftwareStore::<4>::new();
//! let key = store.generate(Curve::P256, Uses::SIGN, &[7; 32])?;
//! let nonce = Nonce::Hedged { entropy: &[8; 32] };
//! let signature = store.sign(key, &[0x2a; 32], nonce, NonceForm::Point)?;
//!
//! let public = store.public_key(key)?;
//! let job = Job {
//!     curve: Curve::P256,
//!     digest: &[0x2a; 32],
//!     signature: signature.encoded(),
//!     key: Key::Explicit(public.uncompressed()),
//!     sender: None,
//! };
//! assert_eq!(verify(&job), Ok(()));
//! # Ok(())
//! # }
//! ```
#![no_std]
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
