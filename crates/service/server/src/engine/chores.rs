//! Computation that needs no grant, beside verification: encryption, the status of certificates.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use waywarden_v2x_keys::SoftwareStore;
use waywarden_v2x_security::{Refusal, ResultCode, Verified};
use waywarden_v2x_signing::{Recipient, encrypt, written};
use waywarden_v2x_wire::coer::parse;
use waywarden_v2x_wire::hash::certificate_digest;
use waywarden_v2x_wire::ieee1609dot2::{
    Certificate, HashedId8, Ieee1609Dot2Content, Ieee1609Dot2Data, Time64, Version3,
};

use super::known::Known;
use super::requests::{Handler, Requests};
use super::signing::seed;
use super::{Hex, Shared};
use waywarden_v2x_service_protocol::{
    CertificateQuery, CertificateStatus, CertificateValidity, EncryptRequest, EncryptionKeyOf,
    RefusedRequest, ResponseBody, Status,
};

/// A request of this thread.
pub(super) enum Chore {
    Encrypt(EncryptRequest),
    Status(CertificateQuery),
}

/// The thread that works on chores.
pub(super) type Chores = Requests<Workshop>;

/// Starts the thread.
pub(super) fn start(shared: &Arc<Shared>, known: &Arc<Known>, room: usize) -> io::Result<Chores> {
    let workshop = Workshop {
        shared: Arc::clone(shared),
        known: Arc::clone(known),
    };
    let names = ("encrypt", "encrypt or look up");
    Requests::start(shared, names, room, workshop)
}

/// Encrypts and looks up.
pub(super) struct Workshop {
    shared: Arc<Shared>,
    known: Arc<Known>,
}

impl Handler for Workshop {
    type Request = Chore;
    type Materials = ();

    fn replace(&mut self, (): ()) {}

    fn answer(&mut self, chore: &Chore, _: Instant) -> Result<ResponseBody, RefusedRequest> {
        match chore {
            Chore::Encrypt(request) => self.encrypt(request),
            Chore::Status(query) => Ok(ResponseBody::CertificateStatus(self.status(query))),
        }
    }
}

impl Workshop {
    fn encrypt(&self, request: &EncryptRequest) -> Result<ResponseBody, RefusedRequest> {
        let recipients = request.recipients.iter();
        let recipients = recipients.map(|one| self.recipient(one));
        let recipients = recipients.collect::<Result<Vec<_>, _>>()?;
        let data = if request.is_secured {
            request.data.clone()
        } else {
            let data = Ieee1609Dot2Data {
                version: Version3,
                content: Ieee1609Dot2Content::Unsecured(&request.data),
            };
            written(&data).map_err(|error| not_encrypted(&error))?
        };
        if parse::<Ieee1609Dot2Data<'_>>(&data).is_err() {
            return Err(not_encrypted(&"the data is no Ieee1609Dot2Data"));
        }
        // Ephemeral keys, one at a time.
        let mut store = SoftwareStore::<1>::default();
        let encrypted = encrypt(&mut store, &recipients, &data, &seed()?);
        let encrypted = encrypted.map_err(|error| not_encrypted(&error))?;
        Ok(ResponseBody::Encrypted(encrypted))
    }

    /// A recipient whose certificate is trusted and valid now.
    fn recipient(&self, of: &EncryptionKeyOf) -> Result<Recipient, RefusedRequest> {
        let query = match of {
            EncryptionKeyOf::Certificate(bytes) => CertificateQuery::Certificate(bytes.clone()),
            EncryptionKeyOf::Known(id) => CertificateQuery::Id(*id),
        };
        let (status, certificate) = self.look_up(&query);
        match (status.validity, certificate) {
            (CertificateValidity::Valid, Some(certificate)) => {
                let view = certificate.view();
                let view = view.map_err(|error| not_encrypted(&error))?;
                Recipient::certificate(&view).map_err(|error| not_encrypted(&error))
            }
            (validity, _) => Err(not_encrypted(&format_args!(
                "recipient {}: {validity:?}{}",
                Hex(status.id),
                match status.reason.is_empty() {
                    true => String::new(),
                    false => format!(": {}", status.reason),
                }
            ))),
        }
    }

    fn status(&self, query: &CertificateQuery) -> CertificateStatus {
        self.look_up(query).0
    }

    /// Verifies a certificate; its signature with no lock held, since messages wait for that.
    fn verify(&self, certificate: &[u8]) -> Result<Arc<Verified>, Refusal> {
        let prepared = self
            .known
            .read(|verifier, _| verifier.prepare_certificate(certificate));
        let mut prepared = prepared?;
        prepared.verify();
        self.known
            .read(|verifier, _| verifier.finish_certificate(prepared))
    }

    /// Finds a certificate, and what counts for it now.
    fn look_up(&self, query: &CertificateQuery) -> (CertificateStatus, Option<Arc<Verified>>) {
        let now = self.shared.time.read().time;
        let unknown = |id, reason: &str| CertificateStatus {
            id,
            validity: CertificateValidity::Unknown,
            period: None,
            reason: reason.to_owned(),
        };
        let (id, verified) = match query {
            CertificateQuery::Id(id) => {
                let found = self
                    .known
                    .read(|verifier, _| verifier.store().find(*id).cloned());
                let Some(found) = found else {
                    return (unknown(*id, "not known"), None);
                };
                // A trust anchor is not issued by a certificate above it.
                let verified = match found.issuer() {
                    None => Ok(found),
                    Some(_) => self.verify(found.bytes()),
                };
                (*id, verified)
            }
            CertificateQuery::Certificate(bytes) => {
                let id = parse::<Certificate<'_>>(bytes).ok();
                let id = id.and_then(|one| certificate_digest(&one));
                let Some(id) = id.map(|digest| digest.id_8()) else {
                    let reason = "the bytes are no certificate of IEEE 1609.2";
                    return (unknown(HashedId8([0; 8]), reason), None);
                };
                let known = self
                    .known
                    .read(|verifier, _| verifier.store().find(id).cloned());
                let is_anchor =
                    |known: &Arc<Verified>| known.issuer().is_none() && known.bytes() == &bytes[..];
                let verified = match known.filter(is_anchor) {
                    Some(anchor) => Ok(anchor),
                    None => self.verify(bytes),
                };
                (id, verified)
            }
        };
        match verified {
            Ok(verified) => (valid_at(&verified, now), Some(verified)),
            Err(refusal) => (invalid(id, &refusal), None),
        }
    }
}

fn valid_at(certificate: &Verified, now: Time64) -> CertificateStatus {
    let (start, end) = certificate.validity();
    let validity = match () {
        () if now < start => CertificateValidity::Future,
        () if now >= end => CertificateValidity::Expired,
        () => CertificateValidity::Valid,
    };
    CertificateStatus {
        id: certificate.id(),
        validity,
        period: Some((start, end)),
        reason: String::new(),
    }
}

fn invalid(id: HashedId8, refusal: &Refusal) -> CertificateStatus {
    let validity = match refusal.code {
        ResultCode::ChainCertificateRevoked => CertificateValidity::Revoked,
        ResultCode::ChainNotEnoughInformationToConstructChain => CertificateValidity::Unknown,
        _ => CertificateValidity::Invalid,
    };
    CertificateStatus {
        id,
        validity,
        period: None,
        reason: refusal.to_string(),
    }
}

fn not_encrypted(error: &dyn std::fmt::Display) -> RefusedRequest {
    RefusedRequest::new(Status::NotEncrypted, error.to_string())
}
