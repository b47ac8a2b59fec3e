//! The authorities of a V2X public key infrastructure in a folder: they are made, issue, renew and
//! revoke certificates, and sign the lists that receivers need.
//!
//! The command `waywarden pki` and the bindings to other languages do the same by these calls:
//!
//! | call | does |
//! |---|---|
//! | [`create()`] | makes the authorities of a new PKI |
//! | [`issue()`], [`enrol`], [`renew()`] | issue certificates |
//! | [`revoke()`] | revokes certificates and vehicles |
//! | [`make_crl`], [`make_ctl`] | make and sign lists |
//! | [`station::enrol_from`] | gets certificates of a server |
//! | [`pseudonyms::issue`] | issues pseudonyms in batches |
//! | [`misbehaviour::decide`] | decides on misbehaviour reports |
#![forbid(unsafe_code)]

pub mod clock;
mod create;
mod crl;
pub mod ctl;
mod error;
mod issue;
pub mod issuer;
mod known_key;
mod list;
mod list_time;
pub mod misbehaviour;
mod note;
mod order;
pub mod profile;
pub mod pseudonyms;
mod renew;
mod revocation_lists;
mod revoke;
mod revoked_seeds;
mod root_crl;
mod root_list;
pub mod specification;
pub mod station;

pub use self::create::{NewKeys, NewPki, create};
pub use self::crl::make_crl;
pub use self::ctl::{MadeCtl, NewCtl, make_ctl};
pub use self::error::PkiError;
pub use self::issue::{
    COUNT_MAX, CertificateForm, NewCertificates, NewCredential, NewPeriod, enrol, issue,
};
pub use self::note::{Note, Notes, ignore};
pub use self::order::Issued;
pub use self::renew::renew;
pub use self::revocation_lists::{CrlKind, MadeCrl, MadeCrls, NewCrl};
pub use self::revoke::{Revocations, Revoked, revoke};
