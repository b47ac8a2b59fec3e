//! A capture that a thread of its own writes.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::file::{CaptureFile, Progress};
use super::pcapng::{CapturedPacket, append};

/// Maximum number of bytes that wait, in the queue and while the file cannot be written. Frames
/// that come then are lost, and counted.
pub const WAITING_BYTES_MAX: usize = 16 << 20;
/// Number of waiting bytes that are written at once, whatever the interval.
const GATHERED_BYTES: usize = 64 << 10;
/// Longest interval between two writes.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// Interval of retries for a file that cannot be written.
const RETRY_EVERY: Duration = Duration::from_secs(1);
/// Interval of these retries at the end.
const RETRY_AT_END: Duration = Duration::from_millis(50);

/// Events that a recorder reports, each once until it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecorderReport {
    /// The file cannot be written. Frames wait, and are written once it can be.
    Failing {
        /// The operating system's error.
        why: String,
    },
    /// The file is written again.
    Recovered {
        /// Number of frames that were lost in between.
        lost: u64,
    },
}

/// Counts of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecorderCounts {
    /// Frames that are in the file.
    pub written: u64,
    /// Frames that are not, and will not be.
    pub lost: u64,
    /// Bytes that wait.
    pub waiting_bytes: usize,
    /// Reason why the file cannot be written, while it cannot.
    pub failing: Option<String>,
}

/// Records frames to a file, without making the caller wait.
///
/// A frame is in the file at most a second later; a process that is killed loses what waits, and
/// the file may end within a block. [`CaptureRecorder::finish`] writes the rest; a recorder that is
/// dropped does so in the background, if the process lives on.
pub struct CaptureRecorder {
    blocks: Sender<Box<[u8]>>,
    /// Closed by the thread when it ends.
    ended: Receiver<()>,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    written: AtomicU64,
    lost: AtomicU64,
    waiting_bytes: AtomicUsize,
    /// True if the thread may not wait for room any longer.
    is_over: AtomicBool,
    failing: Mutex<Option<String>>,
}

impl CaptureRecorder {
    /// Makes the file, which must not exist, and starts the thread. `interface` is the name that
    /// Wireshark shows. The thread calls `report`.
    ///
    /// # Errors
    /// The operating system's, for the file or the thread.
    pub fn create(
        path: &Path,
        interface: &str,
        report: impl FnMut(RecorderReport) + Send + 'static,
    ) -> io::Result<Self> {
        let file = CaptureFile::create(path, interface)?;
        let (blocks, queue) = channel();
        let (end, ended) = channel();
        let shared = Arc::<Shared>::default();
        let thread = RecorderThread {
            file,
            queue,
            _end: end,
            shared: Arc::clone(&shared),
            lost_before: 0,
            report,
        };
        let name = "capture".to_owned();
        Builder::new().name(name).spawn(move || thread.run())?;
        Ok(Self {
            blocks,
            ended,
            shared,
        })
    }

    /// Records a frame, or counts it as lost: where [`WAITING_BYTES_MAX`] wait already.
    pub fn record(&self, packet: &CapturedPacket<'_>) {
        let mut block = Vec::new();
        append(packet, &mut block);
        let length = block.len();
        let before = self
            .shared
            .waiting_bytes
            .fetch_add(length, Ordering::AcqRel);
        let has_room = before + length <= WAITING_BYTES_MAX;
        if !has_room || self.blocks.send(block.into()).is_err() {
            self.shared
                .waiting_bytes
                .fetch_sub(length, Ordering::AcqRel);
            self.shared.lost.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Returns what was counted.
    #[must_use]
    pub fn counts(&self) -> RecorderCounts {
        self.shared.counts()
    }

    /// Writes what waits, and ends the thread. Where the file cannot be written, it is tried for
    /// as long as `within`; then the frames that wait are lost.
    ///
    /// # Errors
    /// [`io::ErrorKind::TimedOut`]: the operating system holds the thread up in a write. The
    /// counts of [`CaptureRecorder::counts`] are the last that are known.
    pub fn finish(self, within: Duration) -> io::Result<RecorderCounts> {
        /// So long the thread has to see that the time is over.
        const GRACE: Duration = Duration::from_millis(500);
        let Self {
            blocks,
            ended,
            shared,
        } = self;
        drop(blocks);
        let mut waited = ended.recv_timeout(within);
        if waited == Err(RecvTimeoutError::Timeout) {
            shared.is_over.store(true, Ordering::Release);
            waited = ended.recv_timeout(GRACE);
        }
        match waited {
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(shared.counts()),
        }
    }
}

impl Shared {
    fn counts(&self) -> RecorderCounts {
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        RecorderCounts {
            written: self.written.load(Ordering::Acquire),
            lost: self.lost.load(Ordering::Acquire),
            waiting_bytes: self.waiting_bytes.load(Ordering::Acquire),
            failing: failing.clone(),
        }
    }
}

struct RecorderThread<F> {
    file: CaptureFile,
    queue: Receiver<Box<[u8]>>,
    _end: Sender<()>,
    shared: Arc<Shared>,
    /// Number of frames that were lost before the file could not be written.
    lost_before: u64,
    report: F,
}

impl<F: FnMut(RecorderReport)> RecorderThread<F> {
    fn run(mut self) {
        let mut next = Instant::now() + WRITE_EVERY;
        let mut is_failing = false;
        loop {
            let within = next.saturating_duration_since(Instant::now());
            let is_ended = match self.queue.recv_timeout(within) {
                Ok(block) => {
                    self.file.add(&block);
                    false
                }
                Err(RecvTimeoutError::Timeout) => false,
                Err(RecvTimeoutError::Disconnected) => true,
            };
            if is_ended {
                return self.end();
            }
            let is_full = self.file.waiting() >= GATHERED_BYTES && !is_failing;
            if is_full || Instant::now() >= next {
                is_failing = !self.write();
                next = Instant::now() + if is_failing { RETRY_EVERY } else { WRITE_EVERY };
            }
        }
    }

    /// Writes the rest, as long as there is time to wait for room.
    fn end(mut self) {
        while !self.write() && !self.shared.is_over.load(Ordering::Acquire) {
            std::thread::sleep(RETRY_AT_END);
        }
        let waiting = self.file.waiting();
        let lost = self.file.abandon();
        self.shared.lost.fetch_add(lost, Ordering::AcqRel);
        self.shared
            .waiting_bytes
            .fetch_sub(waiting, Ordering::AcqRel);
    }

    /// Writes what waits; returns whether that went well.
    fn write(&mut self) -> bool {
        let Progress {
            frames,
            bytes,
            fault,
        } = self.file.write();
        self.shared.written.fetch_add(frames, Ordering::AcqRel);
        self.shared.waiting_bytes.fetch_sub(bytes, Ordering::AcqRel);
        let why = fault.map(|error| error.to_string());
        let is_well = why.is_none();
        let before = {
            let failing = self.shared.failing.lock();
            let mut failing = failing.unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *failing, why.clone())
        };
        let lost = self.shared.lost.load(Ordering::Acquire);
        match (before, why) {
            (before, Some(why)) if before.as_ref() != Some(&why) => {
                if before.is_none() {
                    self.lost_before = lost;
                }
                (self.report)(RecorderReport::Failing { why });
            }
            (Some(_), None) => {
                let lost = lost - self.lost_before;
                (self.report)(RecorderReport::Recovered { lost });
            }
            _ => {}
        }
        is_well
    }
}
