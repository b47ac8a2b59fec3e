//! The enrolment authority answers authorization authorities whether a station may have a ticket
//! \[TS 102 941 §6.2.3.4\].

use std::sync::Arc;

use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_security::{ContentsFault, Verified, verify_signature_by};
use waywarden_v2x_signing::Decrypted;
use waywarden_v2x_wire::coer::{Raw, UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AuthorityResponse, AuthorizationValidationResponseCode, CertificateSubjectAttributes,
    EcSignature, EtsiTs102941DataContent, SharedAtRequest, ValidationResponseParts,
};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedData, Ieee1609Dot2Data, SignedData, Time64, ValidityPeriod,
};

use super::attributes::{granted, seconds, with_attributes};
use super::enrolment_authority::{EnrolmentAuthority, check_credential, check_format};
use super::message::{
    MessageError, MessageFault, MessageKey, content, first_half, generation_time, open, payload,
    read_signed, request_hash,
};
use super::refusal::RequestRefusal;
use super::registry::{AnswerRecord, Granted, RegisteredStation, StationRegistry, StationStatus};
use super::respond::{RequestAnswer, message};
use super::responder::Responder;
use super::response::{is_valid, named_signer};
use super::ssp;
use crate::contents::Contents;
use crate::seeds::Seeds;

/// A ticket that the enrolment authority consents to.
#[derive(Clone, Debug)]
pub struct ValidatedTicket {
    /// The station's canonical identifier.
    pub station: Vec<u8>,
    /// Contents that the ticket may have.
    pub contents: Contents,
}

/// Result of checking a request.
struct Validation {
    ticket: ValidatedTicket,
    /// Tells the station's request from all others, whichever authority passes it on.
    hash: [u8; 32],
    /// Time of the station's signature.
    generated: Time64,
}

impl EnrolmentAuthority {
    /// Answers an authorization authority. A station's request is consented to once: passed on
    /// again, by whichever authority, it is refused.
    pub fn answer_validation<S: KeyStore + ?Sized, R: StationRegistry + ?Sized>(
        &self,
        store: &mut S,
        registry: &mut R,
        request: &[u8],
        now: Time64,
        seeds: &mut Seeds,
    ) -> RequestAnswer<ValidatedTicket> {
        let opened = match open(store, &self.base.keys, request, &self.base.limits) {
            Ok(opened) => opened,
            Err(fault) => return RequestAnswer::silent(fault),
        };
        let outcome = self.validate(store, registry, &opened.data, now);
        let hash = self
            .base
            .request_hash_of
            .hashes(request, &opened.data)
            .answered;
        let result = match &outcome {
            Ok(validation) => Ok(&validation.ticket.contents),
            Err(refusal) => Err(refusal.validation_code()),
        };
        let response = self.validation_response(store, &hash, result, &opened.key, now, seeds);
        let response = match response {
            Ok(response) => response,
            Err(error) => return RequestAnswer::silent(error),
        };
        if let Ok(validation) = &outcome {
            let period = period(&validation.ticket.contents);
            let recorded = registry.record(&AnswerRecord {
                hash: &validation.hash,
                generated: Some(validation.generated),
                received: now,
                response: &response,
                granted: Granted::Validation {
                    station: &validation.ticket.station,
                    start: period.start(),
                    end: period.end(),
                },
            });
            if let Err(error) = recorded {
                return RequestAnswer::silent(error);
            }
        }
        RequestAnswer {
            response: Some(response),
            outcome: outcome.map(|validation| validation.ticket),
        }
    }

