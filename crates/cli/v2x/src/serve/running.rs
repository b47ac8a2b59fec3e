//! The service while it runs: reloads, and what is renewed now and then.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::{JoinError, JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};
use waywarden_v2x_pki::pseudonym::Period;
use waywarden_v2x_recording::Recording;
use waywarden_v2x_service::config::{Config, RecordingFormat, RecordingSection};
use waywarden_v2x_service::engine::Engine;
use waywarden_v2x_service::metrics::{Metrics, RecordingForm};
use waywarden_v2x_service::notify;

use super::clock::{self, Source, leap_seconds};
use super::materials;
use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::time;

/// Interval at which the metrics of the time are renewed and the period of pseudonyms is checked.
const TICK: Duration = Duration::from_secs(1);

/// State that reloads need.
pub(super) struct Running {
    config: Arc<Config>,
    engine: Arc<Engine>,
    metrics: Arc<Metrics>,
    source: Arc<Source>,
    recordings: Vec<Recorded>,
    /// The period whose pseudonyms sign.
    period: Option<Period>,
    /// The reload under way: what it loads, in words.
    reload: Option<Reload>,
    /// True if another reload was requested meanwhile.
    is_reload_due: bool,
}

type Reload = JoinHandle<Result<String, Failure>>;

/// A recording, and how many verdicts that it lost are in the metrics.
pub(super) struct Recorded {
    recording: Recording,
    directory: PathBuf,
    form: RecordingForm,
    lost: u64,
}

impl Recorded {
    pub(super) fn new(section: &RecordingSection, recording: Recording) -> Self {
        Self {
            recording,
            directory: section.directory.clone(),
            form: match section.format {
                RecordingFormat::JsonLines => RecordingForm::JsonLines,
                RecordingFormat::Mcap => RecordingForm::Mcap,
            },
            lost: 0,
        }
    }

    /// Renews what the metrics have of it. Returns whether it cannot write now.
    fn count(&mut self, metrics: &Metrics) -> bool {
        let counts = self.recording.counts();
        let lost = counts.lagged + counts.unwritten;
        metrics.recordings_lost(self.form, lost.saturating_sub(self.lost));
        self.lost = lost;
        counts.is_failing
    }
}

/// The signals that the service waits for.
pub(super) struct Signals {
    reload: Signal,
    terminate: Signal,
    interrupt: Signal,
    quit: Signal,
    /// Signals that scripts send to daemons: they would end the process, so it ignores them.
    ignored: [Signal; 3],
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self {
            reload: signal(SignalKind::hangup())?,
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            ignored: [
                signal(SignalKind::user_defined1())?,
                signal(SignalKind::user_defined2())?,
                signal(SignalKind::alarm())?,
            ],
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
            reload: None,
            is_reload_due: false,
        }
    }

    /// Reloads when it is ordered to, and at the begin of a period of pseudonyms, until a signal
    /// ends the service. A reload that hangs holds up nothing but reloads.
    pub(super) async fn until_ordered_to_end(&mut self, mut signals: Signals) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = signals.terminate.recv() => return,
                _ = signals.interrupt.recv() => return,
                _ = signals.quit.recv() => return,
                () = any(&mut signals.ignored) => {
                    tracing::warn!("a signal that has no meaning here is ignored");
                }
                _ = signals.reload.recv() => self.begin_reload(),
                ended = finished(&mut self.reload) => self.end_reload(ended),
                _ = ticks.tick() => self.tick(),
            }
        }
    }

    /// Ends the files of recordings, and waits at most so long for all of them: a disk may hang.
    pub(super) fn stop_recordings(&mut self, most: Duration) {
        let end = Instant::now() + most;
        for one in &mut self.recordings {
            one.recording.begin_to_stop();
        }
        for one in self.recordings.drain(..) {
            let left = end.saturating_duration_since(Instant::now());
            match one.recording.stop_within(left) {
                Some(counts) => {
                    tracing::info!(recorded = counts.recorded, "recording ended");
                }
                None => tracing::warn!(
                    directory = %one.directory.display(),
                    "the recording did not end in time; its last verdicts may be lost"
                ),
            }
        }
    }

    fn tick(&mut self) {
        let time = self.source.time();
        let reading = time.read();
        self.metrics.set_time(reading.distrust, time.doubt());
        let recordings = self.recordings.iter_mut();
        let failing = recordings.filter_map(|one| one.count(&self.metrics).then_some(()));
        self.metrics.set_recordings_failing(failing.count());
        let period = Period::at(time::now());
        if period != self.period {
            tracing::info!("a period of pseudonyms begins");
            self.period = period;
            self.begin_reload();
        }
    }

    /// Begins to load again what the configuration names, or notes that it is to be done once
    /// the reload under way has ended. What cannot be loaded changes nothing.
    fn begin_reload(&mut self) {
        if self.reload.is_some() {
            tracing::warn!("a reload is under way; the next one begins once it has ended");
            self.is_reload_due = true;
            return;
        }
        notify::reloading();
        let (config, engine) = (Arc::clone(&self.config), Arc::clone(&self.engine));
        let metrics = Arc::clone(&self.metrics);
        let source = Arc::clone(&self.source);
        self.reload = Some(spawn_blocking(move || {
            let loaded = materials::load(&config, None, time::now())?;
            let table = leap_seconds(&config.time)?;
            clock::report(&table);
            source.set_leap_seconds(table);
            loaded.report(&metrics);
            let summary = loaded.materials.summary();
            let reloaded = engine.reload(loaded.materials);
            reloaded.map_err(|refusal| {
                Failure::new(format_args!(
                    "[trust] crl: with the revocations in force: {refusal}; restart the service \
                     to have those of its files alone"
                ))
            })?;
            Ok(summary)
        }));
    }

    /// Reports how a reload ended, and begins the next one if it is due.
    fn end_reload(&mut self, ended: Result<Result<String, Failure>, JoinError>) {
        self.reload = None;
        let failures = match ended {
            Ok(Ok(summary)) => {
                tracing::info!(materials = summary, "reloaded");
                Vec::new()
            }
            Ok(Err(failure)) => failure.lines().to_vec(),
            Err(error) => vec![error.to_string()],
        };
        for line in &failures {
            tracing::error!(reason = line, "not reloaded: all stays as it was");
        }
        self.metrics.reloaded(failures.is_empty());
        notify::ready(match failures.is_empty() {
            true => "ready",
            false => "ready; the last reload failed, see the log",
        });
        if std::mem::take(&mut self.is_reload_due) {
            self.begin_reload();
        }
    }
}

/// Waits for one of several signals.
async fn any(signals: &mut [Signal; 3]) {
    let [first, second, third] = signals;
    tokio::select! {
        _ = first.recv() => {}
        _ = second.recv() => {}
        _ = third.recv() => {}
    }
}

/// Waits until the reload under way has ended, and for ever if there is none.
async fn finished(reload: &mut Option<Reload>) -> Result<Result<String, Failure>, JoinError> {
    match reload {
        Some(reload) => reload.await,
        None => std::future::pending().await,
    }
}
