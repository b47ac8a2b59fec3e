//! The limits of all checks.

/// Limits of the checks. [`Thresholds::STANDARD`] suits passenger cars with GNSS of half a metre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    /// Largest distance between observer and sender.
    pub range_m: f64,
    /// Largest age of a message at its reception.
    pub age_s: f64,
    /// Most that a generation time may lie in the future of the receiver's clock.
    pub future_s: f64,
    /// Largest speed.
    pub speed_m_s: f64,
    /// Largest increase of the speed in a second.
    pub acceleration_m_s2: f64,
    /// Largest decrease of the speed in a second.
    pub deceleration_m_s2: f64,
    /// Largest acceleration or deceleration that a message may state.
    pub stated_acceleration_m_s2: f64,
    /// Standard deviation of honest positions, on each axis.
    pub position_noise_m: f64,
    /// Largest uncertainty that the checks grant a sender which states a greater one.
    pub position_noise_most_m: f64,
    /// Standard deviation of honest speeds.
    pub speed_noise_m_s: f64,
    /// Standard deviations that a sum of residuals may reach.
    pub deviations: f64,
    /// Bias of honest speeds that does not depend on the speed.
    pub speed_bias_m_s: f64,
    /// Share of the speed by which honest speeds may be wrong.
    pub speed_bias_share: f64,
    /// Bias of honest accelerations.
    pub acceleration_bias_m_s2: f64,
    /// Sideways movement that headings need not show: a change of lane.
    pub lane_m: f64,
    /// Bias of honest headings, as the sine of the angle.
    pub heading_bias: f64,
    /// Change of heading that stated yaw rates need not explain.
    pub heading_degrees: f64,
    /// Speed below which headings are noise.
    pub heading_speed_m_s: f64,
    /// Time in which the sums of position residuals fall to a third.
    pub position_memory_s: f64,
    /// Time in which the sum of speed residuals falls to a third.
    pub speed_memory_s: f64,
    /// Time without a message after which the sums begin at zero.
    pub gap_s: f64,
    /// Largest distance outside of a road.
    pub off_road_m: f64,
    /// Messages in a second that a sender may send for long.
    pub rate_hz: f64,
    /// Messages that a sender may send at once.
    pub burst: f64,
    /// Speed below which equal claims are no copies, as vehicles stand still.
    pub copy_speed_m_s: f64,
    /// Time that two vehicles may take the same place for.
    pub overlap_s: f64,
    /// New names in a place that are no coincidence; 0 turns the check off.
    pub appearances: u32,
    /// Time between such names.
    pub appearance_s: f64,
    /// Distance between such names.
    pub appearance_m: f64,
    /// Evidence that makes a message suspicious.
    pub evidence: f64,
    /// Most evidence that one message adds.
    pub evidence_of_message: f64,
    /// Most evidence against a sender.
    pub evidence_most: f64,
    /// Time in which evidence falls to a third.
    pub evidence_memory_s: f64,
}

impl Thresholds {
    /// The limits whose reasons the README states.
    pub const STANDARD: Self = Self {
        range_m: 1000.0,
        age_s: 2.0,
        future_s: 0.5,
        speed_m_s: 70.0,
        acceleration_m_s2: 8.0,
        deceleration_m_s2: 12.0,
        stated_acceleration_m_s2: 14.0,
        position_noise_m: 0.5,
        position_noise_most_m: 3.0,
        speed_noise_m_s: 0.25,
        deviations: 5.0,
        speed_bias_m_s: 0.15,
        speed_bias_share: 0.01,
        acceleration_bias_m_s2: 0.5,
        lane_m: 3.5,
        heading_bias: 0.05,
        heading_degrees: 45.0,
        heading_speed_m_s: 3.0,
        position_memory_s: 4.0,
        speed_memory_s: 2.0,
        gap_s: 2.5,
        off_road_m: 5.0,
        rate_hz: 10.5,
        burst: 4.0,
        copy_speed_m_s: 0.5,
        overlap_s: 0.8,
        appearances: 2,
        appearance_s: 0.3,
        appearance_m: 20.0,
        evidence: 1.0,
        evidence_of_message: 4.0,
        evidence_most: 12.0,
        evidence_memory_s: 20.0,
    };
}

impl Default for Thresholds {
    fn default() -> Self {
        Self::STANDARD
    }
}
