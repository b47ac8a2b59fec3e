//! The enrolment and the authorization authority behind the server.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use waywarden_host::random;
use waywarden_v2x_keys::KeyStore;
use waywarden_v2x_pki::Seeds;
use waywarden_v2x_pki::enrolment::{
    AuthorizationAuthority, AuthorizationStep, EnrolmentAuthority, RequestAnswer, RequestRefusal,
};
use waywarden_v2x_security::time::from_unix;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Time64};

use crate::client::PkiClient;
use crate::registry::Registry;
use crate::server::{Endpoint, NoResponse, PkiService, PublicDocument, RequestEvent};

/// An authority with its private keys and its memory.
pub struct ServedAuthority<A> {
    /// The authority.
    pub authority: A,
    /// Its private keys.
    pub keys: Box<dyn KeyStore + Send>,
    /// Its memory, which it shares with the authority that was before it or comes after it.
    pub registry: Arc<Mutex<Registry>>,
}

/// An authority, its keys and its memory, at work on one request.
type Parts<'r, A> = (&'r A, &'r mut (dyn KeyStore + Send), &'r mut Registry);

impl<A> ServedAuthority<A> {
    fn at_work<T>(&mut self, work: impl FnOnce(Parts<'_, A>) -> T) -> T {
        let mut registry = held(&self.registry);
        work((&self.authority, &mut *self.keys, &mut registry))
    }
}

/// Answers what an enrolment authority of this process is asked.
pub(crate) type Validate<'v> = &'v dyn Fn(&[u8]) -> Result<Vec<u8>, NoResponse>;

/// A role, and the certificate that its requests are encrypted to.
struct Served<A> {
    id: HashedId8,
    role: Mutex<ServedAuthority<A>>,
}

/// The location of an enrolment authority.
pub enum EnrolmentPeer {
    /// In this process.
    Here,
    /// Behind this URL.
    At(PkiClient),
}

/// The authorities of one server.
///
/// Each works on one request at a time: it signs, and waits for the medium. While another authority
/// is asked, requests go on.
pub struct Authorities {
    enrolment: Option<Served<EnrolmentAuthority>>,
    authorization: Option<Served<AuthorizationAuthority>>,
    peers: BTreeMap<HashedId8, EnrolmentPeer>,
    revoked: BTreeSet<HashedId8>,
    documents: Box<dyn Fn(PublicDocument) -> Option<Vec<u8>> + Send + Sync>,
    log: Box<dyn Fn(&str) + Send + Sync>,
}

impl Authorities {
    /// Makes a server without authorities. `documents` returns what anyone may have; `log` takes
    /// lines without secrets.
    #[must_use]
    pub fn new(
        documents: impl Fn(PublicDocument) -> Option<Vec<u8>> + Send + Sync + 'static,
        log: impl Fn(&str) + Send + Sync + 'static,
    ) -> Self {
        Self {
            enrolment: None,
            authorization: None,
            peers: BTreeMap::new(),
            revoked: BTreeSet::new(),
            documents: Box::new(documents),
            log: Box::new(log),
        }
    }

    /// Adds the enrolment authority.
    #[must_use]
    pub fn with_enrolment(mut self, role: ServedAuthority<EnrolmentAuthority>) -> Self {
        self.enrolment = Some(Served {
            id: role.authority.authority().credential().id(),
            role: Mutex::new(role),
        });
        self
    }

    /// Adds the authorization authority, and where the enrolment authorities are that it asks.
    #[must_use]
    pub fn with_authorization(
        mut self,
        role: ServedAuthority<AuthorizationAuthority>,
        peers: BTreeMap<HashedId8, EnrolmentPeer>,
    ) -> Self {
        self.authorization = Some(Served {
            id: role.authority.authority().credential().id(),
            role: Mutex::new(role),
        });
        self.peers = peers;
        self
    }

    /// Names authorities that are revoked: none of them answers after a reload, not even requests
    /// that were made before.
    #[must_use]
    pub fn with_revoked(mut self, revoked: BTreeSet<HashedId8>) -> Self {
        self.revoked = revoked;
        self
    }

    /// Returns the certificates of those that answer.
    pub(crate) fn ids(&self) -> impl Iterator<Item = HashedId8> {
        let enrolment = self.enrolment.as_ref().map(|one| one.id);
        let authorization = self.authorization.as_ref().map(|one| one.id);
        enrolment.into_iter().chain(authorization)
    }

    /// Returns those that are revoked.
    pub(crate) fn revoked(&self) -> &BTreeSet<HashedId8> {
        &self.revoked
    }

    /// Returns true if a request is encrypted to the authority that answers such requests.
    pub(crate) fn is_asked(&self, endpoint: Endpoint, recipient: HashedId8) -> bool {
        let own = match endpoint {
            Endpoint::Enrolment | Endpoint::Validation => self.enrolment.as_ref().map(|one| one.id),
            Endpoint::Authorization => self.authorization.as_ref().map(|one| one.id),
        };
        own == Some(recipient)
    }

    /// Answers a request. `here` answers what an enrolment authority of this process is asked.
    pub(crate) fn answered(
        &self,
        endpoint: Endpoint,
        request: &[u8],
        here: Validate<'_>,
    ) -> Result<Vec<u8>, NoResponse> {
        match endpoint {
            Endpoint::Enrolment => self.enrol(request),
            Endpoint::Validation => self.validate(request),
            Endpoint::Authorization => self.authorize(request, here),
        }
    }

