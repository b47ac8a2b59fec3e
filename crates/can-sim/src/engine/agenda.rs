//! What is due when. Things due at the same time happen in the order they were put down, except
//! that arbitration comes last: whoever has a frame ready by then takes part.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::clock::Time;

/// Something that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// An ECU starts.
    Boot { ecu: usize },
    /// A fault of an ECU begins, by its place among the ECU's faults.
    FaultBegins { ecu: usize, fault: usize },
    /// A fault of an ECU ends.
    FaultEnds { ecu: usize, fault: usize },
    /// A node's deadline, unless it has wished for another since.
    Timer { ecu: usize, wish: u64 },
    /// A job is done, unless the processor has been rescheduled since.
    Cpu { ecu: usize, schedule: u64 },
    /// The last bit but one of end of frame: receivers accept.
    Accept { bus: usize },
    /// The last bit of end of frame: the sender is done.
    Complete { bus: usize },
    /// The next mark of a disturbed frame.
    Mark { bus: usize },
    /// Controllers in bus-off may have seen enough recessive bits.
    Recovery { bus: usize, check: u64 },
    /// An interferer drives an idle bus, unless something has happened since.
    Wake { bus: usize, wake: u64 },
    /// The bus is free and frames are waiting.
    Arbitrate { bus: usize },
}

#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Reverse<Entry>>,
    written: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Time,
    /// Arbitration after everything else, then in order of writing: one comparison for both.
    rank: u64,
    due: Due,
}

const ARBITRATION: u64 = 1 << 63;

impl Agenda {
    pub(crate) fn add(&mut self, at: Time, due: Due) {
        if at == Time::NEVER {
            return;
        }
        self.written += 1;
        let last = if matches!(due, Due::Arbitrate { .. }) {
            ARBITRATION
        } else {
            0
        };
        self.heap.push(Reverse(Entry {
            at,
            rank: last | self.written,
            due,
        }));
    }

    /// Takes the next thing due at `end` or before.
    pub(crate) fn next(&mut self, end: Time) -> Option<(Time, Due)> {
        if self.heap.peek()?.0.at > end {
            return None;
        }
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.due))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.at, self.rank).cmp(&(other.at, other.rank))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Entry {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arbitration_waits_for_everything_else_at_its_time() {
        let mut agenda = Agenda::default();
        let (early, late) = (Time::from_nanos(1), Time::from_nanos(2));
        agenda.add(late, Due::Complete { bus: 0 });
        agenda.add(early, Due::Arbitrate { bus: 0 });
        agenda.add(early, Due::Timer { ecu: 0, wish: 0 });
        agenda.add(early, Due::Boot { ecu: 1 });
        let order: Vec<Due> =
            std::iter::from_fn(|| agenda.next(late).map(|(_, due)| due)).collect();
        assert_eq!(
            order,
            [
                Due::Timer { ecu: 0, wish: 0 },
                Due::Boot { ecu: 1 },
                Due::Arbitrate { bus: 0 },
                Due::Complete { bus: 0 },
            ]
        );
    }

    #[test]
    fn nothing_beyond_the_end_is_taken() {
        let mut agenda = Agenda::default();
        agenda.add(Time::from_nanos(5), Due::Boot { ecu: 0 });
        agenda.add(Time::NEVER, Due::Boot { ecu: 1 });
        assert_eq!(agenda.next(Time::from_nanos(4)), None);
        assert!(agenda.next(Time::from_nanos(5)).is_some());
        assert_eq!(agenda.next(Time::NEVER), None);
    }
}
