//! Recordings of verdicts: files of JSON Lines, or of MCAP for ROS 2 and what reads its logs.
//!
//! A thread of its own writes each recording. It takes [`VerdictEvent`]s from the service's
//! broadcast channel, whose size bounds what waits. What it cannot write is lost and counted; the
//! service never waits for a disk. `docs/recordings.md` describes the files.
//!
//! [`VerdictEvent`]: crate::verdict::VerdictEvent

mod cdr;
mod counts;
mod encoder;
mod json_lines;
mod mcap;
mod rotation;
mod settings;
mod writer;

use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Instant;

use tokio::runtime;
use tokio::sync::{broadcast, oneshot};
use tokio::time::MissedTickBehavior;

pub use counts::Counts;
pub use encoder::Encoder;
pub use json_lines::{JsonLines, VerdictFields};
pub use mcap::Mcap;
pub use settings::{Format, InvalidSettings, Settings, Verdicts};

use crate::verdict::VerdictEvent;
use counts::Counters;
use writer::Writer;

/// A recording that is being made. One that is dropped stops, and is not waited for.
#[derive(Debug)]
pub struct Recording {
    counters: Arc<Counters>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Recording {
    /// Starts to record what the channel brings from now on. A path that cannot be written does
    /// not fail here: the recording logs it and tries again.
    ///
    /// # Errors
    ///
    /// `InvalidInput` if the settings do not hold; else what the operating system says of a new
    /// thread.
    pub fn start(
        settings: Settings,
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
        let record = move || runtime.block_on(record(writer, events, stopped));
        let thread = thread::Builder::new()
            .name("recording".to_owned())
            .spawn(record)?;
        Ok(Self {
            counters,
            stop,
            thread,
        })
    }

    /// Returns what was recorded and lost so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counters.read()
    }

    /// Writes what waits in the channel, ends the file and returns what was recorded and lost.
    pub fn stop(self) -> Counts {
        // The thread may have ended already, because the channel closed.
        let _ = self.stop.send(());
        let _ = self.thread.join();
        self.counters.read()
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
