//! An ECU's processor: one or more cores, fixed-priority pre-emptive tasks; and the engines of its
//! security module.
//!
//! A job is a driver call or a cryptographic operation with a cost. The jobs with the highest
//! priorities run; among equals the one submitted first. Context switches are free, caches and
//! memory contention between cores are not modelled (`docs/bus-model.md`).
//!
//! A security module has one engine or several side by side, as crypto driver objects are
//! independent of each other. An engine computes one command at a time and completes what it has
//! begun: an object has one workspace [AUTOSAR-CRYPTO §2]. What waits is in the crypto service
//! manager's queue, by priority.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use waywarden_can::node::Task;
use waywarden_can::timing::Picoseconds;
use waywarden_work::{Operation, OperationKind};

use crate::clock::Time;

/// Maximum number of jobs that wait on one processor. More means that a node asks for work without
/// bound.
pub const JOBS_MAX: usize = 1_024;

/// The priorities of tasks: a task with a higher number pre-empts the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Priorities {
    /// Of the task that takes frames out of the controller.
    pub receive: u8,
    /// Of the task that hands frames to the controller.
    pub send: u8,
    /// Of jobs that compute with symmetric keys: tags and ciphers of messages.
    pub mac: u8,
    /// Of all other computation: signatures, key agreement.
    pub crypto: u8,
}

impl Default for Priorities {
    /// Receive before send before computation, so that no frame is lost to a long signature, and
    /// messages do not wait for one.
    fn default() -> Self {
        Priorities {
            receive: 4,
            send: 3,
            mac: 2,
            crypto: 1,
        }
    }
}

impl Priorities {
    /// Returns the priority of a job of a task.
    #[must_use]
    pub const fn of(&self, task: Task, operation: Operation) -> u8 {
        match (task, operation.kind) {
            (Task::Receive, _) => self.receive,
            (Task::Send, _) => self.send,
            (
                Task::Crypto,
                OperationKind::Tag
                | OperationKind::Encrypt
                | OperationKind::Decrypt
                | OperationKind::ModuleCall,
            ) => self.mac,
            (Task::Crypto, _) => self.crypto,
        }
    }
}

/// The processing unit of an ECU on which a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProcessingUnit {
    /// A core, counted from 0.
    Core(u8),
    /// An engine of the hardware security module, counted from 0.
    SecurityModule(u8),
}

/// A stretch of time a job ran without interruption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSlice {
    /// The unit it ran on.
    pub unit: ProcessingUnit,
    /// The task the job belongs to.
    pub task: Task,
    /// The operation that was computed.
    pub operation: Operation,
    /// Start of the stretch.
    pub from: Time,
    /// End of the stretch.
    pub to: Time,
    /// True if the job was finished with it.
    pub finished: bool,
}

/// An operation to be computed, with its priority and its cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) task: Task,
    pub(crate) operation: Operation,
    /// A higher number runs first.
    pub(crate) priority: u8,
    pub(crate) cost: Picoseconds,
}

/// The processor, or an engine of a security module; `W` is what the owner wants back when a job is
/// done.
#[derive(Debug)]
pub(crate) struct Cpu<W> {
    /// The number of the security module's engine that it is; none is the processor.
    engine: Option<u8>,
    cores: Vec<Option<Running<W>>>,
    ready: BinaryHeap<Job<W>>,
    submitted: u64,
}

#[derive(Debug)]
struct Job<W> {
    priority: u8,
    order: u64,
    task: Task,
    operation: Operation,
    remaining: Picoseconds,
    wanted: W,
}

#[derive(Debug)]
struct Running<W> {
    job: Job<W>,
    since: Time,
}

/// The processor has [`JOBS_MAX`] jobs waiting.
#[derive(Debug)]
pub(crate) struct Overloaded;

impl<W> Cpu<W> {
    pub(crate) fn new(cores: u8) -> Self {
        let cores = (0..cores.max(1)).map(|_| None).collect();
        Cpu {
            engine: None,
            cores,
            ready: BinaryHeap::new(),
            submitted: 0,
        }
    }

    /// Makes an engine of a security module.
    pub(crate) fn engine(number: u8) -> Self {
        Cpu {
            engine: Some(number),
            ..Cpu::new(1)
        }
    }

