//! Quantities on the command line: bit rates and durations.

use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_work::Duration;

use crate::exit::Failure;

/// The bit rates of a bus, as commands take them.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Rates {
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
    pub(crate) fn timing(&self) -> BitTiming {
        let phase = |rate, point: Option<SamplePoint>| {
            point.map_or(PhaseTiming::recommended(rate), |point| {
                PhaseTiming::new(rate, point)
            })
        };
        BitTiming {
            nominal: phase(self.bitrate, self.sample_point),
            data: self
                .data_bitrate
                .map(|rate| phase(rate, self.data_sample_point)),
        }
    }
}

/// The bit rates of a bus where a default will do: 500 kbit/s, and 2 Mbit/s for data.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct OptionalRates {
    /// Nominal bit rate.
    #[arg(long, value_name = "RATE", default_value = "500k")]
    bitrate: BitRate,
    /// Data bit rate of CAN FD frames with BRS.
    #[arg(long, value_name = "RATE", default_value = "2M")]
    data_bitrate: BitRate,
}

impl OptionalRates {
    pub(crate) fn timing(&self) -> BitTiming {
        BitTiming::fd(self.bitrate, self.data_bitrate)
    }
}

fn sample_point(text: &str) -> Result<SamplePoint, String> {
    let share: f64 = text
        .parse()
        .map_err(|_| "a share such as 0.875".to_owned())?;
    SamplePoint::from_permille((share * 1_000.0).round() as u16).map_err(|error| error.to_string())
}

/// Reads a duration such as `10s`, `250ms`, `50us`.
pub(crate) fn duration(text: &str) -> Result<Duration, Failure> {
    let wrong = || {
        Failure::new(format_args!(
            "{text}: not a duration such as 10s, 250ms or 50us"
        ))
    };
    let unit_at = text
        .find(|c: char| c.is_ascii_alphabetic())
        .ok_or_else(wrong)?;
    let (number, unit) = text.split_at(unit_at);
    let nanos = match unit {
        "s" => 1e9,
        "ms" => 1e6,
        "us" => 1e3,
        "ns" => 1.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    if !number.is_finite() || number < 0.0 || number * nanos > 1e18 {
        return Err(wrong());
    }
    Ok(Duration::from_nanos((number * nanos).round() as u64))
}
