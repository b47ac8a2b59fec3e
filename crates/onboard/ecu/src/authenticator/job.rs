//! Jobs: the computations for a frame or a message, and their effect.

use waywarden_can::Frame;
use waywarden_can::node::Ports;
use waywarden_work::{Operation, RecordedOperations};

use super::CheckReport;

/// Maximum number of different operations that one frame or message takes. Each may be there
/// several times: a check with eight candidates under two keys is one operation, sixteen times.
const KINDS: usize = 4;

/// A computation that waits for its turn or is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Job {
    operations: [Option<(Operation, u8)>; KINDS],
    pub(super) completion: Completion,
}

/// The effect of a finished job.
#[derive(Clone, Copy, Debug)]
pub(super) enum Completion {
    /// A frame leaves by these ports.
    Send(Ports, Frame),
    /// An announcement leaves; one before that still waits does not.
    Announce(Ports, Frame),
    /// A report is made.
    Report(CheckReport),
    Nothing,
}

impl Job {
    /// Takes what the meter says.
    pub(super) fn new(meter: &mut RecordedOperations, completion: Completion) -> Self {
        let mut job = Job {
            operations: [None; KINDS],
            completion,
        };
        for operation in meter.drain() {
            job.add(operation);
        }
        job
    }

    fn add(&mut self, operation: Operation) {
        for place in &mut self.operations {
            match place {
                None => *place = Some((operation, 1)),
                Some((same, times)) if *same == operation => *times = times.saturating_add(1),
                Some(_) => continue,
            }
            return;
        }
        debug_assert!(false, "more kinds of operations than a job has room for");
    }

    /// Takes out the next operation.
    pub(super) fn next(&mut self) -> Option<Operation> {
        let (operation, times) = self.operations[0].as_mut()?;
        let next = *operation;
        *times -= 1;
        if *times == 0 {
            self.operations[0] = None;
            self.operations.rotate_left(1);
        }
        Some(next)
    }

    /// Returns true if nothing is left to compute.
    pub(super) const fn is_computed(&self) -> bool {
        self.operations[0].is_none()
    }
}
