//! Load of a channel as stations found it.

/// Load of a station's channel, and the times that its control asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChannelSummary {
    /// Number of measurements, one for 100 ms.
    pub measurements: u64,
    /// Sum of the busy ratios.
    pub sum: f64,
    /// Greatest of them.
    pub greatest: f64,
    /// Least time between frames that the control asked for, in microseconds: the longest one.
    pub interval_us: u64,
}

impl ChannelSummary {
    /// Returns the sums of two stations.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            measurements: self.measurements + other.measurements,
            sum: self.sum + other.sum,
            greatest: self.greatest.max(other.greatest),
            interval_us: self.interval_us.max(other.interval_us),
        }
    }

    /// Returns the mean busy ratio; `None` without a measurement.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.measurements > 0).then(|| self.sum / self.measurements as f64)
    }
}
