//! The engine: works on requests. Verification runs on all cores, signing on a thread of its own,
//! and other computation on another one.
//!
//! | work | who does it | bound |
//! |---|---|---|
//! | verify | [`VerificationSettings::workers`] threads of low priority | [`Bounds`] per client |
//! | sign | one thread, which no other work delays | [`EngineSettings::signing_queue`] |
//! | decrypt | one thread | [`EngineSettings::decryption_queue`] |
//! | encrypt, certificate status | one thread | [`EngineSettings::other_queue`] |
//!
//! A request without room is refused at once with [`Status::Overloaded`] and the used-up share.
//! All queues are fair between clients: each has its turn. For messages to verify each client has a
//! share of its own; of the other queues, where there is no room the last request of the client of
//! whom most wait is refused.
//!
//! [`Bounds`]: waywarden_v2x_schedule::Bounds

mod answer;
mod batches;
mod chores;
mod client_queues;
mod decrypting;
mod exchange;
mod expansion;
mod fair;
mod judgement;
mod known;
mod learning;
mod progress;
mod pseudonyms;
mod queue;
mod requests;
mod settings;
mod signing;
mod start;
mod statistics;
mod verification;
mod worker;

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::broadcast;
use waywarden_v2x_security::CrlRefusal;
use waywarden_v2x_wire::ieee1609dot2::HashedId8;

pub use progress::BusyThread;
pub use settings::{EngineSettings, VerificationSettings};
pub use statistics::{NoObserver, Observer};
pub(crate) use statistics::{cause_name, check_results};

use crate::access::Grant;
use crate::materials::Materials;
use crate::service::{Reply, Service};
use answer::{Answer, Collector};
use chores::{Chore, Chores};
use decrypting::Decrypting;
use exchange::Exchange;
use progress::Threads;
use queue::Pending;
use signing::{Signing, SigningRequest};
use statistics::Statistics;
use verification::Verification;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use waywarden_v2x_service_protocol::{
    RefusedRequest, Request, RequestedOperation, ResponseBody, Status,
};
use waywarden_v2x_time::{TimeSource, UntrustedTime};

/// State shared by all parts of the engine.
struct Shared {
    time: Arc<dyn TimeSource>,
    statistics: Statistics,
    observer: Arc<dyn Observer>,
    events: broadcast::Sender<VerdictEvent>,
    exchange: Exchange,
    threads: Threads,
}

/// The engine. It ends its threads when it is dropped; requests under way are answered before.
pub struct Engine {
    shared: Arc<Shared>,
    verification: Arc<Verification>,
    signing: Signing,
    decrypting: Decrypting,
    chores: Chores,
    in_use: RwLock<InUse>,
    settings: EngineSettings,
}

/// Summary of the materials for health reports.
struct InUse {
    /// Contents of the materials, by name.
    summary: String,
    lacks_anchor: bool,
}

impl InUse {
    fn of(materials: &Materials) -> Self {
        Self {
            summary: materials.summary(),
            lacks_anchor: materials.lacks_anchor(),
        }
    }
}

impl Engine {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the operating system gives no thread or no randomness.
    pub fn start(
        materials: Materials,
        settings: EngineSettings,
        time: Arc<dyn TimeSource>,
        observer: Arc<dyn Observer>,
    ) -> std::io::Result<Self> {
        let (events, _) = broadcast::channel(settings.events.clamp(1, 1 << 16));
        let shared = Arc::new(Shared {
            time,
            statistics: Statistics::default(),
            observer,
            events,
            exchange: Exchange::default(),
            threads: Threads::default(),
        });
        let in_use = InUse::of(&materials);
        let Materials {
            verifier,
            signers,
            used,
            decryption,
            ..
        } = materials;
        let verification = Verification::start(&shared, verifier, settings.verification)?;
        Ok(Self {
            signing: signing::start(&shared, (signers, used), settings.signing_queue)?,
            decrypting: decrypting::start(&shared, decryption, settings.decryption_queue)?,
            chores: chores::start(&shared, &verification.known, settings.other_queue)?,
            verification,
            in_use: RwLock::new(in_use),
            settings,
            shared,
        })
    }

    /// Puts other materials in the place of those in use. Messages that were accepted and
    /// certificates that are still trusted stay known, and what revocation lists revoked stays
    /// revoked. When it returns nothing is signed or decrypted with a key of before.
    ///
    /// # Errors
    /// [`CrlRefusal`] if more would be revoked than is remembered; nothing is changed then.
    pub fn reload(&self, materials: Materials) -> Result<(), CrlRefusal> {
        let in_use = InUse::of(&materials);
        self.verification.replace(materials.verifier)?;
        self.signing.replace((materials.signers, materials.used));
        self.decrypting.replace(materials.decryption);
        *self.in_use.write().unwrap_or_else(PoisonError::into_inner) = in_use;
        self.shared.statistics.reloaded();
        Ok(())
    }

