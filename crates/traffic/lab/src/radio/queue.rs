//! Pending events, by time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Event on the channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Happening {
    /// A station's period begins, in which it may have a new message.
    Message(usize),
    /// All stations measure how busy the channel was.
    Measurement,
    /// A station's turn has come, if it was not put off since.
    Turn(usize, u64),
    /// A frame is noticed.
    Noticed(usize),
    /// A frame's header ends.
    Header(usize),
    /// A frame ends.
    End(usize),
    /// The control channel opens for frames: the guard of its interval is over.
    Open,
    /// From now on no frame ends within the control channel interval.
    Close,
}

/// Happenings by time; those of one time in the order in which they were put in.
#[derive(Clone, Debug, Default)]
pub(super) struct Agenda {
    heap: BinaryHeap<Reverse<(u64, u64, Happening)>>,
    count: u64,
}

impl Agenda {
    pub(super) fn put(&mut self, time: u64, happening: Happening) {
        self.count += 1;
        self.heap.push(Reverse((time, self.count, happening)));
    }

    /// Takes the next one that happens before a time.
    pub(super) fn next_before(&mut self, end: u64) -> Option<(u64, Happening)> {
        let Reverse((time, _, _)) = self.heap.peek()?;
        if *time >= end {
            return None;
        }
        let Reverse((time, _, happening)) = self.heap.pop()?;
        Some((time, happening))
    }
}
