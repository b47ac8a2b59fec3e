//! A scenario: a network, what stands around it, and how many vehicles drive from where to where.

mod demand;
mod densest;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use demand::{DemandError, trips};
pub use densest::densest_place;

/// The JSON Schema (draft 2020-12) of scenario files, for editors.
pub const SCHEMA: &str = include_str!("../schemas/traffic-scenario.json");

/// A scenario as its file `scenario.toml` says. Names of files are relative to its folder.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Name of the scenario.
    pub name: String,
    /// Road network or the files to make it from.
    pub roads: Roads,
    /// Polygons of SUMO; those whose type begins with `building` take power from the radio.
    pub buildings: Option<String>,
    /// Without roads that are farther than this from where most road is, in metres; `None`: with
    /// all roads.
    pub within_m: Option<f64>,
    /// Vehicles and their trips.
    pub traffic: Traffic,
    /// Differences from the lab's radio.
    #[serde(default)]
    pub radio: Radio,
}

/// The roads: a network of SUMO, or the plain files from which `netconvert` makes one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RoadsTable")]
pub enum Roads {
    /// A network.
    Network {
        /// `.net.xml`, compressed by gzip or not.
        network: String,
    },
    /// Plain files.
    Plain {
        /// `.nod.xml`.
        nodes: String,
        /// `.edg.xml`.
        edges: String,
    },
}

/// The roads as they stand in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoadsTable {
    network: Option<String>,
    nodes: Option<String>,
    edges: Option<String>,
}

impl TryFrom<RoadsTable> for Roads {
    type Error = &'static str;

    fn try_from(table: RoadsTable) -> Result<Self, Self::Error> {
        match (table.network, table.nodes, table.edges) {
            (Some(network), None, None) => Ok(Self::Network { network }),
            (None, Some(nodes), Some(edges)) => Ok(Self::Plain { nodes, edges }),
            _ => Err("roads: give network = FILE, or nodes = FILE and edges = FILE, not both"),
        }
    }
}

/// Vehicles and their trips.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Traffic {
    /// Duration of departures and of the simulation, in seconds.
    pub duration_s: u32,
    /// Origins and destinations of trips.
    pub between: Between,
    /// Number of vehicles, by the name of a level, such as `rush`. They depart at any time.
    pub vehicles: BTreeMap<String, u32>,
    /// Number of vehicles that depart right after one another, from one road to one other; 1: each
    /// by itself.
    #[serde(default = "one")]
    pub group: u32,
}

fn one() -> u32 {
    1
}

/// Origins and destinations of trips.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Between {
    /// From where roads come in to where they lead out, by their lanes and speeds.
    Ends,
    /// From any road to any other that can be reached, by their lengths.
    Roads,
}

/// Differences from the lab's radio.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Radio {
    /// Gains of every vehicle's antenna in dBi, at directions that are equally far apart, clockwise
    /// from straight ahead; one is that of all directions.
    pub antenna_dbi: Vec<f64>,
}

/// The most vehicles of a level, and the longest duration in seconds.
const VEHICLES_MAX: u32 = 1_000_000;
const DURATION_MAX_S: u32 = 86_400;
/// The longest name of a level.
const LEVEL_MAX: usize = 40;
/// The least and the most distance of roads that are kept, in metres.
const WITHIN_M: std::ops::RangeInclusive<f64> = 10.0..=100_000.0;
/// The most vehicles that depart right after one another.
const GROUP_MAX: u32 = 1_000;

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    /// What is wrong, with the line where that is known.
    pub fn parse(text: &str) -> Result<Self, String> {
        // Serde would take the values of a list for those of a table's keys.
        let mut entries = text.parse::<toml::Table>().unwrap_or_default().into_iter();
        if let Some((key, _)) = entries.find(|(_, value)| value.is_array()) {
            return Err(format!("{key}: expected one table [{key}], found a list"));
        }
        let scenario: Self = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| 1 + before.matches('\n').count());
            format!("line {line}: {}", error.message())
        })?;
        let traffic = &scenario.traffic;
        if !(1..=DURATION_MAX_S).contains(&traffic.duration_s) {
            return Err(format!(
                "[traffic] duration_s = {}: give 1 to {DURATION_MAX_S} seconds",
                traffic.duration_s
            ));
        }
        if !(1..=GROUP_MAX).contains(&traffic.group) {
            return Err(format!(
                "[traffic] group = {}: give 1 to {GROUP_MAX} vehicles",
                traffic.group
            ));
        }
        let is_wrong = |within: &f64| !WITHIN_M.contains(within);
        if let Some(within) = scenario.within_m.filter(is_wrong) {
            let (least, most) = (WITHIN_M.start(), WITHIN_M.end());
            return Err(format!(
                "within_m = {within}: give {least} to {most} metres"
            ));
        }
        if traffic.vehicles.is_empty() {
            return Err("[traffic] vehicles: name a level, such as { rush = 300 }".to_owned());
        }
        let is_wrong = |level: &&String| {
            let is_right = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
            !(1..=LEVEL_MAX).contains(&level.len()) || !level.chars().all(is_right)
        };
        if let Some(level) = traffic.vehicles.keys().find(is_wrong) {
            return Err(format!(
                "[traffic] vehicles: level {level:?}: give a name of 1 to {LEVEL_MAX} letters, \
                 digits, hyphens and underscores; folders are named by it"
            ));
        }
        let wrong = |count: &&u32| !(1..=VEHICLES_MAX).contains(*count);
        if let Some(count) = traffic.vehicles.values().find(wrong) {
            return Err(format!(
                "[traffic] vehicles: {count}: give 1 to {VEHICLES_MAX} vehicles"
            ));
        }
        let gains = &scenario.radio.antenna_dbi;
        if let Some(gain) = gains.iter().find(|gain| gain.is_nan() || gain.abs() > 40.0) {
            return Err(format!("[radio] antenna_dbi: {gain}: give -40 to 40 dBi"));
        }
        Ok(scenario)
    }

    /// Returns how many vehicles a level has.
    ///
    /// # Errors
    /// Which levels there are.
    pub fn vehicles(&self, level: &str) -> Result<u32, String> {
        let levels = &self.traffic.vehicles;
        let known = || levels.keys().map(String::as_str).collect::<Vec<_>>();
        let found = levels.get(level).copied();
        found.ok_or_else(|| format!("no level {level:?}; there are {}", known().join(", ")))
    }
}

#[cfg(test)]
mod tests;
