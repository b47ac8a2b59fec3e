//! The authorization authority: it opens a station's request, asks the enrolment authority, and
//! answers the station \[TS 102 941 §6.2.3.3\].

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_ecverify::Point;
use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_security::{Verified, verify_own_signature};
use waywarden_v2x_signing::{Decrypted, PayloadToSign, Recipient};
use waywarden_v2x_wire::coer::{UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AtResponseParts, AuthorityResponse, AuthorizationResponseCode, AuthorizationValidationRequest,
    AuthorizationValidationResponseCode, EtsiTs102941DataContent, InnerAtRequest,
};
use waywarden_v2x_wire::ieee1609dot2::{
    Duration, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, SignedData, SignerIdentifier,
    Time64, ValidityPeriod,
};

use super::attributes::seconds;
use super::authorization_step::{AuthorizationStep, IssuedTicket, PendingValidation};
use super::enrolment_authority::{check_format, encryption_key, public_key};
use super::key_tag::key_tag;
use super::message::{
    EnrolmentLimits, MessageError, MessageFault, MessageKey, RequestHashOf, RequestHashes, Signer,
    content, first_half, generation_time, message_key, payload, read_signed, request_hash, seal_to,
    sign_payload, unsecured,
};
use super::refusal::RequestRefusal;
use super::registry::{AnswerRecord, AnswerStore, Granted};
use super::respond::{RequestAnswer, message};
use super::responder::Responder;
use super::response::{Awaited, ResponseRefusal, is_valid};
use super::ssp;
use crate::authority::Authority;
use crate::contents::Contents;
use crate::error::IssueError;
use crate::seeds::Seeds;
use crate::validity_grid::ValidityGrid;

/// The authorization authority. It keeps nothing between messages but the certificates of the
/// enrolment authorities that it asks.
pub struct AuthorizationAuthority {
    base: Responder,
    demands_possession: bool,
    /// By the hash of their certificates; whether they are asked still.
    enrolment_authorities: BTreeMap<HashedId8, (Arc<Verified>, bool)>,
}

/// Contents of a request, once it was read and its keys were checked.
struct Opened<'m> {
    request: InnerAtRequest<'m>,
    public: Point,
    encryption_key: Option<Point>,
    /// Generation time; none without a proof of possession.
    generated: Option<Time64>,
}

impl AuthorizationAuthority {
    /// Takes an authority with [`ssp::AUTHORIZATION_AUTHORITY`] in its certificate, and the private
    /// key of the certificate's encryption key.
    ///
    /// # Errors
    /// As [`EnrolmentAuthority::new`](super::EnrolmentAuthority::new).
    pub fn new(authority: Authority, decryption_key: KeyHandle) -> Result<Self, IssueError> {
        let messages = [ssp::AUTHORIZATION_RESPONSE, ssp::VALIDATION_REQUEST];
        Ok(Self {
            base: Responder::new(authority, decryption_key, &messages)?,
            demands_possession: true,
            enrolment_authorities: BTreeMap::new(),
        })
    }

    /// Takes these bounds on messages.
    #[must_use]
    pub fn with_limits(mut self, limits: EnrolmentLimits) -> Self {
        self.base.limits = limits;
        self
    }

    /// Answers with the hash of these bytes of a request.
    #[must_use]
    pub fn with_request_hash_of(mut self, bytes: RequestHashOf) -> Self {
        self.base.request_hash_of = bytes;
        self
    }

    /// Takes another grid than that of weeks for the validity periods of tickets. One grid is that
    /// of all vehicles, and of all authorities that answer them.
    #[must_use]
    pub fn with_validity_grid(mut self, grid: ValidityGrid) -> Self {
        self.base.grid = grid;
        self
    }

    /// Takes requests without a proof of possession, too, which the standard permits: a station can
    /// then get a ticket for a key of another station, and cannot use it.
    #[must_use]
    pub fn without_proof_of_possession(mut self) -> Self {
        self.demands_possession = false;
        self
    }

    /// Returns the bounds on messages.
    #[must_use]
    pub fn limits(&self) -> &EnrolmentLimits {
        &self.base.limits
    }

