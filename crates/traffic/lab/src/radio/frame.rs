//! The time of a frame on the air, and the modulation and number of its bits.

use std::fmt;
use std::str::FromStr;

use super::error_rate::Modulation;

/// Nanoseconds in a microsecond.
pub(super) const MICROSECOND: u64 = 1_000;

/// A data rate on a channel of 10 MHz \[802.11 §17\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataRate {
    /// 3 Mb/s.
    Mbps3,
    /// 4.5 Mb/s.
    Mbps4_5,
    /// 6 Mb/s, the rate of safety messages.
    #[default]
    Mbps6,
    /// 9 Mb/s.
    Mbps9,
    /// 12 Mb/s.
    Mbps12,
    /// 18 Mb/s.
    Mbps18,
    /// 24 Mb/s.
    Mbps24,
    /// 27 Mb/s.
    Mbps27,
}

impl DataRate {
    /// All of them, the slowest first.
    pub const ALL: [Self; 8] = [
        Self::Mbps3,
        Self::Mbps4_5,
        Self::Mbps6,
        Self::Mbps9,
        Self::Mbps12,
        Self::Mbps18,
        Self::Mbps24,
        Self::Mbps27,
    ];

    /// Returns the data bits of a symbol of 8 us.
    #[must_use]
    pub const fn bits_per_symbol(self) -> u32 {
        match self {
            Self::Mbps3 => 24,
            Self::Mbps4_5 => 36,
            Self::Mbps6 => 48,
            Self::Mbps9 => 72,
            Self::Mbps12 => 96,
            Self::Mbps18 => 144,
            Self::Mbps24 => 192,
            Self::Mbps27 => 216,
        }
    }

    /// Returns the rate in Mb/s: bits of a symbol in 8 us.
    #[must_use]
    pub fn mbps(self) -> f64 {
        f64::from(self.bits_per_symbol()) / 8.0
    }

    /// Returns its modulation.
    #[must_use]
    pub const fn modulation(self) -> Modulation {
        match self {
            Self::Mbps3 => Modulation::BPSK_1_2,
            Self::Mbps4_5 => Modulation::BPSK_3_4,
            Self::Mbps6 => Modulation::QPSK_1_2,
            Self::Mbps9 => Modulation::QPSK_3_4,
            Self::Mbps12 => Modulation::QAM16_1_2,
            Self::Mbps18 => Modulation::QAM16_3_4,
            Self::Mbps24 => Modulation::QAM64_2_3,
            Self::Mbps27 => Modulation::QAM64_3_4,
        }
    }

    /// Returns how long a frame of so many bytes takes, its MAC header and check sequence included,
    /// in nanoseconds: a preamble of 32 us, a header of 8 us, and symbols of 8 us for 16 service
    /// bits, the bytes and 6 tail bits \[802.11 §17.3\].
    #[must_use]
    pub fn airtime_ns(self, bytes: u32) -> u64 {
        FrameTiming::Ofdm.airtime_ns(self, bytes)
    }
}

impl fmt::Display for DataRate {
    /// Writes the number of Mb/s.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.mbps().fmt(formatter)
    }
}

/// A text that is none of the eight rates. As text it names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownDataRate;

impl fmt::Display for UnknownDataRate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("give a data rate of 802.11p in Mb/s: one of ")?;
        for (at, rate) in DataRate::ALL.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            write!(formatter, "{comma}{rate}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownDataRate {}

impl FromStr for DataRate {
    type Err = UnknownDataRate;

    /// Reads a number of Mb/s.
    fn from_str(text: &str) -> Result<Self, UnknownDataRate> {
        let mbps: f64 = text.parse().map_err(|_| UnknownDataRate)?;
        let mut all = Self::ALL.into_iter();
        all.find(|rate| rate.mbps() == mbps).ok_or(UnknownDataRate)
    }
}

/// Structure of a frame's time on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrameTiming {
    /// A preamble, a header and symbols at the data rate \[802.11 §17.3\].
    #[default]
    Ofdm,
    /// Whole subframes of 1 ms, without preamble and header. Of the data rate only the modulation
    /// counts.
    Subframes {
        /// Bytes of a frame that a subframe carries; at least 1.
        bytes: u32,
    },
}

