//! Recordings of verdicts: files of JSON Lines, or of MCAP for ROS 2 and what reads its logs.
//!
//! A thread of its own writes each recording. It takes [`VerdictEvent`]s from the service's
//! broadcast channel, whose size bounds what waits. What it cannot write is lost and counted; the
//! service never waits for a disk. `docs/recordings.md` describes the files.
//!
//! [`VerdictEvent`]: waywarden_v2x_service_protocol::verdict::VerdictEvent
#![forbid(unsafe_code)]

mod cdr;
mod counts;
mod encoder;
pub mod folder;
mod json_lines;
mod mcap;
mod rotation;
mod settings;
mod writer;

use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::{broadcast, oneshot};
use tokio::time::MissedTickBehavior;

pub use counts::RecordingCounts;
pub use encoder::Encoder;
pub use json_lines::JsonLines;
pub use mcap::Mcap;
pub use settings::{InvalidSettings, RecordFormat, RecordingSettings, Verdicts};

use counts::Counters;
use waywarden_v2x_service_protocol::verdict::VerdictEvent;
use writer::Writer;

/// A recording that is being made. One that is dropped stops, and is not waited for.
#[derive(Debug)]
pub struct Recording {
    counters: Arc<Counters>,
    /// Gone once the recording was told to stop.
    stop: Option<oneshot::Sender<()>>,
    /// Its sender is gone once the thread has written everything.
    ended: mpsc::Receiver<()>,
    thread: JoinHandle<()>,
}

impl Recording {
    /// Starts to record what the channel brings from now on. A folder that is missing or
    /// cannot be written does not fail here: the recording logs it and tries again.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the settings do not hold; else what the operating system says of a new
    /// thread.
    pub fn start(
        settings: RecordingSettings,
        events: broadcast::Receiver<VerdictEvent>,
    ) -> io::Result<Self> {
        settings
            .check()
            .map_err(|invalid| io::Error::new(io::ErrorKind::InvalidInput, invalid))?;
        let runtime = runtime::Builder::new_current_thread()
            .enable_time()
            .build()?;
        let counters = Arc::new(Counters::default());
        let (stop, stopped) = oneshot::channel();
        let writer = Writer::new(settings, Arc::clone(&counters));
        let (end, ended) = mpsc::channel();
        let record = move || {
            runtime.block_on(record(writer, events, stopped));
            drop::<mpsc::Sender<()>>(end);
        };
        let thread = thread::Builder::new()
            .name("recording".to_owned())
            .spawn(record)?;
        Ok(Self {
            counters,
            stop: Some(stop),
            ended,
            thread,
        })
    }

    /// Returns the counts of recorded and lost verdicts so far.
    #[must_use]
    pub fn counts(&self) -> RecordingCounts {
        self.counters.read()
    }

    /// Has the thread write what waits in the channel and end the file. It does not wait for that,
    /// so that several recordings can end at the same time.
    pub fn begin_to_stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // The thread may have ended already, because the channel closed.
            let _ = stop.send(());
        }
    }

    /// Writes what waits in the channel, ends the file and returns what was recorded and lost.
    pub fn stop(mut self) -> RecordingCounts {
        self.begin_to_stop();
        let _ = self.thread.join();
        self.counters.read()
    }

    /// Stops as [`stop`](Self::stop) does, but waits at most so long: a disk may hang. Returns
    /// `None` if the thread has not ended by then; it is left to itself.
    #[must_use]
    pub fn stop_within(mut self, most: Duration) -> Option<RecordingCounts> {
        self.begin_to_stop();
        match self.ended.recv_timeout(most) {
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            _ => Some(self.stop()),
        }
    }
}

/// Writes events until the channel closes or the recording is stopped.
async fn record(
    mut writer: Writer,
    mut events: broadcast::Receiver<VerdictEvent>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut flush = tokio::time::interval(writer.settings().flush);
    flush.set_missed_tick_behavior(MissedTickBehavior::Delay);
    writer.check_folder(Instant::now());
    loop {
        tokio::select! {
            biased;
            _ = &mut stopped => break,
            _ = flush.tick() => writer.tick(Instant::now()),
            event = events.recv() => match event {
                Ok(event) => writer.record(&event, Instant::now()),
                Err(broadcast::error::RecvError::Lagged(lost)) => writer.lag(lost, Instant::now()),
                Err(broadcast::error::RecvError::Closed) => break,
            },
        }
    }
    // What waits now, and not what comes meanwhile: the channel's size bounds it.
    for _ in 0..events.len() {
        match events.try_recv() {
            Ok(event) => writer.record(&event, Instant::now()),
            Err(broadcast::error::TryRecvError::Lagged(lost)) => writer.lag(lost, Instant::now()),
            Err(_) => break,
        }
    }
    writer.finish(Instant::now());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_hangs_is_not_waited_for() {
        let (stop, _stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let (hang, hangs) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            let _ = hangs.recv();
            drop::<mpsc::Sender<()>>(end);
        });
        let recording = |stop, ended, thread| Recording {
            counters: Arc::default(),
            stop: Some(stop),
            ended,
            thread,
        };
        let hanging = recording(stop, ended, thread);
        assert_eq!(hanging.stop_within(Duration::from_millis(1)), None);
        drop(hang);
        let (stop, _stopped) = oneshot::channel();
        let (end, ended) = mpsc::channel();
        let thread = thread::spawn(move || drop::<mpsc::Sender<()>>(end));
        let ending = recording(stop, ended, thread);
        let counts = ending.stop_within(Duration::from_secs(60));
        assert_eq!(counts, Some(RecordingCounts::default()));
    }
}
