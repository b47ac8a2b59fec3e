//! The enrolment authority answers stations \[TS 102 941 §6.2.3.2\]. What it answers authorization
//! authorities stands in [`validation`](super::validation).

use std::collections::BTreeMap;
use std::sync::Arc;

use waywarden_ecverify::Point;
use waywarden_v2x_borders::CountryBorders;
use waywarden_v2x_keys::{KeyHandle, KeyStore};
use waywarden_v2x_security::{
    Verified, verification_point, verify_own_signature, verify_signature_by,
};
use waywarden_v2x_signing::Recipient;
use waywarden_v2x_wire::coer::{UnknownAdditions, parse};
use waywarden_v2x_wire::etsi102941::{
    AuthorityResponse, CertificateFormat, EcResponseParts, EnrolmentResponseCode,
    EtsiTs102941DataContent, InnerEcRequest, PublicKeys,
};
use waywarden_v2x_wire::ieee1609dot2::{
    HashedId8, Ieee1609Dot2Data, SignedData, SignerIdentifier, Time64,
};

use super::attributes::granted;
use super::message::{
    EnrolmentLimits, MessageError, MessageFault, MessageKey, RequestHashOf, content, first_half,
    generation_time, payload, read_signed,
};
use super::refusal::RequestRefusal;
use super::registry::{AnswerRecord, Granted, RegisteredStation, StationRegistry, StationStatus};
use super::respond::{RequestAnswer, message};
use super::responder::Responder;
use super::response::is_valid;
use super::ssp;
use crate::authority::Authority;
use crate::error::IssueError;
use crate::seeds::Seeds;
use crate::validity_grid::ValidityGrid;

/// The enrolment authority. It keeps nothing between messages: what it remembers is in the
/// registry.
pub struct EnrolmentAuthority {
    pub(super) base: Responder,
    pub(super) borders: CountryBorders,
    /// Authorization authorities that may ask, by the hash of their certificates.
    pub(super) authorization_authorities: BTreeMap<HashedId8, Arc<Verified>>,
}

/// A credential that was issued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedCredential {
    /// The station's canonical identifier.
    pub station: Vec<u8>,
    /// The credential, encoded.
    pub certificate: Vec<u8>,
}

