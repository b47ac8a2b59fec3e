//! The roles of a V2X public key infrastructure, as messages in and out: no file, no socket, no
//! clock.
//!
//! A [`Contents`] says what a certificate permits, where and when. An [`Authority`] has a
//! certificate that may issue others, and issues explicit and implicit ones. Whatever it issues it
//! verifies as a receiver would, so a permission, region or time that the authority's own chain
//! does not cover is refused by name before anyone has the certificate.
//! [`pseudonym`] issues batches of certificates that no role links alone.
//!
//! ```
//! use waywarden_ecverify::Curve;
//! use waywarden_v2x_keys::{KeyStore, SoftwareStore, Uses};
//! use waywarden_v2x_pki::{Authority, Contents, Seeds};
//! use waywarden_v2x_wire::ieee1609dot2::{Duration, Psid, Time32};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut store = SoftwareStore::<8>::new();
//! let mut seeds = Seeds::new([7; 32]); // in a real device of the operating system
//! let start = Time32(700_000_000);
//!
//! let root_key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
//! let contents = Contents::new(start, Duration::Years(10)).named("root").issuing_all();
//! let root = Authority::root(&mut store, root_key, &contents, &mut seeds)?;
//!
//! let station_key = store.generate(Curve::P256, Uses::SIGN, &seeds.next())?;
//! let contents = Contents::new(start, Duration::Hours(24)).permitting(Psid(36), &[1, 0, 0]);
//! let public = store.public_key(station_key)?;
//! let certificate = root.issue(&mut store, &contents, &public, &mut seeds)?;
//! assert!(root.verifier().verify_certificate(&certificate).is_ok());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod authority;
mod contents;
pub mod crl;
pub mod enrolment;
mod error;
pub mod multi_signed_ctl;
pub mod pseudonym;
mod read;
mod region;
mod seeds;
pub mod trust_list;
mod validity_grid;

pub use authority::{Authority, ImplicitCertificate, add_chain, verification_key};
pub use contents::{Contents, IssueGroup, PermissionRange, SspPermission};
pub use error::IssueError;
pub use region::{GeographicPoint, Region};
pub use seeds::Seeds;
pub use validity_grid::ValidityGrid;