    /// Adds a job; slices that a pre-emption ends are appended to `slices`.
    pub(crate) fn submit(
        &mut self,
        now: Time,
        request: Request,
        wanted: W,
        slices: &mut Vec<TimeSlice>,
    ) -> Result<(), Overloaded> {
        if self.ready.len() >= JOBS_MAX {
            return Err(Overloaded);
        }
        self.submitted += 1;
        let job = Job {
            priority: request.priority,
            order: self.submitted,
            task: request.task,
            operation: request.operation,
            remaining: request.cost,
            wanted,
        };
        // The usual case: a core is idle, so no job is waiting, and nothing need be sorted.
        if let Some(core) = self.cores.iter().position(Option::is_none) {
            self.cores[core] = Some(Running { job, since: now });
            return Ok(());
        }
        self.ready.push(job);
        self.dispatch(now, slices);
        Ok(())
    }

    /// Returns when the next running job is done if nothing pre-empts it.
    pub(crate) fn next_completion(&self) -> Option<Time> {
        self.cores.iter().flatten().map(Running::done_at).min()
    }

    /// Takes one job that is done at `now`.
    pub(crate) fn take_finished(&mut self, now: Time, slices: &mut Vec<TimeSlice>) -> Option<W> {
        // Of several the one submitted first, or frames of one message would overtake each other.
        let running = self.cores.iter().enumerate();
        let done = running.filter_map(|(core, running)| Some((core, running.as_ref()?)));
        let done = done.filter(|(_, running)| running.done_at() <= now);
        let (core, _) = done.min_by_key(|(_, running)| running.job.order)?;
        let running = self.cores[core].take()?;
        slices.push(running.slice(self.unit(core), now, true));
        self.dispatch(now, slices);
        Some(running.job.wanted)
    }

    /// Shows every job that is not done to `see`, which may change what is wanted of it.
    pub(crate) fn for_each_wanted(&mut self, mut see: impl FnMut(&mut W)) {
        let mut ready = std::mem::take(&mut self.ready).into_vec();
        ready.iter_mut().for_each(|job| see(&mut job.wanted));
        self.ready = ready.into();
        self.cores
            .iter_mut()
            .flatten()
            .for_each(|running| see(&mut running.job.wanted));
    }

    /// Drops every job, as a reset does.
    pub(crate) fn clear(&mut self, now: Time, slices: &mut Vec<TimeSlice>) {
        for core in 0..self.cores.len() {
            if let Some(running) = self.cores[core].take() {
                slices.push(running.slice(self.unit(core), now, false));
            }
        }
        self.ready.clear();
    }

    const fn unit(&self, core: usize) -> ProcessingUnit {
        match self.engine {
            Some(engine) => ProcessingUnit::SecurityModule(engine),
            None => ProcessingUnit::Core(core as u8),
        }
    }

    fn dispatch(&mut self, now: Time, slices: &mut Vec<TimeSlice>) {
        while let Some(best) = self.ready.peek() {
            let Some(core) = self.core_for(best.priority) else {
                return;
            };
            if let Some(mut running) = self.cores[core].take() {
                slices.push(running.slice(self.unit(core), now, false));
                let ran = now.since(running.since);
                running.job.remaining = running.job.remaining - ran;
                self.ready.push(running.job);
            }
            // The job pre-empted above has the lower priority, so the best one is still on top.
            let Some(job) = self.ready.pop() else { return };
            self.cores[core] = Some(Running { job, since: now });
        }
    }

    /// Returns an idle core, or else the one whose job has the lowest priority below `priority`: a
    /// engine gives up no command.
    fn core_for(&self, priority: u8) -> Option<usize> {
        let idle = self.cores.iter().position(Option::is_none);
        if idle.is_some() || self.engine.is_some() {
            return idle;
        }
        self.cores
            .iter()
            .enumerate()
            .filter_map(|(core, running)| Some((core, &running.as_ref()?.job)))
            .filter(|(_, job)| job.priority < priority)
            .min_by_key(|(_, job)| (job.priority, std::cmp::Reverse(job.order)))
            .map(|(core, _)| core)
    }
}

impl<W> Running<W> {
    fn done_at(&self) -> Time {
        self.since + self.job.remaining
    }

    fn slice(&self, unit: ProcessingUnit, to: Time, finished: bool) -> TimeSlice {
        TimeSlice {
            unit,
            task: self.job.task,
            operation: self.job.operation,
            from: self.since,
            to,
            finished,
        }
    }
}

impl<W> Ord for Job<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.priority, other.order).cmp(&(other.priority, self.order))
    }
}

impl<W> PartialOrd for Job<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> PartialEq for Job<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W> Eq for Job<W> {}
