//! The processor as a role sees it: metered operations are reported one by one, and nothing that
//! depends on one leaves before it is done.

use waywarden_can::node::{Output, Task, Ticket};
use waywarden_work::{Operation, RecordedOperations};

/// The work of one role, one piece at a time.
///
/// A role computes when it is at rest, puts down what follows from the result, and acts on it when
/// it is at rest again.
pub struct Worker {
    /// The record of operations that the suites compute.
    pub meter: RecordedOperations,
    /// Selects the operations to report; the others are part of those beside them.
    reports: fn(&Operation) -> bool,
    working: Option<Ticket>,
    next: Option<Operation>,
    tickets: u32,
}

impl Worker {
    /// An idle worker. `reports` selects the operations that are reported to the processor.
    #[must_use]
    pub fn new(reports: fn(&Operation) -> bool) -> Self {
        Worker {
            meter: RecordedOperations::new(),
            reports,
            working: None,
            next: None,
            tickets: 0,
        }
    }

    /// Returns true if nothing is computed and no operation waits to be reported.
    pub fn is_at_rest(&mut self) -> bool {
        while self.next.is_none()
            && let Some(operation) = self.meter.pop()
        {
            self.next = Some(operation).filter(self.reports);
        }
        self.working.is_none() && self.next.is_none()
    }

    /// A piece of work is done.
    pub fn done(&mut self, ticket: Ticket) {
        if self.working == Some(ticket) {
            self.working = None;
        }
    }

    /// Reports the next operation, if none is under way.
    pub fn poll(&mut self) -> Option<Output> {
        if self.is_at_rest() || self.working.is_some() {
            return None;
        }
        let operation = self.next.take()?;
        let ticket = Ticket(self.tickets);
        self.tickets = self.tickets.wrapping_add(1);
        self.working = Some(ticket);
        Some(Output::Work {
            ticket,
            task: Task::Crypto,
            operation,
        })
    }
}