impl EnrolmentAuthority {
    /// Takes an authority with [`ssp::ENROLMENT_AUTHORITY`] in its certificate, and the private key
    /// of the certificate's encryption key.
    ///
    /// # Errors
    /// [`IssueError::EncryptionKey`] for a certificate without an encryption key,
    /// [`IssueError::Contents`] for one that does not permit to answer.
    pub fn new(authority: Authority, decryption_key: KeyHandle) -> Result<Self, IssueError> {
        let answers = [ssp::ENROLMENT_RESPONSE, ssp::VALIDATION_RESPONSE];
        Ok(Self {
            base: Responder::new(authority, decryption_key, &answers)?,
            borders: CountryBorders::new(),
            authorization_authorities: BTreeMap::new(),
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

    /// Lets an authorization authority ask, whose certificate has the same root.
    ///
    /// # Errors
    /// [`IssueError::Refused`] for a certificate that does not verify.
    pub fn add_authorization_authority(
        &mut self,
        certificate: &[u8],
    ) -> Result<Arc<Verified>, IssueError> {
        let verified = self
            .base
            .authority
            .verifier()
            .verify_certificate(certificate)?;
        let kept = Arc::clone(&verified);
        self.authorization_authorities.insert(verified.id(), kept);
        Ok(verified)
    }

    /// Lets an authorization authority ask no longer.
    pub fn remove_authorization_authority(&mut self, id: HashedId8) {
        self.authorization_authorities.remove(&id);
    }

    /// Answers a station that asks for a credential. Nothing is issued before both signatures of
    /// the request have verified; the credential is recorded before it is returned.
    pub fn answer_enrolment<S: KeyStore + ?Sized, R: StationRegistry + ?Sized>(
        &self,
        store: &mut S,
        registry: &mut R,
        request: &[u8],
        now: Time64,
        seeds: &mut Seeds,
    ) -> RequestAnswer<IssuedCredential> {
        let (opened, hashes) = match self.base.opened(store, registry, request) {
            Ok(opened) => opened,
            Err(answer) => return answer,
        };
        let outcome = self.enrol(store, registry, &opened.data, now, seeds);
        let result = match &outcome {
            Ok((issued, _)) => Ok(&issued.certificate[..]),
            Err(refusal) => Err(refusal.enrolment_code()),
        };
        let response =
            self.enrolment_response(store, &hashes.answered, result, &opened.key, now, seeds);
        let response = match response {
            Ok(response) => response,
            Err(error) => return RequestAnswer::silent(error),
        };
        if let Ok((issued, generated)) = &outcome {
            let recorded = registry.record(&AnswerRecord {
                hash: &hashes.remembered,
                generated: Some(*generated),
                received: now,
                response: &response,
                granted: Granted::Credential {
                    station: &issued.station,
                    certificate: &issued.certificate,
                },
            });
            if let Err(error) = recorded {
                return RequestAnswer::silent(error);
            }
        }
        RequestAnswer {
            response: Some(response),
            outcome: outcome.map(|(issued, _)| issued),
        }
    }

    /// Checks a request and issues a credential. Returns when the request was made, too.
    fn enrol<S: KeyStore + ?Sized, R: StationRegistry + ?Sized>(
        &self,
        store: &mut S,
        registry: &R,
        request: &[u8],
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<(IssuedCredential, Time64), RequestRefusal> {
        let data: Ieee1609Dot2Data<'_> = parse(request).map_err(MessageFault::from)?;
        let outer = read_signed(&data, now, &self.base.limits)?;
        let generated = generation_time(&outer);
        Responder::check_remembered(registry, generated)?;
        let EtsiTs102941DataContent::EnrolmentRequest(inner) = content(payload(&outer)?)? else {
            return Err(MessageFault::Content("enrolmentRequest").into());
        };
        let inner = inner.view().map_err(MessageFault::from)?;
        let possession = read_signed(&inner, now, &self.base.limits)?;
        if !matches!(possession.signer, SignerIdentifier::OwnKey(_)) {
            return Err(MessageFault::Content("signed with the key to be certified").into());
        }
        let asked: InnerEcRequest<'_> = parse(payload(&possession)?).map_err(MessageFault::from)?;
        check_format(asked.certificate_format)?;
        let key = public_key(&asked.public_keys)?;
        let encryption_key = encryption_key(&asked.public_keys)?;
        verify_own_signature(&possession, &key).map_err(RequestRefusal::ProofOfPossession)?;
        let station = self.requester(registry, &outer, asked.its_id, &key, now)?;
        if asked.attributes.app_permissions.is_none() {
            return Err(RequestRefusal::Incomplete("appPermissions"));
        }
        let grant = &station.profile.credential;
        let mut contents = granted(&asked.attributes, grant, now, &self.borders)?;
        contents.encryption_key = encryption_key;
        let certificate = self.base.authority.issue(store, &contents, &key, seeds)?;
        let issued = IssuedCredential {
            station: station.canonical_id,
            certificate,
        };
        Ok((issued, generated))
    }

    /// Finds out who asks, and verifies that it does. `key` is the one to be certified.
    fn requester<R: StationRegistry + ?Sized>(
        &self,
        registry: &R,
        outer: &SignedData<'_>,
        its_id: &[u8],
        key: &Point,
        now: Time64,
    ) -> Result<RegisteredStation, RequestRefusal> {
        let (station, current) = match outer.signer {
            SignerIdentifier::OwnKey(_) => {
                let station = registry.station(its_id)?;
                let station = station.ok_or(RequestRefusal::UnknownStation)?;
                verify_own_signature(outer, &station.key).map_err(RequestRefusal::Signature)?;
                let current = station.key;
                (station, current)
            }
            SignerIdentifier::Digest(id) if id.0 == its_id => {
                let bit = ssp::ENROLMENT_REQUEST;
                let (station, credential) = self.credential(registry, id)?;
                verify_signature_by(outer, &credential).map_err(RequestRefusal::Signature)?;
                check_credential(&credential, bit, now)?;
                let current = credential.public_key().unwrap_or(station.key);
                (station, current)
            }
            SignerIdentifier::Digest(_) => return Err(RequestRefusal::UnknownStation),
            SignerIdentifier::Certificate(_) => {
                return Err(MessageFault::Content("signed by a credential's digest").into());
            }
        };
        if station.status != StationStatus::Active {
            return Err(RequestRefusal::StationBlocked);
        }
        // A credential outlives the key that asked for it only if its own is another one.
        if *key == current || *key == station.key {
            return Err(RequestRefusal::PublicKey("verificationKey"));
        }
        Ok(station)
    }

    /// Finds a credential that was issued, and whose it is.
    pub(super) fn credential<R: StationRegistry + ?Sized>(
        &self,
        registry: &R,
        id: HashedId8,
    ) -> Result<(RegisteredStation, Arc<Verified>), RequestRefusal> {
        let found = registry.credential(id)?;
        let (station, bytes) = found.ok_or(RequestRefusal::UnknownStation)?;
        // The storage is believed no more than a message is.
        let verified = self.base.authority.verifier().verify_certificate(&bytes);
        let verified = verified.map_err(RequestRefusal::Credential)?;
        match verified.id() == id {
            true => Ok((station, verified)),
            false => Err(RequestRefusal::UnknownStation),
        }
    }

    fn enrolment_response<S: KeyStore + ?Sized>(
        &self,
        store: &mut S,
        hash: &[u8; 32],
        result: Result<&[u8], EnrolmentResponseCode>,
        key: &MessageKey,
        now: Time64,
        seeds: &mut Seeds,
    ) -> Result<Vec<u8>, MessageError> {
        let certificate = result.ok().map(parse).transpose()?;
        let parts = EcResponseParts {
            request_hash: first_half(hash),
            response_code: result.err().unwrap_or(EnrolmentResponseCode::Ok),
            certificate,
            unknown: UnknownAdditions::default(),
        };
        let response = AuthorityResponse::new(parts).map_err(MessageError::Response)?;
        let response = message(EtsiTs102941DataContent::EnrolmentResponse(response))?;
        self.base.respond(store, &response, key, now, seeds)
    }
}

/// A credential is valid now and permits what its holder does.
pub(super) fn check_credential(
    credential: &Verified,
    bit: u8,
    now: Time64,
) -> Result<(), RequestRefusal> {
    match (is_valid(credential, now), ssp::permits(credential, bit)) {
        (false, _) => Err(RequestRefusal::CredentialNotValid),
        (true, false) => Err(RequestRefusal::CredentialNotPermitted),
        (true, true) => Ok(()),
    }
}

pub(super) fn check_format(format: CertificateFormat) -> Result<(), RequestRefusal> {
    match format == CertificateFormat::TS_103_097 {
        true => Ok(()),
        false => Err(RequestRefusal::Format(format.0)),
    }
}

/// Reads the verification key that is to be certified.
pub(super) fn public_key(keys: &PublicKeys<'_>) -> Result<Point, RequestRefusal> {
    let key = verification_point(&keys.verification_key);
    key.ok_or(RequestRefusal::PublicKey("verificationKey"))
}

/// Reads the encryption key that is to be certified, if there is one.
pub(super) fn encryption_key(keys: &PublicKeys<'_>) -> Result<Option<Point>, RequestRefusal> {
    let key = keys.encryption_key.as_ref().map(Recipient::response_key);
    let key = key.transpose();
    let key = key.map_err(|_| RequestRefusal::PublicKey("encryptionKey"))?;
    Ok(key.map(|key| *key.public_key()))
}
