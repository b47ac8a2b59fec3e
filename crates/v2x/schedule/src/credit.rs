//! Estimated probability that a message verifies, from the results of its sender's earlier
//! messages.
//!
//! A sender is known once one of its messages has verified. Its messages are credible while their
//! claimed position is within reach of its last verified one. A sender that has not been verified
//! yet is more credible from its third message on. For attackers this means:
//! - One that changes its name with each message competes only with others that do so.
//! - One that keeps a false name loses its credit with the first failure.
//! - One that uses the name of a known sender lowers the credit of that sender only.
//! - One with valid signatures gets as many verifications as an honest sender has messages, and no
//!   more.

use alloc::collections::{BTreeMap, BTreeSet};

use waywarden_v2x_wire::ieee1609dot2::{Time64, TwoDLocation};

use super::features::{ClaimedSender, Features};
use waywarden_v2x_security::region::distance;

/// Maximum number of remembered verified senders, and of unverified ones; the least recently
/// received one makes room.
const SENDERS_MAX: usize = 1_024;
/// Time for which a sender stays known after its last verified message, in us.
const KNOWN_US: u64 = 5_000_000;
/// Maximum speed of a road user, in m/s, and maximum error of a position, in m.
const SPEED_MAX_M_S: f64 = 70.0;
const POSITION_ERROR_M: f64 = 20.0;
/// Minimum time over which the approach of a sender is measured, in us.
const APPROACH_LEAST_US: u64 = 50_000;
/// Minimum interval of CAM and BSM, in us: 100 ms less jitter.
const INTERVAL_US: u64 = 80_000;
/// Maximum lead of a sender over that rate, in us.
const AHEAD_US: u64 = 200_000;

/// A probability in units of 1/256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Estimate(u32);

impl Estimate {
    const ONE: Self = Self(256);
    /// Lower bound, so that senders that always fail are still tried now and then.
    const LEAST: u32 = 4;

    /// Updates the estimate with the result of one message; about the last 16 count.
    fn learn(&mut self, is_valid: bool) {
        // Rounded up, so that it reaches 256 again.
        let target = if is_valid { 256 + 15 } else { 0 };
        self.0 = ((self.0 * 15 + target) / 16).max(Self::LEAST);
    }

    /// Returns the probability that both hold.
    fn and(self, other: Self) -> Self {
        Self((self.0 * other.0 / 256).max(1))
    }

    /// Returns the probability in units of 1/256: 1 to 256.
    pub(super) fn get(self) -> u32 {
        self.0
    }
}

/// Record of a sender.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Its last verified position, else its last claimed one; `seen` is the time of that position.
    position: Option<TwoDLocation>,
    /// Verified distance of that position from the receiver, in metres.
    distance_m: Option<f64>,
    seen: Time64,
    /// Time at which its last message was verified; `None` before the first.
    verified: Option<Time64>,
    /// Time of its last message, by which records make room.
    touched: Time64,
    messages: u32,
    /// Time at which its next message is due.
    due: Time64,
    estimate: Estimate,
}

impl Record {
    /// Returns the time in seconds until a sender at `distance_m` arrives here; `None` if it does
    /// not approach, or this is not known.
    fn arrival_s(&self, distance_m: f64, now: Time64) -> Option<f64> {
        let passed_us = now.0.saturating_sub(self.seen.0);
        // In less time, the error of positions exceeds the distance travelled.
        if passed_us < APPROACH_LEAST_US {
            return None;
        }
        let nearer_m = self.distance_m? - distance_m;
        let speed_m_s = nearer_m * 1e6 / passed_us as f64;
        (speed_m_s > 1.0).then(|| distance_m / speed_m_s)
    }
}

/// Estimates about a message before it is verified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Opinion {
    /// Probability that it verifies.
    pub(super) estimate: Estimate,
    /// True if its sender has recently been verified as often as honest ones send.
    pub(super) is_excess: bool,
    /// True if its sender has been verified before, and is remembered.
    pub(super) is_verified: bool,
    /// Time in seconds until its sender arrives here at its rate of approach since then; `None` if
    /// it does not approach, or is not known.
    pub(super) arrival_s: Option<f64>,
}

/// Standing of a message's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// Not recently verified, and new or out of reach of its last position.
    New,
    /// Not recently verified, but received before within reach.
    Seen,
    /// Verified, but its claimed position is out of reach.
    Implausible,
    /// Verified, and its claimed position is within reach.
    Known,
}

/// Records of senders, with the estimates for each standing.
#[derive(Clone, Debug)]
pub(super) struct Credit {
    records: BTreeMap<ClaimedSender, Record>,
    /// Unverified and verified senders, each ordered by the time of the last message.
    by_time: [BTreeSet<(Time64, ClaimedSender)>; 2],
    new: Estimate,
    seen: Estimate,
    implausible: Estimate,
}

impl Default for Credit {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            by_time: Default::default(),
            new: Estimate::ONE,
            seen: Estimate::ONE,
            implausible: Estimate::ONE,
        }
    }
}

