//! Quantities on the command line: bit rates, durations and sizes.

use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_vehicle_file::{BIT_RATE_MIN, RUN_MAX};
use waywarden_work::Duration;

use crate::exit::Failure;

/// The bit rates of a bus, as commands take them.
#[derive(Clone, Debug, clap::Args)]
pub struct Rates {
    /// Nominal bit rate, such as 500k, 1M, 83.333k or 125000.
    #[arg(long, value_name = "RATE")]
    bitrate: BitRate,
    /// Data bit rate of CAN FD frames with BRS, such as 2M.
    #[arg(long, value_name = "RATE")]
    data_bitrate: Option<BitRate>,
    /// Nominal sample point as a share of the bit [default: as CiA recommends for the rate].
    #[arg(long, value_name = "0.5..0.95", value_parser = sample_point)]
    sample_point: Option<SamplePoint>,
    /// Data sample point [default: as CiA recommends for the rate].
    #[arg(long, value_name = "0.5..0.95", value_parser = sample_point, requires = "data_bitrate")]
    data_sample_point: Option<SamplePoint>,
}

impl Rates {
    /// Returns the bit timing; without sample points those that are recommended.
    pub fn timing(&self) -> Result<BitTiming, Failure> {
        let phase = |rate, point: Option<SamplePoint>| {
            point.map_or(PhaseTiming::recommended(rate), |point| {
                PhaseTiming::new(rate, point)
            })
        };
        checked(BitTiming {
            nominal: phase(self.bitrate, self.sample_point),
            data: self
                .data_bitrate
                .map(|rate| phase(rate, self.data_sample_point)),
        })
    }
}

/// The bit rates of a bus where a default will do: 500 kbit/s, and 2 Mbit/s for data.
#[derive(Clone, Debug, clap::Args)]
pub struct OptionalRates {
    /// Nominal bit rate.
    #[arg(long, value_name = "RATE", default_value = "500k")]
    bitrate: BitRate,
    /// Data bit rate of CAN FD frames with BRS.
    #[arg(long, value_name = "RATE", default_value = "2M")]
    data_bitrate: BitRate,
}

impl OptionalRates {
    /// Returns the bit timing.
    pub fn timing(&self) -> Result<BitTiming, Failure> {
        checked(BitTiming::fd(self.bitrate, self.data_bitrate))
    }
}

/// The sample points that vehicle files take, in thousandths.
const SAMPLE_POINTS: std::ops::RangeInclusive<u16> = 500..=950;

fn sample_point(text: &str) -> Result<SamplePoint, String> {
    let share: f64 = text.parse().unwrap_or(f64::NAN);
    // What is no number, or too large, becomes a share out of range.
    let permille = (share * 1_000.0).round() as u16;
    if !SAMPLE_POINTS.contains(&permille) {
        return Err("a sample point is a share of the bit from 0.5 to 0.95, such as 0.875".into());
    }
    SamplePoint::from_permille(permille).map_err(|error| error.to_string())
}

/// Refuses a data phase that is slower than the rest of the frame.
pub fn checked(timing: BitTiming) -> Result<BitTiming, Failure> {
    let nominal = timing.nominal.bit_rate();
    match timing.data.map(|data| data.bit_rate()) {
        Some(data) if data.bits_per_second() < nominal.bits_per_second() => {
            Err(Failure::new(format_args!(
                "--data-bitrate {data}: below the nominal bit rate {nominal}; the data phase is as \
                 fast or faster"
            )))
        }
        _ => Ok(timing),
    }
}

/// Refuses a bit rate that vehicle files do not take.
pub fn within(option: &str, rate: BitRate, highest: u32) -> Result<(), Failure> {
    let range = BIT_RATE_MIN..=highest;
    match range.contains(&rate.bits_per_second()) {
        true => Ok(()),
        false => Err(Failure::new(format_args!(
            "{option} {rate}: out of range; {}k to {}M, for instance 500k",
            BIT_RATE_MIN / 1_000,
            highest / 1_000_000
        ))),
    }
}

/// Reads how long a run lasts: what a vehicle file may say.
pub fn run_length(text: &str) -> Result<Duration, Failure> {
    let length = duration(text)?;
    match length > Duration::ZERO && length <= RUN_MAX {
        true => Ok(length),
        false => Err(Failure::new(format_args!(
            "--duration {text}: out of range; above zero and up to a day, 24h"
        ))),
    }
}

/// Reads a duration such as `10s`, `250ms`, `50us` or `24h`, as vehicle files have it.
pub fn duration(text: &str) -> Result<Duration, Failure> {
    waywarden_vehicle_file::duration(text).ok_or_else(|| {
        Failure::new(format_args!(
            "{text}: not a duration such as 10s, 250ms, 50us, 5min or 24h"
        ))
    })
}

/// Reads a number of bytes such as `65536`, `64KiB`, `1MiB` or `2MB`.
pub fn bytes(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 8] = [
        ("", 1),
        ("B", 1),
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
    ];
    let end = text.find(|letter: char| !letter.is_ascii_digit());
    let (digits, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim_start();
    let unit = UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit));
    let wrong = || "a size is a number of bytes such as 65536, 64KiB, 1MiB or 2GB; 0 for none";
    let (_, unit) = unit.ok_or_else(wrong)?;
    let number: usize = digits.parse().map_err(|_| wrong())?;
    number
        .checked_mul(*unit)
        .ok_or_else(|| "more bytes than this machine can address".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_bytes() {
        for (text, expected) in [
            ("0", 0),
            ("0MiB", 0),
            ("65536", 65_536),
            ("1 B", 1),
            ("64KiB", 65_536),
            ("1mib", 1 << 20),
            ("2 GiB", 2 << 30),
            ("3kB", 3_000),
            ("5MB", 5_000_000),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "MiB", "-1", "1.5MiB", "1Mi", "0x10", "1MiB ", "1e6"] {
            let error = bytes(text).expect_err(text);
            assert!(error.contains("64KiB"), "{error}");
        }
        for text in ["18446744073709551616", "18446744073709551615KiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
