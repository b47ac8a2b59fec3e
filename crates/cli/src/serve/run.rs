//! The service as a process: it starts, and it ends.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::sync::Arc;

use tokio::runtime;
use tokio::sync::{oneshot, watch};
use waywarden_v2x_service::access::Grant;
use waywarden_v2x_service::config::{Config, RecordingSection};
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_service::measured::Measured;
use waywarden_v2x_service::metrics::Metrics;
use waywarden_v2x_service::privileges::{Target, harden, is_root};
use waywarden_v2x_service::protocol::{
    CertificateQuery, Operation, Refused, Request, Sign, Status,
};
use waywarden_v2x_service::recording::Recording;
use waywarden_v2x_service::service::{Reply, Service};
use waywarden_v2x_service::{log, notify};
use waywarden_v2x_wire::ieee1609dot2::{HashedId8, Psid};

use super::clock::Source;
use super::front::Front;
use super::materials::Loaded;
use super::running::{Recorded, Running, Signals};
use crate::exit::{Answer, Failure};
use crate::terminal::plain;

/// Serves until a signal ends it.
pub(super) fn run(
    config: Config,
    front: Front,
    loaded: Loaded,
    target: Option<&Target>,
) -> Result<Answer, Failure> {
    // Sockets and keys are open: from here on root is not needed, and threads may start.
    if let Some(target) = target {
        target.become_it().map_err(Failure::new)?;
    }
    harden().map_err(Failure::new)?;
    let _log = log::install(config.log).map_err(Failure::new)?;
    if is_root() {
        tracing::warn!("runs as root: give [service] user, or User= in the unit of systemd");
    }
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(format_args!("event loop: {error}")))?;
    let answer = runtime.block_on(serve(config, front, loaded));
    // A reload that hangs at a file does not hold up the end.
    runtime.shutdown_background();
    answer
}

async fn serve(config: Config, front: Front, loaded: Loaded) -> Result<Answer, Failure> {
    // Before it is known that the service is ready: no signal comes too early.
    let signals = Signals::new().map_err(|error| Failure::new(format_args!("signals: {error}")))?;
    let metrics = Arc::new(Metrics::new());
    let source = Source::start(&config.time)?;
    let time = source.time();
    loaded.report(&metrics);
    let observer = Arc::clone(&metrics) as _;
    let engine = Engine::start(
        loaded.materials,
        config.engine(),
        Arc::clone(&time),
        observer,
    );
    let engine = engine.map_err(|error| Failure::new(format_args!("threads: {error}")))?;
    let engine = Arc::new(engine);
    let service = Measured::new(Arc::clone(&engine), Arc::clone(&metrics));
    let service: Arc<dyn Service> = Arc::new(service);
    announce(front.addresses())?;
    let watched = config.service.watchdog;
    let shutdown = config.service.shutdown;
    let recordings = recordings(&config, &service)?;
    let (stop, stopped) = watch::channel(false);
    let serving = front.serve(service, Arc::clone(&metrics), stopped);
    let mut serving = std::pin::pin!(serving);
    let mut running = Running::new(config, Arc::clone(&engine), metrics, source, recordings);

    notify::ready("ready");
    tracing::info!("ready");
    let early = tokio::select! {
        () = running.until_told_to_end(signals) => None,
        () = watchdog(watched, &engine) => None,
        ended = &mut serving => Some(ended),
    };
    notify::stopping();
    let ended = match early {
        Some(ended) => ended,
        None => {
            tracing::info!("ends: answers the requests that are under way");
            let _ = stop.send(true);
            let ended = tokio::time::timeout(shutdown, serving).await;
            ended.unwrap_or_else(|_| {
                tracing::warn!("requests were not answered before the end");
                Ok(())
            })
        }
    };
    running.stop_recordings();
    tracing::info!("ended");
    ended.map(|()| Answer::Yes)
}

/// Starts to record verdicts.
fn recordings(config: &Config, service: &Arc<dyn Service>) -> Result<Vec<Recorded>, Failure> {
    let start = |section: &RecordingSection| {
        let settings = section.settings();
        let started = Recording::start(settings, service.subscribe());
        let failed = |error| Failure::new(format_args!("[[recording]] {error}"));
        Ok(Recorded::new(section.format, started.map_err(failed)?))
    };
    config.recording.iter().map(start).collect()
}

/// Prints where clients can connect.
fn announce(addresses: &[String]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    for address in addresses {
        writeln!(out, "listening on {}", plain(address))?;
    }
    out.flush()?;
    Ok(())
}

/// Answers systemd's watchdog as long as the engine does its work. It does not end.
async fn watchdog(is_wanted: bool, engine: &Engine) {
    if is_wanted {
        notify::watch(|| probe(engine)).await;
    }
    std::future::pending::<()>().await;
}

/// Whether the engine's threads answer: the one that signs, for an application that no certificate
/// has, and the one that looks up certificates, which needs what those that verify hold. Messages
/// and verdicts are not made for it.
async fn probe(engine: &Engine) -> bool {
    let psid = Psid(u64::MAX);
    let sign = Operation::Sign(Sign {
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
    for operation in [sign, Operation::CertificateStatus(look_up)] {
        let (answer, answered) = oneshot::channel();
        let reply = Reply::new(0, move |response| {
            let failed = |refused: Refused| refused.status == Status::Internal;
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
