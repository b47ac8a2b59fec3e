//! Answers of an authority.

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_signing::{Credential, PayloadToSign, written};
use waywarden_v2x_wire::etsi102941::{DataVersion1, EtsiTs102941Data, EtsiTs102941DataContent};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::message::{MessageError, MessageKey, Signer, seal_under, sign_payload};
use super::refusal::RequestRefusal;
use crate::seeds::Seeds;

/// Answer of an authority, and the outcome of the request.
#[derive(Debug)]
pub struct RequestAnswer<T> {
    /// The response, to be sent. `None` if the requester cannot be answered: without its key
    /// nothing can be encrypted to it.
    pub response: Option<Vec<u8>>,
    /// The grant, or the reason for the refusal.
    pub outcome: Result<T, RequestRefusal>,
}

impl<T> RequestAnswer<T> {
    /// Nothing is answered.
    pub(super) fn silent(refusal: impl Into<RequestRefusal>) -> Self {
        Self {
            response: None,
            outcome: Err(refusal.into()),
        }
    }
}

/// Writes what a message carries.
pub(super) fn message(content: EtsiTs102941DataContent<'_>) -> Result<Vec<u8>, MessageError> {
    Ok(written(&EtsiTs102941Data {
        version: DataVersion1,
        content,
    })?)
}

/// Signs a response and encrypts it under the request's key.
pub(super) fn respond<S: KeyStore + ?Sized>(
    store: &mut S,
    authority: &Credential,
    response: &[u8],
    key: &MessageKey,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, MessageError> {
    let signer = Signer::Credential(authority);
    let signed = sign_payload(store, signer, PayloadToSign::Data(response), now, seeds)?;
    seal_under(key, &signed, seeds)
}
