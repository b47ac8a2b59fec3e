//! What a radio and its channel are like.

use super::error_rate::Modulation;

/// Nanoseconds in a microsecond.
pub(super) const MICROSECOND: u64 = 1_000;

/// A data rate on a channel of 10 MHz \[802.11 §17\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataRate {
    /// 3 Mb/s.
    Mbps3,
    /// 6 Mb/s, the rate of safety messages.
    #[default]
    Mbps6,
    /// 12 Mb/s.
    Mbps12,
    /// 18 Mb/s.
    Mbps18,
    /// 27 Mb/s.
    Mbps27,
}

impl DataRate {
    /// Returns the data bits of a symbol of 8 us.
    #[must_use]
    pub const fn bits_per_symbol(self) -> u32 {
        match self {
            Self::Mbps3 => 24,
            Self::Mbps6 => 48,
            Self::Mbps12 => 96,
            Self::Mbps18 => 144,
            Self::Mbps27 => 216,
        }
    }

    /// Returns its modulation.
    #[must_use]
    pub const fn modulation(self) -> Modulation {
        match self {
            Self::Mbps3 => Modulation::BPSK_1_2,
            Self::Mbps6 => Modulation::QPSK_1_2,
            Self::Mbps12 => Modulation::QAM16_1_2,
            Self::Mbps18 => Modulation::QAM16_3_4,
            Self::Mbps27 => Modulation::QAM64_3_4,
        }
    }

    /// Returns how long a frame of so many bytes takes, its MAC header and check sequence included,
    /// in nanoseconds: a preamble of 32 us, a header of 8 us, and symbols of 8 us for 16 service
    /// bits, the bytes and 6 tail bits \[802.11 §17.3\].
    #[must_use]
    pub fn airtime_ns(self, bytes: u32) -> u64 {
        let bits = 16 + 8 * u64::from(bytes) + 6;
        let symbols = bits.div_ceil(u64::from(self.bits_per_symbol()));
        PREAMBLE + HEADER + symbols * SYMBOL
    }
}

/// The parts of a frame.
pub(super) const PREAMBLE: u64 = 32 * MICROSECOND;
pub(super) const HEADER: u64 = 8 * MICROSECOND;
const SYMBOL: u64 = 8 * MICROSECOND;

/// How stations take turns \[802.11 §10.22\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// A slot, in ns.
    pub slot_ns: u64,
    /// The short space between frames (SIFS), in ns.
    pub short_space_ns: u64,
    /// How many slots follow it (AIFSN).
    pub slots: u32,
    /// The most slots of a backoff (CWmin): broadcasts are not repeated, so it does not grow.
    pub window: u32,
    /// By how much longer a station waits after a frame that it could not read (EIFS), in ns.
    pub after_error_ns: u64,
    /// How many frames wait at most; the oldest one makes room.
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
    /// What is weaker is not there at all, in dBm.
    pub sensitivity_dbm: f64,
    /// A channel with more power than this is busy, whether a frame is read or not, in dBm. ns-3
    /// calls it the sensitivity of clear channel assessment.
    pub busy_dbm: f64,
    /// The rate of frames.
    pub rate: DataRate,
    /// How long it takes until a frame is noticed, in ns.
    pub detection_ns: u64,
    /// Channel access.
    pub access: Access,
}

impl RadioSettings {
    /// 20 mW, noise of -98 dBm and a sensitivity of -110 dBm, as Veins 5.3.1 has it by default, and
    /// -82 dBm for a busy channel, as ns-3 3.37 has it.
    pub const DEFAULT: Self = Self {
        power_mw: 20.0,
        noise_dbm: -98.0,
        sensitivity_dbm: -110.0,
        busy_dbm: -82.0,
        rate: DataRate::Mbps6,
        detection_ns: 4 * MICROSECOND,
        access: Access::VOICE,
    };
}

/// Brings dBm to mW.
pub(super) fn milliwatts(dbm: f64) -> f64 {
    10.0_f64.powf(dbm / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_as_long_as_the_standard_has_it() {
        // 460 bytes at 6 Mb/s: 3,702 bits are 78 symbols.
        assert_eq!(DataRate::Mbps6.airtime_ns(460), 664_000);
        assert_eq!(DataRate::Mbps6.airtime_ns(43), 104_000);
        assert_eq!(DataRate::Mbps3.airtime_ns(14), 88_000);
        assert_eq!(Access::VOICE.space_ns(), 58_000);
    }

    #[test]
    fn decibels_are_powers() {
        assert!((milliwatts(0.0) - 1.0).abs() < 1e-12);
        assert!((milliwatts(-98.0) - 1.584_9e-10).abs() < 1e-14);
    }
}
