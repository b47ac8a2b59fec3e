//! Batches of records judged by several threads: each reads, prepares and verifies signatures by
//! itself; messages are judged and verdicts given out in the order of the input.

use std::error::Error;
use std::fmt;
use std::io;
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::thread;

use waywarden_v2x_input::record::InputRecord;

use crate::batch::Batch;
use crate::queue::{Numbered, Queue, Step, StopOnPanic};
use crate::receiver::Receiver;
use crate::reception::Reception;
use crate::verdict::Verdict;

/// Records of a batch: enough to fill the vectors with signatures of every kind.
const RECORDS_MAX: usize = 256;
/// Bytes of a batch, unless it is one record.
const BATCH_BYTES_MAX: usize = 256 << 10;
/// Bytes that a record takes beside those of its own.
const RECORD_BYTES: usize = 256;

/// Maximum number of batches that a thread verifies while it waits for the turn of one.
const AHEAD_MAX: usize = 3;

/// More threads than a machine has cores for.
const THREADS_MAX: usize = 1_024;

/// Finishes a batch that was verified before its turn.
type Finish<'b> = Box<dyn FnOnce() + 'b>;

/// Settings of the work.
#[derive(Clone, Copy, Debug)]
pub struct PipelineSettings {
    /// Threads that verify, beside the one that feeds; with 1 that one verifies.
    pub threads: usize,
    /// Time, place and medium of all records.
    pub reception: Reception,
}

/// Reason why no more records are taken: the verdicts could not be given out.
#[derive(Clone, Copy, Debug)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("stopped")
    }
}

impl Error for Stopped {}

impl From<Stopped> for io::Error {
    fn from(stopped: Stopped) -> Self {
        io::Error::other(stopped)
    }
}

/// Threads that judge records, and what they share. `form` makes an answer of the verdicts of a
/// batch, on any thread; `write` takes the answers in the order of the input.
pub struct Pipeline<'p, F, W> {
    receiver: &'p Receiver,
    form: F,
    write: Mutex<W>,
    queue: Queue<Vec<InputRecord>>,
    failure: Mutex<Option<io::Error>>,
    settings: PipelineSettings,
}

impl<'p, A, F, W> Pipeline<'p, F, W>
where
    F: Fn(Vec<Option<Verdict>>) -> io::Result<A> + Sync,
    W: FnMut(A) -> io::Result<()> + Send,
{
    /// Prepares the work.
    pub fn new(receiver: &'p Receiver, settings: PipelineSettings, form: F, write: W) -> Self {
        let threads = settings.threads.clamp(1, THREADS_MAX);
        Self {
            receiver,
            form,
            write: Mutex::new(write),
            // Each thread has one in work and one that waits for its turn, and finds another one.
            queue: Queue::new(3 * threads + 1),
            failure: Mutex::new(None),
            settings: PipelineSettings {
                threads,
                ..settings
            },
        }
    }

    /// Judges what `read` feeds in. Returns once all of it is given out.
    ///
    /// # Errors
    /// That of `form` or `write`, else that of `read`.
    pub fn run<E: From<io::Error>>(
        self,
        read: impl FnOnce(&mut Feed<'_, 'p, F, W>) -> Result<(), E>,
    ) -> Result<(), E> {
        let read = thread::scope(|scope| {
            let _stop = StopOnPanic(&self.queue);
            let threads = match self.settings.threads {
                1 => 0,
                threads => threads,
            };
            let spawn = || thread::Builder::new().spawn_scoped(scope, || self.work());
            // A system without room for another thread does with those that there are.
            let threads = (0..threads).map_while(|_| spawn().ok()).count();
            let mut feed = Feed {
                pipeline: &self,
                records: Vec::new(),
                bytes: 0,
                is_alone: threads == 0,
            };
            let result = read(&mut feed);
            let result = result.and_then(|()| {
                let flushed = feed.flush();
                flushed.map_err(|stopped| E::from(stopped.into()))
            });
            self.queue.close();
            result
        });
        let failure = self.failure.into_inner();
        match failure.unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure.into()),
            None => read,
        }
    }

    /// Takes batches until there are no more.
    fn work(&self) {
        let _stop = StopOnPanic(&self.queue);
        while let Some(batch) = self.queue.take() {
            self.process(&batch, None);
            self.queue.give_back(batch);
        }
    }

    /// Verifies a batch, finishes the one before and then this one. If it is not this one's turn,
    /// the next batch is verified in the meantime: `earlier` has how many are so, and finishes the
    /// last of them.
    fn process(&self, records: &Numbered<Vec<InputRecord>>, earlier: Option<(usize, Finish<'_>)>) {
        let batch = Batch::ahead(self.receiver, &records.item, &self.settings.reception);
        let ahead = earlier.map_or(0, |(ahead, finish)| {
            finish();
            ahead
        });
        let finish = || self.finish(records, batch);
        if ahead < AHEAD_MAX
            && !self.queue.is_turn(Step::Commit, records)
            && let Some(next) = self.queue.take_waiting()
        {
            self.process(&next, Some((ahead + 1, Box::new(finish))));
            self.queue.give_back(next);
        } else {
            finish();
        }
    }

    /// Judges a batch and gives out the answer, each at its turn. If that fails, all work is
    /// stopped.
    fn finish(&self, records: &Numbered<Vec<InputRecord>>, batch: Batch<'_>) {
        let receiver = self.receiver;
        let judged = || batch.finish(receiver);
        let Some(verdicts) = self.queue.in_turn(Step::Commit, records, judged) else {
            return;
        };
        let answer = (self.form)(verdicts);
        let written = self.queue.in_turn(Step::Write, records, || {
            let write = self.write.lock();
            let mut write = write.unwrap_or_else(PoisonError::into_inner);
            (*write)(answer?)
        });
        if let Some(Err(error)) = written {
            let failure = self.failure.lock();
            let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
            self.queue.stop();
        }
    }
}

/// Gathers records to batches.
pub struct Feed<'f, 'p, F, W> {
    pipeline: &'f Pipeline<'p, F, W>,
    records: Vec<InputRecord>,
    bytes: usize,
    /// True if there is no other thread.
    is_alone: bool,
}

impl<A, F, W> Feed<'_, '_, F, W>
where
    F: Fn(Vec<Option<Verdict>>) -> io::Result<A> + Sync,
    W: FnMut(A) -> io::Result<()> + Send,
{
    /// Takes a record; waits while the threads have enough.
    ///
    /// # Errors
    /// If the work was stopped.
    pub fn take(&mut self, record: InputRecord) -> Result<(), Stopped> {
        let label = record.label.as_ref().map_or(0, String::len);
        let size = RECORD_BYTES + record.bytes.len() + record.place.len() + label;
        if self.bytes + size > BATCH_BYTES_MAX {
            self.flush()?;
        }
        self.bytes += size;
        self.records.push(record);
        match self.records.len() < RECORDS_MAX {
            true => Ok(()),
            false => self.flush(),
        }
    }

    /// Passes on what there is.
    fn flush(&mut self) -> Result<(), Stopped> {
        if self.records.is_empty() {
            return Ok(());
        }
        let (records, bytes) = (mem::take(&mut self.records), mem::take(&mut self.bytes));
        let queue = &self.pipeline.queue;
        if !queue.push(records, bytes) {
            // The pipeline has the reason.
            return Err(Stopped);
        }
        if self.is_alone
            && let Some(batch) = queue.take()
        {
            self.pipeline.process(&batch, None);
            queue.give_back(batch);
        }
        Ok(())
    }
}
