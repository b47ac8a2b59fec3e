#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! [`SecurityModule`] and [`LasanEcu`] are [`Node`](waywarden_can::node::Node)s, generic over a
//! [suite](LasanSuite) and given their memory. All parties agree on [`NetworkSettings`] beforehand;
//! a
//! [`PartyDirectory`] has each party's knowledge of the others. Messages, choices and the security
//! argument are in `docs/protocols/lasan.md` of the repository, after \[LASAN\].
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(test)]
extern crate std;

mod access;
#[cfg(feature = "alloc")]
mod builder;
mod certificate;
mod credential;
mod ecu;
mod event;
mod grant;
mod identifier;
mod inbox;
mod length;
mod module;
mod name;
mod outbox;
mod profile;
mod session;
mod settings;
mod station;
mod stream;
mod suites;
mod transcript;

pub use access::{AddressSet, Permission, StreamId};
#[cfg(feature = "alloc")]
pub use builder::{NetworkBuilder, NetworkError, SharedLasanConfiguration};
pub use certificate::{CertificateError, CertificateStatement, SubjectRole, Validity, issue};
pub use credential::{enrolled_digest, public_key};
pub use ecu::{EcuArrays, EcuStorage, LasanEcu, PartyIdentity};
pub use event::{DenialReason, EcuEvent, HandshakeFailure, ModuleEvent};
pub use identifier::{EVERY_ECU, IDENTIFIERS, LasanFrameReader, LasanHeader, LasanKind};
pub use length::{Lengths, Sizes, TAG_LENGTH};
pub use module::{
    ModuleArrays, ModuleCapacity, ModuleError, ModuleMessages, ModuleStorage, ReplaceError,
    SecurityModule,
};
pub use name::{NAME_LENGTH, Name, NetworkTime};
pub use profile::{Credentials, LasanProfile};
pub use settings::{
    LasanConfiguration, LasanTiming, NetworkSettings, PARTIES_MAX, Party, PartyDirectory,
};
pub use stream::{PROTECTION_LENGTH, ProtectedOutcome, StreamProtectError};
#[cfg(feature = "alloc")]
pub use suites::AnyLasanSuite;
#[cfg(feature = "p256")]
pub use suites::EcdheEcdsa;
pub use suites::{AuthenticationSuite, FourQSchnorrQ, LasanSuite, SUITES};
#[cfg(feature = "post-quantum")]
pub use suites::{HybridMlDsa65, MlKem768MlDsa44, MlKem768MlDsa65};
#[cfg(feature = "fn-dsa")]
pub use suites::{MlKem512FnDsa512, MlKem768FnDsa1024};
pub use waywarden_key_roles::{
    Address, FixedBits, IdPattern, IdentifierPlan, IdentifierPlanError, Transport,
};
