//! The values that may be searched for a stream: bounded, so that neither a wrong key nor a flood
//! of forged frames costs much.

use waywarden_work::Algorithm;

/// The most values that are searched for one frame.
pub(super) const SEARCH_MAX: u64 = 1 << 16;
/// Number of searches that a stream has at its beginning.
const SEARCHES_AT_FIRST: u64 = 8;
/// The most values of one search under SpongentMac, which takes some hundred times as long.
const SPONGENT_SEARCH_MAX: u64 = 1 << 10;
/// The number of frames that add as many values as one search has.
const FRAMES_PER_SEARCH: u64 = 1 << 10;

/// A number of values that grows with the frames of the stream.
pub(super) struct SearchAllowance {
    left: u64,
    /// The most values of one search.
    each: u64,
}

impl SearchAllowance {
    /// Begins a stream; `each` is at most [`SEARCH_MAX`].
    pub(super) const fn new(each: u64) -> Self {
        SearchAllowance {
            left: SEARCHES_AT_FIRST * each,
            each,
        }
    }

    /// Counts a frame of the stream.
    pub(super) fn refill(&mut self) {
        let most = SEARCHES_AT_FIRST * self.each;
        self.left = (self.left + self.each / FRAMES_PER_SEARCH).min(most);
    }

    /// Takes the values of a whole search; returns false if there are not so many.
    pub(super) const fn take_whole(&mut self) -> bool {
        match self.left.checked_sub(self.each) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    /// Lets a search use as many values as there are, of which it counts off those that it used.
    pub(super) fn spend<T>(&mut self, search: impl FnOnce(&mut u64) -> T) -> T {
        let given = self.left.min(self.each);
        let mut unused = given;
        let found = search(&mut unused);
        self.left -= given - unused.min(given);
        found
    }
}

/// Finds the counter of a stream of a recording.
pub(super) struct CounterSearch {
    pub(super) allowance: SearchAllowance,
    /// The counter of the first authentic message, where the protocol has one.
    pub(super) first: Option<u64>,
    /// True if the caller gave the first counter: then lower ones came before.
    pub(super) is_given: bool,
}

impl CounterSearch {
    /// Begins a stream whose tags are of this algorithm.
    pub(super) const fn new(mac: Algorithm, is_given: bool) -> Self {
        CounterSearch {
            is_given,
            allowance: SearchAllowance::new(match mac {
                Algorithm::SpongentMac => SPONGENT_SEARCH_MAX,
                _ => SEARCH_MAX,
            }),
            first: None,
        }
    }
}
