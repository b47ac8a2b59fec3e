//! Queue of events for the caller.

use std::collections::VecDeque;

use crate::ClockEvent;

/// Maximum number of waiting events. A clock that is advanced and emptied a few times a second has
/// one or two.
const WAITING_MAX: usize = 64;

/// Events in order. Those beyond the maximum are only counted.
#[derive(Debug, Default)]
pub(super) struct Events {
    waiting: VecDeque<ClockEvent>,
    missed: u64,
}

impl Events {
    pub(super) fn push(&mut self, event: ClockEvent) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back(event);
        } else {
            self.missed += 1;
        }
    }

    pub(super) fn next(&mut self) -> Option<ClockEvent> {
        let missed = std::mem::take(&mut self.missed);
        if missed > 0 && self.waiting.is_empty() {
            return Some(ClockEvent::Missed(missed));
        }
        self.missed = missed;
        self.waiting.pop_front()
    }
}
