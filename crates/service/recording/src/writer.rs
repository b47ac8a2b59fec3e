//! One recording: verdicts into the file of now, the next file, and what happens without one.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::counts::{Counters, add};
use super::encoder::Encoder;
use super::json_lines::JsonLines;
use super::mcap::Mcap;
use super::rotation::{Begun, Series};
use super::settings::{RecordFormat, RecordingSettings};
use waywarden_v2x_service_protocol::verdict::VerdictEvent;

/// Number of buffered bytes at which they are written, whatever the interval.
const BUFFERED_MAX: usize = 256 << 10;
/// Most flushes of a file: it bounds the index of an MCAP file, which is in memory.
const FLUSHES_MAX: u32 = 20_000;
/// Least interval between two log lines on a slow recording.
const LAG_LOGGED: Duration = Duration::from_secs(60);

/// The writer of one recording.
pub(super) struct Writer {
    settings: RecordingSettings,
    series: Series,
    counters: Arc<Counters>,
    current: Option<Current>,
    /// Set while files cannot be written.
    failure: Option<Failure>,
    lag_logged: Option<Instant>,
}

/// The file that is being written.
struct Current {
    path: PathBuf,
    file: File,
    encoder: Box<dyn Encoder>,
    begun: Instant,
    /// Length of its whole records, in bytes.
    whole: u64,
    /// Number of verdicts in these records.
    verdicts: u64,
    /// Number of buffered bytes.
    buffered: usize,
    /// Number of buffered verdicts.
    pending: u64,
    flushes: u32,
}

/// A failure to write.
struct Failure {
    retry: Instant,
    unwritten: u64,
    /// True if a check found the folder unusable before anything was to be written. After a loss
    /// only a written verdict shows that the recording works again.
    is_of_folder: bool,
}

impl Writer {
    pub(super) fn new(settings: RecordingSettings, counters: Arc<Counters>) -> Self {
        Self {
            series: Series::new(&settings),
            settings,
            counters,
            current: None,
            failure: None,
            lag_logged: None,
        }
    }

    pub(super) fn settings(&self) -> &RecordingSettings {
        &self.settings
    }

    /// Looks whether the folder can be written, so that a failure shows before the first verdict.
    pub(super) fn check_folder(&mut self, now: Instant) {
        match self.settings.check_directory() {
            Ok(()) => self.recover(None),
            Err(error) => {
                let directory = self.series.directory().to_owned();
                self.fail(&directory, &error, now);
                if let Some(failure) = &mut self.failure {
                    failure.is_of_folder = true;
                }
            }
        }
    }

    /// Records a verdict, or counts it as lost.
    pub(super) fn record(&mut self, event: &VerdictEvent, now: Instant) {
        if !self.settings.verdicts.has(event) {
            return;
        }
        if self.failure.as_ref().is_some_and(|it| now < it.retry) {
            self.lose(1);
            return;
        }
        let mut current = match self.current.take().map_or_else(|| self.begin(now), Ok) {
            Ok(current) => current,
            Err(error) => {
                let directory = self.series.directory().to_owned();
                self.fail(&directory, &error, now);
                self.lose(1);
                return;
            }
        };
        let pushed = current.push(event);
        let is_full = current.size() >= self.settings.file_bytes_max;
        match pushed {
            Ok(()) if is_full => self.end(current, now),
            Ok(()) if current.buffered >= BUFFERED_MAX => self.flush(current, now),
            Ok(()) => self.current = Some(current),
            Err(error) => self.abandon(current, &error, now),
        }
    }

    /// Counts verdicts that were lost because this thread was too slow.
    pub(super) fn lag(&mut self, lost: u64, now: Instant) {
        add(&self.counters.lagged, lost);
        let is_logged = |at: Instant| now.saturating_duration_since(at) < LAG_LOGGED;
        if !self.lag_logged.is_some_and(is_logged) {
            self.lag_logged = Some(now);
            tracing::warn!(
                directory = %self.series.directory().display(),
                lost,
                "the recording is too slow and loses verdicts"
            );
        }
    }

    /// Writes what waited for a flush interval, and ends a file that is old.
    pub(super) fn tick(&mut self, now: Instant) {
        let Some(current) = self.current.take() else {
            let is_due = |it: &Failure| it.is_of_folder && now >= it.retry;
            if self.failure.as_ref().is_some_and(is_due) {
                self.check_folder(now);
            }
            return;
        };
        let is_old = now.saturating_duration_since(current.begun) >= self.settings.file_age_max;
        if is_old || current.flushes >= FLUSHES_MAX {
            self.end(current, now);
        } else if current.pending > 0 {
            self.flush(current, now);
        } else {
            self.current = Some(current);
        }
    }

    /// Ends the file.
    pub(super) fn finish(&mut self, now: Instant) {
        if let Some(current) = self.current.take() {
            self.end(current, now);
        }
    }

