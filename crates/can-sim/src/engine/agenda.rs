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
    due: Packed,
}

/// A [`Due`] in eight bytes, for the heap moves entries about more than anything else does: kind,
/// index (ECU or bus) and number (of a wish, a schedule or a fault), 4, 20 and 40 bits.
#[derive(Clone, Copy, Debug)]
struct Packed(u64);

const INDEX_BITS: u32 = 20;
const NUMBER_BITS: u32 = 40;

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
            due: due.into(),
        }));
    }

    /// Takes the next thing due at `end` or before.
    pub(crate) fn next(&mut self, end: Time) -> Option<(Time, Due)> {
        if self.heap.peek()?.0.at > end {
            return None;
        }
        self.heap
            .pop()
            .map(|Reverse(entry)| (entry.at, entry.due.into()))
    }
}

impl From<Due> for Packed {
    /// ECUs and buses number less than 2^20, for so many do not fit the memory; a run that wishes
    /// for 2^40 timeouts does not end.
    fn from(due: Due) -> Self {
        let (kind, index, number) = match due {
            Due::Boot { ecu } => (0, ecu, 0),
            Due::FaultBegins { ecu, fault } => (1, ecu, fault as u64),
            Due::FaultEnds { ecu, fault } => (2, ecu, fault as u64),
            Due::Timer { ecu, wish } => (3, ecu, wish),
            Due::Cpu { ecu, schedule } => (4, ecu, schedule),
            Due::Accept { bus } => (5, bus, 0),
            Due::Complete { bus } => (6, bus, 0),
            Due::Mark { bus } => (7, bus, 0),
            Due::Recovery { bus, check } => (8, bus, check),
            Due::Wake { bus, wake } => (9, bus, wake),
            Due::Arbitrate { bus } => (10, bus, 0),
        };
        debug_assert!(index < 1 << INDEX_BITS && number < 1 << NUMBER_BITS);
        Packed(kind << (INDEX_BITS + NUMBER_BITS) | (index as u64) << NUMBER_BITS | number)
    }
}

impl From<Packed> for Due {
    fn from(Packed(packed): Packed) -> Self {
        let index = (packed >> NUMBER_BITS & ((1 << INDEX_BITS) - 1)) as usize;
        let number = packed & ((1 << NUMBER_BITS) - 1);
        let (ecu, bus) = (index, index);
        match packed >> (INDEX_BITS + NUMBER_BITS) {
            0 => Due::Boot { ecu },
            1 => Due::FaultBegins {
                ecu,
                fault: number as usize,
            },
            2 => Due::FaultEnds {
                ecu,
                fault: number as usize,
            },
            3 => Due::Timer { ecu, wish: number },
            4 => Due::Cpu {
                ecu,
                schedule: number,
            },
            5 => Due::Accept { bus },
            6 => Due::Complete { bus },
            7 => Due::Mark { bus },
            8 => Due::Recovery { bus, check: number },
            9 => Due::Wake { bus, wake: number },
            _ => Due::Arbitrate { bus },
        }
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
    fn everything_comes_out_as_it_was_put_down() {
        let (ecu, bus) = ((1 << INDEX_BITS) - 1, 77);
        let number = (1 << NUMBER_BITS) - 1;
        for due in [
            Due::Boot { ecu },
            Due::FaultBegins { ecu, fault: 3 },
            Due::FaultEnds { ecu, fault: 4 },
            Due::Timer { ecu, wish: number },
            Due::Cpu {
                ecu,
                schedule: number,
            },
            Due::Accept { bus },
            Due::Complete { bus },
            Due::Mark { bus },
            Due::Recovery { bus, check: number },
            Due::Wake { bus, wake: number },
            Due::Arbitrate { bus },
        ] {
            assert_eq!(Due::from(Packed::from(due)), due);
        }
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
