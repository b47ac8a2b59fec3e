//! The share of time in which a channel is busy.

/// Time of one measurement (`T_CBR`), in microseconds \[TS 102 687 §4.2\].
pub const MEASUREMENT_US: u64 = 100_000;

/// Returns how long a frame of so many bytes is on the air at 6 Mb/s on a channel of 10 MHz, its
/// MAC header and check sequence included, in microseconds: a preamble of 32 us, a header of 8 us,
/// and symbols of 8 us with 48 bits each for 16 service bits, the bytes and 6 tail bits
/// \[802.11 §17.3\].
#[must_use]
pub const fn airtime_us(bytes: usize) -> u64 {
    let bits = 16 + 6 + 8 * bytes as u64;
    32 + 8 + 8 * bits.div_ceil(48)
}

/// Channel busy ratio: the share of time in which a channel was busy, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct BusyRatio(f64);

impl BusyRatio {
    /// The ratio of an idle channel.
    pub const IDLE: Self = Self(0.0);
    /// The ratio of a channel that is never idle.
    pub const FULL: Self = Self(1.0);
    /// The ratio that stations aim at \[TS 102 687 table 3\].
    pub const TARGET: Self = Self(0.68);

    /// Returns a share as a ratio; `None` if it lies outside of 0 to 1 or is no number.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// Returns the ratio of a busy time to a time of measurement: 0 if the latter is 0, and at most
    /// 1.
    #[must_use]
    pub fn of(busy: u64, measured: u64) -> Self {
        match measured {
            0 => Self::IDLE,
            _ => Self((busy.min(measured) as f64) / (measured as f64)),
        }
    }

    /// Returns a ratio as packets carry it, in 255ths \[TS 102 636-4-2 §6\].
    #[must_use]
    pub fn from_byte(byte: u8) -> Self {
        Self(f64::from(byte) / 255.0)
    }

    /// Returns the ratio in 255ths, rounded down.
    #[must_use]
    pub fn to_byte(self) -> u8 {
        // From 0 to 255 by the bounds of the ratio. The term gives back each byte that a ratio was
        // read from, which rounding would else lower by one.
        (self.0 * 255.0 + 1e-9) as u8
    }

    /// Returns the share, from 0 to 1.
    #[must_use]
    pub const fn share(self) -> f64 {
        self.0
    }
}

/// Sums up the time in which a channel is busy. The unit of its times is the caller's.
#[derive(Clone, Copy, Debug, Default)]
pub struct BusyMeter {
    begin: u64,
    busy: u64,
    /// Begin of the busy time that goes on.
    since: Option<u64>,
}

impl BusyMeter {
    /// A meter of an idle channel that begins now.
    #[must_use]
    pub const fn new(now: u64) -> Self {
        Self {
            begin: now,
            busy: 0,
            since: None,
        }
    }

    /// Takes note that the channel is busy from now on, or is not.
    pub fn set(&mut self, is_busy: bool, now: u64) {
        match (self.since, is_busy) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.busy += now.saturating_sub(since);
                self.since = None;
            }
            _ => {}
        }
    }

    /// Adds the time of a frame to the busy time, for receivers that see frames and no power.
    pub fn add(&mut self, airtime: u64) {
        self.busy = self.busy.saturating_add(airtime);
    }

    /// Returns the ratio since the last measurement, and begins the next one.
    pub fn take(&mut self, now: u64) -> BusyRatio {
        if let Some(since) = self.since {
            self.busy += now.saturating_sub(since);
            self.since = Some(now);
        }
        let measured = now.saturating_sub(self.begin);
        let ratio = BusyRatio::of(self.busy, measured);
        *self = Self {
            begin: now,
            busy: 0,
            since: self.since,
        };
        ratio
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_shares() {
        for wrong in [-0.1, 1.1, f64::NAN, f64::INFINITY] {
            assert_eq!(BusyRatio::new(wrong), None);
        }
        assert_eq!(BusyRatio::of(5, 4), BusyRatio::FULL);
        assert_eq!(BusyRatio::of(5, 0), BusyRatio::IDLE);
    }

    /// By hand: 460 bytes are 77 symbols with their 22 bits more.
    #[test]
    fn a_frame_lasts_as_long_as_its_symbols() {
        assert_eq!((airtime_us(460), airtime_us(14)), (664, 64));
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        for byte in 0..=u8::MAX {
            assert_eq!(BusyRatio::from_byte(byte).to_byte(), byte);
        }
        // Rounded down, never up.
        assert_eq!(BusyRatio(0.999).to_byte(), 254);
    }

    #[test]
    fn busy_times_are_summed_over_measurements() {
        let mut meter = BusyMeter::new(1_000);
        meter.set(true, 1_010);
        meter.set(true, 1_020);
        meter.set(false, 1_040);
        assert_eq!(meter.take(1_100), BusyRatio::of(30, 100));
        // One that goes on counts in both.
        meter.set(true, 1_150);
        assert_eq!(meter.take(1_200), BusyRatio::of(50, 100));
        meter.set(false, 1_225);
        meter.add(25);
        assert_eq!(meter.take(1_300), BusyRatio::of(50, 100));
    }

    #[test]
    fn a_clock_that_steps_back_adds_no_time() {
        let mut meter = BusyMeter::new(1_000);
        meter.set(true, 1_100);
        meter.set(false, 500);
        assert_eq!(meter.take(400), BusyRatio::IDLE);
        assert_eq!(meter.take(500), BusyRatio::IDLE);
    }
}