impl Credit {
    /// Returns the maximum memory use, in bytes.
    pub(super) const fn memory_max() -> usize {
        let each = size_of::<(ClaimedSender, Record)>() + size_of::<(Time64, ClaimedSender)>();
        2 * SENDERS_MAX * 2 * each
    }

    /// Returns true if most messages of new senders have failed.
    pub(super) fn is_doubtful(&self) -> bool {
        self.new.get() < 128
    }

    /// Records the arrival of a message from `distance_m` away, and estimates it. Logarithmic in
    /// the number of senders.
    pub(super) fn arrived(
        &mut self,
        features: &Features,
        distance_m: Option<f64>,
        now: Time64,
    ) -> Opinion {
        let standing = self.standing(features, now);
        let record = self.records.get(&features.sender).copied();
        let own = record.map_or(Estimate::ONE, |record| record.estimate);
        let estimate = match standing {
            Standing::New => self.new,
            Standing::Seen => self.seen.and(own),
            Standing::Implausible => self.implausible,
            Standing::Known => own,
        };
        let due = record.map_or(0, |record| record.due.0);
        let is_excess = due > now.0.saturating_add(AHEAD_US);
        let is_verified = record.is_some_and(|record| record.verified.is_some());
        let verified = record.filter(|_| standing == Standing::Known);
        let arrival_s = verified.and_then(|record| record.arrival_s(distance_m?, now));
        if features.sender != ClaimedSender::Unknown {
            let (position, seen) = match record.filter(|_| is_verified) {
                Some(record) => (record.position, record.seen),
                None => (features.position, now),
            };
            let messages = record.map_or(0, |record| record.messages);
            let record = Record {
                position,
                distance_m: record.and_then(|record| record.distance_m),
                seen,
                verified: record.and_then(|record| record.verified),
                touched: now,
                messages: messages.saturating_add(1),
                due: Time64(due),
                estimate: own,
            };
            self.enter(features.sender, record);
        }
        Opinion {
            estimate,
            is_excess,
            is_verified,
            arrival_s,
        }
    }

    /// Records the result of a message from `distance_m` away. Logarithmic in the number of
    /// senders.
    pub(super) fn learn(
        &mut self,
        features: &Features,
        distance_m: Option<f64>,
        now: Time64,
        is_valid: bool,
    ) {
        let sender = features.sender;
        let standing = self.standing(features, now);
        match standing {
            Standing::New => self.new.learn(is_valid),
            Standing::Seen => self.seen.learn(is_valid),
            Standing::Implausible => self.implausible.learn(is_valid),
            Standing::Known => {}
        }
        let Some(mut record) = self.records.get(&sender).copied() else {
            return;
        };
        match (standing, is_valid) {
            (Standing::Known, _) => record.estimate.learn(is_valid),
            // A failure of a name that was never verified.
            (Standing::New | Standing::Seen, false) => {
                record.estimate = Estimate(Estimate::LEAST);
            }
            (_, true) => record.estimate = Estimate::ONE,
            (Standing::Implausible, false) => {}
        }
        if is_valid {
            record.position = features.position;
            record.distance_m = distance_m;
            (record.seen, record.verified) = (now, Some(now));
            let due = record.due.max(now);
            record.due = Time64(due.0.saturating_add(INTERVAL_US));
        }
        self.enter(sender, record);
    }

    fn standing(&self, features: &Features, now: Time64) -> Standing {
        let record = match features.sender {
            ClaimedSender::Unknown => None,
            sender => self.records.get(&sender),
        };
        let Some(record) = record else {
            return Standing::New;
        };
        let passed = |since: Time64| now.0.saturating_sub(since.0);
        let is_known = record.verified.is_some_and(|at| passed(at) <= KNOWN_US);
        let reach = POSITION_ERROR_M + SPEED_MAX_M_S * passed(record.seen) as f64 * 1e-6;
        let is_near = match (&record.position, &features.position) {
            (Some(last), Some(claimed)) => distance(last, claimed) <= reach,
            _ => true,
        };
        match (is_known, is_near) {
            (true, true) => Standing::Known,
            (true, false) => Standing::Implausible,
            (false, true) if record.messages > 1 => Standing::Seen,
            (false, _) => Standing::New,
        }
    }

    /// Replaces the sender's record, and drops the oldest record if there are too many.
    fn enter(&mut self, sender: ClaimedSender, record: Record) {
        let list = |record: &Record| usize::from(record.verified.is_some());
        let at = list(&record);
        let touched = record.touched;
        if let Some(old) = self.records.insert(sender, record) {
            self.by_time[list(&old)].remove(&(old.touched, sender));
        }
        self.by_time[at].insert((touched, sender));
        if self.by_time[at].len() > SENDERS_MAX
            && let Some((_, oldest)) = self.by_time[at].pop_first()
        {
            self.records.remove(&oldest);
        }
    }
}
