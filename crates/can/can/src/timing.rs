//! Durations of frames and bits: bit rates, sample points, and the switch between two rates.
//!
//! Time is counted in whole picoseconds. A bit time that is no whole number of picoseconds is
//! rounded to the nearest one, and everything longer is a sum of bit times: at most 0.4 ns off in
//! the longest frame. Oscillator tolerance, propagation delay and resynchronisation are not here.
//! Read ISO 11898-1:2015 §11 (bit timing), or `docs/can-bits.md` in the repository.

mod bit_rate;

#[cfg(test)]
mod tests;

pub use bit_rate::{BitRate, BitRateError};

use core::fmt;
use core::iter::Sum;
use core::ops::{Add, AddAssign, Mul, Sub};

use waywarden_work::Duration;

use crate::bits::{Field, FrameLength, INTERMISSION_BITS, Level, WireBit};

/// A span of time in picoseconds, up to 213 days. Arithmetic saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Picoseconds(u64);

/// The sample point of a bit, in thousandths of the bit time, 1 to 999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplePoint(u16);

/// Error for a number that is no sample point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplePointError {
    /// The number given, in thousandths.
    pub permille: u16,
}

/// Bit rate and sample point of one phase of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseTiming {
    bit_rate: BitRate,
    sample_point: SamplePoint,
    bit: Picoseconds,
    to_sample: Picoseconds,
}

/// The timing of a bus: nominal phase and, where FD frames may switch the rate, data phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitTiming {
    /// The phase in which nodes arbitrate and acknowledge; all of a classic frame.
    pub nominal: PhaseTiming,
    /// The phase of FD frames between the sample points of BRS and CRC delimiter. Without one,
    /// frames that switch the rate last as if both rates were the same.
    pub data: Option<PhaseTiming>,
}

/// Returns how long a frame occupies the bus, start of frame to end of frame.
#[must_use]
pub fn duration(length: &FrameLength, timing: &BitTiming) -> Picoseconds {
    timing.nominal.bit * length.nominal_bits + timing.data_phase().bit * length.data_bits
}

/// Returns how long one bit of a laid-out frame lasts. Over a whole frame they add up to
/// [`duration`].
///
/// A frame that switches the rate does so at the sample point of BRS, and back at the sample point
/// of the CRC delimiter. So BRS lasts `sp_n T_n + (1 - sp_d) T_d` and the CRC delimiter
/// `sp_d T_d + (1 - sp_n) T_n`.
#[must_use]
pub fn bit_duration(bit: &WireBit, timing: &BitTiming) -> Picoseconds {
    let (nominal, data) = (&timing.nominal, timing.data_phase());
    match (bit.field, bit.data_phase) {
        (Field::BitRateSwitch, _) if bit.level == Level::Recessive => {
            nominal.to_sample + data.from_sample()
        }
        (Field::CrcDelimiter, true) => data.to_sample + nominal.from_sample(),
        (_, true) => data.bit,
        (_, false) => nominal.bit,
    }
}

impl BitTiming {
    /// Returns true if the data phase is slower than the rest of the frame, which no bus has.
    #[must_use]
    pub const fn has_slow_data_phase(&self) -> bool {
        match &self.data {
            Some(data) => {
                let nominal = self.nominal.bit_rate.bits_per_second();
                data.bit_rate.bits_per_second() < nominal
            }
            None => false,
        }
    }

    /// Makes the timing of a bus without data bit rate, with the recommended sample point.
    #[must_use]
    pub const fn classic(bit_rate: BitRate) -> Self {
        BitTiming {
            nominal: PhaseTiming::recommended(bit_rate),
            data: None,
        }
    }

    /// Makes the timing of a CAN FD bus, with the recommended sample points.
    #[must_use]
    pub const fn fd(nominal: BitRate, data: BitRate) -> Self {
        BitTiming {
            nominal: PhaseTiming::recommended(nominal),
            data: Some(PhaseTiming::recommended(data)),
        }
    }

    /// Returns the time between two frames that follow each other at once: three nominal bits.
    #[must_use]
    pub fn intermission(&self) -> Picoseconds {
        self.nominal.bit * INTERMISSION_BITS
    }

    fn data_phase(&self) -> &PhaseTiming {
        self.data.as_ref().unwrap_or(&self.nominal)
    }
}

impl PhaseTiming {
    /// Makes a phase with the given sample point.
    #[must_use]
    pub const fn new(bit_rate: BitRate, sample_point: SamplePoint) -> Self {
        let bit = bit_rate.bit_picoseconds();
        // At most 10^12 ps a bit: the product stays below 10^15.
        let to_sample = (bit * sample_point.0 as u64 + 500) / 1_000;
        PhaseTiming {
            bit_rate,
            sample_point,
            bit: Picoseconds(bit),
            to_sample: Picoseconds(to_sample),
        }
    }

