//! Batches of records verified by several threads: each reads, prepares and verifies signatures by
//! itself; messages are committed and answers written in the order of the input.

use std::io::Write;
use std::mem;
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard};
use std::thread;

use indicatif::ProgressBar;
use waywarden_ecverify::SignatureVerifier;
use waywarden_v2x_security::Verifier;

use super::batch::Batch;
use super::judge::Judge;
use super::output::{Answer, Format, Output};
use super::queue::{Numbered, Queue, Step, StopOnPanic};
use super::summary::Tally;
use waywarden_command_line::exit::Failure;
use waywarden_v2x_input::record::InputRecord;

/// Records of a batch: enough to fill the vectors with signatures of every kind.
const RECORDS_MAX: usize = 256;
/// Bytes of a batch, unless it is one record.
const BATCH_BYTES_MAX: usize = 256 << 10;
/// Bytes that a record takes beside those of its own.
const RECORD_BYTES: usize = 256;

/// Maximum number of batches that a thread verifies while it waits for the turn of one.
const AHEAD_MAX: usize = 3;

/// Finishes a batch that was verified before its turn.
type Finish<'b> = Box<dyn FnOnce(&mut SignatureVerifier) + 'b>;

/// State that the threads share.
pub(super) struct Pipeline<'p, W: Write> {
    judge: &'p Judge,
    verifier: RwLock<Verifier>,
    sink: Mutex<Sink<'p, W>>,
    queue: Queue<Vec<InputRecord>>,
    failure: Mutex<Option<Failure>>,
    settings: Settings,
}

/// Settings of the work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    pub(super) format: Format,
    /// Threads that verify.
    pub(super) jobs: usize,
    /// Bytes for the tables of keys of each thread.
    pub(super) table_memory: usize,
}

/// Destination of the answers.
struct Sink<'p, W: Write> {
    output: &'p mut Output<W>,
    tally: Tally,
    bar: &'p ProgressBar,
}

impl<'p, W: Write + Send> Pipeline<'p, W> {
    pub(super) fn new(
        judge: &'p Judge,
        verifier: Verifier,
        output: &'p mut Output<W>,
        bar: &'p ProgressBar,
        settings: Settings,
    ) -> Self {
        Self {
            judge,
            verifier: RwLock::new(verifier),
            sink: Mutex::new(Sink {
                output,
                tally: Tally::default(),
                bar,
            }),
            // Each thread has one in work and one that waits for its turn, and finds another one.
            queue: Queue::new(3 * settings.jobs + 1),
            failure: Mutex::new(None),
            settings,
        }
    }

    /// Verifies what `read` feeds in. Returns what came out, once all of it is written.
    ///
    /// # Errors
    /// That of the output, else that of `read`.
    pub(super) fn run(
        self,
        read: impl FnOnce(&mut Feed<'_, 'p, W>) -> Result<(), Failure>,
    ) -> Result<Tally, Failure> {
        let read = thread::scope(|scope| {
            let _stop = StopOnPanic(&self.queue);
            let threads = match self.settings.jobs {
                1 => 0,
                jobs => jobs,
            };
            let spawn = || thread::Builder::new().spawn_scoped(scope, || self.work());
            // A system without room for another thread does with those that there are.
            let threads = (0..threads).map_while(|_| spawn().ok()).count();
            let mut feed = Feed {
                pipeline: &self,
                records: Vec::new(),
                bytes: 0,
                alone: (threads == 0).then(|| self.signatures()),
            };
            let result = read(&mut feed).and_then(|()| feed.flush());
            self.queue.close();
            result
        });
        let failure = self.failure.into_inner();
        match failure.unwrap_or_else(PoisonError::into_inner) {
            Some(failure) => Err(failure),
            None => read.map(|()| {
                let sink = self.sink.into_inner();
                sink.unwrap_or_else(PoisonError::into_inner).tally
            }),
        }
    }

    fn signatures(&self) -> SignatureVerifier {
        SignatureVerifier::with_table_bytes(self.settings.table_memory)
    }

    /// Takes batches until there are no more.
    fn work(&self) {
        let _stop = StopOnPanic(&self.queue);
        let mut signatures = self.signatures();
        while let Some(batch) = self.queue.take() {
            self.process(&batch, &mut signatures, None);
            self.queue.give_back(batch);
        }
    }

