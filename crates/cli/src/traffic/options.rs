//! How vehicles send, as options of several commands.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use waywarden_traffic_lab::radio::{Antenna, Buildings, Propagation, RadioSettings};
use waywarden_traffic_lab::{Attack, RunSettings};
use waywarden_vehicle_tracks::read_buildings;

use super::failed;
use super::scenario::Folder;
use crate::exit::Failure;
use crate::files;

/// The radio, and the messages of vehicles.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "How vehicles send")]
pub(super) struct RadioOptions {
    /// Buildings that take power from the radio: polygons of SUMO (.poly.xml).
    #[arg(long, value_name = "FILE")]
    pub(super) buildings: Option<PathBuf>,
    /// How long a frame is with its MAC header and check sequence, 40 to 2,304 bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 460)]
    #[arg(value_parser = clap::value_parser!(u32).range(40..=2304))]
    bytes: u32,
    /// How many messages a vehicle sends in a second, 1 to 50.
    #[arg(long, value_name = "HZ", default_value_t = 10)]
    #[arg(value_parser = clap::value_parser!(u64).range(1..=50))]
    rate: u64,
    /// The power that vehicles send with, 0.001 to 2,000 mW.
    #[arg(long, value_name = "MW", default_value_t = 20.0, value_parser = power)]
    power: f64,
}

fn power(text: &str) -> Result<f64, String> {
    let power: Option<f64> = text.parse().ok();
    let power = power.filter(|power| (0.001..=2_000.0).contains(power));
    power.ok_or_else(|| "a power from 0.001 to 2000 mW".to_owned())
}

/// Reads the buildings of a file.
pub(super) fn buildings(path: &Path) -> Result<Buildings, Failure> {
    let outlines = read_buildings(BufReader::new(files::open(path)?));
    let outlines = outlines.map_err(|error| failed(path, &error.to_string()))?;
    Ok(Buildings::new(&outlines))
}

impl RadioOptions {
    /// Returns the settings of a run. Buildings of a scenario stand where no others are named.
    pub(super) fn settings(
        &self,
        folder: Option<&Folder>,
        attack: Option<Attack>,
        seed: u64,
    ) -> Result<RunSettings, Failure> {
        let buildings = match (&self.buildings, folder) {
            (Some(path), _) => Some(buildings(path)?),
            (None, Some(folder)) => folder.buildings()?,
            (None, None) => None,
        };
        let gains = folder.map_or(&[][..], |folder| &folder.scenario.radio.antenna_dbi);
        Ok(RunSettings {
            radio: RadioSettings {
                power_mw: self.power,
                ..RadioSettings::DEFAULT
            },
            propagation: Propagation {
                antenna: Antenna::new(gains),
                buildings: buildings.map(Arc::new),
                ..Propagation::FREE_SPACE
            },
            bytes: self.bytes,
            period_ns: 1_000_000_000 / self.rate,
            attack,
            seed,
        })
    }
}
