//! The service while it runs: reloads, and what is renewed now and then.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_service::config::{Config, RecordingFormat};
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_service::metrics::{Metrics, RecordingForm};
use waywarden_v2x_service::notify;
use waywarden_v2x_service::recording::Recording;

use super::clock::{self, Source, leap_seconds};
use super::materials;
use crate::exit::Failure;
use crate::v2x::time;

/// How often the metrics of the time are renewed, and the period of pseudonyms is looked at.
const TICK: Duration = Duration::from_secs(1);

/// What reloads need.
pub(super) struct Running {
    config: Arc<Config>,
    engine: Arc<Engine>,
    metrics: Arc<Metrics>,
    source: Arc<Source>,
    recordings: Vec<Recorded>,
    /// The period whose pseudonyms sign.
    period: Option<Period>,
}

/// A recording, and how many verdicts that it lost are in the metrics.
pub(super) struct Recorded {
    recording: Recording,
    form: RecordingForm,
    lost: u64,
}

impl Recorded {
    pub(super) fn new(format: RecordingFormat, recording: Recording) -> Self {
        Self {
            recording,
            form: match format {
                RecordingFormat::JsonLines => RecordingForm::JsonLines,
                RecordingFormat::Mcap => RecordingForm::Mcap,
            },
            lost: 0,
        }
    }

    fn count(&mut self, metrics: &Metrics) {
        let counts = self.recording.counts();
        let lost = counts.lagged + counts.unwritten;
        metrics.recordings_lost(self.form, lost.saturating_sub(self.lost));
        self.lost = lost;
    }
}

/// The signals that the service waits for.
pub(super) struct Signals {
    reload: Signal,
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            reload: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }
}

impl Running {
    pub(super) fn new(
        config: Config,
        engine: Arc<Engine>,
        metrics: Arc<Metrics>,
        source: Source,
        recordings: Vec<Recorded>,
    ) -> Self {
        Self {
            config: Arc::new(config),
            engine,
            metrics,
            source: Arc::new(source),
            recordings,
            period: Period::at(time::now()),
        }
    }

    /// Reloads when it is told to, and at the begin of a period of pseudonyms, until a signal ends
    /// the service.
    pub(super) async fn until_told_to_end(&mut self, mut signals: Signals) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = signals.terminate.recv() => return,
                _ = signals.interrupt.recv() => return,
                _ = signals.reload.recv() => self.reload().await,
                _ = ticks.tick() => self.tick().await,
            }
        }
    }

    /// Ends the files of recordings.
    pub(super) fn stop_recordings(&mut self) {
        for one in self.recordings.drain(..) {
            let counts = one.recording.stop();
            tracing::info!(recorded = counts.recorded, "recording ended");
        }
    }

    async fn tick(&mut self) {
        let reading = self.source.time().read();
        self.metrics.set_time(reading.distrust);
        for one in &mut self.recordings {
            one.count(&self.metrics);
        }
        let period = Period::at(time::now());
        if period != self.period {
            tracing::info!("a period of pseudonyms begins");
            self.period = period;
            self.reload().await;
        }
    }

    /// Loads again what the configuration names. What cannot be loaded changes nothing.
    async fn reload(&mut self) {
        notify::reloading();
        let (config, engine) = (Arc::clone(&self.config), Arc::clone(&self.engine));
        let metrics = Arc::clone(&self.metrics);
        let source = Arc::clone(&self.source);
        let reload = spawn_blocking(move || -> Result<String, Failure> {
            let loaded = materials::load(&config, None, time::now())?;
            let table = leap_seconds(&config.time)?;
            clock::report(&table);
            source.set_leap_seconds(table);
            loaded.report(&metrics);
            let summary = loaded.materials.summary();
            engine.reload(loaded.materials);
            Ok(summary)
        });
        let lines = match reload.await {
            Ok(Ok(summary)) => {
                tracing::info!(materials = summary, "reloaded");
                self.metrics.reloaded(true);
                notify::ready("ready");
                return;
            }
            Ok(Err(failure)) => failure.lines().to_vec(),
            Err(error) => vec![error.to_string()],
        };
        for line in lines {
            tracing::error!(reason = line, "not reloaded: all stays as it was");
        }
        self.metrics.reloaded(false);
        notify::ready("ready; the last reload failed, see the log");
    }
}
