//! A bus: its rates and sample points as times, exact to the picosecond.

use waywarden_can::bits::FdVariant;
use waywarden_can::timing::{BitRate, BitTiming, PhaseTiming, SamplePoint};
use waywarden_can_sim::config::BusConfig;

use super::LowerError;
use waywarden_vehicle_file as file;

/// Makes a bus; no interferer is on it yet.
///
/// # Errors
/// [`LowerError::Timing`] for rates or sample points that no controller has.
pub(super) fn config(bus: &file::Bus) -> Result<BusConfig, LowerError> {
    let timing = |why: String| LowerError::Timing {
        bus: bus.name.value.clone(),
        why,
    };
    let phase = |phase: &file::BitRatePhase| -> Result<PhaseTiming, LowerError> {
        let rate = BitRate::new(phase.bit_rate).map_err(|error| timing(error.to_string()))?;
        let permille = (phase.sample_point * 1_000.0).round() as u16;
        let point =
            SamplePoint::from_permille(permille).map_err(|error| timing(error.to_string()))?;
        Ok(PhaseTiming::new(rate, point))
    };
    let data = bus.fd.as_ref().map(|fd| phase(&fd.data)).transpose()?;
    Ok(BusConfig {
        name: bus.name.value.clone(),
        timing: BitTiming {
            nominal: phase(&bus.nominal)?,
            data,
        },
        variant: variant(bus),
        interferers: Vec::new(),
    })
}

/// Returns which CRC the bus's FD frames carry.
pub(super) fn variant(bus: &file::Bus) -> FdVariant {
    match &bus.fd {
        Some(fd) if !fd.iso => FdVariant::NonIso,
        _ => FdVariant::Iso,
    }
}
