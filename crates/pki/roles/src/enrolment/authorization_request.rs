//! A station asks for an authorization ticket \[TS 102 941 §6.2.3.3\].

use std::sync::Arc;

use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_security::{Verified, Verifier};
use waywarden_v2x_signing::{Credential, PayloadToSign, Recipient, Seed, wire_key, written};
use waywarden_v2x_wire::coer::{NestedEncoding, Raw, UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AuthorizationResponseCode, CertificateFormat, EcSignature, EtsiTs102941DataContent,
    InnerAtRequest, PublicKeys, SharedAtRequest,
};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedData, Ieee1609Dot2Content, Ieee1609Dot2Data, Time64, Version3,
};

use super::attributes::with_attributes;
use super::key_tag::key_tag;
use super::message::{
    EnrolmentLimits, MessageError, MessageFault, Signer, content, message_key, request_hash,
    seal_to, sign_payload,
};
use super::respond::message;
use super::response::{Asked, Awaited, ResponseRefusal};
use super::ssp;
use crate::authority::verification_key;
use crate::contents::Contents;
use crate::seeds::Seeds;

/// A station's request for a ticket, and the authorities that it goes to.
#[derive(Clone, Copy)]
pub struct TicketRequest<'r> {
    /// The enrolment credential.
    pub credential: &'r Credential,
    /// The ticket's key: a new key that signs.
    pub key: KeyHandle,
    /// Requested contents of the ticket; its encryption key, if there is one, is certified, too.
    pub contents: &'r Contents,
    /// Authority that issued the credential.
    pub enrolment_authority: &'r Verified,
    /// Authority that issues the ticket.
    pub authorization_authority: &'r Arc<Verified>,
    /// True if the credential's signature is encrypted to the enrolment authority, so that the
    /// other one learns nothing of the station.
    pub is_private: bool,
    /// True if the ticket's key signs the request.
    pub proves_possession: bool,
}

/// A request for a ticket was made; its response is to be opened.
#[derive(Clone)]
pub struct PendingAuthorization {
    awaited: Awaited,
    asked: Asked,
}

/// Asks for a ticket: the message to send, and what its response is opened with.
///
/// # Errors
/// [`MessageError`].
pub fn request_authorization<S: KeyStore + ?Sized>(
    store: &mut S,
    request: &TicketRequest<'_>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<(Vec<u8>, PendingAuthorization), MessageError> {
    let recipient = Recipient::certificate(&request.authorization_authority.view()?)?;
    let public = store.public_key(request.key)?;
    let encryption_key = request.contents.encryption_key.as_ref();
    let public_keys = PublicKeys {
        verification_key: verification_key(&public),
        encryption_key: encryption_key.map(wire_key).transpose()?,
    };
    let hmac_key = Seed::new(*seeds.next()).derive::<32>("hmacKey", 0);
    let shared = shared_request(request, &key_tag(&hmac_key, &public_keys)?)?;
    let signature = ec_signature(store, request, &shared, now, seeds)?;
    let signature: Ieee1609Dot2Data<'_> = parse(&signature)?;
    let signature = NestedEncoding::Value(&signature);
    let payload = message(EtsiTs102941DataContent::AuthorizationRequest(
        InnerAtRequest {
            public_keys,
            hmac_key: &hmac_key,
            shared: parse::<Raw<'_, SharedAtRequest<'_>>>(&shared)?,
            ec_signature: match request.is_private {
                true => EcSignature::Encrypted(signature),
                false => EcSignature::Plain(signature),
            },
            unknown: UnknownAdditions::default(),
        },
    ))?;
    let data = if request.proves_possession {
        let signer = Signer::OwnKey(request.key);
        sign_payload(store, signer, PayloadToSign::Data(&payload), now, seeds)?
    } else {
        written(&Ieee1609Dot2Data {
            version: Version3,
            content: Ieee1609Dot2Content::Unsecured(&payload),
        })?
    };
    let key = message_key(seeds);
    let sealed = seal_to(&recipient, &key, &data, seeds)?;
    let pending = PendingAuthorization {
        awaited: Awaited {
            key,
            hashes: [request_hash(&data), request_hash(&sealed)],
            authority: Arc::clone(request.authorization_authority),
            permission: ssp::AUTHORIZATION_RESPONSE,
        },
        asked: Asked {
            key: public,
            contents: request.contents.clone(),
        },
    };
    Ok((sealed, pending))
}

/// Writes what both authorities see.
fn shared_request(
    request: &TicketRequest<'_>,
    key_tag: &[u8; 16],
) -> Result<Vec<u8>, MessageError> {
    Ok(with_attributes(request.contents, |attributes| {
        written(&SharedAtRequest {
            ea_id: request.enrolment_authority.id(),
            key_tag,
            certificate_format: CertificateFormat::TS_103_097,
            attributes,
            unknown: UnknownAdditions::default(),
        })
    })??)
}

/// Signs the shared part with the credential, and encrypts the signature if that is wanted.
fn ec_signature<S: KeyStore + ?Sized>(
    store: &mut S,
    request: &TicketRequest<'_>,
    shared: &[u8],
    now: Time64,
    seeds: &mut Seeds,
) -> Result<Vec<u8>, MessageError> {
    let hash = request_hash(shared);
    let payload = PayloadToSign::Hash(HashedData::Sha256(&hash));
    let signer = Signer::Credential(request.credential);
    let signed = sign_payload(store, signer, payload, now, seeds)?;
    if !request.is_private {
        return Ok(signed);
    }
    let recipient = Recipient::certificate(&request.enrolment_authority.view()?)?;
    seal_to(&recipient, &message_key(seeds), &signed, seeds)
}

impl PendingAuthorization {
    /// Opens the response; returns the ticket, verified. `verifier` trusts the root and knows the
    /// authorization authority. A response that is refused changes nothing: another one may come.
    ///
    /// # Errors
    /// [`ResponseRefusal`]; [`ResponseRefusal::Denied`] has the authority's code.
    pub fn open<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        verifier: &Verifier,
        response: &[u8],
        now: Time64,
        limits: &EnrolmentLimits,
    ) -> Result<Arc<Verified>, ResponseRefusal<AuthorizationResponseCode>> {
        let payload = self.awaited.open(store, response, now, limits)?;
        let EtsiTs102941DataContent::AuthorizationResponse(response) = content(&payload)? else {
            return Err(MessageFault::Content("authorizationResponse").into());
        };
        let issued = response.certificate.as_ref();
        let issued = (response.request_hash, issued.ok_or(response.response_code));
        self.awaited.certificate(verifier, issued, &self.asked)
    }
}
