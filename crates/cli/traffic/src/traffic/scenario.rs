//! A scenario's folder.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use waywarden_traffic_lab::radio::Buildings;
use waywarden_traffic_lab::scenario::{Roads, Scenario};
use waywarden_vehicle_tracks::read_buildings;

use super::failed;
use waywarden_command_line::exit::Failure;
use waywarden_command_line::files;

/// The file of a scenario in its folder.
const FILE: &str = "scenario.toml";

/// A scenario, and where its files are.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    pub(super) scenario: Scenario,
    /// The text of its file.
    pub(super) text: String,
}

impl Folder {
    /// Reads the scenario of a folder.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let file = path.join(FILE);
        let text = files::text(&file)?;
        let scenario = Scenario::parse(&text).map_err(|error| failed(&file, &error))?;
        Ok(Self {
            path: path.to_owned(),
            scenario,
            text,
        })
    }

    /// Returns where a file of the scenario is.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns all files that the scenario names.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let roads = match &self.scenario.roads {
            Roads::Network { network } => vec![network],
            Roads::Plain { nodes, edges } => vec![nodes, edges],
        };
        let names = roads.into_iter().chain(&self.scenario.buildings);
        names.map(|name| self.file(name)).collect()
    }

    /// Reads the buildings.
    pub(super) fn buildings(&self) -> Result<Option<Buildings>, Failure> {
        let Some(name) = &self.scenario.buildings else {
            return Ok(None);
        };
        buildings(&self.file(name)).map(Some)
    }

    /// Returns the names of the levels of traffic.
    pub(super) fn levels(&self) -> impl Iterator<Item = &str> {
        self.scenario.traffic.vehicles.keys().map(String::as_str)
    }

    /// Chooses the level of traffic; the only one without a name.
    pub(super) fn level<'a>(&'a self, named: Option<&'a str>) -> Result<(&'a str, u32), Failure> {
        let levels = &self.scenario.traffic.vehicles;
        let level = match (named, levels.keys().next()) {
            (Some(named), _) => named,
            (None, Some(only)) if levels.len() == 1 => only,
            (None, _) => {
                let known: Vec<_> = levels.keys().map(String::as_str).collect();
                let what = format!("name a level of traffic: --level {}", known.join(" or "));
                return Err(failed(&self.file(FILE), &what));
            }
        };
        let vehicles = self.scenario.vehicles(level);
        let vehicles = vehicles.map_err(|error| failed(&self.file(FILE), &error))?;
        Ok((level, vehicles))
    }
}

/// Reads the buildings of a file.
pub(super) fn buildings(path: &Path) -> Result<Buildings, Failure> {
    let outlines = read_buildings(BufReader::new(files::open(path)?));
    let outlines = outlines.map_err(|error| failed(path, &error.to_string()))?;
    Ok(Buildings::new(&outlines))
}
