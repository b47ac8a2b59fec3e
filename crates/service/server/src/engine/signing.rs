//! Messages signed, on a thread of their own: no other work delays them.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use waywarden_host::random;
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_signing::{Seed, SendingOptions, SignError, Statement};
use waywarden_v2x_wire::ieee1609dot2::{Psid, Time64};

use super::Shared;
use super::pseudonyms::{self, Identity};
use super::requests::{Handler, Requests};
use crate::materials::{SigningIdentity, UsedCertificates, UsedInProcess};
use waywarden_v2x_service_protocol::{RefusedRequest, ResponseBody, SignRequest, Status};
use waywarden_v2x_time::TimeReading;

/// The thread that signs.
pub(super) type Signing = Requests<Signer>;

/// A request of the thread.
pub(super) enum SigningRequest {
    /// Sign a message.
    Sign(SignRequest),
    /// Sign with another pseudonym for an application.
    ChangeCertificate(Psid),
}

/// The signing identities, and the record of used pseudonyms.
pub(super) type Signers = (Vec<SigningIdentity>, Option<Box<dyn UsedCertificates>>);

/// Starts the thread.
pub(super) fn start(shared: &Arc<Shared>, signers: Signers, room: usize) -> io::Result<Signing> {
    let signer = Signer::new(Arc::clone(shared), signers)?;
    Requests::start(shared, ("sign", "sign"), room, signer)
}

impl Handler for Signer {
    type Request = SigningRequest;
    type Materials = Signers;

    fn replace(&mut self, (signers, used): Signers) {
        if let Some(used) = used {
            self.used = used;
        }
        let before = pseudonyms::in_use(&self.identities);
        self.identities = signers.into_iter().map(Identity::new).collect();
        pseudonyms::sort(&mut self.identities, &*self.used);
        pseudonyms::keep(&mut self.identities, &before);
        let certificates = self.identities.iter();
        let certificates = certificates.map(|one| one.identity.credential.certificate());
        self.shared.exchange.replace(certificates);
    }

    fn answer(
        &mut self,
        request: &SigningRequest,
        arrived: Instant,
    ) -> Result<ResponseBody, RefusedRequest> {
        let answer = match request {
            SigningRequest::Sign(sign) => self.try_sign(sign),
            SigningRequest::ChangeCertificate(psid) => self.change(*psid),
        };
        match (&answer, request) {
            (Ok(_), SigningRequest::Sign(_)) => {
                self.shared.statistics.signed();
                self.shared.observer.signed(arrived.elapsed());
            }
            (Ok(_), SigningRequest::ChangeCertificate(_)) => {}
            (Err(refused), _) => self.shared.observer.refused(refused.status),
        }
        answer
    }
}

/// Fresh randomness for one call.
pub(super) fn seed() -> Result<Seed, RefusedRequest> {
    match random::bytes() {
        Ok(bytes) => Ok(Seed::new(*bytes)),
        Err(_) => {
            let reason = "the operating system gives no randomness";
            Err(RefusedRequest::new(Status::Internal, reason))
        }
    }
}

/// Signs.
pub(super) struct Signer {
    shared: Arc<Shared>,
    identities: Vec<Identity>,
    used: Box<dyn UsedCertificates>,
    /// The latest time that a message was signed with: no earlier one follows.
    last: Option<Time64>,
}

impl Signer {
    fn new(shared: Arc<Shared>, signers: Signers) -> io::Result<Self> {
        // The first message is not the one that learns that there is no randomness.
        seed().map_err(|refused| io::Error::other(refused.reason))?;
        let mut signer = Self {
            shared,
            identities: Vec::new(),
            used: Box::new(UsedInProcess::default()),
            last: None,
        };
        signer.replace(signers);
        Ok(signer)
    }

