//! A station asks for an enrolment credential \[TS 102 941 §6.2.3.2\].

use std::sync::Arc;

use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_security::{Verified, Verifier};
use waywarden_v2x_signing::{Credential, PayloadToSign, Recipient, wire_key, written};
use waywarden_v2x_wire::coer::{NestedEncoding, UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    CertificateFormat, EnrolmentResponseCode, EtsiTs102941DataContent, InnerEcRequest, PublicKeys,
};
use waywarden_v2x_wire::ieee1609dot2::{Ieee1609Dot2Data, Time64};

use super::attributes::with_attributes;
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

/// The station that asks for a credential.
#[derive(Clone, Copy)]
pub enum Requester<'r> {
    /// A registered station, with its canonical key: its first credential.
    Registered {
        /// The canonical identifier.
        canonical_id: &'r [u8],
        /// The canonical private key.
        key: KeyHandle,
    },
    /// A station with a credential: the next one.
    Enrolled(&'r Credential),
}

/// A request for a credential was made; its response is to be opened.
#[derive(Clone)]
pub struct PendingEnrolment {
    awaited: Awaited,
    asked: Asked,
}

/// Asks for a credential for `key`, a new key that signs: the message to send, and what its
/// response is opened with. `contents` says what the credential shall say; its encryption key, if
/// there is one, is certified, too.
///
/// # Errors
/// [`MessageError`].
pub fn request_enrolment<S: KeyStore + ?Sized>(
    store: &mut S,
    requester: Requester<'_>,
    key: KeyHandle,
    contents: &Contents,
    authority: &Arc<Verified>,
    now: Time64,
    seeds: &mut Seeds,
) -> Result<(Vec<u8>, PendingEnrolment), MessageError> {
    let recipient = Recipient::certificate(&authority.view()?)?;
    let public = store.public_key(key)?;
    let id;
    let (its_id, signer) = match requester {
        Requester::Registered { canonical_id, key } => (canonical_id, Signer::OwnKey(key)),
        Requester::Enrolled(credential) => {
            id = credential.id().0;
            (&id[..], Signer::Credential(credential))
        }
    };
    let encryption_key = contents.encryption_key.as_ref().map(wire_key).transpose()?;
    let inner = with_attributes(contents, |attributes| {
        written(&InnerEcRequest {
            its_id,
            certificate_format: CertificateFormat::TS_103_097,
            public_keys: PublicKeys {
                verification_key: verification_key(&public),
                encryption_key,
            },
            attributes,
            unknown: UnknownAdditions::default(),
        })
    })??;
    // The new key signs first, then the station.
    let possession = PayloadToSign::Data(&inner);
    let possession = sign_payload(store, Signer::OwnKey(key), possession, now, seeds)?;
    let possession: Ieee1609Dot2Data<'_> = parse(&possession)?;
    let payload = message(EtsiTs102941DataContent::EnrolmentRequest(
        NestedEncoding::Value(&possession),
    ))?;
    let signed = sign_payload(store, signer, PayloadToSign::Data(&payload), now, seeds)?;
    let key = message_key(seeds);
    let sealed = seal_to(&recipient, &key, &signed, seeds)?;
    let pending = PendingEnrolment {
        awaited: Awaited {
            key,
            hashes: [request_hash(&signed), request_hash(&sealed)],
            authority: Arc::clone(authority),
            permission: ssp::ENROLMENT_RESPONSE,
        },
        asked: Asked {
            key: public,
            contents: contents.clone(),
        },
    };
    Ok((sealed, pending))
}

impl PendingEnrolment {
    /// Opens the response; returns the credential, verified. `verifier` trusts the root and knows
    /// the enrolment authority. A response that is refused changes nothing: another one may come.
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
    ) -> Result<Arc<Verified>, ResponseRefusal<EnrolmentResponseCode>> {
        let payload = self.awaited.open(store, response, now, limits)?;
        let EtsiTs102941DataContent::EnrolmentResponse(response) = content(&payload)? else {
            return Err(MessageFault::Content("enrolmentResponse").into());
        };
        let issued = response.certificate.as_ref();
        let issued = (response.request_hash, issued.ok_or(response.response_code));
        self.awaited.certificate(verifier, issued, &self.asked)
    }
}
