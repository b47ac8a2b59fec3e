//! A keypad: keys that go down and up at given times.

use std::collections::VecDeque;

use waywarden_work::Instant;

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `2`: slower.
    Slower,
    /// `3`: faster.
    Faster,
    /// `5`: left, as long as it is held.
    Left,
    /// `6`: right, as long as it is held.
    Right,
    /// `D`: hazard lights on and off.
    Hazard,
}

/// A key goes down or up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    /// When, on the clock of the ECU.
    pub at: Instant,
    /// Which.
    pub key: Key,
    /// Whether it goes down.
    pub is_down: bool,
}

/// The strokes that are to come, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Keypad(VecDeque<Stroke>);

impl Key {
    /// All keys, as they are written.
    pub const ALL: [(&'static str, Key); 5] = [
        ("2", Key::Slower),
        ("3", Key::Faster),
        ("5", Key::Left),
        ("6", Key::Right),
        ("D", Key::Hazard),
    ];

    /// Returns what is printed on it.
    #[must_use]
    pub fn label(self) -> &'static str {
        let same = Key::ALL.iter().find(|(_, key)| *key == self);
        same.map_or("", |(label, _)| label)
    }

    /// Whether letting it go means something.
    #[must_use]
    pub const fn is_held(self) -> bool {
        matches!(self, Key::Left | Key::Right)
    }
}

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
