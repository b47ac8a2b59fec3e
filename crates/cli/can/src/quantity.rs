//! Quantities of vehicles on the command line: bit rates and lengths of runs.

use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_vehicle_file::{BIT_RATE_MIN, RUN_MAX};
use waywarden_work::Duration;

use waywarden_command_line::exit::Failure;
use waywarden_command_line::quantity::duration;

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

fn sample_point(text: &str) -> Result<SamplePoint, String> {
    // Text that is no number becomes a share out of range.
    let point = SamplePoint::of_share(text.parse().unwrap_or(f64::NAN));
    point.ok_or_else(|| {
        "a sample point is a share of the bit from 0.5 to 0.95, such as 0.875".to_owned()
    })
}

/// Refuses a data phase that is slower than the rest of the frame.
pub fn checked(timing: BitTiming) -> Result<BitTiming, Failure> {
    let nominal = timing.nominal.bit_rate();
    match timing.data.map(|data| data.bit_rate()) {
        Some(data) if timing.has_slow_data_phase() => Err(Failure::new(format_args!(
            "--data-bitrate {data}: below the nominal bit rate {nominal}; the data phase is as \
                 fast or faster"
        ))),
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