    /// Verifies a batch, finishes the one before and then this one. If it is not this one's turn,
    /// the next batch is verified in the meantime: `earlier` has how many are so, and finishes the
    /// last of them.
    fn process(
        &self,
        records: &Numbered<Vec<InputRecord>>,
        signatures: &mut SignatureVerifier,
        earlier: Option<(usize, Finish<'_>)>,
    ) {
        let batch = self.verified(records, signatures);
        let ahead = earlier.map_or(0, |(ahead, finish)| {
            finish(signatures);
            ahead
        });
        let finish = |signatures: &mut _| self.finish(records, batch, signatures);
        if ahead < AHEAD_MAX
            && !self.queue.is_turn(Step::Commit, records)
            && let Some(next) = self.queue.take_waiting()
        {
            self.process(&next, signatures, Some((ahead + 1, Box::new(finish))));
            self.queue.give_back(next);
        } else {
            finish(signatures);
        }
    }

    /// Verifies the signatures of a batch, ahead of its turn.
    fn verified<'r>(
        &'r self,
        records: &'r Numbered<Vec<InputRecord>>,
        signatures: &mut SignatureVerifier,
    ) -> Batch<'r> {
        let mut batch = Batch::read(&records.item, self.judge);
        batch.look_ahead(&self.verifier());
        batch.verify(signatures);
        // Not to wait for the thread that commits where nothing can come of it.
        if batch.has_refused() && batch.look_ahead_again(&self.verifier()) {
            batch.verify(signatures);
        }
        batch.verify_by_known_keys(signatures);
        batch
    }

    /// Commits a batch and writes the answer, each at its turn. If that fails, all work is stopped.
    fn finish(
        &self,
        records: &Numbered<Vec<InputRecord>>,
        mut batch: Batch<'_>,
        signatures: &mut SignatureVerifier,
    ) {
        let judged = self.queue.in_turn(Step::Commit, records, || {
            let verifier = self.verifier.write();
            let mut verifier = verifier.unwrap_or_else(PoisonError::into_inner);
            // Other batches may have brought certificates in the meantime.
            if batch.look_ahead_again(&verifier) {
                batch.verify(signatures);
            }
            batch.judge(&mut verifier)
        });
        let Some((judgements, tally)) = judged else {
            return;
        };
        let answer = Answer::new(self.settings.format, judgements);
        let written = self.queue.in_turn(Step::Write, records, || {
            let sink = self.sink.lock();
            let mut sink = sink.unwrap_or_else(PoisonError::into_inner);
            sink.tally.add(&tally);
            let inputs = sink.tally.inputs;
            sink.bar.set_message(format!("{inputs} inputs"));
            sink.output.write(answer?)
        });
        if let Some(Err(error)) = written {
            let failure = self.failure.lock();
            let mut failure = failure.unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert_with(|| error.into());
            self.queue.stop();
        }
    }

    fn verifier(&self) -> RwLockReadGuard<'_, Verifier> {
        self.verifier.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gathers records to batches.
pub(super) struct Feed<'f, 'p, W: Write> {
    pipeline: &'f Pipeline<'p, W>,
    records: Vec<InputRecord>,
    bytes: usize,
    /// Verifier of this thread, if there is no other thread.
    alone: Option<SignatureVerifier>,
}

impl<W: Write + Send> Feed<'_, '_, W> {
    /// Takes a record.
    ///
    /// # Errors
    /// If the work was stopped.
    pub(super) fn take(&mut self, record: InputRecord) -> Result<(), Failure> {
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
    fn flush(&mut self) -> Result<(), Failure> {
        if self.records.is_empty() {
            return Ok(());
        }
        let (records, bytes) = (mem::take(&mut self.records), mem::take(&mut self.bytes));
        let queue = &self.pipeline.queue;
        let is_pushed = queue.push(records, bytes);
        if is_pushed
            && let Some(signatures) = &mut self.alone
            && let Some(batch) = queue.take()
        {
            self.pipeline.process(&batch, signatures, None);
            queue.give_back(batch);
        }
        match is_pushed {
            true => Ok(()),
            // The pipeline has the reason.
            false => Err(Failure::new("stopped")),
        }
    }
}