    fn try_sign(&mut self, sign: &SignRequest) -> Result<ResponseBody, RefusedRequest> {
        let now = self.now()?;
        let at = self.choose(sign.psid, sign.permissions.as_deref(), now.time)?;
        self.take_into_use(at)?;
        let Identity {
            identity, sender, ..
        } = &mut self.identities[at];
        let position = now.position.map(|one| one.location);
        let statement = Statement {
            psid: sign.psid,
            payload: &sign.payload,
            location: sign.location.or(position),
        };
        let options = SendingOptions {
            signer: sign.signer,
            lifetime: sign
                .lifetime
                .map(|one| u64::try_from(one.as_micros()).unwrap_or(u64::MAX)),
        };
        let seed = seed()?;
        let made = (now.time, &seed);
        let signer = (sender, &mut *identity.store as &mut dyn KeyStore);
        let exchange = &self.shared.exchange;
        let message = exchange.sign(signer, &statement, options, made);
        let message = message.map_err(|error| not_signed(&error, &now))?;
        self.last = Some(now.time);
        let (_, end) = identity.credential.certificate().validity();
        let expires = options.lifetime.map(|one| now.time.0.saturating_add(one));
        Ok(ResponseBody::Signed {
            message,
            expires: expires.map_or(end, |one| Time64(one).min(end)),
        })
    }

    /// Writes down that a pseudonym is used, before the first message that it signs.
    fn take_into_use(&mut self, at: usize) -> Result<(), RefusedRequest> {
        let one = &mut self.identities[at];
        if one.identity.is_pseudonym && !one.is_in_use {
            let id = one.identity.credential.id();
            let added = self.used.add(id);
            added.map_err(|reason| RefusedRequest::new(Status::NotSigned, reason))?;
            one.is_in_use = true;
        }
        Ok(())
    }

    /// Takes the pseudonym that was used longest ago, or never, in the place of the one that signs
    /// for an application.
    fn change(&mut self, psid: Psid) -> Result<ResponseBody, RefusedRequest> {
        let now = self.now()?;
        let at = self.choose(psid, None, now.time)?;
        let next = pseudonyms::next(&self.identities, at, psid, now.time)?;
        self.take_into_use(next)?;
        self.identities[at].is_in_use = false;
        pseudonyms::put_first(&mut self.identities, next);
        let at = self.choose(psid, None, now.time)?;
        let credential = &self.identities[at].identity.credential;
        let (_, until) = credential.certificate().validity();
        Ok(ResponseBody::CertificateChanged {
            id: credential.id(),
            until,
        })
    }

    /// The time, if a message may be signed with it.
    fn now(&self) -> Result<TimeReading, RefusedRequest> {
        let now = self.shared.time.read();
        if let Some(why) = now.distrust {
            let reason = format!("{why}; nothing is signed until the time is trusted");
            return Err(RefusedRequest::new(Status::TimeNotTrusted, reason));
        }
        if self.last.is_some_and(|last| now.time < last) {
            let reason = "the clock is behind the last message that was signed";
            return Err(RefusedRequest::new(Status::TimeNotTrusted, reason));
        }
        Ok(now)
    }

    /// Finds the first certificate that may sign the message.
    fn choose(
        &self,
        psid: Psid,
        permissions: Option<&[u8]>,
        now: Time64,
    ) -> Result<usize, RefusedRequest> {
        // The first one that may, so that a signature costs no search among all pseudonyms.
        let permitted = self.identities.iter().position(|one| {
            one.identity.signs(psid)
                && pseudonyms::is_valid(one, now)
                && one.identity.credential.permits_with(psid, permissions)
        });
        if let Some(at) = permitted {
            return Ok(at);
        }
        let serving = || {
            let all = self.identities.iter();
            all.filter(|one| one.identity.signs(psid))
        };
        if serving().next().is_none() {
            let reason = format!(
                "none of the service's {} certificates permits PSID {}",
                self.identities.len(),
                psid.0
            );
            return Err(RefusedRequest::new(Status::NotPermitted, reason));
        }
        if !serving().any(|one| pseudonyms::is_valid(one, now)) {
            let reason = format!(
                "no certificate of the service for PSID {} is valid now",
                psid.0
            );
            return Err(RefusedRequest::new(Status::NoCertificate, reason));
        }
        let reason = "permissions: beyond what the service's certificates permit";
        Err(RefusedRequest::new(Status::NotPermitted, reason))
    }
}

fn not_signed(error: &SignError, now: &TimeReading) -> RefusedRequest {
    let status = match error {
        SignError::NotPermitted(_) => Status::NotPermitted,
        SignError::Missing("generationLocation") => Status::LocationUnknown,
        _ => Status::NotSigned,
    };
    let reason = match (status, now.stale_position) {
        (Status::LocationUnknown, Some(age)) => {
            format!(
                "{error}: the last position is {:.1} s old",
                age.as_secs_f64()
            )
        }
        _ => error.to_string(),
    };
    RefusedRequest::new(status, reason)
}
