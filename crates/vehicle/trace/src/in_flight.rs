//! The transmissions that are under way, by serial number.

use std::collections::{BTreeMap, VecDeque};

use waywarden_can_sim::trace::Serial;

/// Number of transmissions kept in a row; older ones that are still under way are few.
const RECENT: usize = 4_096;

/// A note about each transmission that is under way, or none. Serial numbers count up from 1
/// without a gap.
#[derive(Debug)]
pub struct InFlight<T> {
    recent: VecDeque<Option<T>>,
    first: u64,
    old: BTreeMap<u64, T>,
}

impl<T> Default for InFlight<T> {
    fn default() -> Self {
        InFlight {
            recent: VecDeque::new(),
            first: 0,
            old: BTreeMap::new(),
        }
    }
}

impl<T: Copy> InFlight<T> {
    /// Adds the next transmission.
    pub fn add(&mut self, serial: Serial, note: Option<T>) {
        let serial = serial.0;
        if self.recent.is_empty() {
            self.first = serial;
        }
        while self.recent.len() >= RECENT || matches!(self.recent.front(), Some(None)) {
            if let Some(Some(stuck)) = self.recent.pop_front() {
                self.old.insert(self.first, stuck);
            }
            self.first += 1;
        }
        if self.recent.is_empty() {
            self.first = serial;
        }
        self.recent.push_back(note);
    }

    /// Returns the note about a transmission.
    #[must_use]
    pub fn get(&self, serial: Serial) -> Option<T> {
        match serial.0.checked_sub(self.first) {
            Some(place) => *self.recent.get(usize::try_from(place).ok()?)?,
            None => self.old.get(&serial.0).copied(),
        }
    }

    /// Takes out the note about a transmission that is over.
    pub fn take(&mut self, serial: Serial) -> Option<T> {
        match serial.0.checked_sub(self.first) {
            Some(place) => self.recent.get_mut(usize::try_from(place).ok()?)?.take(),
            None => self.old.remove(&serial.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transmission_is_known_until_it_is_over_however_many_follow() {
        let mut flights = InFlight::default();
        let note = |serial: u64| serial.is_multiple_of(2).then_some(serial);
        for serial in 1..=3 * RECENT as u64 {
            flights.add(Serial(serial), note(serial));
            // Every thousandth is stuck, the others are over at once or carry nothing.
            if !serial.is_multiple_of(1_000) {
                assert_eq!(flights.take(Serial(serial)), note(serial));
            }
        }
        for serial in (1_000..=3 * RECENT as u64).step_by(1_000).map(Serial) {
            assert_eq!(flights.get(serial), Some(serial.0));
            assert_eq!(flights.take(serial), Some(serial.0));
            assert_eq!(flights.get(serial), None);
        }
        assert!(flights.old.is_empty());
    }
}
