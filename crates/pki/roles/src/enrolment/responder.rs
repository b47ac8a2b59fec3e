//! Common part of both authorities: opens requests, and signs and encrypts responses.

use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_signing::{Decrypted, DecryptionKeys, Recipient};
use waywarden_v2x_wire::ieee1609dot2::Time64;

use super::message::{
    EnrolmentLimits, MessageError, MessageKey, RequestHashOf, RequestHashes, open,
};
use super::refusal::RequestRefusal;
use super::registry::AnswerStore;
use super::respond::{RequestAnswer, respond};
use super::ssp;
use crate::authority::Authority;
use crate::error::IssueError;
use crate::seeds::Seeds;
use crate::validity_grid::ValidityGrid;

/// An authority that answers requests.
pub(super) struct Responder {
    pub(super) authority: Authority,
    pub(super) keys: DecryptionKeys,
    pub(super) limits: EnrolmentLimits,
    pub(super) request_hash_of: RequestHashOf,
    /// Times on which tickets begin and end.
    pub(super) grid: ValidityGrid,
}

impl Responder {
    /// Takes an authority and the private key of its certificate's encryption key. The certificate
    /// must permit these messages.
    pub(super) fn new(
        authority: Authority,
        decryption_key: KeyHandle,
        messages: &[u8],
    ) -> Result<Self, IssueError> {
        let certificate = authority.credential().certificate();
        if !messages.iter().all(|bit| ssp::permits(certificate, *bit)) {
            return Err(IssueError::Contents {
                field: "appPermissions",
                why: "the authority's certificate does not permit its messages",
            });
        }
        let view = certificate.view();
        let view = view.map_err(waywarden_v2x_security::Refusal::from)?;
        let recipient = Recipient::certificate(&view)?;
        let keys = DecryptionKeys::new().with_private_key(recipient, decryption_key);
        Ok(Self {
            authority,
            keys,
            limits: EnrolmentLimits::DEFAULT,
            request_hash_of: RequestHashOf::default(),
            grid: ValidityGrid::WEEK,
        })
    }

    /// Opens a station's request. One that was answered gets its answer again: the same bytes tell
    /// an attacker nothing, and a station that lost them gets them.
    pub(super) fn opened<S: KeyStore + ?Sized, A: AnswerStore + ?Sized, T>(
        &self,
        store: &mut S,
        answers: &A,
        request: &[u8],
    ) -> Result<(Decrypted, RequestHashes), RequestAnswer<T>> {
        let opened =
            open(store, &self.keys, request, &self.limits).map_err(RequestAnswer::silent)?;
        let hashes = self.request_hash_of.hashes(request, &opened.data);
        match answers.answer(&hashes.remembered) {
            Ok(None) => Ok((opened, hashes)),
            Ok(response) => {
                let outcome = Err(RequestRefusal::Replayed);
                Err(RequestAnswer { response, outcome })
            }
            Err(failure) => Err(RequestAnswer::silent(failure)),
        }
    }

    /// Refuses a request whose answer may be forgotten: it is not told from one that was answered.
    /// To be called once the answer was looked for, since another process may forget it between.
    pub(super) fn check_remembered<A: AnswerStore + ?Sized>(
        answers: &A,
        generated: Time64,
    ) -> Result<(), RequestRefusal> {
        let until = answers.forgotten_until()?;
        match until.is_some_and(|until| generated <= until) {
            true => Err(RequestRefusal::Forgotten),
            false => Ok(()),
        }
    }

    /// Signs a response and encrypts it under the request's key.
    pub(super) fn respond<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        response: &[u8],
        key: &MessageKey,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, MessageError> {
        respond(
            store,
            self.authority.credential(),
            response,
            key,
            now,
            seeds,
        )
    }
}