    /// Checks who asks, what the station signed, and what its profile covers.
    fn validate<S: KeyStore + ?Sized, R: StationRegistry + ?Sized>(
        &self,
        store: &mut S,
        registry: &R,
        request: &[u8],
        now: Time64,
    ) -> Result<Validation, RequestRefusal> {
        let data: Ieee1609Dot2Data<'_> = parse(request).map_err(MessageFault::from)?;
        let signed = read_signed(&data, now, &self.base.limits)?;
        let EtsiTs102941DataContent::AuthorizationValidationRequest(asked) =
            content(payload(&signed)?)?
        else {
            return Err(MessageFault::Content("authorizationValidationRequest").into());
        };
        self.check_authority(&signed, now)?;
        let own = self.base.authority.credential().id();
        if asked.shared.ea_id != own {
            return Err(RequestRefusal::WrongEnrolmentAuthority(asked.shared.ea_id));
        }
        check_format(asked.shared.certificate_format)?;
        let bytes = self.ec_signature(store, &asked.ec_signature)?;
        let data: Ieee1609Dot2Data<'_> = match &bytes {
            Some(opened) => parse(&opened.data).map_err(of_signature)?,
            None => plain(&asked.ec_signature).map_err(RequestRefusal::EcSignature)?,
        };
        let signature = read_signed(&data, now, &self.base.limits);
        let signature = signature.map_err(RequestRefusal::EcSignature)?;
        let hash = request_hash(asked.shared.bytes().unwrap_or(&[]));
        let (station, credential) = self.signatory(registry, &signature, &hash, now)?;
        if registry.answer(&hash)?.is_some() {
            return Err(RequestRefusal::Replayed);
        }
        let generated = generation_time(&signature);
        Responder::check_remembered(registry, generated)?;
        let contents = self.ticket_contents(registry, &station, &credential, &asked.shared, now)?;
        let station = station.canonical_id;
        Ok(Validation {
            ticket: ValidatedTicket { station, contents },
            hash,
            generated,
        })
    }

    /// Verifies that an authorization authority asks that may.
    fn check_authority(&self, signed: &SignedData<'_>, now: Time64) -> Result<(), RequestRefusal> {
        let id = named_signer(signed)?;
        let known = self.authorization_authorities.get(&id);
        let authority = known.ok_or(RequestRefusal::UnknownAuthority(id))?;
        verify_signature_by(signed, authority).map_err(RequestRefusal::AuthoritySignature)?;
        match is_valid(authority, now) && ssp::permits(authority, ssp::VALIDATION_REQUEST) {
            true => Ok(()),
            false => Err(RequestRefusal::InvalidAuthority(id)),
        }
    }

    /// Decrypts the station's signature, if it is encrypted.
    fn ec_signature<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        signature: &EcSignature<'_>,
    ) -> Result<Option<Decrypted>, RequestRefusal> {
        let EcSignature::Encrypted(data) = signature else {
            return Ok(None);
        };
        let bytes = waywarden_v2x_signing::written(data);
        let bytes = bytes.map_err(|error| RequestRefusal::Answer(MessageError::Emit(error)))?;
        let opened = open(store, &self.base.keys, &bytes, &self.base.limits);
        opened.map(Some).map_err(RequestRefusal::EcSignature)
    }

    /// Verifies that a station with a credential signed this request.
    fn signatory<R: StationRegistry + ?Sized>(
        &self,
        registry: &R,
        signature: &SignedData<'_>,
        hash: &[u8; 32],
        now: Time64,
    ) -> Result<(RegisteredStation, Arc<Verified>), RequestRefusal> {
        let id = named_signer(signature).map_err(RequestRefusal::EcSignature)?;
        let (station, credential) = self.credential(registry, id)?;
        let payload = &signature.tbs_data.payload;
        match (&payload.data, &payload.external_hash) {
            (None, Some(HashedData::Sha256(signed))) if *signed == hash => {}
            _ => return Err(RequestRefusal::OtherRequestSigned),
        }
        verify_signature_by(signature, &credential).map_err(RequestRefusal::Signature)?;
        check_credential(&credential, ssp::AUTHORIZATION_REQUEST, now)?;
        match station.status {
            StationStatus::Active => Ok((station, credential)),
            StationStatus::Blocked => Err(RequestRefusal::StationBlocked),
        }
    }

    /// Finds out what the ticket may say.
    fn ticket_contents<R: StationRegistry + ?Sized>(
        &self,
        registry: &R,
        station: &RegisteredStation,
        credential: &Verified,
        asked: &Raw<'_, SharedAtRequest<'_>>,
        now: Time64,
    ) -> Result<Contents, RequestRefusal> {
        if asked.attributes.app_permissions.is_none() {
            return Err(RequestRefusal::Incomplete("appPermissions"));
        }
        let grant = &station.profile.ticket;
        let mut contents = granted(&asked.attributes, grant, now, &self.borders)?;
        check_within(&contents, credential)?;
        // The time of asking and the order of permissions would tell a vehicle's tickets from
        // others.
        contents.put_on(self.base.grid, seconds(now));
        contents.permissions.sort_by_key(|(psid, _)| *psid);
        // A request from before a cell begins ends with that, a little later than it was asked for.
        check_end(&contents, credential)?;
        let period = period(&contents);
        let count = registry.tickets(&station.canonical_id, period.start(), period.end())?;
        match count < station.profile.tickets_at_once {
            true => Ok(contents),
            false => Err(RequestRefusal::TooManyTickets(count)),
        }
    }

    fn validation_response<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        hash: &[u8; 32],
        result: Result<&Contents, AuthorizationValidationResponseCode>,
        key: &MessageKey,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, MessageError> {
        let response = match result {
            Err(code) => written_response(hash, code, None)?,
            Ok(contents) => with_attributes(contents, |attributes| {
                let code = AuthorizationValidationResponseCode::Ok;
                written_response(hash, code, Some(attributes))
            })??,
        };
        self.base.respond(store, &response, key, now, seeds)
    }
}