/// The parts of a frame of 802.11.
const PREAMBLE: u64 = 32 * MICROSECOND;
const HEADER: u64 = 8 * MICROSECOND;
const HEADER_BITS: u32 = 24;
const SYMBOL: u64 = 8 * MICROSECOND;

const SUBFRAME: u64 = 1_000 * MICROSECOND;

/// Begins of a frame's parts after its own begin, in ns, and the bits that they have in a ns.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameParts {
    /// The same as `payload` if there is no header.
    pub(super) header: u64,
    pub(super) payload: u64,
    pub(super) header_bits_per_ns: f64,
    pub(super) payload_bits_per_ns: f64,
}

impl FrameTiming {
    /// A channel of 10 MHz with QPSK and half of the bits for the code: 48 resource blocks of 12
    /// subcarriers beside the two of the control channel, and 9 of 14 symbols (4 are reference
    /// signals, and the last one is a gap): 48 * 12 * 9 * 2 / 2 bits \[TS 36.211 §9\].
    pub const SIDELINK: Self = Self::Subframes { bytes: 648 };

    /// Returns how long a frame of so many bytes takes, in ns.
    pub(super) fn airtime_ns(self, rate: DataRate, bytes: u32) -> u64 {
        match self {
            Self::Ofdm => {
                let bits = 16 + 8 * u64::from(bytes) + 6;
                let symbols = bits.div_ceil(u64::from(rate.bits_per_symbol()));
                PREAMBLE + HEADER + symbols * SYMBOL
            }
            Self::Subframes { bytes: each } => {
                u64::from(bytes.div_ceil(each.max(1)).max(1)) * SUBFRAME
            }
        }
    }

    pub(super) fn parts(self, rate: DataRate) -> FrameParts {
        match self {
            Self::Ofdm => FrameParts {
                header: PREAMBLE,
                payload: PREAMBLE + HEADER,
                header_bits_per_ns: f64::from(HEADER_BITS) / HEADER as f64,
                payload_bits_per_ns: f64::from(rate.bits_per_symbol()) / SYMBOL as f64,
            },
            Self::Subframes { bytes } => FrameParts {
                header: 0,
                payload: 0,
                header_bits_per_ns: 0.0,
                payload_bits_per_ns: 8.0 * f64::from(bytes.max(1)) / SUBFRAME as f64,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::radio::RadioSettings;

    #[test]
    fn frames_take_as_long_as_the_standard_has_it() {
        // 460 bytes at 6 Mb/s: 3,702 bits are 78 symbols.
        assert_eq!(DataRate::Mbps6.airtime_ns(460), 664_000);
        assert_eq!(DataRate::Mbps6.airtime_ns(43), 104_000);
        assert_eq!(DataRate::Mbps3.airtime_ns(14), 88_000);
        // 103 symbols of 36 bits, and 18 of 216.
        assert_eq!(DataRate::Mbps4_5.airtime_ns(460), 864_000);
        assert_eq!(DataRate::Mbps27.airtime_ns(460), 184_000);
    }

    #[test]
    fn sidelink_frames_take_whole_subframes() {
        for (bytes, milliseconds) in [(0, 1), (460, 1), (648, 1), (649, 2), (1_400, 3)] {
            let airtime = RadioSettings::C_V2X_LIKE.airtime_ns(bytes);
            assert_eq!(airtime, milliseconds * 1_000_000, "{bytes}");
        }
    }

    #[test]
    fn a_rate_is_read_as_it_is_written_and_an_error_names_all_eight() {
        let texts = DataRate::ALL.map(|rate| rate.to_string());
        assert_eq!(texts, ["3", "4.5", "6", "9", "12", "18", "24", "27"]);
        for (text, rate) in texts.iter().zip(DataRate::ALL) {
            assert_eq!(text.parse(), Ok(rate));
        }
        for text in ["", "5", "-6", "nan", "6 Mb/s"] {
            let error = text.parse::<DataRate>().unwrap_err().to_string();
            assert!(
                error.ends_with("one of 3, 4.5, 6, 9, 12, 18, 24, 27"),
                "{error}"
            );
        }
    }
}
