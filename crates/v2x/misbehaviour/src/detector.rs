//! The detector: all checks of a message, and the evidence against its sender.

use crate::claim::{Claim, Observer, RoadMap, SenderId, seconds_between};
use crate::copies::Copies;
use crate::finding::{Findings, MisbehaviourClass};
use crate::motion::{self, Motion};
use crate::neighbours::{self, Appearances};
use crate::senders::{Sender, Senders};
use crate::thresholds::Thresholds;

/// Claims that the detector remembers to recognise copies, for each place of its table.
const COPIES_PER_SENDER: usize = 8;
/// Coordinates beyond this are no place on Earth, and would lose the centimetres.
const COORDINATE_MOST_M: f64 = 1e8;
/// Largest yaw rate, in degrees per second: a vehicle that spins.
const YAW_RATE_MOST: f64 = 330.0;
/// Part of a finding's score that is no evidence: a value at its limit may be chance.
const CHANCE: f64 = 0.5;

/// Detects senders whose claims contradict physics, one another, or those of other senders.
///
/// Memory is bounded by the number of senders; a message costs time in proportion to it. A sender
/// that finds no place in the full table has its messages checked without a history.
#[derive(Clone, Debug)]
pub struct Detector {
    thresholds: Thresholds,
    senders: Senders,
    copies: Copies,
    appearances: Appearances,
}

impl Detector {
    /// Creates a detector that remembers at most `senders_most` senders, and one at least.
    #[must_use]
    pub fn new(thresholds: Thresholds, senders_most: usize) -> Self {
        Self {
            thresholds,
            senders: Senders::new(senders_most),
            copies: Copies::new(senders_most.saturating_mul(COPIES_PER_SENDER)),
            appearances: Appearances::default(),
        }
    }

    /// Returns the number of senders that the detector remembers.
    #[must_use]
    pub fn senders(&self) -> usize {
        self.senders.len()
    }

    /// Checks a message and remembers it.
    pub fn observe(&mut self, observer: &Observer, sender: SenderId, claim: &Claim) -> Findings {
        self.observe_with_map(observer, sender, claim, &())
    }

    /// Checks a message, its position against a map also, and remembers it.
    pub fn observe_with_map(
        &mut self,
        observer: &Observer,
        sender: SenderId,
        claim: &Claim,
        map: &impl RoadMap,
    ) -> Findings {
        let mut findings = Findings::new();
        let known = self.senders.find(sender).copied();
        let is_new = known.is_none();
        let mut state = known.unwrap_or_else(|| Sender::new(claim, &self.thresholds));
        let is_plausible = self.is_plausible(observer, claim, &mut findings);
        if is_plausible {
            self.position_on_road(claim, map, &mut findings);
            if !is_new {
                self.history(&mut state, claim, &mut findings);
            }
            self.others(&mut state, sender, claim, is_new, &mut findings);
            state.last = *claim;
        }
        let added = findings
            .iter()
            .map(|finding| finding.score() - CHANCE)
            .sum();
        let evidence = state.accuse(added, claim.received_us, &self.thresholds);
        findings.conclude(evidence, self.thresholds.evidence);
        // A claim that is no base for the next check gets no entry of its own.
        if is_plausible || !is_new {
            self.senders.store(sender, state);
        }
        findings
    }