    /// Makes a phase with the sample point that SocketCAN chooses where none is configured, after
    /// CiA's recommendations: 87.5 % up to 500 kbit/s, 80 % up to 800 kbit/s, 75 % above
    /// (Linux, `can: dev: calc_bittiming`).
    #[must_use]
    pub const fn recommended(bit_rate: BitRate) -> Self {
        let permille = match bit_rate.bits_per_second() {
            0..=500_000 => 875,
            500_001..=800_000 => 800,
            _ => 750,
        };
        PhaseTiming::new(bit_rate, SamplePoint(permille))
    }

    /// Returns the bit rate.
    #[must_use]
    pub const fn bit_rate(&self) -> BitRate {
        self.bit_rate
    }

    /// Returns the sample point.
    #[must_use]
    pub const fn sample_point(&self) -> SamplePoint {
        self.sample_point
    }

    /// Returns the time of one bit.
    #[must_use]
    pub const fn bit(&self) -> Picoseconds {
        self.bit
    }

    /// Returns the time from the start of a bit to its sample point, to the nearest picosecond.
    #[must_use]
    pub const fn to_sample(&self) -> Picoseconds {
        self.to_sample
    }

    /// Returns the time from the sample point to the end of the bit.
    #[must_use]
    pub const fn from_sample(&self) -> Picoseconds {
        // The sample point lies inside the bit.
        Picoseconds(self.bit.0 - self.to_sample.0)
    }
}

impl SamplePoint {
    /// Makes a sample point from thousandths of the bit time.
    ///
    /// # Errors
    /// [`SamplePointError`] unless `permille` is 1 to 999.
    pub const fn from_permille(permille: u16) -> Result<Self, SamplePointError> {
        match permille {
            1..=999 => Ok(SamplePoint(permille)),
            _ => Err(SamplePointError { permille }),
        }
    }

    /// Returns the sample point of a share of the bit time, rounded to a thousandth; `None` unless
    /// it is 0.5 to 0.95, the range that controllers are set to.
    #[must_use]
    pub fn of_share(share: f64) -> Option<Self> {
        // A cast takes NaN for 0 and what is too large for the largest number.
        let permille = (share * 1_000.0 + 0.5) as u16;
        (500..=950)
            .contains(&permille)
            .then_some(SamplePoint(permille))
    }

    /// Returns thousandths of the bit time.
    #[must_use]
    pub const fn permille(self) -> u16 {
        self.0
    }
}

impl Picoseconds {
    /// The empty span.
    pub const ZERO: Picoseconds = Picoseconds(0);

    /// Makes a span from picoseconds.
    #[must_use]
    pub const fn new(picoseconds: u64) -> Self {
        Picoseconds(picoseconds)
    }

    /// Returns the number of picoseconds.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// Returns the span in whole nanoseconds, rounded up: a timer set to it never comes early.
    #[must_use]
    pub const fn to_duration(self) -> Duration {
        Duration::from_nanos(self.0.div_ceil(1_000))
    }
}

impl Add for Picoseconds {
    type Output = Picoseconds;
    fn add(self, rhs: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.saturating_add(rhs.0))
    }
}

impl AddAssign for Picoseconds {
    fn add_assign(&mut self, rhs: Picoseconds) {
        *self = *self + rhs;
    }
}

impl Sub for Picoseconds {
    type Output = Picoseconds;
    fn sub(self, rhs: Picoseconds) -> Picoseconds {
        Picoseconds(self.0.saturating_sub(rhs.0))
    }
}

impl Mul<u16> for Picoseconds {
    type Output = Picoseconds;
    fn mul(self, rhs: u16) -> Picoseconds {
        Picoseconds(self.0.saturating_mul(rhs as u64))
    }
}

impl Sum for Picoseconds {
    fn sum<I: Iterator<Item = Picoseconds>>(spans: I) -> Picoseconds {
        spans.fold(Picoseconds::ZERO, Add::add)
    }
}

/// Prints microseconds: `243.5 us`, as many decimals as are needed.
impl fmt::Display for Picoseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bit_rate::write_decimal(f, self.0, 1_000_000)?;
        f.write_str(" us")
    }
}

/// Prints percent: `87.5 %`.
impl fmt::Display for SamplePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bit_rate::write_decimal(f, self.0 as u64, 10)?;
        f.write_str(" %")
    }
}

impl fmt::Display for SamplePointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SamplePointError { permille } = self;
        write!(
            f,
            "a sample point of {permille} thousandths is not inside the bit (1 to 999)"
        )
    }
}

impl core::error::Error for SamplePointError {}
