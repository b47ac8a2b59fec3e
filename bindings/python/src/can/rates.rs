//! Bit rates and sample points as arguments.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use waywarden_can::bits::FdVariant;
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};

use crate::arguments::refused;

/// Reads a bit rate: bits per second, or text such as `500k`.
pub(crate) fn bit_rate(name: &str, value: &Bound<'_, PyAny>) -> PyResult<BitRate> {
    let remedy = "give bits per second, or text such as \"500k\" or \"2M\"";
    let is_text = value.is_instance_of::<PyString>();
    let is_number = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    if !is_text && !is_number {
        let kind = value.get_type();
        return Err(refused(
            format_args!("{name} is a {}", kind.qualname()?),
            remedy,
        ));
    }
    let text = value.str()?;
    let text = text.to_str()?;
    let read = text.parse::<BitRate>();
    read.map_err(|error| refused(format_args!("{name} {text:?}: {error}"), remedy))
}

/// Rates and sample points of both phases.
pub(super) struct Rates<'a, 'py> {
    pub(super) bitrate: &'a Bound<'py, PyAny>,
    pub(super) data_bitrate: Option<&'a Bound<'py, PyAny>>,
    pub(super) sample_point: Option<f64>,
    pub(super) data_sample_point: Option<f64>,
}

impl Rates<'_, '_> {
    /// Returns the bit timing; without sample points those that CiA recommends.
    pub(super) fn timing(&self) -> PyResult<BitTiming> {
        let nominal = phase("bitrate", self.bitrate, self.sample_point)?;
        let data = self.data_bitrate;
        let data = data.map(|rate| phase("data_bitrate", rate, self.data_sample_point));
        let timing = BitTiming {
            nominal,
            data: data.transpose()?,
        };
        let nominal = timing.nominal.bit_rate();
        match timing.data.map(|data| data.bit_rate()) {
            Some(data) if timing.has_slow_data_phase() => Err(refused(
                format_args!("data_bitrate {data}: below the nominal bit rate {nominal}"),
                "the data phase is as fast or faster",
            )),
            _ => Ok(timing),
        }
    }
}

fn phase(name: &str, rate: &Bound<'_, PyAny>, point: Option<f64>) -> PyResult<PhaseTiming> {
    let rate = bit_rate(name, rate)?;
    let Some(share) = point else {
        return Ok(PhaseTiming::recommended(rate));
    };
    match SamplePoint::of_share(share) {
        Some(point) => Ok(PhaseTiming::new(rate, point)),
        None => Err(refused(
            format_args!("sample point {share}: out of range"),
            "a share of the bit from 0.5 to 0.95, such as 0.875",
        )),
    }
}

/// Returns the variant of CAN FD.
pub(super) const fn variant(non_iso: bool) -> FdVariant {
    match non_iso {
        true => FdVariant::NonIso,
        false => FdVariant::Iso,
    }
}
