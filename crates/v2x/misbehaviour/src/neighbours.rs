//! Comparison of a claim with those of other senders: two vehicles in one place, and several names
//! that appear together.

use alloc::collections::VecDeque;

use crate::claim::{Claim, SenderId, seconds_between};
use crate::senders::{Sender, Senders};
use crate::thresholds::Thresholds;

/// Oldest claim that predicts where its sender is.
const PREDICTED_S: f64 = 1.2;
/// Appearances that the detector remembers.
const APPEARANCES_MOST: usize = 64;
/// Time after the first message in which every sender is new to the observer.
const START_US: u64 = 2_000_000;

const LENGTH_M: f64 = 4.5;
const WIDTH_M: f64 = 1.8;

/// Returns the neighbour whose place a claim takes, the one known for longest. The places of two
/// vehicles are the same if their centres are closer than half a vehicle, along and across, which
/// noise alone seldom makes true.
pub(crate) fn overlapped<'a>(
    senders: &'a Senders,
    id: SenderId,
    claim: &Claim,
) -> Option<&'a Sender> {
    let heading = claim.heading_degrees?.to_radians();
    let ahead = (libm::sin(heading), libm::cos(heading));
    let length = size(claim.length_m, LENGTH_M);
    let width = size(claim.width_m, WIDTH_M);
    senders
        .iter()
        .filter(|(other, _)| *other != id)
        .filter(|(_, sender)| {
            let age = seconds_between(sender.last.received_us, claim.received_us);
            if !(0.0..=PREDICTED_S).contains(&age) {
                return false;
            }
            let (vx, vy) = sender.last.velocity().unwrap_or((0.0, 0.0));
            let x = claim.x_m - (sender.last.x_m + vx * age);
            let y = claim.y_m - (sender.last.y_m + vy * age);
            let along = libm::fabs(x * ahead.0 + y * ahead.1);
            let across = libm::fabs(x * ahead.1 - y * ahead.0);
            let their_length = size(sender.last.length_m, LENGTH_M);
            along < length.min(their_length) / 2.0 && across < width / 2.0
        })
        .map(|(_, sender)| sender)
        .min_by_key(|sender| sender.first_us)
}

/// Returns a stated size within those of road vehicles.
fn size(stated: Option<f64>, usual: f64) -> f64 {
    stated.map_or(usual, |size| {
        if size.is_finite() {
            size.clamp(0.5, 20.0)
        } else {
            usual
        }
    })
}

/// The last names that the observer heard for the first time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Appearances {
    started_us: Option<u64>,
    last: VecDeque<(u64, f64, f64)>,
}

impl Appearances {
    /// Counts the names that appeared with this one, and remembers it.
    pub(crate) fn count(&mut self, claim: &Claim, thresholds: &Thresholds) -> u32 {
        let now_us = claim.received_us;
        let started_us = *self.started_us.get_or_insert(now_us);
        if now_us.saturating_sub(started_us) < START_US {
            return 0;
        }
        let near = self.last.iter().filter(|(time_us, x, y)| {
            libm::fabs(seconds_between(*time_us, now_us)) <= thresholds.appearance_s
                && libm::hypot(claim.x_m - x, claim.y_m - y) <= thresholds.appearance_m
        });
        let count = near.count() as u32;
        if self.last.len() >= APPEARANCES_MOST {
            self.last.pop_front();
        }
        self.last.push_back((now_us, claim.x_m, claim.y_m));
        count
    }
}
