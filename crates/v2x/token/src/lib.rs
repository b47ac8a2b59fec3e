//! A PKCS#11 token (a smart card, a hardware security module, SoftHSM2) as a store of private keys.
//!
//! [`Pkcs11Token`] implements [`KeyStore`](waywarden_v2x_keys::KeyStore): it makes EC keys in the
//! token, signs digests (`CKM_ECDSA`) and agrees on secrets (`CKM_ECDH1_DERIVE`). Keys never leave
//! the token and survive the process; a [`KeyUri`] names them \[RFC 7512\].
//!
//! What takes arithmetic with the private scalar is `Unsupported`: a contribution to an implicit
//! certificate is r = e k + d mod n, and no mechanism of PKCS#11 computes it. So an authority whose
//! key is in a token issues explicit certificates.
//!
//! A token blocks a PIN after a few wrong ones. [`Pkcs11Token::open`] logs in exactly once, and
//! never if the token says that the PIN is locked.
#![forbid(unsafe_code)]

#[cfg(feature = "pkcs11")]
mod curve;
mod error;
#[cfg(feature = "pkcs11")]
mod store;
#[cfg(feature = "pkcs11")]
mod token;
mod uri;

pub use error::TokenError;
#[cfg(feature = "pkcs11")]
pub use token::{Pkcs11Token, TokenSelector};
pub use uri::KeyUri;