    /// Returns the number of messages that wait for verification.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.verification.queue.len()
    }

    /// Returns the threads that have been at one request, one batch of messages or one part of a
    /// list for at least so long. A thread that has panicked is among them from then on.
    #[must_use]
    pub fn busy(&self, least: std::time::Duration) -> Vec<BusyThread> {
        self.shared.threads.busy(least)
    }

    fn verify(&self, request: Request, reply: Reply) {
        let now = self.shared.time.read();
        let deadline = request.deadline.unwrap_or(self.settings.deadline);
        match request.operation {
            RequestedOperation::Verify(one) => {
                let pending = Pending::new(one, Answer::One(reply), &now, deadline);
                self.verification.take(pending, &now);
            }
            RequestedOperation::VerifyMany(many) if many.is_empty() => {
                reply.send(Ok(ResponseBody::VerifiedMany(Vec::new())));
            }
            RequestedOperation::VerifyMany(many) => {
                let collector = Collector::new(many.len(), reply);
                for (at, one) in many.into_iter().enumerate() {
                    let answer = Answer::Part(Arc::clone(&collector), at);
                    let pending = Pending::new(one, answer, &now, deadline);
                    self.verification.take(pending, &now);
                }
            }
            _ => drop(reply),
        }
    }

    /// Returns the state of each part as a JSON object.
    fn health(&self) -> String {
        let reading = self.shared.time.read();
        let in_use = self.in_use.read().unwrap_or_else(PoisonError::into_inner);
        let distrust = reading.distrust.or_else(|| self.shared.time.doubt());
        let is_time_trusted = distrust.is_none();
        let records = !self.shared.observer.is_recording_failing();
        let is_ok = is_time_trusted && !in_use.lacks_anchor && records;
        let health = serde_json::json!({
            "status": if is_ok { "ok" } else { "degraded" },
            "timeTrusted": is_time_trusted,
            "timeDistrust": distrust.map(UntrustedTime::name),
            "timeUsed": reading.distrust.is_none(),
            "positionKnown": reading.position.is_some(),
            "waiting": self.waiting(),
            "trustAnchorMissing": in_use.lacks_anchor,
            "recordingFailing": !records,
            "materials": in_use.summary,
        });
        health.to_string()
    }
}

impl Service for Engine {
    fn submit(&self, grant: &Grant, request: Request, reply: Reply) {
        self.shared.statistics.requested(&request.operation);
        if let Err(refused) = grant.check(&request.operation) {
            self.shared.observer.refused(refused.status);
            return reply.send(Err(refused));
        }
        let deadline = request.deadline.unwrap_or(self.settings.deadline);
        let id = request.id;
        match request.operation {
            RequestedOperation::Sign(sign) => {
                let request = SigningRequest::Sign(sign);
                self.signing.take(request, deadline, reply);
            }
            RequestedOperation::ChangeCertificate(psid) => {
                let request = SigningRequest::ChangeCertificate(psid);
                self.signing.take(request, deadline, reply);
            }
            RequestedOperation::Decrypt(decrypt) => self.decrypting.take(decrypt, deadline, reply),
            RequestedOperation::Encrypt(encrypt) => {
                self.chores.take(Chore::Encrypt(encrypt), deadline, reply);
            }
            RequestedOperation::CertificateStatus(query) => {
                self.chores.take(Chore::Status(query), deadline, reply);
            }
            operation @ (RequestedOperation::Verify(_) | RequestedOperation::VerifyMany(_)) => {
                let request = Request {
                    id,
                    deadline: Some(deadline),
                    operation,
                };
                self.verify(request, reply);
            }
            RequestedOperation::Statistics => {
                let sockets = self.shared.observer.sockets();
                let statistics = self.shared.statistics.json(self.waiting(), sockets);
                reply.send(Ok(ResponseBody::Statistics(statistics)));
            }
            RequestedOperation::Health => reply.send(Ok(ResponseBody::Health(self.health()))),
            RequestedOperation::Authenticate(_) | RequestedOperation::Subscribe => {
                reply.send(Err(RefusedRequest::new(
                    Status::Unsupported,
                    "only a connection can authenticate or subscribe",
                )));
            }
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<VerdictEvent> {
        self.shared.events.subscribe()
    }

    fn metrics(&self) -> String {
        self.shared.observer.metrics()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.verification.stop();
    }
}

/// A HashedId8 in hexadecimal digits.
struct Hex(HashedId8);

impl fmt::Display for Hex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HashedId8(bytes) = &self.0;
        bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
