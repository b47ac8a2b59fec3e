//! Parameters that an importer sets before the unit begins.

use waywarden_can::timing::{BitRate, PhaseTiming};
use waywarden_can_sim::config::BusConfig;
use waywarden_vehicle_file::VehicleFile;

use super::UnitError;

/// Parameters of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Seed of all random choices.
    pub seed: u64,
    /// Nominal and data bit rate of each bus in bit/s; the data bit rate of a classic bus is 0.
    pub rates: Vec<(u32, u32)>,
}

impl Settings {
    /// Returns those of the vehicle file.
    #[must_use]
    pub fn new(file: &VehicleFile) -> Self {
        let rates = file.buses.iter().map(|bus| {
            let data = bus.fd.as_ref().map_or(0, |fd| fd.data.bit_rate);
            (bus.nominal.bit_rate, data)
        });
        Settings {
            seed: file.seed,
            rates: rates.collect(),
        }
    }

    /// Sets the rates of buses; sample points stay at their share of the bit.
    pub(super) fn apply(&self, buses: &mut [BusConfig]) -> Result<(), UnitError> {
        for (bus, &(nominal, data)) in buses.iter_mut().zip(&self.rates) {
            let refused = |why: String| UnitError::BitRate {
                bus: bus.name.clone(),
                why,
            };
            let phase = |phase: &PhaseTiming, rate: u32| -> Result<PhaseTiming, UnitError> {
                let rate = BitRate::new(rate).map_err(|error| refused(error.to_string()))?;
                Ok(PhaseTiming::new(rate, phase.sample_point()))
            };
            let mut timing = bus.timing;
            timing.nominal = phase(&timing.nominal, nominal)?;
            timing.data = match (&timing.data, data) {
                (None, 0) => None,
                (Some(_), 0) => {
                    return Err(refused("a CAN FD bus needs a data bit rate".to_owned()));
                }
                (None, _) => {
                    let why = "the bus is classic CAN; give it a data_bitrate in the vehicle file";
                    return Err(refused(why.to_owned()));
                }
                (Some(timing), data) => Some(phase(timing, data)?),
            };
            bus.timing = timing;
        }
        Ok(())
    }
}
