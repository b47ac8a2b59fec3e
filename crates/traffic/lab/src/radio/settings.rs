//! Settings of a radio and its channel.

use super::frame::{DataRate, FrameTiming, MICROSECOND};
use super::switching::ChannelSwitching;

/// Channel access of stations \[802.11 §10.22\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// A slot, in ns.
    pub slot_ns: u64,
    /// The short space between frames (SIFS), in ns.
    pub short_space_ns: u64,
    /// Number of slots that follow it (AIFSN).
    pub slots: u32,
    /// The most slots of a backoff (CWmin): broadcasts are not repeated, so it does not grow.
    pub window: u32,
    /// Additional wait of a station after a frame that it could not read (EIFS), in ns.
    pub after_error_ns: u64,
    /// Limit on waiting frames; the oldest one makes room.
    pub queue: usize,
}

impl Access {
    /// Voice (AC_VO), outside of the context of a basic service set.
    pub const VOICE: Self = Self {
        slot_ns: 13 * MICROSECOND,
        short_space_ns: 32 * MICROSECOND,
        slots: 2,
        window: 3,
        // SIFS and an acknowledgement of 14 bytes at 3 Mb/s.
        after_error_ns: (32 + 88) * MICROSECOND,
        queue: 8,
    };

    /// Returns how long the channel is idle before slots count, in ns.
    #[must_use]
    pub const fn space_ns(&self) -> u64 {
        self.short_space_ns + self.slots as u64 * self.slot_ns
    }
}

/// A radio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioSettings {
    /// The power that it sends with, in mW.
    pub power_mw: f64,
    /// Noise in the channel, in dBm.
    pub noise_dbm: f64,
    /// Sensitivity, in dBm: weaker frames are ignored.
    pub sensitivity_dbm: f64,
    /// A channel with more power than this is busy, whether a frame is read or not, in dBm. ns-3
    /// calls it the sensitivity of clear channel assessment.
    pub busy_dbm: f64,
    /// Measurements of the busy ratio count the channel as busy above this power, in dBm, whether a
    /// frame is read or not \[TS 102 687 §4.2\].
    pub measured_dbm: f64,
    /// Data rate of frames.
    pub rate: DataRate,
    /// Structure of a frame's time on the air.
    pub timing: FrameTiming,
    /// Time until a frame is noticed, in ns.
    pub detection_ns: u64,
    /// Channel access.
    pub access: Access,
    /// Within how much time of the common begin of all periods messages are made, in ns: 0 if all
    /// vehicles make theirs at the same time. `None`: each at a phase of its own, at any time.
    pub phases_within_ns: Option<u64>,
    /// Times of radios on the control channel; `None`: always.
    pub channel_switching: Option<ChannelSwitching>,
}

impl RadioSettings {
    /// 20 mW, noise of -98 dBm and a sensitivity of -110 dBm, as Veins 5.3.1 has it by default, and
    /// -82 dBm for a busy channel, as ns-3 3.37 has it.
    pub const DEFAULT: Self = Self {
        power_mw: 20.0,
        noise_dbm: -98.0,
        sensitivity_dbm: -110.0,
        busy_dbm: -82.0,
        measured_dbm: -85.0,
        rate: DataRate::Mbps6,
        timing: FrameTiming::Ofdm,
        detection_ns: 4 * MICROSECOND,
        access: Access::VOICE,
        phases_within_ns: None,
        channel_switching: None,
    };

    /// Frames of whole subframes of 1 ms without a preamble, like those of the sidelink of C-V2X
    /// \[TS 36.211 §9\]. This approximates its rates and its errors only: stations take turns as
    /// those of IEEE 802.11p do (no semi-persistent scheduling, subframes begin at any time), and a
    /// message has the whole channel.
    pub const C_V2X_LIKE: Self = Self {
        timing: FrameTiming::SIDELINK,
        ..Self::DEFAULT
    };

    /// Returns how long a frame of so many bytes is on the air, its MAC header and check sequence
    /// included, in ns.
    #[must_use]
    pub fn airtime_ns(&self, bytes: u32) -> u64 {
        self.timing.airtime_ns(self.rate, bytes)
    }
}

/// Brings dBm to mW.
pub(super) fn milliwatts(dbm: f64) -> f64 {
    10.0_f64.powf(dbm / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn space_between_frames_is_that_of_the_standard() {
        assert_eq!(Access::VOICE.space_ns(), 58_000);
    }

    #[test]
    fn decibels_are_powers() {
        assert!((milliwatts(0.0) - 1.0).abs() < 1e-12);
        assert!((milliwatts(-98.0) - 1.584_9e-10).abs() < 1e-14);
    }
}
