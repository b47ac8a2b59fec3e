//! Receptions of vehicles: in windows of time, by distance, and the share that boards verified.

use crate::areas::AreaCounts;
use crate::road::Road;
use crate::run_log::WindowSummary;
use crate::verification::Score;
use crate::windows::Windows;

/// Width of a class of distances, in metres.
pub const BIN_M: f64 = 50.0;
/// Number of classes: up to 1,500 m.
const BINS: usize = 30;

/// Counts what is heard. Messages of attackers are counted apart.
#[derive(Clone, Debug, Default)]
pub struct TrafficReport {
    /// Messages sent.
    pub sent: u64,
    /// Messages received, once for each receiver.
    pub received: u64,
    /// Messages of attackers sent.
    pub false_sent: u64,
    /// Messages of attackers received, once for each receiver.
    pub false_received: u64,
    /// Messages received by a vehicle in windows of 100 ms.
    pub windows: Windows,
    /// Greatest number of vehicles on the road in a time step.
    pub vehicles_most: usize,
    /// Number of different vehicles.
    pub vehicles: usize,
    /// Mean number of vehicles on the road in a time step.
    pub vehicles_mean: f64,
    /// Scores of verification in time: for each board, for each policy.
    pub scores: Vec<Score>,
    steps: u64,
    heard: Vec<u32>,
    possible_by_bin: Vec<u64>,
    heard_by_bin: Vec<u64>,
    areas: AreaCounts,
}

impl TrafficReport {
    /// Returns the share of messages that arrived, by distance in classes of [`BIN_M`]; `None`
    /// where no two vehicles were so far from each other. The distance is that at the begin of the
    /// time step.
    pub fn delivered(&self) -> impl Iterator<Item = Option<f64>> {
        let bins = self.heard_by_bin.iter().zip(&self.possible_by_bin);
        bins.map(|(heard, possible)| (*possible > 0).then(|| *heard as f64 / *possible as f64))
    }

    /// Returns how many messages came from within each of the [`AREAS`](crate::AREAS).
    #[must_use]
    pub fn areas(&self) -> &[Windows] {
        &self.areas.windows
    }

    /// Vehicles are here from now on.
    pub(crate) fn place(&mut self, road: &Road) {
        let present = road.present().count();
        self.heard.resize(road.len(), 0);
        self.vehicles = road.len();
        self.vehicles_most = self.vehicles_most.max(present);
        self.steps += 1;
        self.vehicles_mean += (present as f64 - self.vehicles_mean) / self.steps as f64;
    }

    /// A window of 20 or of 100 ms ends: vehicles that were on the road at its begin count. Returns
    /// the summary of one of 100 ms.
    pub(crate) fn end_window(
        &mut self,
        window_ms: u64,
        end_ns: u64,
        was_there: &[bool],
    ) -> Option<WindowSummary> {
        self.areas.end_window(window_ms, was_there);
        if window_ms != 100 {
            return None;
        }
        let mut summary = WindowSummary {
            end_ns,
            ..WindowSummary::default()
        };
        for (heard, was_there) in self.heard.iter_mut().zip(was_there) {
            if *was_there {
                self.windows.add(*heard);
                summary.add(*heard);
            }
            *heard = 0;
        }
        Some(summary)
    }

    pub(crate) fn sent(&mut self, road: &Road, sender: usize) {
        self.sent += 1;
        self.possible_by_bin.resize(BINS, 0);
        self.heard_by_bin.resize(BINS, 0);
        let Some(own) = road.get(sender) else { return };
        for (other, placed) in road.present() {
            let bin = (own.place.distance_m(&placed.place) / BIN_M) as usize;
            if other != sender && bin < BINS {
                self.possible_by_bin[bin] += 1;
            }
        }
    }

    /// A vehicle has received a message of another one.
    pub(crate) fn received(&mut self, road: &Road, sender: usize, receiver: usize) {
        self.received += 1;
        if let Some(heard) = self.heard.get_mut(receiver) {
            *heard += 1;
        }
        self.areas.received(road, sender, receiver);
        let both = road.get(sender).zip(road.get(receiver));
        let bin = both.map(|(own, other)| (own.place.distance_m(&other.place) / BIN_M) as usize);
        if let Some(count) = bin.and_then(|bin| self.heard_by_bin.get_mut(bin)) {
            *count += 1;
        }
    }
}
