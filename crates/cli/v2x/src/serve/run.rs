//! The service as a process: it starts, and it ends.

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use tokio::runtime;
use tokio::sync::watch;
use waywarden_v2x_recording::Recording;
use waywarden_v2x_service::config::{Config, RecordingSection};
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_service::measured::MeasuredService;
use waywarden_v2x_service::metrics::Metrics;
use waywarden_v2x_service::privileges::{harden, is_root};
use waywarden_v2x_service::service::Service;
use waywarden_v2x_service::{log, notify, watchdog};

use super::clock::Source;
use super::front::Front;
use super::materials::Loaded;
use super::running::{Recorded, Running, Signals};
use crate::used::UsedCertificates;
use waywarden_command_line::exit::{Answer, Failure};
use waywarden_command_line::terminal::plain;

/// Serves until a signal ends it.
pub(super) fn run(config: Config, front: Front, loaded: Loaded) -> Result<Answer, Failure> {
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

/// Opens the file that keeps which pseudonyms were used.
fn opened_used(path: &Path) -> Result<UsedCertificates, Failure> {
    UsedCertificates::open(path).map_err(|failure| failure.prefixed("[pseudonyms] used: "))
}

async fn serve(config: Config, front: Front, mut loaded: Loaded) -> Result<Answer, Failure> {
    if let Some(path) = &config.pseudonyms.used {
        loaded.materials.used = Some(Box::new(opened_used(path)?));
    }
    // Before it is known that the service is ready: no signal comes too early.
    let signals = Signals::new().map_err(|error| Failure::new(format_args!("signals: {error}")))?;
    let metrics = Arc::new(Metrics::new());
    let source = Source::start(&config.time)?;
    let time = source.time();
    // Messages that another process accepted before are not known: see docs/service.md.
    let start = time.read().time;
    loaded.materials.verifier.set_start(Some(start));
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
    let service = MeasuredService::new(Arc::clone(&engine), Arc::clone(&metrics));
    let service: Arc<dyn Service> = Arc::new(service);
    if let Err(error) = announce(front.addresses()) {
        tracing::warn!(%error, "standard output cannot be written; the addresses are not printed");
    }
    for psid in front.signed_without_token() {
        tracing::warn!(
            psid,
            "[http] signs without a token for every process of this computer"
        );
    }
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
        () = running.until_ordered_to_end(signals) => None,
        () = answer_watchdog(watched, &engine) => None,
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
    running.stop_recordings(shutdown);
    tracing::info!("ended");
    ended.map(|()| Answer::Yes)
}

/// Starts to record verdicts.
fn recordings(config: &Config, service: &Arc<dyn Service>) -> Result<Vec<Recorded>, Failure> {
    let start = |section: &RecordingSection| {
        let settings = section.settings();
        let started = Recording::start(settings, service.subscribe());
        let failed = |error| Failure::new(format_args!("[[recording]] {error}"));
        Ok(Recorded::new(section, started.map_err(failed)?))
    };
    config.recording.iter().map(start).collect()
}

/// Prints where clients can connect.
fn announce(addresses: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for address in addresses {
        writeln!(out, "listening on {}", plain(address))?;
    }
    out.flush()
}

/// Answers systemd's watchdog as long as the engine does its work. It does not end.
async fn answer_watchdog(is_wanted: bool, engine: &Engine) {
    if is_wanted {
        let probe = |every| async move {
            let finding = watchdog::check(engine, every).await;
            finding.log();
            finding.works()
        };
        notify::watch(probe).await;
    }
    std::future::pending::<()>().await;
}