    /// Checks each value by itself; returns false if the values are no base for further checks.
    fn is_plausible(&self, observer: &Observer, claim: &Claim, findings: &mut Findings) -> bool {
        use MisbehaviourClass::{Acceleration, Heading, Position, Range, Speed, Time};
        let limits = &self.thresholds;
        let coordinate = libm::fmax(libm::fabs(claim.x_m), libm::fabs(claim.y_m));
        if !(claim.x_m.is_finite() && claim.y_m.is_finite()) {
            findings.check(Position, f64::MAX, COORDINATE_MOST_M);
        }
        findings.check(Position, coordinate, COORDINATE_MOST_M);
        let distance = libm::hypot(claim.x_m - observer.x_m, claim.y_m - observer.y_m);
        // An observer that does not know its own position can judge no distance.
        if observer.x_m.is_finite() && observer.y_m.is_finite() {
            findings.check(Range, distance, limits.range_m);
        }
        let speed = libm::fabs(claim.speed_m_s.unwrap_or(0.0));
        findings.check(Speed, speed, limits.speed_m_s);
        let acceleration = libm::fabs(claim.acceleration_m_s2.unwrap_or(0.0));
        findings.check(Acceleration, acceleration, limits.stated_acceleration_m_s2);
        let heading = libm::fabs(claim.heading_degrees.unwrap_or(0.0));
        findings.check(Heading, heading, 360.0);
        let yaw_rate = libm::fabs(claim.yaw_rate_degrees_s.unwrap_or(0.0));
        findings.check(Heading, yaw_rate, YAW_RATE_MOST);
        let age = seconds_between(claim.generated_us, claim.received_us);
        findings.check(Time, age, limits.age_s);
        findings.check(Time, -age, limits.future_s);
        let is_base = coordinate <= COORDINATE_MOST_M
            && speed <= 4.0 * limits.speed_m_s
            && acceleration <= 4.0 * limits.stated_acceleration_m_s2
            && heading <= 720.0
            && yaw_rate <= 4.0 * YAW_RATE_MOST;
        is_base && claim.x_m.is_finite() && claim.y_m.is_finite()
    }

    fn position_on_road(&self, claim: &Claim, map: &impl RoadMap, findings: &mut Findings) {
        if let Some(off_m) = map.off_road_m(claim.x_m, claim.y_m) {
            findings.check(
                MisbehaviourClass::Position,
                off_m,
                self.thresholds.off_road_m,
            );
        }
    }

    /// Checks a claim against the earlier ones of its sender.
    fn history(&self, state: &mut Sender, claim: &Claim, findings: &mut Findings) {
        let limits = &self.thresholds;
        let passed = seconds_between(state.last.received_us, claim.received_us).max(0.0);
        state.allowance = (state.allowance + passed * limits.rate_hz).min(limits.burst) - 1.0;
        // Below -1 the debt would outlast the flood.
        state.allowance = state.allowance.max(-1.0);
        findings.check(MisbehaviourClass::Frequency, 1.0 - state.allowance, 1.0);

        let before = state.last;
        let seconds = claim.seconds_since(&before);
        if seconds <= 0.0 {
            findings.check(MisbehaviourClass::Time, 2.0 - seconds, 1.0);
            return;
        }
        motion::reach(&before, claim, seconds, limits, findings);
        if seconds <= limits.gap_s {
            state.motion.step(&before, claim, seconds, limits, findings);
        } else {
            state.motion = Motion::default();
        }
    }

    /// Checks a claim against those of other senders.
    fn others(
        &mut self,
        state: &mut Sender,
        id: SenderId,
        claim: &Claim,
        is_new: bool,
        findings: &mut Findings,
    ) {
        let limits = &self.thresholds;
        if self
            .copies
            .first_sender(id, claim, limits.copy_speed_m_s)
            .is_some()
        {
            findings.check(MisbehaviourClass::Replay, 2.0, 1.0);
        }
        let other = neighbours::overlapped(&self.senders, id, claim);
        if is_new && limits.appearances > 0 && !other.is_some_and(Sender::is_lasting) {
            let together = self.appearances.count(claim, limits);
            let value = f64::from(together) + 1.0;
            findings.check(
                MisbehaviourClass::Sybil,
                value,
                f64::from(limits.appearances),
            );
        }
        let passed = seconds_between(state.last.received_us, claim.received_us).max(0.0);
        state.overlap_s *= libm::exp(-passed / limits.overlap_s);
        // A liar of before lies now; else the vehicle that was first has the place. A name that
        // fell silent before this one appeared may be this vehicle's earlier pseudonym.
        let is_blamed = |other: &Sender| {
            other.evidence < limits.evidence
                && other.last.received_us > state.first_us
                && (state.evidence >= limits.evidence || other.first_us < state.first_us)
        };
        if other.is_some_and(is_blamed) {
            state.overlap_s += passed.min(limits.overlap_s);
            findings.check(
                MisbehaviourClass::Overlap,
                state.overlap_s,
                limits.overlap_s / 2.0,
            );
        }
    }
}
