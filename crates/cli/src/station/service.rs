//! The security service behind its socket signs and verifies for a station.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use waywarden_v2x_neighbourhood::{NoCertificate, NotSigned, SecurityServices, Timings, Verdict};
use waywarden_v2x_security::Received;
use waywarden_v2x_service::client::Client;
use waywarden_v2x_service::protocol::{Refused, Sign, Verify};
use waywarden_v2x_service::verdict::Verification;
use waywarden_v2x_station::Message;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

/// How long an answer is waited for: a message that is signed later is of no use.
const TIMEOUT: Duration = Duration::from_millis(500);

/// Reads `--service`.
pub(super) fn address(text: &str) -> Result<PathBuf, String> {
    let path = text.strip_prefix("unix:").filter(|path| !path.is_empty());
    let path = path.map(PathBuf::from);
    path.ok_or_else(|| format!("{text:?}: unix:PATH is expected, the stream socket of the service"))
}

/// A connection to the service.
pub(crate) struct ServiceSecurity {
    client: Client,
    timings: Timings,
}

impl ServiceSecurity {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            client: Client::new(path, TIMEOUT),
            timings: Timings::default(),
        }
    }
}

impl SecurityServices for ServiceSecurity {
    fn sign(&mut self, message: &Message, _now: Time64) -> Result<Vec<u8>, NotSigned> {
        let begun = Instant::now();
        let signed = self.client.sign(Sign {
            psid: message.psid,
            permissions: None,
            payload: message.payload.clone(),
            signer: None,
            location: Some(message.location),
            lifetime: None,
        });
        let (signed, _) = signed.map_err(|error| NotSigned(error.to_string()))?;
        Timings::push(&mut self.timings.sign, begun.elapsed());
        Ok(signed)
    }

    fn verify(&mut self, received: &[Received<'_, '_>]) -> Vec<Verdict> {
        let begun = Instant::now();
        let messages = received.iter().map(|one| Verify {
            message: one.message.to_vec(),
            psid: one.context.psid,
        });
        let verdicts = self.client.verify(messages.collect());
        Timings::push(&mut self.timings.verify, (begun.elapsed(), received.len()));
        match verdicts {
            Ok(verdicts) => verdicts.into_iter().map(verdict).collect(),
            Err(error) => vec![Verdict::Unanswered(error.to_string()); received.len()],
        }
    }

    fn change_certificate(&mut self, _now: Time64) -> Result<HashedId8, NoCertificate> {
        let why = "the security service chooses its certificates by itself";
        Err(NoCertificate(why.to_owned()))
    }

    fn certificate(&self) -> Option<HashedId8> {
        None
    }

    fn timings(&self) -> &Timings {
        &self.timings
    }
}

fn verdict(verified: Result<Verification, Refused>) -> Verdict {
    match verified {
        Err(refused) => Verdict::Unanswered(refused.to_string()),
        Ok(Verification {
            signer: Some(signer),
            psid: Some(psid),
            payload,
            result: waywarden_v2x_security::ResultCode::Success,
            ..
        }) => Verdict::Accepted {
            signer,
            psid,
            payload: payload.unwrap_or_default(),
        },
        Ok(verification) => Verdict::Refused {
            code: verification.result,
            reason: verification.reason,
        },
    }
}
