//! Batches between the thread that reads and those that work: in a bounded number, and with turns,
//! so that what has to happen in the order of the input does.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes that all batches in the queue and in work may have together, unless it is one alone.
const BYTES_MAX: usize = 4 << 20;

/// Steps that batches take one after the other, in the order of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Messages are accepted or refused.
    Commit = 0,
    /// The answer is written.
    Write = 1,
}

/// An item, with the number of its turn.
#[derive(Debug)]
pub(crate) struct Numbered<T> {
    pub(crate) number: usize,
    pub(crate) item: T,
    size: usize,
}

/// A queue with one side that pushes and any number of threads that take.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    /// There is room for an item.
    room: Condvar,
    /// There is an item to take.
    filled: Condvar,
    /// A step is done for an item.
    turn: Condvar,
    /// Items that may be in the queue and in work.
    items_max: usize,
}

#[derive(Debug)]
struct State<T> {
    waiting: VecDeque<Numbered<T>>,
    pushed: usize,
    /// Number of items that have done each step.
    done: [usize; 2],
    /// Bytes of what has not done the last step.
    bytes: usize,
    is_closed: bool,
    is_stopped: bool,
    /// Items that are done with.
    spent: Vec<T>,
}

impl<T> Queue<T> {
    pub(crate) fn new(items_max: usize) -> Self {
        Self {
            state: Mutex::new(State {
                waiting: VecDeque::new(),
                pushed: 0,
                done: [0; 2],
                bytes: 0,
                is_closed: false,
                is_stopped: false,
                spent: Vec::new(),
            }),
            room: Condvar::new(),
            filled: Condvar::new(),
            turn: Condvar::new(),
            items_max,
        }
    }

    /// Adds an item, once there is room; `false` if the work was stopped.
    pub(crate) fn push(&self, item: T, size: usize) -> bool {
        let mut state = self.wait(&self.room, |state| {
            let items = state.pushed - state.done[Step::Write as usize];
            let fits = items < self.items_max && state.bytes + size <= BYTES_MAX;
            state.is_stopped || items == 0 || fits
        });
        if state.is_stopped {
            return false;
        }
        state.bytes += size;
        let number = state.pushed;
        state.pushed += 1;
        state.waiting.push_back(Numbered { number, item, size });
        let spent = std::mem::take(&mut state.spent);
        drop(state);
        self.filled.notify_one();
        drop(spent);
        true
    }

    /// Gives back an item that is done with. The thread that pushes drops it: an allocator is
    /// fastest where the thread that has allocated memory frees it.
    pub(crate) fn give_back(&self, item: Numbered<T>) {
        self.lock().spent.push(item.item);
    }

    /// Takes the next item; `None` when there will be none.
    pub(crate) fn take(&self) -> Option<Numbered<T>> {
        let mut state = self.wait(&self.filled, |state| {
            state.is_stopped || state.is_closed || !state.waiting.is_empty()
        });
        match state.is_stopped {
            true => None,
            false => state.waiting.pop_front(),
        }
    }

    /// Takes the next item, if it is there.
    pub(crate) fn take_waiting(&self) -> Option<Numbered<T>> {
        let mut state = self.lock();
        match state.is_stopped {
            true => None,
            false => state.waiting.pop_front(),
        }
    }

    /// Returns true if the step is done for all items before this one.
    pub(crate) fn is_turn<U>(&self, step: Step, of: &Numbered<U>) -> bool {
        self.lock().done[step as usize] == of.number
    }

    /// Runs `work` when the step is done for all items before this one; `None` if the work was
    /// stopped before.
    pub(crate) fn in_turn<U, R>(
        &self,
        step: Step,
        of: &Numbered<U>,
        work: impl FnOnce() -> R,
    ) -> Option<R> {
        let state = self.wait(&self.turn, |state| {
            state.is_stopped || state.done[step as usize] == of.number
        });
        if state.is_stopped {
            return None;
        }
        drop(state);
        let result = work();
        let mut state = self.lock();
        state.done[step as usize] += 1;
        if step == Step::Write {
            state.bytes -= of.size;
            self.room.notify_one();
        }
        drop(state);
        self.turn.notify_all();
        Some(result)
    }

    /// Says that nothing more is pushed.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.notify_all();
    }

    /// Ends all waiting: what is in the queue is not worked on.
    pub(crate) fn stop(&self) {
        self.lock().is_stopped = true;
        self.notify_all();
    }

    /// Ignores poisoning: the state of a thread that panicked stays valid, since only `stop`
    /// follows.
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait(
        &self,
        changed: &Condvar,
        is_met: impl Fn(&State<T>) -> bool,
    ) -> MutexGuard<'_, State<T>> {
        let state = self.lock();
        let waited = changed.wait_while(state, |state| !is_met(state));
        waited.unwrap_or_else(PoisonError::into_inner)
    }

    fn notify_all(&self) {
        self.room.notify_all();
        self.filled.notify_all();
        self.turn.notify_all();
    }
}

/// Stops the queue when it is dropped in a panic, so that no other thread waits for this one.
pub(crate) struct StopOnPanic<'q, T>(pub(crate) &'q Queue<T>);

impl<T> Drop for StopOnPanic<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads that take longer for some items than for others write them in order, and hold only
    /// so many.
    #[test]
    fn items_are_written_in_the_order_in_which_they_were_pushed() {
        let queue = Queue::new(4);
        let written = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(item) = queue.take() {
                        if item.item % 3 == 0 {
                            std::thread::yield_now();
                        }
                        queue.in_turn(Step::Commit, &item, || ());
                        queue.in_turn(Step::Write, &item, || {
                            written.lock().unwrap().push(item.item);
                        });
                        let state = queue.lock();
                        assert!(state.pushed - state.done[1] <= 4);
                    }
                });
            }
            for number in 0..1_000 {
                assert!(queue.push(number, 1));
            }
            queue.close();
        });
        assert!(written.lock().unwrap().iter().copied().eq(0..1_000));
        assert_eq!(queue.lock().bytes, 0);
    }

    #[test]
    fn a_panic_and_a_stop_end_all_waiting() {
        let queue = Queue::new(2);
        let outcome = std::thread::scope(|scope| {
            let panics = scope.spawn(|| {
                let _stop = StopOnPanic(&queue);
                let item = queue.take();
                assert!(item.is_none(), "this thread fails");
            });
            while queue.push(0, 1) {}
            panics.join().is_err()
        });
        assert!(outcome);
        assert!(queue.take().is_none());
        assert!(!queue.push(0, 1));
    }

    /// One item that is larger than all may be together goes through alone.
    #[test]
    fn a_large_item_goes_through_alone() {
        let queue = Queue::new(8);
        assert!(queue.push("large", 2 * BYTES_MAX));
        let item = queue.take().unwrap();
        std::thread::scope(|scope| {
            let next = scope.spawn(|| queue.push("next", 1));
            queue.in_turn(Step::Commit, &item, || ());
            queue.in_turn(Step::Write, &item, || ());
            assert!(next.join().unwrap());
        });
    }
}