    /// Writes a line to the log.
    pub(crate) fn say(&self, line: &str) {
        (self.log)(line);
    }

    fn enrol(&self, request: &[u8]) -> Result<Vec<u8>, NoResponse> {
        let answer = self.by_enrolment(|(authority, keys, registry), now, seeds| {
            authority.answer_enrolment(keys, registry, request, now, seeds)
        })?;
        self.finished("enrolment", answer, |issued| {
            format!("credential for {}", named(&issued.station))
        })
    }

    fn validate(&self, request: &[u8]) -> Result<Vec<u8>, NoResponse> {
        let answer = self.by_enrolment(|(authority, keys, registry), now, seeds| {
            authority.answer_validation(keys, registry, request, now, seeds)
        })?;
        self.finished("validation", answer, |ticket| {
            format!("consent to a ticket of {}", named(&ticket.station))
        })
    }

    /// Lets the enrolment authority answer a request.
    fn by_enrolment<T>(
        &self,
        answer: impl FnOnce(Parts<'_, EnrolmentAuthority>, Time64, &mut Seeds) -> RequestAnswer<T>,
    ) -> Result<RequestAnswer<T>, NoResponse> {
        let (now, mut seeds) = (now(), seeds()?);
        let mut role = locked(self.enrolment.as_ref())?;
        Ok(role.at_work(|parts| answer(parts, now, &mut seeds)))
    }

    fn authorize(&self, request: &[u8], here: Validate<'_>) -> Result<Vec<u8>, NoResponse> {
        let mut seeds = seeds()?;
        let step = locked(self.authorization.as_ref())?.at_work(|(authority, keys, registry)| {
            authority.receive(keys, registry, request, now(), &mut seeds)
        });
        let answer = match step {
            AuthorizationStep::Done(answer) => answer,
            AuthorizationStep::Ask {
                enrolment_authority,
                message,
                pending,
            } => {
                let validation = self.ask(enrolment_authority, &message, here);
                let validation = validation.as_deref();
                let mut role = locked(self.authorization.as_ref())?;
                role.at_work(|(authority, keys, registry)| {
                    authority.finish(keys, registry, &pending, validation, now(), &mut seeds)
                })
            }
        };
        self.finished("authorization", answer, |_| "ticket".to_owned())
    }

    /// Asks an enrolment authority; `None`: it does not answer.
    fn ask(&self, authority: HashedId8, message: &[u8], here: Validate<'_>) -> Option<Vec<u8>> {
        match self.peers.get(&authority) {
            None => None,
            Some(EnrolmentPeer::Here) => here(message).ok(),
            Some(EnrolmentPeer::At(client)) => {
                let answer = client.post(Endpoint::Validation, message);
                let failed = |error: &_| self.say(&format!("authorization: {error}"));
                answer.inspect_err(failed).ok()
            }
        }
    }

    /// Logs what came of a request, and returns the response.
    fn finished<T>(
        &self,
        what: &str,
        answer: RequestAnswer<T>,
        granted: impl FnOnce(&T) -> String,
    ) -> Result<Vec<u8>, NoResponse> {
        match &answer.outcome {
            Ok(outcome) => self.say(&format!("{what}: {}", granted(outcome))),
            Err(refusal) => self.say(&format!("{what}: refused: {refusal}")),
        }
        answer.response.ok_or(match answer.outcome {
            Err(RequestRefusal::Storage(_) | RequestRefusal::Full) => NoResponse::Unavailable,
            Err(RequestRefusal::Answer(_)) => NoResponse::Failed,
            _ => NoResponse::Malformed,
        })
    }
}

impl PkiService for Authorities {
    fn answer(&self, endpoint: Endpoint, request: &[u8]) -> Result<Vec<u8>, NoResponse> {
        self.answered(endpoint, request, &|message| self.validate(message))
    }

    fn document(&self, document: PublicDocument) -> Option<Vec<u8>> {
        (self.documents)(document)
    }

    fn log(&self, event: &RequestEvent<'_>) {
        self.say(&event.to_string());
    }
}

impl fmt::Debug for Authorities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Private keys are nothing for a log.
        f.debug_struct("Authorities").finish_non_exhaustive()
    }
}

/// Takes a role, if this server has it.
fn locked<A>(role: Option<&Served<A>>) -> Result<MutexGuard<'_, ServedAuthority<A>>, NoResponse> {
    let served = role.ok_or(NoResponse::NoRole)?;
    Ok(held(&served.role))
}

/// Takes what is shared. A panic in a call leaves the memory as it was before the call, so the role
/// goes on.
fn held<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A canonical identifier in a line of a log: no line breaks, and of a bounded length.
fn named(canonical_id: &[u8]) -> String {
    let text = String::from_utf8_lossy(canonical_id);
    let short: String = text.chars().take(64).collect();
    format!("{short:?}")
}

fn now() -> Time64 {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    let unix = unix
        .ok()
        .and_then(|unix| i64::try_from(unix.as_micros()).ok());
    unix.and_then(from_unix).unwrap_or(Time64(0))
}

/// Seeds for one request.
fn seeds() -> Result<Seeds, NoResponse> {
    let bytes = random::bytes().map_err(|_| NoResponse::Failed)?;
    Ok(Seeds::new(*bytes))
}
