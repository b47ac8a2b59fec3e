#![doc = include_str!("../README.md")]
//!
//! # Where to begin
//!
//! A [`Credential`] is a certificate whose chain was verified, and the handle of its private key in
//! a [`KeyStore`](waywarden_v2x_keys::KeyStore). A [`MessageSigner`] signs a station's messages;
//! [`sign`](fn@sign) signs one. [`encrypt`](fn@encrypt) encrypts to any number of [`Recipient`]s,
//! [`decrypt`](fn@decrypt) reads what is for one of our keys.
#![no_std]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

extern crate alloc;

mod credential;
mod decrypt;
mod distribution;
mod encrypt;
mod error;
mod profile;
mod recipient;
mod seed;
mod sender;
mod sign;
mod throttle;
mod written;

pub use credential::{Credential, CredentialError, hash_of};
pub use decrypt::{DecryptError, Decrypted, DecryptionKeys, decrypt, decrypt_with_key};
pub use distribution::{
    CertificateDistribution, MessageAdditions, Observation, OfferOutcome, OfferedCertificate,
    OwnCertificates,
};
pub use encrypt::{encrypt, encrypt_to_symmetric_key, encrypt_under, encrypt_with_key};
pub use error::{EncryptError, SignError};
pub use profile::{CertificateExchange, CertificateRule, SendingProfile};
pub use recipient::{RECIPIENTS_MAX, Recipient, RecipientId, encryption_key, wire_key};
pub use seed::Seed;
pub use sender::{MessageSigner, SendingOptions, Statement};
pub use sign::{
    PayloadToSign, SignerForm, SigningOptions, UnsignedMessage, sign, sign_for_oneself,
    sign_unchecked,
};
pub use throttle::Throttle;
pub use written::written;
