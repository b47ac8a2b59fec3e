//! Consistency of the claims of one sender over time.
//!
//! Positions, speeds and accelerations are three accounts of one movement. The residual of a step
//! is what one account says minus the integral of the next. A sum of residuals that leaks is a
//! Kalman filter with a constant gain: measurement noise cancels between steps, so the sum stays
//! within a few standard deviations however long it runs, while a lie adds up to the bias times the
//! memory of the sum.

use crate::claim::Claim;
use crate::finding::{Findings, MisbehaviourClass};
use crate::thresholds::Thresholds;

/// Leaking sums of the residuals of one sender.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Motion {
    /// Movement by the positions.
    moved: (f64, f64),
    /// Movement by speeds and headings.
    stated: (f64, f64),
    /// Change of speed that accelerations do not explain.
    unexplained: f64,
    /// Change of heading that yaw rates do not explain.
    turned: f64,
}

impl Motion {
    /// Compares a claim with the one before it, `seconds` earlier and at most the allowed gap.
    pub(crate) fn step(
        &mut self,
        before: &Claim,
        claim: &Claim,
        seconds: f64,
        thresholds: &Thresholds,
        findings: &mut Findings,
    ) {
        self.positions(before, claim, seconds, thresholds, findings);
        self.speeds(before, claim, seconds, thresholds, findings);
        self.headings(before, claim, seconds, thresholds, findings);
    }

    fn headings(
        &mut self,
        before: &Claim,
        claim: &Claim,
        seconds: f64,
        thresholds: &Thresholds,
        findings: &mut Findings,
    ) {
        let (Some(first), Some(last)) = (before.heading_degrees, claim.heading_degrees) else {
            self.turned = 0.0;
            return;
        };
        let (Some(a), Some(b)) = (before.yaw_rate_degrees_s, claim.yaw_rate_degrees_s) else {
            self.turned = 0.0;
            return;
        };
        // The heading of a vehicle that stands is noise.
        if libm::fabs(claim.speed_m_s.unwrap_or(0.0)) < thresholds.heading_speed_m_s {
            self.turned = 0.0;
            return;
        }
        let change = libm::remainder(last - first, 360.0);
        let kept = libm::exp(-seconds / thresholds.speed_memory_s);
        self.turned = self.turned * kept + change - (a + b) / 2.0 * seconds;
        let limit = thresholds.heading_degrees;
        findings.check(MisbehaviourClass::Heading, libm::fabs(self.turned), limit);
    }

    fn positions(
        &mut self,
        before: &Claim,
        claim: &Claim,
        seconds: f64,
        thresholds: &Thresholds,
        findings: &mut Findings,
    ) {
        let (Some(first), Some(last)) = (before.velocity(), claim.velocity()) else {
            self.moved = (0.0, 0.0);
            self.stated = (0.0, 0.0);
            return;
        };
        let step = (claim.x_m - before.x_m, claim.y_m - before.y_m);
        let half = seconds / 2.0;
        let integral = ((first.0 + last.0) * half, (first.1 + last.1) * half);
        let kept = libm::exp(-seconds / thresholds.position_memory_s);
        self.moved = (self.moved.0 * kept + step.0, self.moved.1 * kept + step.1);
        self.stated = (
            self.stated.0 * kept + integral.0,
            self.stated.1 * kept + integral.1,
        );

        let speed = libm::fabs(claim.speed_m_s.unwrap_or(0.0));
        let noise = thresholds.deviations * position_noise(claim, thresholds);
        let memory = thresholds.position_memory_s;
        let bias = thresholds.speed_bias_m_s + thresholds.speed_bias_share * speed;
        let along_limit = noise + bias * memory;
        let across_limit = noise + thresholds.lane_m + thresholds.heading_bias * speed * memory;

        let heading = claim.heading_degrees.unwrap_or(0.0).to_radians();
        let ahead = (libm::sin(heading), libm::cos(heading));
        let residual = (self.moved.0 - self.stated.0, self.moved.1 - self.stated.1);
        let along = libm::fabs(residual.0 * ahead.0 + residual.1 * ahead.1);
        let across = libm::fabs(residual.0 * ahead.1 - residual.1 * ahead.0);
        let jump = libm::hypot(step.0 - integral.0, step.1 - integral.1);
        let class = self.class(jump > across_limit + along_limit, noise);
        findings.check(class, along, along_limit);
        let class = if class == MisbehaviourClass::Speed {
            MisbehaviourClass::Heading
        } else {
            class
        };
        findings.check(class, across, across_limit);
    }

    /// Names the claim that contradicts the others: the position if it jumped, the heading if the
    /// sender moves against it, else the speed.
    fn class(&self, jumped: bool, noise: f64) -> MisbehaviourClass {
        let opposed = self.moved.0 * self.stated.0 + self.moved.1 * self.stated.1 < 0.0;
        let far = |movement: (f64, f64)| libm::hypot(movement.0, movement.1) > noise;
        if jumped {
            MisbehaviourClass::Position
        } else if opposed && far(self.moved) && far(self.stated) {
            MisbehaviourClass::Heading
        } else {
            MisbehaviourClass::Speed
        }
    }

    fn speeds(
        &mut self,
        before: &Claim,
        claim: &Claim,
        seconds: f64,
        thresholds: &Thresholds,
        findings: &mut Findings,
    ) {
        let (Some(first), Some(last)) = (before.speed_m_s, claim.speed_m_s) else {
            self.unexplained = 0.0;
            return;
        };
        let change = last - first;
        let noise = thresholds.deviations * thresholds.speed_noise_m_s;
        let most = if libm::fabs(last) >= libm::fabs(first) {
            thresholds.acceleration_m_s2
        } else {
            thresholds.deceleration_m_s2
        };
        // Both speeds have noise, hence the root of two.
        let limit = most * seconds + core::f64::consts::SQRT_2 * noise;
        findings.check(MisbehaviourClass::Speed, libm::fabs(change), limit);

        let (Some(a), Some(b)) = (before.acceleration_m_s2, claim.acceleration_m_s2) else {
            self.unexplained = 0.0;
            return;
        };
        let memory = thresholds.speed_memory_s;
        let kept = libm::exp(-seconds / memory);
        self.unexplained = self.unexplained * kept + change - (a + b) / 2.0 * seconds;
        let limit = noise + thresholds.acceleration_bias_m_s2 * memory;
        findings.check(
            MisbehaviourClass::Acceleration,
            libm::fabs(self.unexplained),
            limit,
        );
    }
}

/// Checks that a sender can have come from one claim to the next after a gap.
pub(crate) fn reach(
    before: &Claim,
    claim: &Claim,
    seconds: f64,
    thresholds: &Thresholds,
    findings: &mut Findings,
) {
    let distance = libm::hypot(claim.x_m - before.x_m, claim.y_m - before.y_m);
    let noise = thresholds.deviations * position_noise(claim, thresholds);
    let limit = thresholds.speed_m_s * seconds + 2.0 * noise;
    findings.check(MisbehaviourClass::Position, distance, limit);
}

/// Returns the standard deviation of a position: what the sender states, within the limits. A liar
/// who states a great uncertainty gains no more than the upper limit.
pub(crate) fn position_noise(claim: &Claim, thresholds: &Thresholds) -> f64 {
    let stated = claim.position_confidence_m.unwrap_or(0.0);
    let stated = if stated.is_finite() { stated } else { 0.0 };
    stated
        .min(thresholds.position_noise_most_m)
        .max(thresholds.position_noise_m)
}
