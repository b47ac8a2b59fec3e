//! The terminals of a unit: the places on its buses that nodes of other simulations take.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use waywarden_can_sim::config::PARTIES_MAX;
use waywarden_vehicle_file::VehicleFile;

/// Terminals on each bus if neither their number nor an ECU is named.
pub const NODES_DEFAULT: usize = 2;

/// The file in the unit's resources that has its [`Choices`].
pub const CHOICES_FILE: &str = "unit.json";

/// Choices of the user for a unit, which are kept in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choices {
    /// The vehicle file, in the folder of the unit's resources.
    pub vehicle: String,
    /// The token that the unit's description and its instances have in common.
    pub token: String,
    /// Number of terminals of each bus.
    pub nodes: usize,
    /// ECUs of the file that are nodes of other simulations.
    pub outside: Vec<String>,
}

/// A place on a bus for a node of another simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Name of the node: an ECU of the file, or `node1` and so on.
    pub node: String,
    /// Name of the bus.
    pub bus_name: String,
    /// The bus, as an index into the file.
    pub bus: usize,
}

/// The buses and terminals of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terminals {
    /// Names of the buses, in the order of the file.
    pub buses: Vec<String>,
    /// By bus, then in order of the choices.
    pub terminals: Vec<Terminal>,
}

/// Reason that a unit cannot have the terminals that were chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TerminalError {
    /// The file has no ECU of this name.
    UnknownEcu {
        /// The name.
        name: String,
        /// The names of the ECUs.
        ecus: Vec<String>,
    },
    /// An ECU is named twice.
    Twice(String),
    /// The unit would have no terminal.
    None,
    /// More terminals than a bus takes controllers.
    TooMany(usize),
    /// Two terminals would have one name.
    OneName(String),
}

impl Terminal {
    /// Returns its name in the unit.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}_{}", self.bus_name, self.node)
    }
}

impl Terminals {
    /// Lists the terminals that `choices` give to a vehicle.
    ///
    /// # Errors
    /// [`TerminalError`] by cause.
    pub fn new(file: &VehicleFile, choices: &Choices) -> Result<Self, TerminalError> {
        if choices.nodes >= PARTIES_MAX {
            return Err(TerminalError::TooMany(choices.nodes));
        }
        for (at, name) in choices.outside.iter().enumerate() {
            if choices.outside[..at].contains(name) {
                return Err(TerminalError::Twice(name.clone()));
            }
            if !file.ecus.iter().any(|ecu| ecu.name.value == *name) {
                let ecus = file.ecus.iter().map(|ecu| ecu.name.value.clone());
                return Err(TerminalError::UnknownEcu {
                    name: name.clone(),
                    ecus: ecus.collect(),
                });
            }
        }
        let buses: Vec<String> = file
            .buses
            .iter()
            .map(|bus| bus.name.value.clone())
            .collect();
        let mut terminals = Vec::new();
        for (bus, bus_name) in buses.iter().enumerate() {
            let outside = choices.outside.iter().filter(|name| {
                let mut ecus = file.ecus.iter();
                let ecu = ecus.find(|ecu| ecu.name.value == **name);
                ecu.is_some_and(|ecu| ecu.ports.iter().any(|port| port.0 == bus))
            });
            let numbered = (1..=choices.nodes).map(|number| format!("node{number}"));
            terminals.extend(outside.cloned().chain(numbered).map(|node| Terminal {
                node,
                bus_name: bus_name.clone(),
                bus,
            }));
        }
        let mut names = BTreeSet::new();
        for terminal in &terminals {
            if !names.insert(terminal.name()) {
                return Err(TerminalError::OneName(terminal.name()));
            }
        }
        match terminals.is_empty() {
            true => Err(TerminalError::None),
            false => Ok(Terminals { buses, terminals }),
        }
    }
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownEcu { name, ecus } => {
                let ecus = ecus.join(", ");
                write!(f, "unknown ECU \"{name}\"; ECUs of this vehicle: {ecus}")
            }
            Self::Twice(name) => write!(f, "ECU \"{name}\" is named twice; name it once"),
            Self::None => f.write_str("no terminal; name an ECU, or ask for at least 1 node"),
            Self::TooMany(nodes) => {
                let most = PARTIES_MAX - 1;
                write!(f, "{nodes} nodes on each bus; at most {most}")
            }
            Self::OneName(name) => write!(
                f,
                "two terminals would be called \"{name}\"; give the ECU or the bus another name"
            ),
        }
    }
}

impl std::error::Error for TerminalError {}
