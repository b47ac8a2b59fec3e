//! Batches of messages under way: a message may need a certificate that an earlier one brings.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Batches that threads judge, in the order in which they were taken: at most one for each thread.
#[derive(Default)]
pub(super) struct BatchesUnderWay {
    state: Mutex<State>,
    /// A batch has ended.
    ended: Condvar,
}

#[derive(Default)]
struct State {
    begun: u64,
    under_way: BTreeSet<u64>,
}

/// A batch that a thread judges. It ends when this is dropped, also by a panic.
pub(super) struct BatchUnderWay {
    all: Arc<BatchesUnderWay>,
    number: u64,
}

impl BatchesUnderWay {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the next batch.
    pub(super) fn begin(self: &Arc<Self>) -> BatchUnderWay {
        let mut state = self.state();
        state.begun += 1;
        let number = state.begun;
        state.under_way.insert(number);
        BatchUnderWay {
            all: Arc::clone(self),
            number,
        }
    }
}

impl BatchUnderWay {
    /// Waits until all batches that were taken before this one have ended. No batch waits for a
    /// later one, so that the wait is at most as long as the earlier batches take.
    pub(super) fn wait_for_earlier(&self) {
        let mut state = self.all.state();
        while state
            .under_way
            .first()
            .is_some_and(|first| *first < self.number)
        {
            let waited = self.all.ended.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for BatchUnderWay {
    fn drop(&mut self) {
        self.all.state().under_way.remove(&self.number);
        self.all.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{TryRecvError, channel};
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_batch_waits_for_those_before_it_and_for_no_other() {
        let all = Arc::new(BatchesUnderWay::default());
        let [first, second, third, fourth] = [(); 4].map(|()| all.begin());
        first.wait_for_earlier();
        let (ended, is_ended) = channel();
        let waiting = thread::spawn(move || {
            third.wait_for_earlier();
            ended.send(()).unwrap();
        });
        drop(first);
        thread::sleep(Duration::from_millis(20));
        assert_eq!(is_ended.try_recv(), Err(TryRecvError::Empty));
        drop(second);
        is_ended.recv().unwrap();
        waiting.join().unwrap();
        drop(fourth);
        assert!(all.state().under_way.is_empty());
    }
}
