//! Rate limits: a token bucket for each peer, in a map with a bound.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::Duration;

/// The rate limit of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Most requests at once.
    pub burst: u32,
    /// Most requests each second in the long run.
    pub per_second: u32,
}

/// A request costs so many units, so that a nanosecond earns a whole number of them.
const COST: u64 = 1_000_000_000;

/// Interval between searches for idle peers.
const SWEEP: Duration = Duration::from_secs(1);

/// The units that a peer has, as of a time.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    units: u64,
    at: Duration,
}

/// Counts the requests of each peer. The caller brings the time, which does not go back.
#[derive(Debug)]
pub struct RateLimiter {
    limit: RateLimit,
    /// The most peers that are known.
    peers_max: usize,
    buckets: HashMap<IpAddr, Bucket>,
    /// Shared by the peers that find no room among the known ones.
    others: Bucket,
    swept: Duration,
}

impl RateLimiter {
    /// Begins without known peers.
    #[must_use]
    pub fn new(limit: RateLimit, peers_max: usize) -> Self {
        let at = Duration::ZERO;
        let units = u64::from(limit.burst) * COST;
        Self {
            limit,
            peers_max,
            buckets: HashMap::new(),
            others: Bucket { units, at },
            swept: at,
        }
    }

    /// Counts a request; returns whether it may be answered.
    pub fn allow(&mut self, peer: IpAddr, now: Duration) -> bool {
        let (limit, group) = (self.limit, group(peer));
        let full = u64::from(limit.burst) * COST;
        if !self.buckets.contains_key(&group) && self.buckets.len() >= self.peers_max {
            self.sweep(now);
        }
        let is_known = self.buckets.contains_key(&group);
        let bucket = match is_known || self.buckets.len() < self.peers_max {
            true => self.buckets.entry(group).or_insert(Bucket {
                units: full,
                at: now,
            }),
            false => &mut self.others,
        };
        bucket.fill(limit, now);
        let paid = bucket.units.checked_sub(COST);
        bucket.units = paid.unwrap_or(bucket.units);
        paid.is_some()
    }

    /// The number of known peers.
    #[must_use]
    pub fn peers(&self) -> usize {
        self.buckets.len()
    }

    /// Forgets peers that could ask as often as new ones.
    fn sweep(&mut self, now: Duration) {
        if now.saturating_sub(self.swept) < SWEEP {
            return;
        }
        self.swept = now;
        let limit = self.limit;
        let full = u64::from(limit.burst) * COST;
        self.buckets.retain(|_, bucket| {
            bucket.fill(limit, now);
            bucket.units < full
        });
    }
}

impl Bucket {
    fn fill(&mut self, limit: RateLimit, now: Duration) {
        let passed = now.saturating_sub(self.at).as_nanos();
        let earned = passed.saturating_mul(u128::from(limit.per_second));
        let full = u64::from(limit.burst) * COST;
        let earned = u64::try_from(earned).unwrap_or(u64::MAX);
        self.units = self.units.saturating_add(earned).min(full);
        self.at = self.at.max(now);
    }
}

/// Returns the unit that counts as one peer: an IPv4 address, or the 64 bits of an IPv6 network,
/// which one holder has whole.
pub(super) fn group(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
    }
}
