//! What vehicles heard: in windows of time, and by distance.

use std::collections::BTreeMap;

use crate::radio::{Place, Reception, Sink};

/// How wide a class of distances is, in metres.
pub const BIN_M: f64 = 50.0;
/// How many classes there are: up to 1,500 m.
const BINS: usize = 30;

/// How many messages a vehicle received in a window of time, over all vehicles and windows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Windows {
    /// How many windows had so many messages.
    counts: BTreeMap<u32, u64>,
}

impl Windows {
    fn add(&mut self, received: u32) {
        *self.counts.entry(received).or_default() += 1;
    }

    /// Returns how many windows there were. A vehicle's window counts if it was on the road at its
    /// begin, whether it heard anything or not.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the mean; 0 if there were none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.weighted();
        sum / self.count().max(1) as f64
    }

    /// Returns the mean of those in which something was heard; 0 if there were none.
    #[must_use]
    pub fn mean_heard(&self) -> f64 {
        let silent = self.counts.get(&0).copied().unwrap_or(0);
        self.weighted() / (self.count() - silent).max(1) as f64
    }

    fn weighted(&self) -> f64 {
        let each = self.counts.iter();
        each.map(|(received, windows)| f64::from(*received) * *windows as f64)
            .sum()
    }

    /// Returns the most messages of a window.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.counts.keys().next_back().copied().unwrap_or(0)
    }

    /// Returns the least number that so large a share of the windows, 0 to 1, does not exceed.
    #[must_use]
    pub fn quantile(&self, share: f64) -> u32 {
        let due = (self.count() as f64 * share.clamp(0.0, 1.0)).ceil() as u64;
        let mut seen = 0;
        let found = self.counts.iter().find(|(_, windows)| {
            seen += **windows;
            seen >= due
        });
        found.map_or(0, |(received, _)| *received)
    }
}

/// Counts what is heard.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Messages sent.
    pub sent: u64,
    /// Messages received, once for each receiver.
    pub received: u64,
    /// By windows of time.
    pub windows: Windows,
    /// How many vehicles were on the road at most.
    pub vehicles_most: usize,
    places: Vec<Option<Place>>,
    heard: Vec<u32>,
    possible_by_bin: Vec<u64>,
    heard_by_bin: Vec<u64>,
}

impl Report {
    /// Returns the share of messages that arrived, by distance in classes of [`BIN_M`]; `None`
    /// where no two vehicles were so far from each other. The distance is that at the begin of the
    /// time step.
    pub fn delivered(&self) -> impl Iterator<Item = Option<f64>> {
        let bins = self.heard_by_bin.iter().zip(&self.possible_by_bin);
        bins.map(|(heard, possible)| (*possible > 0).then(|| *heard as f64 / *possible as f64))
    }

    /// Vehicles are here from now on.
    pub(crate) fn place(&mut self, places: &[Option<Place>]) {
        self.places.clear();
        self.places.extend_from_slice(places);
        self.heard.resize(self.heard.len().max(places.len()), 0);
        let present = places.iter().flatten().count();
        self.vehicles_most = self.vehicles_most.max(present);
    }

    /// A window begins, or ends the one before: vehicles that were on the road at its begin count.
    pub(crate) fn end_window(&mut self, was_there: &[bool]) {
        for (heard, was_there) in self.heard.iter_mut().zip(was_there) {
            if *was_there {
                self.windows.add(*heard);
            }
            *heard = 0;
        }
    }

    fn bin(&self, one: usize, other: usize) -> Option<usize> {
        let place = |at: usize| *self.places.get(at)?;
        let bin = (place(one)?.distance_m(&place(other)?) / BIN_M) as usize;
        (bin < BINS).then_some(bin)
    }
}

impl Sink for Report {
    fn sent(&mut self, _time_ns: u64, sender: usize) {
        self.sent += 1;
        self.possible_by_bin.resize(BINS, 0);
        self.heard_by_bin.resize(BINS, 0);
        for other in 0..self.places.len() {
            if other != sender
                && let Some(bin) = self.bin(sender, other)
            {
                self.possible_by_bin[bin] += 1;
            }
        }
    }

    fn received(&mut self, reception: &Reception) {
        self.received += 1;
        if let Some(heard) = self.heard.get_mut(reception.receiver) {
            *heard += 1;
        }
        if let Some(bin) = self.bin(reception.sender, reception.receiver) {
            self.heard_by_bin[bin] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_means_and_quantiles() {
        let mut windows = Windows::default();
        for received in [0, 0, 1, 2, 7] {
            windows.add(received);
        }
        assert_eq!((windows.count(), windows.most()), (5, 7));
        assert!((windows.mean() - 2.0).abs() < 1e-12);
        assert!((windows.mean_heard() - 10.0 / 3.0).abs() < 1e-12);
        let quantiles = [0.0, 0.4, 0.5, 0.8, 0.99, 1.0].map(|share| windows.quantile(share));
        assert_eq!(quantiles, [0, 0, 1, 2, 7, 7]);
        assert_eq!(Windows::default().quantile(0.5), 0);
        assert_eq!(Windows::default().mean_heard(), 0.0);
    }
}
