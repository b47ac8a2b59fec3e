//! The sending half of V2X security: messages of IEEE 1609.2 and ETSI TS 103 097 signed, encrypted
//! and decrypted.
//!
//! A [`Credential`] is a certificate whose chain was verified, and the handle of its private key in
//! a [`KeyStore`](waywarden_v2x_keys::KeyStore). [`sign`](fn@sign) makes a signed message of a
//! payload and a header, and refuses what a receiver would: an application that the certificate
//! does not permit, a time or place outside of it. A [`Sender`] signs a station's messages by the
//! profiles of their applications, and asks for and gives certificates. [`encrypt`](fn@encrypt)
//! encrypts to any number of [`Recipient`]s, [`decrypt`](fn@decrypt) reads what is for one of our
//! keys. No clock, no random generator: times and seeds come from the caller.
#![no_std]
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
mod written;

pub use credential::{Credential, CredentialError, hash_of};
pub use decrypt::{DecryptError, Decrypted, DecryptionKeys, decrypt, decrypt_with_key};
pub use distribution::{Additions, CertificateDistribution, Throttle};
pub use encrypt::{encrypt, encrypt_to_symmetric_key, encrypt_under, encrypt_with_key};
pub use error::{EncryptError, SignError};
pub use profile::{CertificateExchange, CertificateRule, SendingProfile};
pub use recipient::{RECIPIENTS_MAX, Recipient, RecipientId, encryption_key, wire_key};
pub use seed::Seed;
pub use sender::{Sender, SendingOptions, Statement};
pub use sign::{
    Message, Payload, SignerForm, SigningOptions, sign, sign_for_oneself, sign_unchecked,
};
pub use written::written;
