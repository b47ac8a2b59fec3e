//! A queue in which each client has a line of its own, so that one with many requests does not
//! delay or keep out the others.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::service::ClientId;

/// A bounded queue. The first of each line is taken in turn.
pub(super) struct FairQueue<T> {
    room: usize,
    state: Mutex<State<T>>,
    /// There is something, or the queue is closed.
    changed: Condvar,
}

struct State<T> {
    /// The lines that are not empty, at most as many as there is room for.
    lines: VecDeque<Line<T>>,
    waiting: usize,
    /// Entries ahead of all lines, without a bound: their sender waits for each.
    first: VecDeque<T>,
    is_closed: bool,
}

struct Line<T> {
    client: ClientId,
    waiting: VecDeque<T>,
}

impl<T> FairQueue<T> {
    /// Makes a queue with room for so many, at least one.
    pub(super) fn new(room: usize) -> Self {
        Self {
            room: room.max(1),
            state: Mutex::new(State {
                lines: VecDeque::new(),
                waiting: 0,
                first: VecDeque::new(),
                is_closed: false,
            }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts something at the end of a client's line. Returns what has no room: the last one of the
    /// longest line, or this one if its own line is as long. Linear in the number of lines.
    pub(super) fn push(&self, client: ClientId, one: T) -> Option<T> {
        let mut state = self.state();
        if state.is_closed {
            return Some(one);
        }
        let own = state.lines.iter().position(|line| line.client == client);
        let own_length = own.map_or(0, |at| state.lines[at].waiting.len());
        let mut dropped = None;
        if state.waiting >= self.room {
            let longest = state.lines.iter_mut().max_by_key(|line| line.waiting.len());
            // With one more, the own line is still no longer than that one with one fewer.
            let longest = longest.filter(|line| line.waiting.len() > own_length + 1);
            let Some(longest) = longest else {
                return Some(one);
            };
            dropped = longest.waiting.pop_back();
            state.waiting -= 1;
        }
        match own {
            Some(at) => state.lines[at].waiting.push_back(one),
            None => state.lines.push_back(Line {
                client,
                waiting: VecDeque::from([one]),
            }),
        }
        state.waiting += 1;
        drop(state);
        self.changed.notify_one();
        dropped
    }

    /// Puts something before all lines. It is given back if the queue is closed.
    pub(super) fn push_first(&self, one: T) -> Option<T> {
        let mut state = self.state();
        if state.is_closed {
            return Some(one);
        }
        state.first.push_back(one);
        drop(state);
        self.changed.notify_one();
        None
    }

    /// Waits for what is next; `None` when the queue is closed and empty.
    pub(super) fn take(&self) -> Option<T> {
        let mut state = self.state();
        loop {
            if let Some(first) = state.first.pop_front() {
                return Some(first);
            }
            if let Some(mut line) = state.lines.pop_front() {
                let next = line.waiting.pop_front();
                if !line.waiting.is_empty() {
                    state.lines.push_back(line);
                }
                state.waiting -= 1;
                return next;
            }
            if state.is_closed {
                return None;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Takes no more; what waits is still to be taken.
    pub(super) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Closes the queue and drops what waits: the thread that takes is gone.
    pub(super) fn abandon(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let dropped = (
            std::mem::take(&mut state.lines),
            std::mem::take(&mut state.first),
        );
        state.waiting = 0;
        drop(state);
        drop(dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_served_in_turn_and_the_longest_gives_way() {
        let queue = FairQueue::new(4);
        let [one, two, three] = [ClientId::next(), ClientId::next(), ClientId::next()];
        for number in 1..=4 {
            assert_eq!(queue.push(one, number), None);
        }
        assert_eq!(queue.push(one, 5), Some(5), "its own line is the longest");
        assert_eq!(queue.push(two, 11), Some(4));
        assert_eq!(queue.push(two, 12), Some(3));
        assert_eq!(queue.push(two, 13), Some(13), "both have two");
        assert_eq!(queue.push(three, 21), Some(12));
        assert_eq!(queue.push(three, 22), Some(22), "one each, and one has two");
        assert_eq!(queue.push_first(0), None);
        queue.close();
        assert_eq!(queue.push(three, 23), Some(23));
        let taken: Vec<i32> = std::iter::from_fn(|| queue.take()).collect();
        assert_eq!(taken, [0, 1, 11, 21, 2]);
    }
}
