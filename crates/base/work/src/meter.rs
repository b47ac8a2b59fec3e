//! Operations to be reported: the bridge from a call of cryptography to the work that a role
//! reports.

use crate::{Algorithm, Operation, OperationKind};

/// Takes note of the operations that calls of cryptography do.
///
/// A program that simulates passes [`RecordedOperations`], any other [`NoMeter`], which compiles to
/// nothing.
pub trait Meter {
    /// Notes an operation. Whatever does the cryptography calls this; a role calls it for work that
    /// is its own.
    fn record(&mut self, operation: Operation);
}

impl<M: Meter + ?Sized> Meter for &mut M {
    fn record(&mut self, operation: Operation) {
        (**self).record(operation);
    }
}

/// A meter that keeps nothing and has no size: for programs that do not simulate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMeter;

impl Meter for NoMeter {
    fn record(&mut self, _: Operation) {}
}

/// The operations done since they were last taken out, oldest first: at most
/// [`RecordedOperations::CAPACITY`] that differ from the one before.
///
/// A role makes its calls for one step, then takes the operations out and reports them. An
/// operation that is repeated takes no room, since a check may compute a code for many candidates;
/// of different ones a step makes far fewer than there is room for. Should one overflow all the
/// same, the newest operations are counted in [`RecordedOperations::lost`] and a debug build
/// panics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedOperations {
    operations: [Option<RepeatedOperation>; Self::CAPACITY],
    /// Number of places in use.
    used: usize,
    lost: u32,
}

/// An operation that was done several times in a row. Its fields stand apart from each other, so
/// that the number takes no room beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RepeatedOperation {
    kind: OperationKind,
    algorithm: Algorithm,
    times: u16,
    bytes: u32,
}

impl RepeatedOperation {
    fn once(operation: Operation) -> Self {
        RepeatedOperation {
            kind: operation.kind,
            algorithm: operation.algorithm,
            times: 1,
            bytes: operation.bytes,
        }
    }

    fn operation(&self) -> Operation {
        Operation::new(self.kind, self.algorithm, self.bytes)
    }
}

impl Meter for RecordedOperations {
    fn record(&mut self, operation: Operation) {
        let newest = self.used.checked_sub(1).map(|at| &mut self.operations[at]);
        if let Some(Some(newest)) = newest
            && newest.operation() == operation
            && newest.times < u16::MAX
        {
            newest.times += 1;
            return;
        }
        debug_assert!(self.used < Self::CAPACITY, "no room: {operation:?}");
        match self.operations.get_mut(self.used) {
            Some(slot) => {
                *slot = Some(RepeatedOperation::once(operation));
                self.used += 1;
            }
            None => self.lost = self.lost.saturating_add(1),
        }
    }
}

impl RecordedOperations {
    /// Number of different operations in a row that fit.
    pub const CAPACITY: usize = 16;

    /// Makes an empty list.
    #[must_use]
    pub const fn new() -> Self {
        RecordedOperations {
            operations: [None; Self::CAPACITY],
            used: 0,
            lost: 0,
        }
    }

    /// Takes out the oldest operation.
    pub fn pop(&mut self) -> Option<Operation> {
        let oldest = self.operations[0].as_mut()?;
        let operation = oldest.operation();
        oldest.times -= 1;
        if oldest.times == 0 {
            self.operations[0] = None;
            self.operations.rotate_left(1);
            self.used -= 1;
        }
        Some(operation)
    }

    /// Takes the operations out one by one, oldest first. What is not taken stays.
    pub fn drain(&mut self) -> impl Iterator<Item = Operation> + '_ {
        core::iter::from_fn(|| self.pop())
    }

    /// Returns the number of operations in it.
    #[must_use]
    pub fn len(&self) -> usize {
        let repeated = self.operations.iter().flatten();
        repeated.map(|repeated| usize::from(repeated.times)).sum()
    }

    /// Returns true if none is in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Returns the number of operations that have ever found no room.
    #[must_use]
    pub const fn lost(&self) -> u32 {
        self.lost
    }
}

impl Default for RecordedOperations {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(bytes: u32) -> Operation {
        Operation::new(OperationKind::Hash, Algorithm::Sha256, bytes)
    }

    #[test]
    fn operations_come_out_as_they_went_in() {
        let mut meter = RecordedOperations::new();
        assert!(meter.is_empty() && meter.pop().is_none());
        (0..16).for_each(|i| meter.record(hash(i)));
        assert_eq!(meter.len(), RecordedOperations::CAPACITY);
        assert_eq!(meter.pop(), Some(hash(0)));
        assert_eq!(meter.drain().next(), Some(hash(1)));
        meter.record(hash(16));
        assert_eq!(meter.len(), 15);
        assert!(meter.drain().eq((2..17).map(hash)));
        assert!(meter.is_empty());
        assert_eq!((meter.lost(), meter), (0, RecordedOperations::new()));
    }

    #[test]
    fn meter_of_programs_that_do_not_simulate_has_no_size() {
        let mut meter = NoMeter;
        (0..17).for_each(|i| (&mut meter as &mut dyn Meter).record(hash(i)));
        assert_eq!(size_of_val(&meter), 0);
    }

    #[test]
    fn repeated_operations_take_no_room() {
        let places = RecordedOperations::CAPACITY * size_of::<Option<Operation>>();
        assert!(size_of::<RecordedOperations>() <= places + 16);
        let mut meter = RecordedOperations::new();
        (0..100).for_each(|_| meter.record(hash(1)));
        meter.record(hash(2));
        assert_eq!((meter.len(), meter.lost()), (101, 0));
        let expected = core::iter::repeat_n(hash(1), 100).chain([hash(2)]);
        assert!(meter.drain().eq(expected));
        assert_eq!(meter, RecordedOperations::new());
    }

    #[test]
    #[cfg_attr(debug_assertions, should_panic(expected = "no room"))]
    fn one_too_many_is_noticed() {
        let mut meter = RecordedOperations::new();
        (0..17).for_each(|i| meter.record(hash(i)));
        assert_eq!((meter.lost(), meter.len()), (1, 16));
    }
}