    fn begin(&self, now: Instant) -> io::Result<Current> {
        let Begun {
            path,
            file,
            removed,
        } = self.series.begin()?;
        add(&self.counters.removed, removed);
        match encoder(self.settings.format, &file) {
            Ok(encoder) => Ok(Current {
                path,
                file,
                encoder,
                begun: now,
                whole: 0,
                verdicts: 0,
                buffered: 0,
                pending: 0,
                flushes: 0,
            }),
            Err(error) => {
                // It is empty: a failure leaves no file without a verdict.
                let _ = fs::remove_file(&path);
                Err(error)
            }
        }
    }

    fn flush(&mut self, mut current: Current, now: Instant) {
        let pending = current.pending;
        match current.flush() {
            Ok(is_linked) => {
                self.written(&current.path, pending, current.flushes);
                if is_linked {
                    self.current = Some(current);
                }
            }
            Err(error) => self.abandon(current, &error, now),
        }
    }

    /// Writes what is buffered and the end of the file. Where the end alone does not go, the
    /// verdicts are safe.
    fn end(&mut self, mut current: Current, now: Instant) {
        let pending = current.pending;
        if let Err(error) = current.flush() {
            self.abandon(current, &error, now);
            return;
        }
        self.written(&current.path, pending, current.flushes);
        let Current {
            path,
            file,
            encoder,
            whole,
            ..
        } = current;
        if let Err(error) = encoder.finish() {
            let _ = file.set_len(whole);
            self.fail(&path, &error, now);
        }
    }

    /// Gives a file up that cannot be written: it is cut behind its last whole record.
    fn abandon(&mut self, current: Current, error: &io::Error, now: Instant) {
        let Current {
            path,
            file,
            encoder,
            whole,
            verdicts,
            pending,
            ..
        } = current;
        // It may try to write once more: first it goes, then what it wrote.
        drop(encoder);
        let _ = match verdicts {
            0 => fs::remove_file(&path),
            _ => file.set_len(whole),
        };
        self.fail(&path, error, now);
        self.lose(pending);
    }

    /// Counts what was written, the `flushes`-th time, to a file.
    fn written(&mut self, path: &Path, verdicts: u64, flushes: u32) {
        add(&self.counters.recorded, verdicts);
        add(&self.counters.files, u64::from(flushes == 1));
        self.recover(Some(path));
    }

    /// Ends a failure: a file was written, or the folder can be.
    fn recover(&mut self, path: Option<&Path>) {
        if let Some(failure) = self.failure.take() {
            self.counters.is_failing.store(false, Ordering::Relaxed);
            tracing::info!(
                file = %path.unwrap_or(self.series.directory()).display(),
                lost = failure.unwritten,
                "the recording goes on"
            );
        }
    }

    /// Counts verdicts that cannot be written.
    fn lose(&mut self, verdicts: u64) {
        add(&self.counters.unwritten, verdicts);
        if let Some(failure) = &mut self.failure {
            failure.unwritten = failure.unwritten.saturating_add(verdicts);
            failure.is_of_folder = false;
        }
    }

    /// Logs the first failure of several, and waits until the next try.
    fn fail(&mut self, path: &Path, error: &io::Error, now: Instant) {
        let retry = now + self.settings.retry;
        if let Some(failure) = &mut self.failure {
            failure.retry = retry;
            failure.is_of_folder = false;
            return;
        }
        self.failure = Some(Failure {
            retry,
            unwritten: 0,
            is_of_folder: false,
        });
        self.counters.is_failing.store(true, Ordering::Relaxed);
        tracing::error!(
            file = %path.display(),
            cause = %error,
            retry_seconds = self.settings.retry.as_secs_f64(),
            "the recording stopped; it is tried again, and verdicts are lost until then"
        );
    }
}

impl Current {
    /// Returns about how long the file is with what is buffered.
    fn size(&self) -> u64 {
        self.whole.saturating_add(self.buffered as u64)
    }

    fn push(&mut self, event: &VerdictEvent) -> io::Result<()> {
        self.pending += 1;
        self.buffered = self.encoder.push(event)?;
        Ok(())
    }

    /// Writes what is buffered. Returns whether the file still has a name: one that was removed is
    /// not written any longer.
    fn flush(&mut self) -> io::Result<bool> {
        self.encoder.flush()?;
        let meta = self.file.metadata()?;
        self.whole = meta.len();
        self.verdicts += self.pending;
        self.pending = 0;
        self.buffered = 0;
        self.flushes += 1;
        Ok(meta.nlink() > 0)
    }
}

fn encoder(format: RecordFormat, file: &File) -> io::Result<Box<dyn Encoder>> {
    let file = file.try_clone()?;
    Ok(match format {
        RecordFormat::JsonLines => Box::new(JsonLines::new(file)),
        RecordFormat::Mcap => Box::new(Mcap::new(file)?),
    })
}
