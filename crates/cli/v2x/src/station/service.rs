//! The security service behind its socket signs and verifies for a station.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use waywarden_v2x_neighbourhood::{
    NoCertificate, NotSigned, ReceptionVerdict, SecurityServices, Timings,
};
use waywarden_v2x_security::IncomingMessage;
use waywarden_v2x_service_protocol::client::{ServiceClient, ServiceClientError};
use waywarden_v2x_service_protocol::verdict::Verification;
use waywarden_v2x_service_protocol::{RefusedRequest, SignRequest, VerifyRequest};
use waywarden_v2x_station::StationMessage;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid, Time64};

/// Timeout for an answer: a message that is signed later is of no use.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Reads `--service`.
pub(super) fn address(text: &str) -> Result<PathBuf, String> {
    let path = text.strip_prefix("unix:").filter(|path| !path.is_empty());
    let path = path.map(PathBuf::from);
    path.ok_or_else(|| format!("{text:?}: unix:PATH is expected, the stream socket of the service"))
}

/// Returns true if the service may have ended since the call before. One that is slow has not: a
/// client that keeps it busy must not make the station change its pseudonym.
fn is_gone<T>(answer: &Result<T, ServiceClientError>) -> bool {
    match answer {
        Err(ServiceClientError::Io(error)) => {
            !matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock)
        }
        _ => false,
    }
}

/// A connection to the service.
pub struct ServiceSecurity {
    client: ServiceClient,
    /// The application whose certificate is changed.
    psid: Psid,
    /// The pseudonym that was asked for last, and until when it is valid.
    pseudonym: Option<(HashedId8, Time64)>,
    /// True if the service has been asked for the first pseudonym.
    is_begun: bool,
    /// True if the connection was lost since: a service that starts again signs with another
    /// pseudonym, which must not go together with the station's earlier identifiers.
    is_lost: bool,
    timings: Timings,
}

impl ServiceSecurity {
    /// Asks a service at this socket to sign under a PSID.
    pub fn new(path: PathBuf, psid: Psid) -> Self {
        Self {
            client: ServiceClient::new(path, TIMEOUT),
            psid,
            pseudonym: None,
            is_begun: false,
            is_lost: false,
            timings: Timings::default(),
        }
    }
}

impl ServiceSecurity {
    /// A station that starts is another station, and takes another pseudonym, if the service has
    /// any.
    fn begin(&mut self) {
        if !self.is_begun {
            let changed = self.client.change_certificate(self.psid);
            self.is_begun = !matches!(changed, Err(ServiceClientError::Io(_)));
            self.pseudonym = changed.ok();
        }
    }
}

impl SecurityServices for ServiceSecurity {
    fn sign(&mut self, message: &StationMessage, _now: Time64) -> Result<Vec<u8>, NotSigned> {
        self.begin();
        let begun = Instant::now();
        let signed = self.client.sign(SignRequest {
            psid: message.psid,
            permissions: None,
            payload: message.payload.clone(),
            signer: None,
            location: Some(message.location),
            lifetime: None,
        });
        self.is_lost |= is_gone(&signed);
        let (signed, _) = signed.map_err(|error| NotSigned(error.to_string()))?;
        Timings::push(&mut self.timings.sign, begun.elapsed());
        Ok(signed)
    }

    fn verify(&mut self, received: &[IncomingMessage<'_, '_>]) -> Vec<ReceptionVerdict> {
        let begun = Instant::now();
        let messages = received.iter().map(|one| VerifyRequest {
            message: one.message.to_vec(),
            psid: one.context.psid,
            reports_payload_check: false,
        });
        let verdicts = self.client.verify(messages.collect());
        self.is_lost |= is_gone(&verdicts);
        Timings::push(&mut self.timings.verify, (begun.elapsed(), received.len()));
        match verdicts {
            Ok(verdicts) => verdicts.into_iter().map(verdict).collect(),
            Err(error) => vec![ReceptionVerdict::Unanswered(error.to_string()); received.len()],
        }
    }

    fn change_certificate(&mut self, _now: Time64) -> Result<HashedId8, NoCertificate> {
        let begun = Instant::now();
        let changed = self.client.change_certificate(self.psid);
        let (id, until) = changed.map_err(|error| NoCertificate(error.to_string()))?;
        Timings::push(&mut self.timings.certificate, begun.elapsed());
        self.pseudonym = Some((id, until));
        self.is_lost = false;
        Ok(id)
    }

    fn certificate(&self) -> Option<HashedId8> {
        Some(self.pseudonym?.0)
    }

    fn valid_until(&self) -> Option<Time64> {
        let (_, until) = self.pseudonym?;
        Some(if self.is_lost { Time64(0) } else { until })
    }

    fn timings(&self) -> &Timings {
        &self.timings
    }
}

fn verdict(verified: Result<Verification, RefusedRequest>) -> ReceptionVerdict {
    let fault = verified.as_ref().ok().and_then(Verification::payload_fault);
    if let Some(reason) = fault {
        return ReceptionVerdict::PayloadRefused {
            reason: reason.to_owned(),
        };
    }
    match verified {
        Err(refused) => ReceptionVerdict::Unanswered(refused.to_string()),
        Ok(Verification {
            signer: Some(signer),
            psid: Some(psid),
            payload,
            result: waywarden_v2x_security::ResultCode::Success,
            ..
        }) => ReceptionVerdict::Accepted {
            signer,
            psid,
            payload: payload.unwrap_or_default(),
            // A service of before the field refuses requests that ask for it; it tells of failures.
            payload_check: None,
        },
        Ok(verification) => ReceptionVerdict::Refused {
            code: verification.result,
            reason: verification.reason,
        },
    }
}