    /// Returns the authority that issues.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.base.authority
    }

    /// Asks this enrolment authority, whose certificate has the same root.
    ///
    /// # Errors
    /// [`IssueError::Refused`] for a certificate that does not verify.
    pub fn add_enrolment_authority(
        &mut self,
        certificate: &[u8],
    ) -> Result<Arc<Verified>, IssueError> {
        let verified = self
            .base
            .authority
            .verifier()
            .verify_certificate(certificate)?;
        let known = (Arc::clone(&verified), true);
        self.enrolment_authorities.insert(verified.id(), known);
        Ok(verified)
    }

    /// Asks an enrolment authority no longer: it is revoked.
    pub fn revoke_enrolment_authority(&mut self, id: HashedId8) {
        if let Some((_, is_asked)) = self.enrolment_authorities.get_mut(&id) {
            *is_asked = false;
        }
    }

    /// Opens a station's request, and makes the message to the enrolment authority.
    pub fn receive<S: KeyStore + ?Sized, R: AnswerStore + ?Sized>(
        &self,
        store: &mut S,
        answers: &R,
        request: &[u8],
        now: Time64,
        seeds: &mut Seeds,
    ) -> AuthorizationStep {
        let (opened, hashes) = match self.base.opened(store, answers, request) {
            Ok(opened) => opened,
            Err(answer) => return AuthorizationStep::Done(answer),
        };
        let asked = self.ask((store, answers), &opened, &hashes, now, seeds);
        asked.unwrap_or_else(|refusal| {
            let refused = self.refuse(store, &hashes.answered, refusal, &opened.key, now, seeds);
            AuthorizationStep::Done(refused)
        })
    }

    /// Answers the station with what the enrolment authority said; `None`: it did not answer.
    pub fn finish<S: KeyStore + ?Sized, R: AnswerStore + ?Sized>(
        &self,
        store: &mut S,
        answers: &mut R,
        pending: &PendingValidation,
        response: Option<&[u8]>,
        now: Time64,
        seeds: &mut Seeds,
    ) -> RequestAnswer<IssuedTicket> {
        let (hash, key) = (&pending.hashes.answered, &pending.key);
        let certificate = match self.issue(store, pending, response, now, seeds) {
            Ok(certificate) => certificate,
            Err(refusal) => return self.refuse(store, hash, refusal, key, now, seeds),
        };
        let response = self.respond(store, hash, Ok(&certificate), key, now, seeds);
        let response = match response {
            Ok(response) => response,
            Err(error) => return RequestAnswer::silent(error),
        };
        let recorded = answers.record(&AnswerRecord {
            hash: &pending.hashes.remembered,
            generated: pending.generated,
            received: now,
            response: &response,
            granted: Granted::Ticket {
                certificate: &certificate,
            },
        });
        match recorded {
            Ok(()) => RequestAnswer {
                response: Some(response),
                outcome: Ok(IssuedTicket {
                    enrolment_authority: pending.awaited.authority.id(),
                    certificate,
                }),
            },
            Err(error) => RequestAnswer::silent(error),
        }
    }

    /// Checks a request and asks the enrolment authority that it names.
    fn ask<S: KeyStore + ?Sized, R: AnswerStore + ?Sized>(
        &self,
        (store, answers): (&mut S, &R),
        request: &Decrypted,
        hashes: &RequestHashes,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<AuthorizationStep, RequestRefusal> {
        let data: Ieee1609Dot2Data<'_> = parse(&request.data).map_err(MessageFault::from)?;
        let opened = self.read(&data, now)?;
        // One without a proof of possession has no time: the enrolment authority remembers its
        // signature.
        if let Some(generated) = opened.generated {
            Responder::check_remembered(answers, generated)?;
        }
        let shared = &opened.request.shared;
        check_format(shared.certificate_format)?;
        let authority = self.enrolment_authority(shared.ea_id, now)?;
        if shared.attributes.app_permissions.is_none() {
            return Err(RequestRefusal::Incomplete("appPermissions"));
        }
        let asked = EtsiTs102941DataContent::AuthorizationValidationRequest(
            AuthorizationValidationRequest {
                shared: *shared,
                ec_signature: opened.request.ec_signature,
                unknown: UnknownAdditions::default(),
            },
        );
        let payload = message(asked)?;
        let signer = Signer::Credential(self.base.authority.credential());
        let signed = sign_payload(store, signer, PayloadToSign::Data(&payload), now, seeds)?;
        let view = authority.view().map_err(MessageError::Certificate)?;
        let recipient = Recipient::certificate(&view).map_err(MessageError::Encrypt)?;
        let own_key = message_key(seeds);
        let message = seal_to(&recipient, &own_key, &signed, seeds)?;
        let own_hashes = [request_hash(&signed), request_hash(&message)];
        Ok(AuthorizationStep::Ask {
            enrolment_authority: authority.id(),
            message,
            pending: PendingValidation {
                awaited: Awaited {
                    key: own_key,
                    hashes: own_hashes,
                    authority: Arc::clone(authority),
                    permission: ssp::VALIDATION_RESPONSE,
                },
                key: request.key.clone(),
                hashes: *hashes,
                generated: opened.generated,
                public: opened.public,
                encryption_key: opened.encryption_key,
            },
        })
    }

    /// Reads a request; checks its keys, their tag, and that the station has the private key.
    fn read<'m>(
        &self,
        data: &Ieee1609Dot2Data<'m>,
        now: Time64,
    ) -> Result<Opened<'m>, RequestRefusal> {
        let (possession, bytes): (Option<SignedData<'m>>, &'m [u8]) = match data.content {
            Ieee1609Dot2Content::Unsecured(_) if self.demands_possession => {
                return Err(RequestRefusal::NoProofOfPossession);
            }
            Ieee1609Dot2Content::Unsecured(_) => (None, unsecured(data)?),
            _ => {
                let signed = read_signed(data, now, &self.base.limits)?;
                (Some(signed), payload(&signed)?)
            }
        };
        let EtsiTs102941DataContent::AuthorizationRequest(request) = content(bytes)? else {
            return Err(MessageFault::Content("authorizationRequest").into());
        };
        let public = public_key(&request.public_keys)?;
        let encryption_key = encryption_key(&request.public_keys)?;
        let tag = key_tag(request.hmac_key, &request.public_keys).map_err(MessageError::Emit)?;
        // All of it is in the request: no secret is compared.
        if *request.shared.key_tag != tag {
            return Err(RequestRefusal::KeyTag);
        }
        if let Some(signed) = &possession {
            if !matches!(signed.signer, SignerIdentifier::OwnKey(_)) {
                return Err(MessageFault::Content("signed with the key to be certified").into());
            }
            verify_own_signature(signed, &public).map_err(RequestRefusal::ProofOfPossession)?;
        }
        Ok(Opened {
            request,
            public,
            encryption_key,
            generated: possession.as_ref().map(generation_time),
        })
    }

    fn enrolment_authority(
        &self,
        id: HashedId8,
        now: Time64,
    ) -> Result<&Arc<Verified>, RequestRefusal> {
        let known = self.enrolment_authorities.get(&id);
        let (authority, is_asked) = known.ok_or(RequestRefusal::UnknownAuthority(id))?;
        match *is_asked && is_valid(authority, now) {
            true => Ok(authority),
            false => Err(RequestRefusal::InvalidAuthority(id)),
        }
    }

    /// Opens the enrolment authority's answer, and issues the ticket that it consents to.
    fn issue<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        pending: &PendingValidation,
        response: Option<&[u8]>,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, RequestRefusal> {
        let response = response.ok_or(RequestRefusal::Unreachable)?;
        let confirmed = self.confirmed(store, &pending.awaited, response, now);
        let mut contents = confirmed.map_err(RequestRefusal::Validation)??;
        // A ticket has no name, whatever the enrolment authority confirms.
        contents.name = None;
        contents.encryption_key = pending.encryption_key;
        // The enrolment authority may be another's, and have no grid.
        let authority = &self.base.authority;
        let (own_start, _) = authority.credential().certificate().validity();
        let (grid, duration) = (self.base.grid, contents.duration);
        let start = grid.requested(seconds(now), contents.start, duration);
        let period = grid.period_below(own_start, start, duration);
        (contents.start, contents.duration) = (period.start, period.duration);
        Ok(authority.issue(store, &contents, &pending.public, seeds)?)
    }

    /// Returns the contents that the enrolment authority consents to.
    fn confirmed<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        awaited: &Awaited,
        response: &[u8],
        now: Time64,
    ) -> Result<Result<Contents, IssueError>, ResponseRefusal<AuthorizationValidationResponseCode>>
    {
        let payload = awaited.open(store, response, now, &self.base.limits)?;
        let EtsiTs102941DataContent::AuthorizationValidationResponse(response) = content(&payload)?
        else {
            return Err(MessageFault::Content("authorizationValidationResponse").into());
        };
        awaited.check_hash(response.request_hash)?;
        let attributes = response.attributes.as_ref();
        let attributes = attributes.ok_or(ResponseRefusal::Denied(response.response_code))?;
        let period = ValidityPeriod {
            start: seconds(now),
            duration: Duration::Hours(168),
        };
        Ok(Contents::of_attributes(attributes, period))
    }

    fn refuse<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        hash: &[u8; 32],
        refusal: RequestRefusal,
        key: &MessageKey,
        now: Time64,
        seeds: &mut Seeds,
    ) -> RequestAnswer<IssuedTicket> {
        let code = refusal.authorization_code();
        match self.respond(store, hash, Err(code), key, now, seeds) {
            Ok(response) => RequestAnswer {
                response: Some(response),
                outcome: Err(refusal),
            },
            Err(error) => RequestAnswer::silent(error),
        }
    }

    fn respond<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        hash: &[u8; 32],
        result: Result<&[u8], AuthorizationResponseCode>,
        key: &MessageKey,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, MessageError> {
        let certificate = result.ok().map(parse).transpose()?;
        let parts = AtResponseParts {
            request_hash: first_half(hash),
            response_code: result.err().unwrap_or(AuthorizationResponseCode::Ok),
            certificate,
            unknown: UnknownAdditions::default(),
        };
        let response = AuthorityResponse::new(parts).map_err(MessageError::Response)?;
        let response = message(EtsiTs102941DataContent::AuthorizationResponse(response))?;
        self.base.respond(store, &response, key, now, seeds)
    }
}
