//! Safety applications, and the uses of a message for those that need it in time.

use waywarden_v2x_wire::ieee1609dot2::Time64;

/// A safety application of the NHTSA \[ECQV-CITS §IV\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SafetyApplication {
    /// Name of the application.
    pub name: &'static str,
    /// Range of relevance, in metres.
    pub range_m: u16,
    /// Greatest age of a message at the end of its verification, in us.
    pub latency_us: u64,
}

const fn application(name: &'static str, latency_ms: u64, range_m: u16) -> SafetyApplication {
    SafetyApplication {
        name,
        range_m,
        latency_us: latency_ms * 1_000,
    }
}

/// The eight safety applications that the paper takes from the NHTSA's list, with its latencies and
/// ranges.
pub const SAFETY_APPLICATIONS: [SafetyApplication; 8] = [
    application("Pre-Crash Sensing", 20, 50),
    application("Traffic Signal Violation Warning", 100, 250),
    application("Curve Speed Warning", 1_000, 200),
    application("Emergency Electronic Brake Light", 100, 300),
    application("Cooperative Forward Collision Warning", 100, 150),
    application("Left Turn Assistant", 100, 300),
    application("Lane changing Warning", 100, 150),
    application("Stop Sign Movement Assistance", 100, 300),
];

/// The latencies of these applications, in us, the shortest first.
const LATENCIES_US: [u64; 3] = [20_000, 100_000, 1_000_000];

/// Number of these applications that a message serves if it is verified by a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Use {
    pub(super) until: Time64,
    pub(super) applications: u32,
}

/// Uses of a message as it grows older.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uses {
    generated: Time64,
    /// Distance of the sender; one that is not known may be at the edge of the widest range.
    distance_m: f64,
    /// Number of latencies that have been looked at.
    next: usize,
}

impl Uses {
    /// Takes when a message was made and how far its sender claims to be.
    pub(super) fn new(generated: Time64, distance_m: Option<f64>) -> Self {
        Self {
            generated,
            distance_m: distance_m.unwrap_or(300.0),
            next: 0,
        }
    }

    /// Returns true if it serves any application at any age.
    pub(super) fn is_any(mut self) -> bool {
        self.next().is_some()
    }
}

impl Iterator for Uses {
    type Item = Use;

    fn next(&mut self) -> Option<Use> {
        loop {
            let latency_us = *LATENCIES_US.get(self.next)?;
            self.next += 1;
            let serves = |one: &&SafetyApplication| {
                one.latency_us >= latency_us && f64::from(one.range_m) >= self.distance_m
            };
            let all = SAFETY_APPLICATIONS.iter();
            let applications = all.clone().filter(serves).count() as u32;
            let is_last = all.filter(serves).any(|one| one.latency_us == latency_us);
            // A latency that no application in range has is that of the next one.
            if is_last {
                return Some(Use {
                    until: Time64(self.generated.0.saturating_add(latency_us)),
                    applications,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate alloc;

    use alloc::vec::Vec;

    use super::*;

    fn uses(distance_m: f64) -> Vec<(u64, u32)> {
        let uses = Uses::new(Time64(0), Some(distance_m));
        uses.map(|one| (one.until.0 / 1_000, one.applications))
            .collect()
    }

    #[test]
    fn near_messages_serve_more_and_old_ones_less() {
        assert_eq!(uses(50.0), [(20, 8), (100, 7), (1_000, 1)]);
        assert_eq!(uses(150.0), [(100, 7), (1_000, 1)]);
        assert_eq!(uses(200.0), [(100, 5), (1_000, 1)]);
        assert_eq!(uses(250.0), [(100, 4)]);
        assert_eq!(uses(300.0), [(100, 3)]);
        assert_eq!(uses(300.1), []);
    }

    #[test]
    fn latencies_are_those_of_the_applications() {
        let mut all: Vec<u64> = SAFETY_APPLICATIONS
            .iter()
            .map(|one| one.latency_us)
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, LATENCIES_US);
    }
}