fn written_response(
    hash: &[u8; 32],
    response_code: AuthorizationValidationResponseCode,
    attributes: Option<CertificateSubjectAttributes<'_>>,
) -> Result<Vec<u8>, MessageError> {
    let response = AuthorityResponse::new(ValidationResponseParts {
        request_hash: first_half(hash),
        response_code,
        attributes,
        unknown: UnknownAdditions::default(),
    });
    let response = response.map_err(MessageError::Response)?;
    message(EtsiTs102941DataContent::AuthorizationValidationResponse(
        response,
    ))
}

/// A ticket is asked for within the validity of the credential.
fn check_within(contents: &Contents, credential: &Verified) -> Result<(), ContentsFault> {
    let (start, _) = credential.validity();
    match start <= period(contents).start() {
        true => check_end(contents, credential),
        false => Err(OUTSIDE_OF_CREDENTIAL),
    }
}

/// It ends with the credential at the latest. That it begins earlier, with its cell of the grid,
/// gives nothing: both are used from now on.
fn check_end(contents: &Contents, credential: &Verified) -> Result<(), ContentsFault> {
    let (_, end) = credential.validity();
    match period(contents).end() <= end {
        true => Ok(()),
        false => Err(OUTSIDE_OF_CREDENTIAL),
    }
}

const OUTSIDE_OF_CREDENTIAL: ContentsFault = ContentsFault {
    field: "validityPeriod",
    why: "the enrolment credential is not valid all the time",
};

/// Reads a signature that is not encrypted.
fn plain<'m>(signature: &EcSignature<'m>) -> Result<Ieee1609Dot2Data<'m>, MessageFault> {
    match signature {
        EcSignature::Plain(data) => Ok(data.view()?),
        EcSignature::Encrypted(_) => Err(MessageFault::Content("ecSignature")),
    }
}

fn of_signature(error: waywarden_v2x_wire::WireError) -> RequestRefusal {
    RequestRefusal::EcSignature(error.into())
}

fn period(contents: &Contents) -> ValidityPeriod {
    ValidityPeriod {
        start: contents.start,
        duration: contents.duration,
    }
}
