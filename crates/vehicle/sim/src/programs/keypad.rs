//! A keypad: keys that go down and up at given times.

use std::collections::VecDeque;

use waywarden_vehicle_file::KeypadKey;
use waywarden_work::Instant;

/// A key goes down or up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// Time of the stroke, on the clock of the ECU.
    pub at: Instant,
    /// Key that goes down or up.
    pub key: KeypadKey,
    /// True if it goes down.
    pub is_down: bool,
}

/// The strokes that are to come, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Keypad(VecDeque<Stroke>);

impl Keypad {
    pub(super) fn new(mut strokes: Vec<Stroke>) -> Self {
        strokes.sort_by_key(|stroke| stroke.at);
        Keypad(strokes.into())
    }

    /// Returns when the next stroke comes.
    pub(super) fn next(&self) -> Option<Instant> {
        self.0.front().map(|stroke| stroke.at)
    }

    /// Takes the next stroke, if it is time.
    pub(super) fn due(&mut self, now: Instant) -> Option<Stroke> {
        match self.next() {
            Some(next) if next <= now => self.0.pop_front(),
            _ => None,
        }
    }
}
