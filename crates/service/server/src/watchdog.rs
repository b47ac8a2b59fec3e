//! Health checks of the engine, by which systemd's watchdog is answered.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid};

use crate::access::Grant;
use crate::engine::{BusyThread, Engine};
use crate::service::{Reply, Service as _};
use waywarden_v2x_service_protocol::{
    CertificateQuery, RefusedRequest, Request, RequestedOperation, SignRequest, Status,
};

/// The result of a check of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// It works.
    Works,
    /// These threads have been at one thing for too long, or ended in a panic.
    Hangs(Vec<BusyThread>),
    /// It does not answer; these threads are at work.
    NoAnswer(Vec<BusyThread>),
    /// It answers that it failed.
    Fails,
}

impl Finding {
    /// Returns true if the engine works.
    #[must_use]
    pub fn works(&self) -> bool {
        *self == Self::Works
    }

    /// Logs what does not work, a thread a line.
    pub fn log(&self) {
        let threads = match self {
            Self::Works => return,
            Self::Fails => {
                tracing::error!("the engine fails; the watchdog is not pinged");
                return;
            }
            Self::Hangs(threads) => threads,
            Self::NoAnswer(threads) => {
                tracing::error!("the engine does not answer; the watchdog is not pinged");
                threads
            }
        };
        for BusyThread { name, busy } in threads {
            let seconds = busy.as_secs_f64();
            tracing::error!(
                thread = name,
                seconds,
                "a thread hangs; the watchdog is not pinged"
            );
        }
    }
}

/// Checks an engine, within `every`: the time between two checks.
///
/// A thread hangs that has been at one request, batch or part of a list for `every`. If none is,
/// the engine is asked to sign for an application that no certificate has, and to look up a
/// certificate, which needs what the threads that verify hold. It has half of `every` to answer.
pub async fn check(engine: &Engine, every: Duration) -> Finding {
    let hanging = engine.busy(every);
    if !hanging.is_empty() {
        return Finding::Hangs(hanging);
    }
    match timeout(every / 2, probe(engine)).await {
        Ok(true) => Finding::Works,
        Ok(false) => Finding::Fails,
        // What delays the answer has been at work for nearly as long as the answer is waited for.
        Err(_) => Finding::NoAnswer(engine.busy(every / 4)),
    }
}

/// Returns true if the engine's threads answer. The check makes no messages or verdicts.
async fn probe(engine: &Engine) -> bool {
    let psid = Psid(u64::MAX);
    let sign = RequestedOperation::Sign(SignRequest {
        psid,
        permissions: None,
        payload: Vec::new(),
        signer: None,
        location: None,
        lifetime: None,
    });
    let look_up = CertificateQuery::Id(HashedId8([0; 8]));
    let grant = Grant {
        sign: BTreeSet::from([psid]),
        decrypt: false,
    };
    for operation in [sign, RequestedOperation::CertificateStatus(look_up)] {
        let (answer, answered) = oneshot::channel();
        let reply = Reply::new(0, move |response| {
            let failed = |refused: RefusedRequest| refused.status == Status::Internal;
            let _ = answer.send(!response.body.err().is_some_and(failed));
        });
        let request = Request {
            id: 0,
            deadline: None,
            operation,
        };
        engine.submit(&grant, request, reply);
        if !answered.await.unwrap_or(false) {
            return false;
        }
    }
    true
}
